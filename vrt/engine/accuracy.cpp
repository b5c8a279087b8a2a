#include "vrt/engine/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/device/memory.h"
#include "vrt/engine/backend_context.h"
#include "vrt/engine/element_values.h"
#include "vrt/engine/engine_state.h"
#include "vrt/engine/samples.h"

namespace vrt::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t item_bytes(const TensorInfo& info) {
  const std::size_t bytes = static_cast<std::size_t>(info.shape.element_count()) * size_bytes(info.type);
  return info.batched ? bytes / static_cast<std::size_t>(info.shape[0]) : bytes;
}

const std::vector<std::byte>& input_of(const SampleInputs& sample, std::span<const TensorInfo> names,
                                       std::size_t index) {
  auto found = sample.find(names[index].name);
  if (found == sample.end() && names.size() == 1) found = sample.find("");
  require(found != sample.end(), "AccuracyOptions::samples: a sample has nothing for the input '{}'",
          names[index].name);
  return found->second;
}

/// The items of a sample, from what it has for a batched input; 0 where none is.
std::int64_t batch_of(const SampleInputs& sample, std::span<const TensorInfo> names,
                      std::span<const TensorInfo> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].batched)
      return static_cast<std::int64_t>(input_of(sample, names, i).size() /
                                       std::max<std::size_t>(item_bytes(inputs[i]), 1));
  }
  return 0;
}

void require_same_outputs(const Engine& engine, const Engine& reference) {
  const auto& ours = engine.outputs();
  const auto& theirs = reference.outputs();
  const bool same =
      std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), [](const auto& a, const auto& b) {
        return is_floating(a.type) == is_floating(b.type) && a.shape == b.shape && a.batched == b.batched;
      });
  if (same && engine.inputs().size() == reference.inputs().size()) return;
  fail(ErrorCode::kBackend, "{} and {} see different inputs and outputs in '{}': they cannot be compared",
       engine.state()->backend_text(), reference.state()->backend_text(), engine.model().string());
}

/// How often its bound an output is off; 1 is at the bound.
double excess(const OutputAccuracy& output, const AccuracyOptions& bounds) {
  const double by_range = output.share_of_range <= bounds.largest_difference
                              ? 0
                              : output.share_of_range / std::max(bounds.largest_difference, 1e-12);
  const double by_cosine =
      output.cosine >= bounds.least_cosine ? 0 : (1 - output.cosine) / std::max(1 - bounds.least_cosine, 1e-12);
  return std::max(by_range, by_cosine);
}

}  // namespace

void OutputComparison::add(DType type, std::span<const std::byte> bytes, DType reference_type,
                           std::span<const std::byte> reference) {
  floating_ = is_floating(reference_type);
  for (std::size_t i = 0; i < bytes.size() / size_bytes(type); ++i)
    add_value(element_at(type, bytes, i), element_at(reference_type, reference, i));
}

void OutputComparison::add_value(double value, double reference) {
  ++count_;
  if (value == reference || (std::isnan(value) && std::isnan(reference))) {
    if (!std::isfinite(reference)) return;
  } else {
    ++unequal_;
  }
  if (!std::isfinite(value) || !std::isfinite(reference)) {
    largest_difference_ = kInfinity;
    return;
  }
  largest_difference_ = std::max(largest_difference_, std::abs(value - reference));
  lowest_ = any_finite_ ? std::min(lowest_, reference) : reference;
  highest_ = any_finite_ ? std::max(highest_, reference) : reference;
  any_finite_ = true;
  dot_ += value * reference;
  square_ += value * value;
  reference_square_ += reference * reference;
}

OutputAccuracy OutputComparison::result(const std::string& name) const {
  OutputAccuracy output{name, largest_difference_, 0, 1};
  if (!floating_) {
    output.share_of_range = count_ == 0 ? 0 : static_cast<double>(unequal_) / static_cast<double>(count_);
    return output;
  }
  // An output that does not vary is measured by its magnitude.
  const double range = any_finite_ ? highest_ - lowest_ : 0;
  const double scale =
      range > 0 ? range : std::sqrt(reference_square_ / static_cast<double>(std::max<std::uint64_t>(count_, 1)));
  if (largest_difference_ > 0) output.share_of_range = scale > 0 ? largest_difference_ / scale : kInfinity;
  const double norms = std::sqrt(square_) * std::sqrt(reference_square_);
  if (norms > 0) output.cosine = std::clamp(dot_ / norms, -1.0, 1.0);
  if (norms == 0 && largest_difference_ > 0) output.cosine = 0;
  return output;
}

SampleRunner::SampleRunner(const Engine& engine) : stream_(engine.device()), session_(engine, stream_) {}

