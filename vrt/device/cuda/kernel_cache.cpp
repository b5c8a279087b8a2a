#include "vrt/device/cuda/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "vrt/base/atomic_file.h"
#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/base/file_trust.h"
#include "vrt/base/log.h"
#include "vrt/base/read_file.h"
#include "vrt/base/sha256.h"

namespace vrt::cuda {

namespace fs = std::filesystem;

namespace {

// Raised whenever the format of an entry or the meaning of a key changes.
constexpr std::string_view kSchema = "vrt-kernels-2";
constexpr std::string_view kSuffix = ".kernels";
constexpr std::size_t kDigestDigits = 64;

std::string digest_text(std::string_view text) {
  Sha256 digest;
  digest.update(text);
  return digest.finish();
}

// An entry: schema line, digest line, target line, the image.
std::string encode(const CompiledKernels& kernels) {
  const std::string body = kernels.target + '\n' + kernels.image;
  return fmt::format("{}\n{}\n{}", kSchema, digest_text(body), body);
}

std::optional<CompiledKernels> decode(std::string entry) {
  const std::size_t body_at = kSchema.size() + 1 + kDigestDigits + 1;
  if (entry.size() <= body_at) return std::nullopt;
  const std::string_view body = std::string_view(entry).substr(body_at);
  if (entry.compare(0, body_at, fmt::format("{}\n{}\n", kSchema, digest_text(body))) != 0) return std::nullopt;
  const std::size_t line_end = body.find('\n');
  if (line_end == std::string_view::npos) return std::nullopt;
  std::string target(body.substr(0, line_end));
  entry.erase(0, body_at + line_end + 1);  // What stays is the image: no second copy of it is made.
  return CompiledKernels{std::move(entry), std::move(target), {}};
}

void warn_once(std::string_view problem) noexcept {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  try {
    log(LogLevel::kWarning, fmt::format("the kernel cache cannot be used, kernels are compiled again: {}", problem));
  } catch (...) {  // Out of memory while formatting; the cache is a convenience.
  }
}

using Entry = KernelCache::Entry;

// A folder that is not there yet has none. Throws kIo for one that cannot be read.
std::vector<Entry> entries_in(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  const fs::directory_iterator items(folder, error);
  if (error == std::errc::no_such_file_or_directory) return entries;
  if (error) throw Error(ErrorCode::kIo, fmt::format("cannot read the folder {}", folder.string()), error.message());
  for (const auto& item : items) {
    std::error_code gone;  // Another process may be clearing at the same time.
    if (item.path().extension() != kSuffix) continue;
    Entry entry{item.path(), item.last_write_time(gone), item.file_size(gone)};
    if (!gone) entries.push_back(std::move(entry));
  }
  return entries;
}

void drop_oldest(const fs::path& folder, std::uint64_t limit_bytes) {
  std::vector<Entry> entries = entries_in(folder);
  std::uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.written < b.written; });
  for (const Entry& entry : entries) {
    if (total <= limit_bytes) return;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

// A writer that was killed leaves a hidden temporary file on file systems without nameless ones. One that is an hour old
// belongs to nobody who is still writing.
void drop_leftovers(const fs::path& folder) {
  constexpr std::chrono::hours kAbandoned{1};
  const auto now = fs::file_time_type::clock::now();
  for (const Entry& entry : entries_in(folder)) {
    const bool is_temporary = entry.path.filename().string().front() == '.';
    std::error_code ignored;
    if (is_temporary && now - entry.written > kAbandoned) fs::remove(entry.path, ignored);
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

KernelCache from_environment() {
  if (variable("VRT_KERNEL_CACHE") == "off") return {{}, {}, 0};
  const std::uint64_t limit = cache_limit_bytes("VRT_KERNEL_CACHE_MB", 256);
  fs::path folder;
  try {
    folder = cache_root() / "kernels";
  } catch (const std::exception& error) {
    warn_once(error.what());
  }
  return {folder, variable("VRT_KERNEL_SEED"), limit};
}

}  // namespace

std::string digest_of(const KernelCacheKey& key) {
  Sha256 digest;
  // Lengths in front keep neighbouring fields from running into each other.
  const auto add = [&](std::string_view field) {
    digest.update(fmt::format("{}:", field.size()));
    digest.update(field);
  };
  add(kSchema);
  add(key.source);
  for (const std::string& option : key.options) add(option);
  add(fmt::format("{} {}", key.options.size(), key.architecture));
  add(key.nvrtc_build);
  return digest.finish();
}

std::string digest_of(const KernelBuild& build, std::string_view nvrtc_build, int architecture) {
  return digest_of({build.text, build.options, architecture, nvrtc_build});
}

KernelCache::KernelCache(fs::path folder, fs::path seed, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), seed_(std::move(seed)), limit_bytes_(limit_bytes) {}

const KernelCache& KernelCache::shared() {
  static const KernelCache* const cache = new KernelCache(from_environment());
  return *cache;
}

std::optional<KernelCache::Sound> KernelCache::look_up(const std::string& digest) const noexcept {
  for (const fs::path& folder : {std::cref(folder_), std::cref(seed_)}) {
    try {
      if (folder.empty()) continue;
      if (auto sound = look_up_in(folder, digest)) return sound;
    } catch (const std::exception& error) {
      warn_once(error.what());
    }
  }
  return std::nullopt;
}

std::optional<KernelCache::Sound> KernelCache::look_up_in(const fs::path& folder, const std::string& digest) const {
  const fs::path path = folder / (digest + std::string(kSuffix));
  // Only what is a file: opening a pipe would wait for its writer for ever, and a device has no end.
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  auto content = detail::read_file(path);
  if (!content) return std::nullopt;
  const std::size_t bytes = content->size();
  auto kernels = decode(*std::move(content));
  if (!kernels) {
    warn_once(fmt::format("{} is damaged", path.string()));
  } else if (folder == folder_ && !detail::is_ours(path)) {
    warn_once(fmt::format("{} belongs to another user", path.string()));
  } else {
    std::error_code gone;
    return Sound{*std::move(kernels), {path, fs::last_write_time(path, gone), bytes}};
  }
  return std::nullopt;
}

std::optional<CompiledKernels> KernelCache::find(const std::string& digest) const noexcept {
  auto sound = look_up(digest);
  if (!sound) return std::nullopt;
  return std::move(sound->kernels);
}

std::optional<KernelCache::Entry> KernelCache::locate(const std::string& digest) const noexcept {
  auto sound = look_up(digest);
  if (!sound) return std::nullopt;
  return std::move(sound->entry);
}

void KernelCache::write(const std::string& digest, const CompiledKernels& kernels) const {
  if (folder_.empty()) fail(ErrorCode::kUnavailable, "the kernel cache is off or has no folder; set VRT_CACHE");
  AtomicFile file(folder_ / (digest + std::string(kSuffix)));
  file.write(encode(kernels));
  file.commit();
  drop_leftovers(folder_);
  drop_oldest(folder_, limit_bytes_);
}

void KernelCache::store(const std::string& digest, const CompiledKernels& kernels) const noexcept {
  if (folder_.empty()) return;
  try {
    write(digest, kernels);
  } catch (const std::exception& error) {
    warn_once(error.what());
  }
}

KernelCache::Usage KernelCache::usage() const {
  Usage usage{folder_, 0, 0};
  for (const Entry& entry : entries_in(folder_)) {
    ++usage.entry_count;
    usage.bytes += entry.bytes;
  }
  return usage;
}

KernelCache::Usage KernelCache::clear() const {
  Usage removed{folder_, 0, 0};
  for (const Entry& entry : entries_in(folder_)) {
    std::error_code error;
    const bool was_there = fs::remove(entry.path, error);
    if (error) throw Error(ErrorCode::kIo, fmt::format("cannot remove {}", entry.path.string()), error.message());
    if (!was_there) continue;  // Another process was quicker.
    ++removed.entry_count;
    removed.bytes += entry.bytes;
  }
  return removed;
}

}  // namespace vrt::cuda
