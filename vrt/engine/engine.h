// Compiled networks and their execution.
//
//   const vrt::EngineOptions options{.input_shapes = {{"", {1, 3, 480, 640}}}};
//   auto engine  = vrt::Engine::open("centerface.onnx", stream.device(), options);
//   auto session = vrt::Session(engine, stream);
//   preprocess.submit(image, session.input(0).as<float>());
//   session.submit();                                           // enqueued; outputs are valid in stream order
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/base/shape.h"
#include "vrt/device/device.h"
#include "vrt/device/stream.h"
#include "vrt/engine/tensor_view.h"

namespace vrt {

/// What an engine on a CPU is tuned for.
enum class PerformanceHint : std::int32_t {
  kLatency,     ///< One run at a time uses all threads.
  kThroughput,  ///< Each session uses its share of the threads; several sessions run at once.
};

/// What a network's layers compute in. Its inputs and outputs keep the element types of the model, whatever this is.
enum class Precision : std::int32_t {
  kFloat32,  ///< Nothing less, also where the hardware would prefer it.
  kFloat16,  ///< Float16 but for the layers that would overflow or lose what they are for; refused where the backend would
             ///< compute in float32.
};

/// A batch that changes from run to run: the first extent of every input whose first dimension the model leaves open.
struct BatchRange {
  std::int64_t smallest = 1;
  std::int64_t typical = 0;  ///< What the engine is tuned for; 0: the largest.
  std::int64_t largest = 0;  ///< 0: no changing batch.
};

/// How far a build is.
struct BuildProgress {
  std::string_view phase;  ///< "converting to float16", "building", … Valid during the call.
  std::int32_t step = 0;
  std::int32_t steps = 0;  ///< 0: not known.
};

/// One run's inputs: for each input, by name, its elements as bytes. The empty name stands for the only input.
using SampleInputs = std::map<std::string, std::vector<std::byte>>;

/// How a network of reduced precision is compared with its float32 reference after it was built (docs/fp16.md).
/// Bounds that are not these defaults also hold for an engine that was kept by an earlier start, perhaps with others.
struct AccuracyOptions {
  /// Runs to compare on, e.g. preprocessed frames; empty: eight runs of seeded noise.
  std::vector<SampleInputs> samples = {};
  double least_cosine = 0.999;       ///< Of each output over all samples.
  double largest_difference = 0.02;  ///< Absolute, as a share of the output's range in the reference.
  /// Makes the samples where `samples` is empty and an engine has to be built: one that is kept is taken, whatever it was compared on.
  /// Called from Engine::open, which throws what it throws. None: noise.
  std::function<std::vector<SampleInputs>()> make_samples = {};
  std::string samples_name = {};  ///< What messages call the samples: "frames of 'clip.mp4'"; empty: "samples".
};

/// How Engine::open compiles a network.
struct EngineOptions {
  /// "auto", or a backend's name ("openvino"). "auto" takes the best that runs on the device here (list_backends).
  std::string backend = "auto";
  /// Static shapes for inputs, by name; the empty name stands for the only input. Replaces declared ones, static or
  /// not. With `batch`, a first extent of Shape::kDynamic opens the input's batch.
  std::map<std::string, Shape> input_shapes = {};
  PerformanceHint hint = PerformanceHint::kLatency;
  /// With kThroughput: how many sessions are going to run at once.
  std::int32_t concurrent_sessions = 1;
  /// CPU threads for the network; 0 lets vrt choose (all that the process may use).
  std::int32_t threads = 0;
  Precision precision = Precision::kFloat32;
  BatchRange batch = {};
  /// Scratch memory that the backend may use; 0 lets it choose.
  std::uint64_t workspace_bytes = 0;
  /// 0 (fast build) to 5 (fast engine); -1 is the backend's default.
  std::int32_t optimization_level = -1;
  /// The engine runs on other GPUs of the same or a newer generation too, a little slower.
  bool hardware_compatible = false;
  AccuracyOptions accuracy = {};
  /// Told how a build goes, from any thread; returning false ends it with kCancelled.
  std::function<bool(const BuildProgress&)> progress = {};
  /// Whether what was built is kept for the next start, and taken from there (docs/engine-cache.md).
  bool use_cache = true;
};

/// A layer of a compiled network.
struct EngineLayer {
  std::string name;
  std::string type;
  std::string precision;  ///< What it computes in, as to_string(DType); empty where the backend does not tell.
};

/// What a backend says of a network that it compiled.
struct EngineDetails {
  std::vector<EngineLayer> layers;
  std::optional<std::uint64_t> weights_bytes;     ///< Held by the engine.
  std::optional<std::uint64_t> activation_bytes;  ///< Held by each session beside inputs and outputs.
};

/// How far an output of a network of reduced precision was from the float32 reference, over all runs.
struct OutputAccuracy {
  std::string name;
  double largest_difference = 0;  ///< Absolute, of any element.
  double share_of_range =
      0;  ///< The same, as a share of the output's range in the reference. Of an output that holds no floating point
          ///< numbers: the share of its elements that differ.
  double cosine = 1;  ///< Of the output and the reference as vectors.
};

/// What the comparison of a network of reduced precision with float32 found when it was built.
struct AccuracyReport {
  std::string reference;  ///< What computed the reference: backend and version.
  std::int64_t runs = 0;
  bool on_noise = true;  ///< On seeded noise, else on AccuracyOptions::samples.
  std::vector<OutputAccuracy> outputs;
};

namespace detail {
class EngineState;
class SessionState;
struct EngineMaker;
}  // namespace detail

/// An immutable compiled network. A cheap shared handle; sessions keep it alive. Safe to use from several threads.
class VRT_API Engine {
 public:
  /// Compiles a model file for a device, or takes what an earlier start compiled of the same (docs/engine-cache.md). Blocks: for
  /// milliseconds where it is kept, else for seconds or minutes. Throws kNotFound (file), kCorrupt (not a model),
  /// kInvalidArgument (unknown backend or input name, unresolved dynamic dimension, named), kUnavailable (backend missing: what,
  /// where vrt looked, how to get it), kUnsupported (a precision that the backend does not compute in, or that is farther from
  /// float32 than EngineOptions::accuracy allows), kCancelled, kBackend (with the backend's own words).
  [[nodiscard]] static Engine open(const std::filesystem::path& model, Device device,
                                   const EngineOptions& options = {});

