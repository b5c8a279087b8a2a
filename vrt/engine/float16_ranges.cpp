#include "vrt/engine/float16_ranges.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/onnx/model_file.h"
#include "vrt/engine/onnx/probes.h"
#include "vrt/engine/onnx/signature.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

/// A model in files for a scope.
class ScratchModel {
 public:
  ScratchModel(onnx::Model& model, fs::path path) : path_(std::move(path)) { onnx::write_model(model, path_); }
  ~ScratchModel() {
    std::error_code ignored;
    fs::remove(path_, ignored);
    fs::remove(fs::path(path_).concat(".data"), ignored);
  }
  ScratchModel(const ScratchModel&) = delete;
  ScratchModel& operator=(const ScratchModel&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

const std::vector<std::byte>& bytes_of(const SampleInputs& sample, const std::string& name) {
  auto found = sample.find(name);
  if (found == sample.end() && sample.size() == 1) found = sample.find("");
  require(found != sample.end(), "a sample has no values for input '{}'", name);
  return found->second;
}

/// The input's shape for a sample, whose size tells an open batch.
Shape shape_for(const TensorInfo& input, const SampleInputs& sample) {
  const std::size_t bytes = bytes_of(sample, input.name).size();
  const auto bytes_for = [&](const std::vector<std::int64_t>& extents) {
    return static_cast<std::size_t>(Shape(extents).element_count()) * size_bytes(input.type);
  };
  std::vector<std::int64_t> extents(input.shape.extents().begin(), input.shape.extents().end());
  if (!extents.empty() && extents[0] == Shape::kDynamic) {
    extents[0] = 1;
    extents[0] = static_cast<std::int64_t>(bytes / bytes_for(extents));
  }
  const std::size_t expected = bytes_for(extents);
  require(bytes == expected && bytes > 0, "a sample has {} bytes for input '{}' {}: expected {}", bytes, input.name,
          to_string(input.shape), expected);
  return Shape(extents);
}

using Shapes = std::map<std::string, Shape>;

Shapes shapes_for(const std::vector<TensorInfo>& inputs, const SampleInputs& sample) {
  Shapes shapes;
  for (const TensorInfo& input : inputs) shapes.emplace(input.name, shape_for(input, sample));
  return shapes;
}

void keep_largest(onnx::LargestMagnitudes& largest, const std::string& name, float magnitude) {
  float& kept = largest[name];
  // What is not a number leaves float16 as much as what is infinite.
  if (std::isnan(magnitude)) magnitude = HUGE_VALF;
  kept = std::max(kept, magnitude);
}

/// The extended network for one set of shapes.
class Prober {
 public:
  Prober(const Engine& engine, const std::map<std::string, std::string>& probes)
      : stream_(Device::cpu()), session_(engine, stream_), probes_(probes) {}

  void run(const SampleInputs& sample, onnx::LargestMagnitudes& largest) {
    for (const TensorInfo& input : session_.engine().inputs()) {
      const std::vector<std::byte>& bytes = bytes_of(sample, input.name);
      copy_bytes_blocking(stream_, CopyKind::kUpload, bytes.data(), session_.input(input.name).data(), bytes.size());
    }
    session_.submit();
    stream_.synchronize();
    for (const auto& [output, tensor] : probes_) {
      keep_largest(largest, tensor, read_back_blocking(stream_, session_.output(output).as<float>()).front());
    }
  }

 private:
  Stream stream_;
  Session session_;
  const std::map<std::string, std::string>& probes_;
};

bool report(const EngineOptions& options, std::size_t step, std::size_t steps) {
  return !options.progress || options.progress({"checking ranges for float16", static_cast<std::int32_t>(step),
                                                static_cast<std::int32_t>(steps)});
}

Engine open_reference(const fs::path& model, const Shapes& shapes) {
  EngineOptions options;
  options.input_shapes = shapes;
  options.use_cache = false;
  return Engine::open(model, Device::cpu(), options);
}

}  // namespace

onnx::LargestMagnitudes measure_magnitudes(const onnx::Model& model, std::span<const SampleInputs> samples,
                                           const fs::path& scratch, const EngineOptions& options) {
  onnx::LargestMagnitudes largest;
  const std::vector<TensorInfo> inputs = onnx::describe_values(model.graph().input(), "input");
  onnx::Model extended = model;
  const std::map<std::string, std::string> probes = onnx::add_probes(extended);
  if (probes.empty() || samples.empty()) return largest;
  const ScratchModel file(extended, scratch);
  std::unique_ptr<Prober> prober;
  Shapes shapes;
  for (std::size_t step = 0; step < samples.size(); ++step) {
    if (!report(options, step, samples.size())) fail(ErrorCode::kCancelled, "cancelled while ranges were checked");
    Shapes wanted = shapes_for(inputs, samples[step]);
    if (!prober || wanted != shapes) prober = std::make_unique<Prober>(open_reference(file.path(), wanted), probes);
    shapes = std::move(wanted);
    prober->run(samples[step], largest);
  }
  return largest;
}

}  // namespace vrt::detail
