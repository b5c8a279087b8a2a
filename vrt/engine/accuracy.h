// Internal (not installed): how far a network of reduced precision is from the same network in float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"

namespace vrt::detail {

/// Compares one output with its reference, run by run.
class OutputComparison {
 public:
  /// As many elements in both. Infinities and NaNs have to be at the same places; else the difference is infinite.
  void add(DType type, std::span<const std::byte> bytes, DType reference_type, std::span<const std::byte> reference);
  [[nodiscard]] OutputAccuracy result(const std::string& name) const;

 private:
  void add_value(double value, double reference);

  bool floating_ = true;
  std::uint64_t count_ = 0;
  std::uint64_t unequal_ = 0;
  double largest_difference_ = 0;
  double lowest_ = 0;  // Of the finite values of the reference, once there are any.
  double highest_ = 0;
  bool any_finite_ = false;
  double dot_ = 0;
  double square_ = 0;
  double reference_square_ = 0;
};

/// Runs a network on samples.
class SampleRunner {
 public:
  explicit SampleRunner(const Engine& engine);
  /// BLOCKS for one run. The sample names the inputs of `names` (the empty name is the only one). Throws kInvalidArgument naming an input
  /// that it lacks, or of which it has another size than the network.
  void run(const SampleInputs& sample, std::span<const TensorInfo> names);
  /// The output of the last run: as many items as its batch had. BLOCKS.
  [[nodiscard]] std::vector<std::byte> output(std::size_t index) const;

 private:
  Stream stream_;
  Session session_;
  std::int64_t batch_ = 0;
};

/// The network in float32 on the CPU, of the original file with the same shapes: by OpenVINO, else by ONNX Runtime, else, where it runs on
/// the CPU, by the engine's own backend. Throws kUnavailable with the reason of each.
[[nodiscard]] Engine open_reference(const std::filesystem::path& model, const EngineOptions& options,
                                    const std::string& own_backend);

/// Told before each run; returns false to stop, which throws kCancelled.
using RunProgress = std::function<bool(std::int32_t run, std::int32_t runs)>;

/// Both on all samples (noise where there are none). Throws kBackend where the two do not have outputs of the same shapes.
[[nodiscard]] AccuracyReport compare(const Engine& engine, const Engine& reference,
                                     std::span<const SampleInputs> samples, const RunProgress& progress);

/// The output that is farthest out of bounds; nullptr if none is.
[[nodiscard]] const OutputAccuracy* find_worst(const AccuracyReport& report, const AccuracyOptions& bounds);

/// "output 'scores' by 12.3 % of its range (2 % is allowed), cosine 0.9871 (0.999 is the least)".
[[nodiscard]] std::string describe(const OutputAccuracy& output, const AccuracyOptions& bounds);

}  // namespace vrt::detail
