// How long a process takes from Engine::open to the end of a network's first run, as one line of JSON:
//
//   vrt_engine_start MODEL DEVICE BACKEND [1x3x480x640] [fp16]
//
// A process starts once, so it measures once: the second call of the program finds the kept engine of the first. VRT_CACHE
// names another cache, so that the first one builds.
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/engine/engine.h"

namespace vrt {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs `action`; returns its milliseconds.
template <typename Action>
double milliseconds_of(const Action& action) {
  const auto start = Clock::now();
  action();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Shape read_shape(const std::string& text) {
  std::vector<std::int64_t> extents;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) extents.push_back(std::stoll(word));
  return Shape(std::span<const std::int64_t>(extents));
}

void measure(const std::vector<std::string>& arguments) {
  require(arguments.size() >= 3, "expected MODEL DEVICE BACKEND [1x3x480x640] [fp16]");
  const Device device = Device::parse(arguments[1]);
  EngineOptions options{.backend = arguments[2]};
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    if (arguments[i] == "fp16")
      options.precision = Precision::kFloat16;
    else
      options.input_shapes = {{"", read_shape(arguments[i])}};
  }
  bool is_kept = false;
  set_log_sink([&](LogLevel, std::string_view line) { is_kept |= line.find("loaded from cache") != line.npos; });
  std::optional<Stream> stream;
  std::optional<Engine> engine;
  std::optional<Session> session;
  const double device_ms = milliseconds_of([&] { stream.emplace(device); });
  const double open_ms = milliseconds_of([&] { engine = Engine::open(arguments[0], device, options); });
  const double session_ms = milliseconds_of([&] { session.emplace(*engine, *stream); });
  const double run_ms = milliseconds_of([&] {
    session->submit();
    stream->synchronize();
  });
  set_log_sink({});
  fmt::print(
      "{{\"kept\": {}, \"stream_ms\": {:.1f}, \"open_ms\": {:.1f}, \"session_ms\": {:.1f}, \"first_run_ms\": "
      "{:.1f}}}\n",
      is_kept, device_ms, open_ms, session_ms, run_ms);
}

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) try {
  vrt::measure({argv + 1, argv + argc});
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "vrt_engine_start: %s\n", error.what());
  return 1;
}
