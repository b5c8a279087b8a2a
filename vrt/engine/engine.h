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
#include <map>
#include <memory>
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

/// How Engine::open compiles a network.
struct EngineOptions {
  /// "auto", or a backend's name ("openvino"). "auto" takes the best that the device has.
  std::string backend = "auto";
  /// Static shapes for inputs, by name; the empty name stands for the only input. Replaces declared ones, static or
  /// not.
  std::map<std::string, Shape> input_shapes = {};
  PerformanceHint hint = PerformanceHint::kLatency;
  /// With kThroughput: how many sessions are going to run at once.
  std::int32_t concurrent_sessions = 1;
  /// CPU threads for the network; 0 lets vrt choose (all that the process may use).
  std::int32_t threads = 0;
};

namespace detail {
class EngineState;
class SessionState;
}  // namespace detail

/// An immutable compiled network. A cheap shared handle; sessions keep it alive. Safe to use from several threads.
class VRT_API Engine {
 public:
  /// Compiles a model file for a device. Blocks, for seconds or minutes. Throws kNotFound (file), kCorrupt (not a
  /// model), kInvalidArgument (unknown backend or input name, unresolved dynamic dimension, named), kUnavailable
  /// (backend missing: what, where vrt looked, how to get it), kBackend (with the backend's own words).
  [[nodiscard]] static Engine open(const std::filesystem::path& model, Device device,
                                   const EngineOptions& options = {});

  [[nodiscard]] Device device() const noexcept;
  /// The backend's name, e.g. "openvino".
  [[nodiscard]] std::string_view backend_name() const noexcept;
  /// The backend's run-time version, e.g. "2026.4.1".
  [[nodiscard]] std::string_view backend_version() const noexcept;
  [[nodiscard]] std::span<const TensorInfo> inputs() const noexcept;
  [[nodiscard]] std::span<const TensorInfo> outputs() const noexcept;
  /// The file it was opened from.
  [[nodiscard]] const std::filesystem::path& model() const noexcept;

  [[nodiscard]] const std::shared_ptr<detail::EngineState>& state() const noexcept { return state_; }

 private:
  explicit Engine(std::shared_ptr<detail::EngineState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<detail::EngineState> state_;
};

/// An engine bound to one stream, with its own activations and input and output memory. Inputs start as zeros.
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

  /// Enqueues one run. Allocates nothing and does not wait. A failure is thrown by the next wait on the stream.
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

/// Every backend that vrt knows, found or not.
[[nodiscard]] VRT_API std::vector<BackendInfo> list_backends();

}  // namespace vrt
