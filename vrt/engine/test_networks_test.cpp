// The ten test networks (tools/models/make_test_networks.py, and CenterFace) on every backend and device that is here, as they are, prepared, and
// converted to float16.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/memory.h"
#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/model_preparation.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

const fs::path kNetworks = testing::location("VRT_TEST_NETWORKS", VRT_TEST_NETWORKS);
const fs::path kSource = testing::location("VRT_SOURCE_DIR", VRT_SOURCE_DIR);

Bytes content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A network with one run of it.
struct Case {
  fs::path model;
  EngineOptions options;
  std::int64_t batch = 0;  ///< Of the run; 0 without a changing batch.
  std::vector<Bytes> inputs;
  std::vector<double> expected;  ///< All outputs, one behind the other.
};

std::vector<double> to_numbers(const Bytes& bytes, DType type) {
  std::vector<double> numbers(bytes.size() / size_bytes(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::byte* at = bytes.data() + i * size_bytes(type);
    float number = 0;
    std::int64_t integer = 0;
    if (type == DType::kFloat32) std::memcpy(&number, at, sizeof(number));
    if (type != DType::kFloat32) std::memcpy(&integer, at, size_bytes(type));
    numbers[i] = type == DType::kFloat32 ? static_cast<double>(number) : static_cast<double>(integer);
  }
  return numbers;
}

/// CenterFace at 64x96, on the pattern of tools/golden/centerface.py.
Case centerface() {
  Case found;
  found.model = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);
  found.options.input_shapes = {{"", {1, 3, 64, 96}}};
  std::vector<float> pattern(std::size_t{3} * 64 * 96);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<float>(i * 7919 % 256);
  Bytes bytes(pattern.size() * sizeof(float));
  std::memcpy(bytes.data(), pattern.data(), bytes.size());
  found.inputs = {bytes};
  found.expected = to_numbers(content(kSource / "vrt/engine/openvino/golden/centerface_64x96.f32"), DType::kFloat32);
  return found;
}

Case network(const std::string& name) {
  if (name == "centerface") return centerface();
  Case found;
  const fs::path folder = kNetworks / name;
  found.model = folder / "model.onnx";
  const detail::ModelSignature signature = detail::read_signature(found.model);
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    found.inputs.push_back(content(folder / ("input_" + std::to_string(i))));
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    const auto numbers = to_numbers(content(folder / ("output_" + std::to_string(i))), signature.outputs[i].type);
    found.expected.insert(found.expected.end(), numbers.begin(), numbers.end());
  }
  if (name == "dynamic_batch") {
    found.options.batch.largest = 4;
    found.batch = 3;
  }
  return found;
}

/// The elements of an output that belong to the run.
std::vector<double> read(const Session& session, std::size_t index, std::int64_t batch) {
  const TensorInfo& info = session.engine().outputs()[index];
  Bytes bytes(static_cast<std::size_t>(info.shape.element_count()) * size_bytes(info.type));
  detail::copy_bytes_blocking(session.stream(), detail::CopyKind::kReadBack, session.output(index).data(), bytes.data(),
                              bytes.size());
  if (info.batched)
    bytes.resize(bytes.size() / static_cast<std::size_t>(info.shape[0]) * static_cast<std::size_t>(batch));
  return to_numbers(bytes, info.type);
}

/// Where a network runs.
struct Place {
  std::string backend;
  Device device;

  [[nodiscard]] std::string text() const { return backend + " on " + to_string(device); }
};

/// All outputs of a run in float32.
std::vector<std::vector<double>> run(const fs::path& model, const Case& network, EngineOptions options,
                                     const Place& place) {
  options.backend = place.backend;
  options.use_cache = false;
  options.precision = Precision::kFloat32;
  const Stream stream(place.device);
  Session session(Engine::open(model, place.device, options), stream);
  if (network.batch > 0) session.set_batch(network.batch);
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    detail::copy_bytes_blocking(stream, detail::CopyKind::kUpload, network.inputs[i].data(), session.input(i).data(),
                                network.inputs[i].size());
  }
  session.submit();
  stream.synchronize();
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < session.engine().outputs().size(); ++i) all.push_back(read(session, i, network.batch));
  return all;
}

