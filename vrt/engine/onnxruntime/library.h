// Internal: ONNX Runtime's library, found and loaded when the process first asks for it.
#pragma once

#include <onnxruntime_c_api.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_support.h"

namespace vrt::onnxruntime {

/// A loaded library with its environment. Lives as long as the process: ONNX Runtime's threads and providers do, too.
struct Library {
  const OrtApi* api = nullptr;
  OrtEnv* environment = nullptr;
  std::string path;     ///< The file that was loaded.
  std::string version;  ///< "1.32.0"
};

/// The library files to try, in order; and every place that was looked at, for an error.
struct LibrarySearch {
  std::vector<std::filesystem::path> candidates;
  std::vector<std::string> looked_in;
};

/// VRT_ONNXRUNTIME (a file, or a folder that holds it), and nothing else where it is set. Otherwise what Python's wheels
/// onnxruntime and onnxruntime-gpu brought to the virtual environment at hand, to the user and to the system, then where the
/// build found it, each folder's newest first, and last what the system's loader knows by name.
[[nodiscard]] LibrarySearch find_library();

/// Folders below the site-packages of a library from a wheel, where NVIDIA's wheels put what its CUDA provider needs.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders(const std::filesystem::path& library);

/// Loads the first candidate that can be used. Throws backend::Failure UNAVAILABLE: for each that was tried why not (no
/// library, not ONNX Runtime, too old: both versions), and how to get it.
[[nodiscard]] const Library& load_library();

/// Has ONNX Runtime's log sent to `logger`, too, while it lives.
class LogSubscription {
 public:
  explicit LogSubscription(const backend::Logger& logger);
  ~LogSubscription();
  LogSubscription(const LogSubscription&) = delete;
  LogSubscription& operator=(const LogSubscription&) = delete;

 private:
  const backend::Logger* logger_;
};

}  // namespace vrt::onnxruntime
