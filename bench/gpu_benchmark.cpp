// What a GPU does with vrt, in numbers. Needs a GPU and NVRTC, and nothing else: no video, no network, no peer.
// gpu_against_python.py sets the results beside other libraries'; docs/benchmarking.md says how to run both.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_report.h"
#include "vrt/base/error.h"
#include "vrt/base/fail.h"

namespace vrt {
namespace {

constexpr const char* kUsage =
    R"(usage: vrt_gpu_benchmark MODE [--device cuda:N] [--json FILE] [--engine BACKEND] [--precision fp16]
  preprocess   pictures to network inputs: GPU time, bytes a second, share of the speed of a copy
  detect       detectors behind their networks: decoding and suppression, selection, masks
  launch       what a launch costs the host, by vrt and by the driver alone; a frame as launches and as a graph
  jit          compiling all kernels with an empty cache and with a full one
  match        sets of descriptors to mutual nearest neighbours, in float16 and float32
  features     XFeat's outputs to keypoints and descriptors
  soak FRAMES  memory of device and host over many frames; ends with 1 if it grows
  soak RUNS MODEL
               the same over many runs of a network, whose batch changes from run to run where its file leaves it open
  engine MODEL INPUTS OUTPUTS
               a network alone, call by call and as a graph; INPUTS and OUTPUTS are folders of raw values, NAME.bin; a
               batch that the file leaves open is 4
)";

struct Arguments {
  std::vector<std::string> words;
  Device device = Device::cuda(0);
  std::string json;
  std::string engine = "auto";
  std::string precision = "fp32";
};

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      arguments.words.emplace_back(word);
      continue;
    }
    const std::map<std::string_view, std::string*> texts = {
        {"--json", &arguments.json}, {"--engine", &arguments.engine}, {"--precision", &arguments.precision}};
    const auto text = texts.find(word);
    require(i + 1 < argc && (word == "--device" || text != texts.end()), "'{}' is no option or has no value\n{}", word,
            kUsage);
    const std::string value = argv[++i];
    if (text != texts.end()) *text->second = value;
    if (word == "--device") arguments.device = Device::parse(value);
  }
  require(arguments.device.is_cuda(), "'{}' is no GPU", to_string(arguments.device));
  return arguments;
}

std::int64_t frames_of(const std::string& text) {
  std::int64_t frames = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), frames);
  require(error == std::errc() && end == text.data() + text.size(), "'{}' is no number of frames\n{}", text, kUsage);
  return frames;
}

// False if the mode says that something does not hold.
bool measure(const Arguments& arguments, GpuReport& report) {
  const std::vector<std::string>& words = arguments.words;
  if (words.size() == 2 && words[0] == "soak") return measure_soak(arguments.device, frames_of(words[1]), report);
  if (words.size() == 3 && words[0] == "soak") {
    const EngineSoak soak{words[2], arguments.engine, arguments.precision == "fp16", frames_of(words[1])};
    return measure_engine_soak(arguments.device, soak, report);
  }
  if (words.size() == 4 && words[0] == "engine") {
    measure_engine(arguments.device, {words[1], words[2], words[3], arguments.engine, arguments.precision == "fp16"},
                   report);
    return true;
  }
  require(words.size() == 1, "expected one mode\n{}", kUsage);
  if (words[0] == "preprocess") return measure_preprocess(arguments.device, report), true;
  if (words[0] == "detect") return measure_detect(arguments.device, report), true;
  if (words[0] == "launch") return measure_launch(arguments.device, report), true;
  if (words[0] == "match") return measure_match(arguments.device, report), true;
  if (words[0] == "features") return measure_features(arguments.device, report), true;
  if (words[0] == "jit") return measure_jit(arguments.device, report), true;
  fail(ErrorCode::kInvalidArgument, "'{}' is no mode\n{}", words[0], kUsage);
}

int run(const Arguments& arguments) {
  require(!arguments.words.empty(), "expected a mode\n{}", kUsage);
  if (arguments.words.size() == 2 && arguments.words[0] == "jit-child") {
    run_jit_child(arguments.device, arguments.words[1]);
    return 0;
  }
  GpuReport report(arguments.words[0], arguments.device);
  const bool holds = measure(arguments, report);
  report.finish();
  report.print();
  if (!arguments.json.empty()) report.write_json(arguments.json);
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) {
  try {
    return vrt::run(vrt::arguments_of(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "vrt_gpu_benchmark: {}\n", error.what());
    return 2;
  }
}
