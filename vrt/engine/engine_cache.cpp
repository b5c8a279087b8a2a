#include "vrt/engine/engine_cache.h"

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/base/file_trust.h"
#include "vrt/base/log.h"
#include "vrt/base/read_file.h"
#include "vrt/base/sha256.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDefaultMegabytes = 20480;
constexpr std::size_t kKeyDigits = 64;
constexpr std::string_view kLockSuffix = ".lock";

bool is_key(std::string_view name) {
  return name.size() == kKeyDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The key of a build's folder, ".<key>.<six characters>", or of a lock, ".<key>.lock"; empty for another name.
std::string key_of_leftover(const std::string& name) {
  constexpr std::size_t kRandom = 6;
  const std::size_t rest = name.size() - std::min(name.size(), 1 + kKeyDigits);
  const bool fits = rest == 1 + kRandom || name.ends_with(kLockSuffix);
  std::string key = fits && name.front() == '.' ? name.substr(1, kKeyDigits) : "";
  return is_key(key) ? key : "";
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // Another process may be removing it.
    const std::uint64_t size = file.file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

std::string digest_of(std::span<const std::byte> bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

void flush_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // NOLINT(*-vararg): open is one
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// The time of an entry's last use is that of its manifest: removed first is what was used longest ago.
void mark_used(const fs::path& entry) noexcept {
  utimensat(AT_FDCWD, (entry / EngineCache::kManifestFile).c_str(), nullptr, 0);
}

/// Renamed first, so that nobody sees half an entry; false where another process was quicker.
bool remove_entry(const fs::path& entry) {
  TemporaryFolder graveyard(entry.parent_path() / ("." + entry.filename().string() + "."));
  if (rename(entry.c_str(), (graveyard.path() / "entry").c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw Error(ErrorCode::kIo, fmt::format("cannot remove {}", entry.string()), std::generic_category().message(errno));
}

void require_trusted(const fs::path& path) {
  const std::string distrust = find_distrust(path);
  if (!distrust.empty()) fail(ErrorCode::kIo, "{} {}", path.string(), distrust);
}

Manifest read_manifest(const fs::path& entry) {
  const fs::path path = entry / EngineCache::kManifestFile;
  require_trusted(entry);
  require_trusted(path);
  if (!fs::is_regular_file(path)) fail(ErrorCode::kCorrupt, "{} is no file", path.string());
  const MappedFile file(path);
  Manifest manifest = parse_manifest({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  if (key_of(manifest.identity) != entry.filename().string())
    fail(ErrorCode::kCorrupt, "{} is the manifest of another key", path.string());
  return manifest;
}

/// The file of an entry, its digest checked.
MappedFile open_checked(const fs::path& entry, const ManifestFile& wanted) {
  const fs::path path = entry / wanted.path;
  require_trusted(path);
  MappedFile file(path);
  const bool sound = file.bytes().size() == wanted.bytes && digest_of(file.bytes()) == wanted.sha256;
  if (!sound) fail(ErrorCode::kCorrupt, "{} is not what its manifest says", path.string());
  return file;
}

EngineCache::Entry describe(const fs::path& path) {
  EngineCache::Entry entry{path.filename().string(), path, bytes_in(path), {}, std::nullopt, ""};
  std::error_code ignored;
  entry.used = fs::last_write_time(path / EngineCache::kManifestFile, ignored);
  try {
    entry.manifest = read_manifest(path);
  } catch (const std::exception& problem) {
    entry.problem = problem.what();
  }
  return entry;
}

/// The names in the folder; none where it is not there.
std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  const fs::directory_iterator items(folder, error);
  if (error == std::errc::no_such_file_or_directory) return paths;
  if (error) throw Error(ErrorCode::kIo, fmt::format("cannot read the folder {}", folder.string()), error.message());
  for (const auto& item : items) paths.push_back(item.path());
  return paths;
}

}  // namespace

TemporaryFolder::TemporaryFolder(const fs::path& prefix) {
  std::string name = prefix.string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::kIo, fmt::format("cannot make a folder {}", name), std::generic_category().message(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

void write_private_file(const fs::path& path, std::string_view content) {
  const auto check = [&](bool fine, int descriptor) {
    if (fine) return;
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    throw Error(ErrorCode::kIo, fmt::format("cannot write {}", path.string()), std::generic_category().message(error));
  };
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);  // NOLINT(*-vararg)
  check(descriptor >= 0, descriptor);
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0, descriptor);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  check(fsync(descriptor) == 0, descriptor);
  check(close(descriptor) == 0, -1);
}

EngineCache::EngineCache(fs::path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

EngineCache EngineCache::from_environment() {
  const char* const value = std::getenv("VRT_ENGINE_CACHE");
  const std::uint64_t limit = cache_limit_bytes("VRT_ENGINE_CACHE_MB", kDefaultMegabytes);
  if (value != nullptr && std::string_view(value) == "off") return {{}, 0};
  try {
    return {cache_root() / "engines", limit};
  } catch (const Error& problem) {
    EngineCache("no folder", 0).warn_unusable(problem.what());
    return {{}, 0};
  }
}

void EngineCache::warn_unusable(std::string_view problem) const noexcept {
  static std::mutex mutex;
  static auto& warned = *new std::set<std::string>;
  try {
    const std::lock_guard lock(mutex);
    if (!warned.insert(folder_.string()).second) return;
    log(LogLevel::kWarning,
        fmt::format("the engine cache cannot be used, engines are built again at each start: {}", problem));
  } catch (const std::exception&) {  // Out of memory while formatting; the cache is a convenience.
    return;
  }
}

fs::path EngineCache::memo_folder() const {
  if (!is_on()) return {};
  try {
    make_private_folder(folder_);
  } catch (const Error& problem) {
    log(LogLevel::kDebug, problem.what());  // Storing the engine will say so aloud.
  }
  return find_distrust(folder_).empty() ? folder_ / "digests" : fs::path();
}

fs::path EngineCache::timing_file(const EngineIdentity& identity, std::string_view gpu) const {
  if (!is_on()) return {};
  std::string name = fmt::format("{}-{}-{}", identity.builder.name, identity.builder.version, gpu);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  std::replace_if(name.begin(), name.end(), [&](unsigned char c) { return !is_plain(c); }, '_');
  try {
    const fs::path folder = folder_ / "timing";
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return {};
    require_trusted(folder);
    fs::path file = folder / (name + ".bin");
    if (fs::exists(file)) require_trusted(file);
    return file;
  } catch (const std::exception& problem) {
    log(LogLevel::kWarning, fmt::format("timings of earlier builds are not used: {}", problem.what()));
    return {};
  }
}

EngineCache::LookUp EngineCache::find(const std::string& key) const noexcept {
  try {
    return {look_up(key), false};
  } catch (const std::exception& problem) {
    log(LogLevel::kWarning, std::string("an engine of the cache is not taken and built again: ") + problem.what());
    return {std::nullopt, true};
  }
}

std::optional<EngineCache::Found> EngineCache::look_up(const std::string& key) const {
  const fs::path entry = folder_ / key;
  std::error_code error;
  if (!is_on() || !fs::exists(folder_, error)) return std::nullopt;
  if (const std::string distrust = find_distrust(folder_); !distrust.empty()) {
    warn_unusable(fmt::format("{} {}", folder_.string(), distrust));
    return std::nullopt;
  }
  if (!fs::exists(entry, error)) return std::nullopt;
  Found found{read_manifest(entry), std::nullopt, {}};
  for (const ManifestFile& wanted : found.manifest.files) {
    MappedFile file = open_checked(entry, wanted);
    if (wanted.path == kEngineFile) found.engine = std::move(file);
    if (wanted.path == kModelFile) found.model = entry / kModelFile;
  }
  mark_used(entry);
  return found;
}

fs::path EngineCache::lock_path(const std::string& key) const {
  return folder_ / ("." + key + std::string(kLockSuffix));
}

FileLock EngineCache::wait_for_lock(const std::string& key, const std::function<bool()>& go_on) const {
  constexpr std::chrono::milliseconds kPause{50};
  for (int attempt = 0;; ++attempt) {
    if (auto lock = FileLock::try_lock(lock_path(key))) return std::move(*lock);
    // At the first attempt it may have been somebody who cleared away.
    if (attempt == 1) log(LogLevel::kInfo, "another process or thread builds the same engine: waiting for it");
    if (!go_on()) fail(ErrorCode::kCancelled, "stopped while waiting for another process that builds the same engine");
    std::this_thread::sleep_for(kPause);
  }
}

std::optional<EngineCache::Claim> EngineCache::claim(const std::string& key, const std::function<bool()>& go_on) const {
  try {
    make_private_folder(folder_);
    require_trusted(folder_);
    FileLock lock = wait_for_lock(key, go_on);
    drop_leftovers(key);
    return Claim{key, std::move(lock), TemporaryFolder(folder_ / ("." + key + "."))};
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::kCancelled) throw;
    warn_unusable(problem.what());
  } catch (const fs::filesystem_error& problem) {
    warn_unusable(problem.what());
  }
  return std::nullopt;
}

void EngineCache::drop_leftovers(const std::string& own_key) const {
  for (const fs::path& path : paths_in(folder_)) {
    const std::string key = key_of_leftover(path.filename().string());
    if (key.empty()) continue;
    // A build that is at work holds its lock.
    const std::optional<FileLock> lock = key != own_key ? FileLock::try_lock(lock_path(key)) : std::nullopt;
    if (key != own_key && !lock) continue;
    std::error_code ignored;
    if (path != lock_path(key)) fs::remove_all(path, ignored);  // A lock's file goes with the lock.
  }
}

bool EngineCache::store(Claim claim, const Manifest& manifest) const noexcept {
  try {
    put_in_place(claim, manifest);
    prune(limit_bytes_);
    return true;
  } catch (const std::exception& problem) {
    warn_unusable(problem.what());
    return false;
  }
}

void EngineCache::put_in_place(Claim& claim, const Manifest& manifest) const {
  write_private_file(claim.folder.path() / kManifestFile, to_json(manifest));
  const std::uint64_t bytes = bytes_in(claim.folder.path());
  if (bytes > limit_bytes_) {
    fail(ErrorCode::kUnavailable, "an engine of {} bytes is above VRT_ENGINE_CACHE_MB, {} bytes: raise it", bytes,
         limit_bytes_);
  }
  flush_folder(claim.folder.path());
  const fs::path entry = folder_ / claim.key;
  std::error_code ignored;
  if (fs::exists(entry, ignored)) remove_entry(entry);
  if (rename(claim.folder.path().c_str(), entry.c_str()) != 0) {
    throw Error(ErrorCode::kIo, fmt::format("cannot rename the finished folder to {}", entry.string()),
                std::generic_category().message(errno));
  }
  claim.folder.release();
  flush_folder(folder_);
}

std::vector<EngineCache::Entry> EngineCache::entries() const {
  std::vector<Entry> entries;
  if (!is_on()) return entries;
  for (const fs::path& path : paths_in(folder_)) {
    if (is_key(path.filename().string())) entries.push_back(describe(path));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used > b.used; });
  return entries;
}

std::string EngineCache::find_fault(const Entry& entry) {
  if (!entry.manifest) return entry.problem;
  try {
    for (const ManifestFile& file : entry.manifest->files) static_cast<void>(open_checked(entry.path, file));
    return "";
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

EngineCache::Removed EngineCache::prune(std::uint64_t most_bytes) const {
  Removed removed;
  std::vector<Entry> all = entries();
  std::uint64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  for (; !all.empty() && total > most_bytes; all.pop_back()) {
    const Entry& oldest = all.back();
    total -= oldest.bytes;
    if (!remove_entry(oldest.path)) continue;
    ++removed.count;
    removed.bytes += oldest.bytes;
  }
  if (is_on()) drop_leftovers("");
  return removed;
}

void EngineCache::remove(const Entry& entry) const { remove_entry(entry.path); }

}  // namespace vrt::detail