  /// The first GPU that `backend` ("auto": any that is here) runs on, else the CPU. Opens backends to find out: for the start of
  /// a program, not for a loop.
  [[nodiscard]] static Device best_device(const std::string& backend = "auto");

  [[nodiscard]] Device device() const noexcept;
  /// The backend's name, e.g. "openvino".
  [[nodiscard]] std::string_view backend_name() const noexcept;
  /// The backend's run-time version, e.g. "2026.4.1".
  [[nodiscard]] std::string_view backend_version() const noexcept;
  [[nodiscard]] std::span<const TensorInfo> inputs() const noexcept;
  [[nodiscard]] std::span<const TensorInfo> outputs() const noexcept;
  /// The file it was opened from.
  [[nodiscard]] const std::filesystem::path& model() const noexcept;
  /// What was compiled, read back from the backend. Throws kBackend if it cannot tell.
  [[nodiscard]] EngineDetails details() const;
  /// How far it is from float32, measured when it was built, perhaps by an earlier process. Nothing for a float32 engine.
  [[nodiscard]] const std::optional<AccuracyReport>& accuracy() const noexcept;

  [[nodiscard]] const std::shared_ptr<detail::EngineState>& state() const noexcept { return state_; }

 private:
  friend struct detail::EngineMaker;
  explicit Engine(std::shared_ptr<detail::EngineState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<detail::EngineState> state_;
};

/// An engine bound to one stream, with its own activations and input and output memory. Inputs start as zeros. On a GPU
/// the constructor runs the network once and BLOCKS: backends load and allocate in their first run.
/// Movable; used from one thread at a time. Destroying it waits for its runs; a failure that no wait has thrown by
/// then is logged as an error. A graph that captured `submit` uses the session: it has to go first.
class VRT_API Session {
 public:
  /// Throws kInvalidArgument if engine and stream are on different devices, kOutOfMemory.
  Session(Engine engine, const Stream& stream);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Device memory that the network reads and writes, by name or position. Throws kNotFound listing what there is.
  [[nodiscard]] TensorView input(std::string_view name) const;
  [[nodiscard]] TensorView input(std::size_t index) const;
  [[nodiscard]] TensorView output(std::string_view name) const;
  [[nodiscard]] TensorView output(std::size_t index) const;

  /// How many items of a changing batch the next runs take: 0 (they do nothing) to EngineOptions::batch.largest, which it
  /// is at first. Views keep the extents of the largest; what lies beyond the batch is left as it was. Throws
  /// kInvalidArgument outside the range, or where the engine has no changing batch.
  void set_batch(std::int64_t batch);

  /// Enqueues one run. vrt allocates nothing and nothing waits. A failure is thrown by the next wait on the stream; on a GPU, by
  /// this call where the backend refuses to enqueue. May be captured in a Graph.
  void submit();

  [[nodiscard]] const Engine& engine() const noexcept;
  [[nodiscard]] const Stream& stream() const noexcept;

 private:
  std::unique_ptr<detail::SessionState> state_;
};

/// A backend as found on this machine.
struct BackendInfo {
  std::string name;  ///< "openvino"
  bool available = false;
  std::string version;   ///< Of the library at run time; empty if not available.
  std::string location;  ///< The module's and library's path; empty if not available.
  std::string problem;   ///< What is missing, where vrt looked and how to get it; empty if available.
};

/// Every backend that vrt knows, found or not, in the order in which "auto" tries them. Opens the library of each.
[[nodiscard]] VRT_API std::vector<BackendInfo> list_backends();

/// Their names alone, in the same order. Opens nothing.
[[nodiscard]] VRT_API std::vector<std::string> backend_names();

}  // namespace vrt