void SampleRunner::run(const SampleInputs& sample, std::span<const TensorInfo> names) {
  const auto inputs = session_.engine().inputs();
  batch_ = batch_of(sample, names, inputs);
  if (batch_ > 0) session_.set_batch(batch_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<std::byte>& bytes = input_of(sample, names, i);
    const std::size_t needed = item_bytes(inputs[i]) * (inputs[i].batched ? static_cast<std::size_t>(batch_) : 1);
    require(bytes.size() == needed, "AccuracyOptions::samples: a sample has {} bytes for the input '{}', it takes {}",
            bytes.size(), names[i].name, needed);
    if (needed == 0) continue;
    const TensorView view = session_.input(i);
    upload_blocking<std::byte>(stream_, bytes,
                               DeviceSpan<std::byte>::from_raw(static_cast<std::byte*>(view.data()), needed));
  }
  session_.submit();
  stream_.synchronize();
}

std::vector<std::byte> SampleRunner::output(std::size_t index) const {
  const TensorInfo& info = session_.engine().outputs()[index];
  const std::size_t bytes = item_bytes(info) * (info.batched ? static_cast<std::size_t>(batch_) : 1);
  if (bytes == 0) return {};
  const TensorView view = session_.output(index);
  return read_back_blocking(stream_, DeviceSpan<std::byte>::from_raw(static_cast<std::byte*>(view.data()), bytes));
}

Engine open_reference(const std::filesystem::path& model, const EngineOptions& options,
                      const std::string& own_backend) {
  EngineOptions exact;
  exact.input_shapes = options.input_shapes;
  exact.batch = options.batch;
  exact.use_cache = false;
  std::string reasons;
  for (const std::string& backend : {std::string("openvino"), std::string("onnxruntime"), own_backend}) {
    if (backend != own_backend && find_module(backend).empty()) {
      reasons += fmt::format("{}: not installed; ", backend);
      continue;
    }
    try {
      exact.backend = backend;
      return Engine::open(model, Device::cpu(), exact);
    } catch (const Error& error) {
      log(LogLevel::kInfo, fmt::format("no reference by {}: {}", backend, error.what()));
      reasons += fmt::format("{}: {}; ", backend, error.what());
    }
  }
  fail(ErrorCode::kUnavailable,
       "float16 is kept only where it was compared with float32, and no backend runs '{}' in float32 on the CPU: {}"
       "install OpenVINO or ONNX Runtime (`vrt doctor` says how)",
       model.string(), reasons);
}

AccuracyReport compare(const Engine& engine, const Engine& reference, std::span<const SampleInputs> given,
                       const RunProgress& progress) {
  require_same_outputs(engine, reference);
  std::vector<SampleInputs> noise;
  if (given.empty()) noise = noise_samples(engine.inputs(), trial_batch(engine.state()->batch()));
  const std::span<const SampleInputs> samples = given.empty() ? std::span<const SampleInputs>(noise) : given;
  std::vector<OutputComparison> comparisons(engine.outputs().size());
  SampleRunner runner(engine);
  SampleRunner exact(reference);
  const auto runs = static_cast<std::int32_t>(samples.size());
  for (std::int32_t run = 0; run < runs; ++run) {
    if (!progress(run + 1, runs))
      fail(ErrorCode::kCancelled, "stopped while '{}' was compared with float32", engine.model().string());
    runner.run(samples[static_cast<std::size_t>(run)], engine.inputs());
    exact.run(samples[static_cast<std::size_t>(run)], engine.inputs());
    for (std::size_t i = 0; i < comparisons.size(); ++i)
      comparisons[i].add(engine.outputs()[i].type, runner.output(i), reference.outputs()[i].type, exact.output(i));
  }
  AccuracyReport report{reference.state()->backend_text(), runs, given.empty(), {}};
  for (std::size_t i = 0; i < comparisons.size(); ++i)
    report.outputs.push_back(comparisons[i].result(engine.outputs()[i].name));
  return report;
}

const OutputAccuracy* find_worst(const AccuracyReport& report, const AccuracyOptions& bounds) {
  const auto worst = std::max_element(report.outputs.begin(), report.outputs.end(), [&](const auto& a, const auto& b) {
    return excess(a, bounds) < excess(b, bounds);
  });
  if (worst == report.outputs.end() || excess(*worst, bounds) == 0) return nullptr;
  return &*worst;
}

std::string describe(const OutputAccuracy& output, const AccuracyOptions& bounds) {
  return fmt::format("output '{}' by {:.4g} % of its range ({:.4g} % is allowed), cosine {:.6f} ({:.6g} is the least)",
                     output.name, 100 * output.share_of_range, 100 * bounds.largest_difference, output.cosine,
                     bounds.least_cosine);
}

}  // namespace vrt::detail
