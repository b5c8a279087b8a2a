// Internal (not installed): the digest of a whole model, its external files included.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vrt/base/export.h"

namespace vrt::detail {

/// What tells whether a file is still the one that was looked at. Any write changes one of these; so does a file put in its place.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< Of the inode: also where somebody set the time of modification back.

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Throws kNotFound or kIo naming the file.
[[nodiscard]] FileIdentity identify(const std::filesystem::path& file);

/// Beside a model's own file: an ONNX file's external data (whether or not it is there, in order), the weights of OpenVINO's .xml.
/// Throws as external_files for an ONNX file.
[[nodiscard]] VRT_API std::vector<std::filesystem::path> files_of_weights(const std::filesystem::path& model);

struct DigestedFile {
  std::filesystem::path path;
  FileIdentity identity;
  std::string sha256;
};

/// Told how many bytes were hashed, of how many; returns false to stop.
using HashProgress = std::function<bool(std::uint64_t bytes, std::uint64_t total)>;

/// The model's file first, then what it refers to, in its order. What was hashed before is remembered in `memo_folder` by path and
/// identity, so that a large model is not read again at the next start; a file changed in the last seconds is not remembered, since
/// its time would not tell a further change. Empty `memo_folder`: nothing is remembered. Throws kNotFound and kIo naming the
/// file, as external_files, and kCancelled where `progress` asks for it. Trouble with the memo only means hashing again.
[[nodiscard]] VRT_API std::vector<DigestedFile> digest_model(const std::filesystem::path& model,
                                                             const std::filesystem::path& memo_folder,
                                                             const HashProgress& progress);

/// Whether the files are still those that were digested.
[[nodiscard]] bool are_unchanged(const std::vector<DigestedFile>& files) noexcept;

}  // namespace vrt::detail
