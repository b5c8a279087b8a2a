#include "vrt/pipeline/selftest_contract.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/pipeline/selftest_inputs.h"

namespace vrt {

namespace {

using selftest::DevicePicture;
using selftest::marked;
using selftest::random_bytes;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Sizes that are no multiple of anything, and one that no cache holds.
std::string check_memory(Device device) {
  const Stream stream(device);
  std::size_t total = 0;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, (std::size_t{8} << 20U) + 3}) {
    const std::vector<std::uint8_t> pattern = random_bytes(bytes, bytes);
    PinnedBuffer<std::uint8_t> from(device, bytes);
    PinnedBuffer<std::uint8_t> to(device, bytes);
    std::memcpy(from.data(), pattern.data(), bytes);
    auto first = marked<std::uint8_t>(stream, bytes);
    auto second = marked<std::uint8_t>(stream, bytes);
    upload<std::uint8_t>(stream, from.span(), first.span());
    copy<std::uint8_t>(stream, first.span(), second.span());
    read_back<std::uint8_t>(stream, second.span(), to.span());
    stream.synchronize();
    if (!std::ranges::equal(to.host(), pattern)) {
      fail(ErrorCode::kInternal, "{} bytes did not come back as they went to {}", bytes, to_string(device));
    }
    total += bytes;
  }
  return fmt::format("{} bytes to the device, within it and back", total);
}

// What a model does with a frame, without its network.
struct FrameLoop {
  static constexpr Size kTarget{128, 96};
  static constexpr std::size_t kFloats = std::size_t{3} * kTarget.width * kTarget.height;

  explicit FrameLoop(Device device) : stream(device), picture(stream, {176, 144}, PixelFormat::kI420, 21) {}

  void submit() {
    preprocessor.submit(picture.view, output.span());
    read_back<float>(stream, output.span(), result.span());
  }

  Stream stream;
  DevicePicture picture;
  Preprocessor preprocessor{stream, {.target = kTarget}};
  DeviceBuffer<float> output = marked<float>(stream, kFloats);
  PinnedBuffer<float> result{stream.device(), kFloats};
};

std::string check_graph(Device device) {
  FrameLoop loop(device);
  loop.submit();
  loop.stream.synchronize();
  const std::vector<float> direct(loop.result.host().begin(), loop.result.host().end());
  const Graph graph = Graph::capture(loop.stream, [&] { loop.submit(); });
  for (int replay = 0; replay < 3; ++replay) {
    fill_bytes(loop.stream, loop.output.span(), 0xEE);
    graph.launch(loop.stream);
    loop.stream.synchronize();
    if (std::memcmp(loop.result.data(), direct.data(), direct.size() * sizeof(float)) != 0) {
      fail(ErrorCode::kInternal, "replay {} of a captured frame gives other bits than the frame submitted directly",
           replay);
    }
  }
  return fmt::format("{} nodes, 3 replays equal to the direct run", graph.node_count());
}

// The contract of every model: a frame costs one wait, and neither memory nor a blocking copy.
std::string check_waits(Device device) {
  constexpr std::uint64_t kFrames = 5;
  FrameLoop loop(device);
  loop.submit();
  loop.stream.synchronize();
  const DeviceCounters before = counters(device);
  for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
    loop.submit();
    loop.stream.synchronize();
  }
  const DeviceCounters used = counters(device) - before;
  const auto allocations = used.device_allocations + used.pinned_allocations;
  if (used.waits != kFrames || used.launches != kFrames || allocations + used.blocking_copies != 0) {
    fail(ErrorCode::kInternal, "{} frames took {} waits, {} launches, {} allocations and {} blocking copies", kFrames,
         used.waits, used.launches, allocations, used.blocking_copies);
  }
  return fmt::format("{} frames, {} waits, no allocation", kFrames, used.waits);
}

// The same work on two clocks: the device's, between two events, and the host's around it.
struct Clocks {
  Milliseconds event;
  Milliseconds host;
};

