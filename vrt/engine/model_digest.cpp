#include "vrt/engine/model_digest.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <optional>
#include <sstream>
#include <system_error>

#include "vrt/base/atomic_file.h"
#include "vrt/base/fail.h"
#include "vrt/base/file_trust.h"
#include "vrt/base/log.h"
#include "vrt/base/read_file.h"
#include "vrt/base/sha256.h"
#include "vrt/engine/model_preparation.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMemoSchema = "vrt-model-digest-1";

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// What is remembered of a file. A model's external files are remembered with it, so that it need not be parsed.
struct Memo {
  std::string sha256;
  std::vector<std::string> external_files;
};

std::string text_of(const FileIdentity& identity) {
  return fmt::format("{} {} {} {} {}", identity.device, identity.inode, identity.bytes, identity.modified_ns,
                     identity.changed_ns);
}

fs::path memo_path(const fs::path& folder, const fs::path& file) {
  Sha256 digest;
  digest.update(file.string());
  return folder / digest.finish();
}

/// Lines: schema, path, identity, digest, external files.
std::optional<Memo> recall(const fs::path& folder, const fs::path& file, const FileIdentity& identity) {
  if (folder.empty()) return std::nullopt;
  const fs::path path = memo_path(folder, file);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || !find_distrust(path).empty()) return std::nullopt;
  std::istringstream lines(read_file(path).value_or(""));
  const std::string expected[] = {std::string(kMemoSchema), file.string(), text_of(identity)};
  for (const std::string& wanted : expected) {
    std::string line;
    if (!std::getline(lines, line) || line != wanted) return std::nullopt;
  }
  Memo memo;
  if (!std::getline(lines, memo.sha256) || memo.sha256.size() != 64) return std::nullopt;
  for (std::string line; std::getline(lines, line);) memo.external_files.push_back(line);
  if (memo.external_files.empty() || memo.external_files.back() != "end") return std::nullopt;
  memo.external_files.pop_back();
  return memo;
}

bool is_settled(const FileIdentity& identity) {
  constexpr std::chrono::seconds kSettling{2};  // The coarsest clocks of file systems.
  const auto now = std::chrono::system_clock::now() - kSettling;
  return std::max(identity.modified_ns, identity.changed_ns) <
         std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

void remember(const fs::path& folder, const fs::path& file, const FileIdentity& identity, const Memo& memo) {
  const auto has_line_break = [](const std::string& text) { return text.find('\n') != std::string::npos; };
  if (folder.empty() || !is_settled(identity) || has_line_break(file.string())) return;
  if (std::any_of(memo.external_files.begin(), memo.external_files.end(), has_line_break)) return;
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", kMemoSchema, file.string(), text_of(identity), memo.sha256);
  for (const std::string& external : memo.external_files) text += external + "\n";
  AtomicFile target(memo_path(folder, file));
  target.write(text + "end\n");
  fs::permissions(target.temporary_path(), fs::perms::owner_read | fs::perms::owner_write);
  target.commit();
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

std::vector<std::string> files_beside(const fs::path& model) {
  std::vector<std::string> files;
  for (const fs::path& file : files_of_weights(model)) files.push_back(file.string());
  return files;
}

class Digester {
 public:
  Digester(fs::path memo_folder, const HashProgress& progress)
      : memo_folder_(std::move(memo_folder)), progress_(progress) {}

  /// `list_externals` is asked for a model only.
  DigestedFile digest(const fs::path& file, bool is_model, std::vector<std::string>& externals) {
    const FileIdentity identity = identify(file);
    std::optional<Memo> memo = recall(memo_folder_, file, identity);
    if (!memo) {
      memo = Memo{hash(file, identity.bytes), is_model ? files_beside(file) : std::vector<std::string>()};
      store(file, identity, *memo);
    }
    externals = memo->external_files;
    return {file, identity, memo->sha256};
  }

 private:
  std::string hash(const fs::path& file, std::uint64_t total) const {
    Sha256 digest;
    std::uint64_t done = 0;
    const bool is_there = for_each_part(file, [&](std::span<const std::byte> part) {
      digest.update(part);
      done += part.size();
      if (progress_ && !progress_(done, total))
        fail(ErrorCode::kCancelled, "stopped while '{}' was hashed", file.string());
    });
    if (!is_there) fail(ErrorCode::kNotFound, "there is no file '{}'", file.string());
    return digest.finish();
  }

  void store(const fs::path& file, const FileIdentity& identity, const Memo& memo) const noexcept {
    try {
      remember(memo_folder_, file, identity, memo);
    } catch (const std::exception& problem) {
      log(LogLevel::kDebug, problem.what());
    }
  }

  fs::path memo_folder_;
  const HashProgress& progress_;
};

}  // namespace

std::vector<fs::path> files_of_weights(const fs::path& model) {
  const std::string extension = extension_of(model);
  if (extension == ".onnx") return external_files(model);
  const fs::path weights = fs::path(model).replace_extension(".bin");
  std::error_code ignored;
  if (extension == ".xml" && fs::exists(weights, ignored)) return {weights};
  return {};
}

FileIdentity identify(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    const ErrorCode code = errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
    throw Error(code, fmt::format("cannot look at '{}'", file.string()), std::generic_category().message(errno));
  }
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::vector<DigestedFile> digest_model(const fs::path& model, const fs::path& memo_folder,
                                       const HashProgress& progress) {
  Digester digester(memo_folder, progress);
  std::vector<std::string> externals;
  std::vector<DigestedFile> files{digester.digest(fs::absolute(model), true, externals)};
  for (const std::string& external : externals) {
    std::vector<std::string> none;
    files.push_back(digester.digest(fs::absolute(external), false, none));
  }
  return files;
}

bool are_unchanged(const std::vector<DigestedFile>& files) noexcept {
  try {
    return std::all_of(files.begin(), files.end(),
                       [](const DigestedFile& file) { return identify(file.path) == file.identity; });
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace vrt::detail
