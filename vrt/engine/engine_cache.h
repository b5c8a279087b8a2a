// Internal (not installed): built engines kept on disk, so that the second start builds nothing (docs/engine-cache.md).
//
// An entry is a folder named by the SHA-256 of everything that decides what is built. It appears complete, by a rename, and holds
// a manifest with the digests of its files. What is damaged, or may be somebody else's, is as good as not there: an engine is code.
// Trouble with the cache never fails a program: it is logged once, and the engine is built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/base/file_lock.h"
#include "vrt/base/mapped_file.h"
#include "vrt/engine/manifest.h"

namespace vrt::detail {

/// A folder that goes with its owner.
class VRT_API TemporaryFolder {
 public:
  /// Makes `prefix` with six characters behind it, for this user alone. Throws kIo.
  explicit TemporaryFolder(const std::filesystem::path& prefix);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Lets it stay.
  void release() noexcept { path_.clear(); }

 private:
  std::filesystem::path path_;
};

/// Writes a file for this user alone, flushed to the disk. Throws kIo naming it.
VRT_API void write_private_file(const std::filesystem::path& path, std::string_view content);

class VRT_API EngineCache {
 public:
  static constexpr const char* kManifestFile = "manifest.json";
  static constexpr const char* kEngineFile = "engine.bin";
  static constexpr const char* kModelFile = "model.onnx";

  /// `folder` is created when something is stored; empty: the cache is off.
  EngineCache(std::filesystem::path folder, std::uint64_t limit_bytes);

  /// The cache in `cache_root() / "engines"`: `VRT_ENGINE_CACHE=off` switches it off, `VRT_ENGINE_CACHE_MB` sets its limit (20480 by
  /// default). Throws kInvalidArgument if the limit is no number of megabytes.
  [[nodiscard]] static EngineCache from_environment();

  [[nodiscard]] bool is_on() const noexcept { return !folder_.empty(); }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  /// Where digests of models are remembered; empty if the cache is off or its folder is not ours.
  [[nodiscard]] std::filesystem::path memo_folder() const;
  /// The file of a backend's timings on a GPU of that name, its folder made; empty if there is no place for one.
  [[nodiscard]] std::filesystem::path timing_file(const EngineIdentity& identity, std::string_view gpu) const;

  /// A sound entry: its digests were checked.
  struct Found {
    Manifest manifest;
    std::optional<MappedFile> engine;  ///< kEngineFile, where it has one.
    std::filesystem::path model;       ///< The path of kModelFile, where it has one.
  };
  struct LookUp {
    std::optional<Found> found;
    bool is_unsound = false;  ///< There is one that is damaged or not ours: it was warned of.
  };
  [[nodiscard]] LookUp find(const std::string& key) const noexcept;

  /// The right to build an entry, and the folder to build it in, which goes with the claim unless it is stored.
  struct Claim {
    std::string key;
    FileLock lock;
    TemporaryFolder folder;
  };
  /// Waits while another process or thread builds the entry; `go_on` is asked every 50 ms, and told so at first by the log. Clears away what
  /// killed builds left. Nothing, with one warning, where the folder cannot be used. Throws kCancelled where `go_on` returns false.
  [[nodiscard]] std::optional<Claim> claim(const std::string& key, const std::function<bool()>& go_on) const;
  /// Makes the claim's folder the entry; drops those used longest ago above the limit. False, with one warning, where that fails.
  bool store(Claim claim, const Manifest& manifest) const noexcept;
  /// Warns of what makes the cache useless; once for each folder.
  void warn_unusable(std::string_view problem) const noexcept;

  /// An entry as `vrt engine` shows it.
  struct Entry {
    std::string key;
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used;
    std::optional<Manifest> manifest;
    std::string
        problem;  ///< Why it would not be taken, without its files' digests; empty if nothing speaks against it.
  };
  /// Used last first. Throws kIo if the folder cannot be read; one that is not there is empty.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// As Entry::problem, with the digests of the files.
  [[nodiscard]] static std::string find_fault(const Entry& entry);
  /// Drops what was used longest ago until `most_bytes` are left, and what killed builds left; what is being built stays. Returns what
  /// was removed. Throws kIo if something cannot be removed.
  struct Removed {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };
  Removed prune(std::uint64_t most_bytes) const;
  /// Removes one entry. Throws as prune.
  void remove(const Entry& entry) const;

 private:
  [[nodiscard]] std::optional<Found> look_up(const std::string& key) const;
  [[nodiscard]] FileLock wait_for_lock(const std::string& key, const std::function<bool()>& go_on) const;
  [[nodiscard]] std::filesystem::path lock_path(const std::string& key) const;
  void put_in_place(Claim& claim, const Manifest& manifest) const;
  void drop_leftovers(const std::string& own_key) const;

  std::filesystem::path folder_;
  std::uint64_t limit_bytes_;
};

}  // namespace vrt::detail