Clocks time_copies(const Stream& stream, std::size_t copies) {
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  const auto from = DeviceBuffer<std::uint8_t>::zeros(stream, kBytes);
  auto to = DeviceBuffer<std::uint8_t>::zeros(stream, kBytes);
  TimedEvent start(stream.device());
  TimedEvent end(stream.device());
  stream.synchronize();
  const auto before = std::chrono::steady_clock::now();
  start.record(stream);
  for (std::size_t i = 0; i < copies; ++i) copy<std::uint8_t>(stream, from.span(), to.span());
  end.record(stream);
  stream.synchronize();
  return {elapsed(start, end), std::chrono::steady_clock::now() - before};
}

// Enough copies that starting and waiting are little beside them.
Clocks time_long_work(const Stream& stream) {
  constexpr Milliseconds kLong{20};
  Clocks clocks{};
  for (std::size_t copies = 8; clocks.host < kLong; copies *= 2) clocks = time_copies(stream, copies);
  return clocks;
}

// The device cannot have taken longer than the host saw, and most of what the host saw was the device's work. The best of some
// attempts: other programs may hold the host up.
std::string check_events(Device device) {
  constexpr int kAttempts = 5;
  constexpr double kLeastShare = 0.5;
  constexpr double kMostShare = 1.02;
  const Stream stream(device);
  double best = 0;
  Clocks clocks{};
  for (int attempt = 0; attempt < kAttempts && best < kLeastShare; ++attempt) {
    clocks = time_long_work(stream);
    const double share = clocks.event / clocks.host;
    if (!(share > 0 && share <= kMostShare)) {
      fail(ErrorCode::kInternal, "the events of a work say {:.3f} ms, of which the host saw {:.3f} ms",
           clocks.event.count(), clocks.host.count());
    }
    best = std::max(best, share);
  }
  if (best < kLeastShare) {
    fail(ErrorCode::kInternal, "events say {:.3f} ms of work for which the host waited {:.3f} ms", clocks.event.count(),
         clocks.host.count());
  }
  return fmt::format("{:.2f} ms by events, {:.2f} ms by the host's clock", clocks.event.count(), clocks.host.count());
}

Engine open_or_not_run(const SelfTestOptions& options, Device device) {
  if (options.model.empty()) throw CheckNotRun(options.model_problem);
  try {
    return CenterFace::open_engine(options.model, device, {160, 128});
  } catch (const Error& error) {
    const bool is_missing = error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kUnsupported;
    if (is_missing) throw CheckNotRun(fmt::format("no engine for {}: {}", to_string(device), error.what()));
    throw;
  }
}

// One run of the network on seeded input, all outputs.
std::vector<float> run_network(const Engine& engine, const Stream& stream) {
  Session session(engine, stream);
  const DeviceSpan<float> input = session.input(0).as<float>();
  selftest::Seeded random(31);
  std::vector<float> values(input.size());
  for (float& value : values) value = random.between(0, 256);
  upload_blocking<float>(stream, values, input);
  session.submit();
  std::vector<float> outputs;
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    const std::vector<float> output = read_back_blocking(stream, session.output(i).as<float>());
    outputs.insert(outputs.end(), output.begin(), output.end());
  }
  return outputs;
}

std::string check_engine(const SelfTestOptions& options, Device device) {
  const Engine engine = open_or_not_run(options, device);
  const Stream stream(device);
  const std::vector<float> first = run_network(engine, stream);
  const std::vector<float> second = run_network(engine, stream);
  if (!std::ranges::all_of(first, [](float value) { return std::isfinite(value); })) {
    fail(ErrorCode::kInternal, "{} {} gives outputs that are no numbers", engine.backend_name(),
         engine.backend_version());
  }
  if (std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) != 0) {
    fail(ErrorCode::kInternal, "{} {} gives other outputs for the same input", engine.backend_name(),
         engine.backend_version());
  }
  return fmt::format("{} {}: {} outputs, twice the same bits", engine.backend_name(), engine.backend_version(),
                     first.size());
}

}  // namespace

std::vector<SelfTestCheck> contract_checks(const SelfTestOptions& options) {
  return {{"memory", &check_memory},
          {"graph", &check_graph},
          {"one wait a frame", &check_waits},
          {"clock of events", &check_events},
          {"network", [options](Device device) { return check_engine(options, device); }}};
}

}  // namespace vrt