/// Every backend here, on each device that it runs on.
std::vector<Place> places() {
  std::vector<Place> found;
  for (const BackendInfo& backend : list_backends()) {
    for (const Device device : Device::all()) {
      try {
        if (backend.available) static_cast<void>(detail::open_backend_for(device, backend.name));
        if (backend.available) found.push_back({backend.name, device});
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::kUnsupported || device.is_cuda()) << error.what();
      }
    }
  }
  EXPECT_FALSE(found.empty());
  return found;
}

/// How far a run is from the reference, in the worst output.
struct Difference {
  double largest = 0;
  double share_of_range = 0;  ///< Of the output's own.
};

Difference difference(const std::vector<std::vector<double>>& found, const Case& network) {
  Difference worst;
  std::size_t at = 0;
  for (const std::vector<double>& output : found) {
    const auto expected = std::span(network.expected).subspan(at, output.size());
    const auto [least, most] = std::minmax_element(expected.begin(), expected.end());
    double largest = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double distance = std::abs(output[i] - expected[i]);
      largest = distance <= largest ? largest : distance;  // Takes what is not a number too.
    }
    worst.largest = std::max(worst.largest, largest);
    worst.share_of_range = std::max(worst.share_of_range, largest / (*most - *least));
    at += output.size();
  }
  EXPECT_EQ(at, network.expected.size());
  return worst;
}

/// The options for a file that prepare_model has written: shapes are in it, a batch is not.
EngineOptions options_for_prepared(const Case& network) {
  EngineOptions options = network.options;
  options.input_shapes.clear();
  return options;
}

class TestNetworkTest : public ::testing::TestWithParam<const char*> {
 protected:
  fs::path prepare(const Case& network, EngineOptions options) const {
    const fs::path target = folder_.path() / "prepared.onnx";
    SampleInputs sample;
    const detail::ModelSignature signature = detail::read_signature(network.model);
    for (std::size_t i = 0; i < network.inputs.size(); ++i) sample[signature.inputs[i].name] = network.inputs[i];
    detail::prepare_model(network.model, options, {&sample, 1}, target);
    return target;
  }

  testing::ScopedFolder folder_;
};

TEST_P(TestNetworkTest, PreparedOrNotItGivesTheReferencesOutputsOnEveryBackend) {
  const Case net = network(GetParam());
  const fs::path prepared = prepare(net, net.options);
  for (const Place& place : places()) {
    EXPECT_LE(difference(run(net.model, net, net.options, place), net).largest, 1e-4) << place.text();
    EXPECT_LE(difference(run(prepared, net, options_for_prepared(net), place), net).largest, 1e-4) << place.text();
  }
}

/// The last column of a network's row in docs/fp16.md.
double documented_bound(const std::string& name) {
  std::ifstream page(kSource / "docs/fp16.md");
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `" + name + "` |", 0) != 0) continue;
    const std::size_t end = line.rfind('|');
    return std::stod(line.substr(line.rfind('|', end - 1) + 1));
  }
  ADD_FAILURE() << "docs/fp16.md has no row for " << name;
  return 0;
}

TEST_P(TestNetworkTest, InFloat16ItStaysWithinTheDocumentedBoundOnEveryBackend) {
  const Case net = network(GetParam());
  EngineOptions options = net.options;
  options.precision = Precision::kFloat16;
  const fs::path converted = prepare(net, options);
  for (const Place& place : places()) {
    const double share = difference(run(converted, net, options_for_prepared(net), place), net).share_of_range;
    EXPECT_LE(share, documented_bound(GetParam())) << place.text();
    RecordProperty(place.text(), std::to_string(share));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TestNetworkTest,
                         ::testing::Values("convolution", "attention", "grid_sample", "top_k", "resize",
                                           "dynamic_batch", "external_data", "integer_outputs", "float16_overflow",
                                           "centerface"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace vrt
