// Internal: a place for what ONNX Runtime writes to files alone.
#pragma once

#include <filesystem>

namespace vrt::onnxruntime {

/// A folder among the temporary files, for this user alone, that goes with its owner.
class TemporaryFolder {
 public:
  /// Throws backend::Failure FAILED where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace vrt::onnxruntime
