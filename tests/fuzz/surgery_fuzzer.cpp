// ONNX files of any bytes, prepared in a folder of their own: a file that can be prepared again, or an error that says why not.
//
// The first byte chooses the options. Beside the model lies a file "weights", so that external data is found.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "vrt/base/error.h"
#include "vrt/engine/model_preparation.h"

namespace {

namespace fs = std::filesystem;

struct MemoryFolder {
  MemoryFolder() : path(fs::path("/dev/shm") / ("vrt_fuzz_" + std::to_string(getpid()))) {
    fs::create_directories(path);
    std::ofstream(path / "weights", std::ios::binary) << std::string(4096, 'w');
  }
  ~MemoryFolder() { fs::remove_all(path); }
  fs::path path;
};

void check(bool holds) {
  if (!holds) std::abort();
}

vrt::EngineOptions options_of(std::uint8_t choice) {
  vrt::EngineOptions options;
  if ((choice & 1) != 0) options.precision = vrt::Precision::kFloat16;
  if ((choice & 2) != 0) options.batch.largest = 4;
  if ((choice & 4) != 0) options.input_shapes = {{"", {1, 3, 8, 8}}};
  if ((choice & 8) != 0) options.input_shapes = {{"x", {2, 4}}};
  return options;
}

/// Kinds of error that a file can be the reason of.
bool is_the_files(vrt::ErrorCode code) {
  return code == vrt::ErrorCode::kCorrupt || code == vrt::ErrorCode::kInvalidArgument ||
         code == vrt::ErrorCode::kUnsupported || code == vrt::ErrorCode::kNotFound;
}

void look_at(const fs::path& model) {
  for (const fs::path& file : vrt::detail::external_files(model)) {
    check(file.lexically_normal().string().rfind(model.parent_path().string(), 0) == 0);
  }
  static_cast<void>(vrt::detail::read_signature(model));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const MemoryFolder memory;
  if (bytes < 1) return 0;
  const fs::path model = memory.path / "model.onnx";
  const fs::path target = memory.path / "prepared.onnx";
  std::ofstream(model, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(bytes - 1));
  try {
    vrt::detail::prepare_model(model, options_of(data[0]), {}, target);
  } catch (const vrt::Error& error) {
    check(is_the_files(error.code()));
    return 0;
  }
  // What was written is sound by its own rules, and whatever external data there was is in it.
  vrt::EngineOptions again;
  again.batch = options_of(data[0]).batch;
  vrt::detail::prepare_model(target, again, {}, memory.path / "again.onnx");
  check(vrt::detail::external_files(target).empty());
  try {
    look_at(model);
  } catch (const vrt::Error& error) {
    check(error.code() == vrt::ErrorCode::kUnsupported);
  }
  return 0;
}
