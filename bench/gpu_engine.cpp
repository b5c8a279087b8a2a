// A network by itself: its device and host time enqueued call by call and as one graph, and whether both give the same bits. The inputs are
// files of raw values that another program wrote, and the outputs are written the same way, so that both can be compared elsewhere.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/engine/engine.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;

constexpr int kSamples = 101;
constexpr int kHostSamples = 200;
// Of a network whose file leaves the batch open.
constexpr std::int64_t kOpenBatch = 4;

using Bytes = std::vector<std::byte>;

fs::path file_of(const fs::path& folder, const TensorInfo& tensor) { return folder / (tensor.name + ".bin"); }

DeviceSpan<std::byte> bytes_of(const TensorView& view) {
  const auto count = static_cast<std::size_t>(view.shape().element_count()) * size_bytes(view.type());
  return DeviceSpan<std::byte>::from_raw(static_cast<std::byte*>(view.data()), count);
}

void upload_inputs(const Session& session, const fs::path& folder) {
  for (std::size_t i = 0; i < session.engine().inputs().size(); ++i) {
    const fs::path path = file_of(folder, session.engine().inputs()[i]);
    const std::string content = detail::read_file(path).value_or("");
    const auto target = bytes_of(session.input(i));
    require(content.size() == target.size(), "{}: {} bytes, the input takes {}", path.string(), content.size(),
            target.size());
    const auto* data = reinterpret_cast<const std::byte*>(content.data());
    upload_blocking<std::byte>(session.stream(), {data, content.size()}, target);
  }
}

std::vector<Bytes> read_outputs(const Session& session) {
  std::vector<Bytes> outputs;
  for (std::size_t i = 0; i < session.engine().outputs().size(); ++i)
    outputs.push_back(read_back_blocking(session.stream(), bytes_of(session.output(i))));
  return outputs;
}

void write_outputs(const Session& session, const std::vector<Bytes>& outputs, const fs::path& folder) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::ofstream file(file_of(folder, session.engine().outputs()[i]), std::ios::binary);
    file.write(reinterpret_cast<const char*>(outputs[i].data()), static_cast<std::streamsize>(outputs[i].size()));
    if (!file) fail(ErrorCode::kIo, "cannot write {}", file_of(folder, session.engine().outputs()[i]).string());
  }
}

/// The host's part of one run, each measured on an idle stream.
template <typename Enqueue>
double host_us(const Stream& stream, const Enqueue& enqueue) {
  std::vector<double> times;
  for (int i = 0; i < kHostSamples; ++i) {
    stream.synchronize();
    times.push_back(host_ns(enqueue) * 1e-3);
  }
  stream.synchronize();
  return median(times);
}

template <typename Enqueue>
void add_row(const Stream& stream, const std::string& what, const Enqueue& enqueue, GpuReport& report) {
  const double gpu = median(gpu_times_us(stream, kSamples, enqueue));
  report.add_row({{"what", what}, {"gpu_us", gpu}, {"host_us", host_us(stream, enqueue)}});
}

/// What the engine's own comparison with float32 found, of each output.
void add_accuracy(const Engine& engine, GpuReport& report) {
  const auto& accuracy = engine.accuracy();
  if (!accuracy) return;
  for (const OutputAccuracy& output : accuracy->outputs) {
    report.add_fact({fmt::format("cosine of {}", output.name), output.cosine});
    report.add_fact({fmt::format("difference of {}, share of its range", output.name), output.share_of_range});
  }
}

}  // namespace

void measure_engine(Device device, const EngineRun& run, GpuReport& report) {
  const Stream stream(device);
  EngineOptions options{.backend = run.backend, .batch = {1, 0, kOpenBatch}};
  options.precision = run.is_float16 ? Precision::kFloat16 : Precision::kFloat32;
  // Networks of random weights are far off sometimes. Here that is measured, not judged.
  options.accuracy.least_cosine = -1;
  options.accuracy.largest_difference = 1e9;
  const double open_ms = host_ns([&] { (void)Engine::open(run.model, device, options); }) * 1e-6;
  const Engine engine = Engine::open(run.model, device, options);
  Session session(engine, stream);
  upload_inputs(session, run.inputs);
  session.submit();
  const std::vector<Bytes> direct = read_outputs(session);
  write_outputs(session, direct, run.outputs);
  const Graph graph = Graph::capture(stream, [&] { session.submit(); });
  for (std::size_t i = 0; i < direct.size(); ++i) fill_bytes(stream, bytes_of(session.output(i)), 0xff);
  graph.launch(stream);
  const bool equal = read_outputs(session) == direct;
  report.add_fact({"backend", fmt::format("{} {}", engine.backend_name(), engine.backend_version())});
  report.add_fact({"open_ms", open_ms});
  report.add_fact({"graph_bits", equal ? "equal" : "DIFFERENT"});
  add_accuracy(engine, report);
  add_row(stream, "call by call", [&] { session.submit(); }, report);
  add_row(stream, "graph", [&] { graph.launch(stream); }, report);
  require(equal, "{}: the captured run gives other bits than the direct one", run.model.string());
}

}  // namespace vrt
