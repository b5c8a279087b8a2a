// Internal: Compiled kernels kept on disk, so that the second start compiles nothing.
//
// An entry is one file named by the SHA-256 of everything that decides the result; it begins with a header that holds the
// digest of the rest. A damaged or unreadable entry is as good as none, and so is one that another user put into the folder,
// for it would run in this process's GPU context: trouble with the cache never fails a program, it is logged once and the
// kernel is compiled. The seed folder is its owner's: whoever names it trusts what is in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vrt/base/export.h"
#include "vrt/device/cuda/nvrtc.h"

namespace vrt::cuda {

/// Everything that decides what compiling gives.
struct KernelCacheKey {
  std::string_view source;  ///< With the prelude.
  std::span<const std::string> options;
  int architecture = 0;
  std::string_view nvrtc_build;  ///< build_id_of the compiler.
};

/// 64 hexadecimal digits.
[[nodiscard]] VRT_API std::string digest_of(const KernelCacheKey& key);
[[nodiscard]] VRT_API std::string digest_of(const KernelBuild& build, std::string_view nvrtc_build, int architecture);

/// One folder of entries. Safe to use from several threads and processes at once.
class VRT_API KernelCache {
 public:
  /// `folder` is created when something is stored; `seed` is a second folder, only read; empty: none.
  KernelCache(std::filesystem::path folder, std::filesystem::path seed, std::uint64_t limit_bytes);

  /// The cache in `cache_root() / "kernels"`: `VRT_KERNEL_CACHE=off` switches it off, `VRT_KERNEL_CACHE_MB` sets its limit
  /// (256 by default), `VRT_KERNEL_SEED` names the seed folder. Throws kInvalidArgument if the limit is no number of megabytes.
  [[nodiscard]] static const KernelCache& shared();

  /// The entry of that digest if there is a sound one.
  [[nodiscard]] std::optional<CompiledKernels> find(const std::string& digest) const noexcept;
  /// Stores an entry; drops the oldest ones above the limit and what killed writers left behind. What goes wrong is logged.
  void store(const std::string& digest, const CompiledKernels& kernels) const noexcept;
  /// As `store`, for whoever needs the entry: throws kIo with the system's reason, kUnavailable if the cache is off.
  void write(const std::string& digest, const CompiledKernels& kernels) const;

  /// The folder; empty if the cache is off.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

  /// A file of the cache as `vrt kernels list` shows it.
  struct Entry {
    std::filesystem::path path;
    std::filesystem::file_time_type written;
    std::uint64_t bytes = 0;
  };
  /// Where the entry of that digest lies, in the folder or the seed; nothing if there is no sound one.
  [[nodiscard]] std::optional<Entry> locate(const std::string& digest) const noexcept;

  struct Usage {
    std::filesystem::path folder;  ///< Empty if the cache is off.
    std::size_t entry_count = 0;
    std::uint64_t bytes = 0;
  };
  /// Throws kIo if the folder cannot be read; one that is not there is empty.
  [[nodiscard]] Usage usage() const;
  /// Removes every entry of the folder, and no other file; returns what was removed. Throws kIo if one cannot be removed, or the folder not be read.
  Usage clear() const;

 private:
  struct Sound {
    CompiledKernels kernels;
    Entry entry;
  };
  [[nodiscard]] std::optional<Sound> look_up(const std::string& digest) const noexcept;
  [[nodiscard]] std::optional<Sound> look_up_in(const std::filesystem::path& folder, const std::string& digest) const;

  std::filesystem::path folder_;
  std::filesystem::path seed_;
  std::uint64_t limit_bytes_;
};

}  // namespace vrt::cuda
