#include "vrt/engine/onnxruntime/temporary_folder.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's

#include <string>
#include <system_error>

#include "vrt/engine/backend_support.h"

namespace vrt::onnxruntime {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = fs::temp_directory_path();
  std::string name = (parent / "vrt_onnxruntime_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw backend::Failure(VRT_BACKEND_FAILED, "no folder can be made in " + parent.string() +
                                                   ", where ONNX Runtime writes which layers it runs (TMPDIR names "
                                                   "another)");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace vrt::onnxruntime
