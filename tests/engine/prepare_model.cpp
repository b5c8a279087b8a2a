// prepare_model MODEL TARGET [--float16] [--noise SEED] [--batch LARGEST] [--shape NAME=1x3x480x640]…
//
// Prepares an ONNX file as Engine::open does, for tests in Python and for looking at what comes out. Prints what stays in float32,
// one node a line. --noise checks the ranges on one run of seeded noise in [-1, 1).
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/engine/model_preparation.h"

namespace {

struct Arguments {
  std::string model;
  std::string target;
  vrt::EngineOptions options;
  std::int64_t noise_seed = -1;
};

void add_shape(const std::string& text, vrt::EngineOptions& options) {
  const std::size_t equals = text.find('=');
  std::vector<std::int64_t> extents;
  for (std::size_t at = equals + 1; at < text.size(); at = text.find('x', at) + 1) {
    extents.push_back(std::stoll(text.substr(at)));
    if (text.find('x', at) == std::string::npos) break;
  }
  options.input_shapes.emplace(text.substr(0, equals), vrt::Shape(extents));
}

Arguments parse(const std::vector<std::string>& words) {
  vrt::require(words.size() >= 2,
               "prepare_model MODEL TARGET [--float16] [--noise SEED] [--batch LARGEST] [--shape …]");
  Arguments arguments{words[0], words[1], {}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--float16") {
      arguments.options.precision = vrt::Precision::kFloat16;
      continue;
    }
    vrt::require(i + 1 < words.size(), "{} needs a value", words[i]);
    const std::string& value = words[i + 1];
    if (words[i] == "--noise") arguments.noise_seed = std::stoll(value);
    if (words[i] == "--batch") arguments.options.batch.largest = std::stoll(value);
    if (words[i] == "--shape") add_shape(value, arguments.options);
    ++i;
  }
  return arguments;
}

vrt::Shape shape_of(const vrt::TensorInfo& input, const vrt::EngineOptions& options) {
  for (const std::string& name : {input.name, std::string()}) {
    const auto found = options.input_shapes.find(name);
    if (found != options.input_shapes.end()) return found->second;
  }
  std::vector<std::int64_t> extents(input.shape.extents().begin(), input.shape.extents().end());
  if (!extents.empty() && extents[0] == vrt::Shape::kDynamic) extents[0] = options.batch.largest;
  return vrt::Shape(extents);
}

/// Floats in [-1, 1); zeros for other types.
vrt::SampleInputs noise(const Arguments& arguments) {
  std::mt19937_64 random(static_cast<std::uint64_t>(arguments.noise_seed));
  std::uniform_real_distribution<float> uniform(-1, 1);
  vrt::SampleInputs sample;
  for (const vrt::TensorInfo& input : vrt::detail::read_signature(arguments.model).inputs) {
    const auto count = static_cast<std::size_t>(shape_of(input, arguments.options).element_count());
    std::vector<std::byte> bytes(count * vrt::size_bytes(input.type));
    std::vector<float> values(input.type == vrt::DType::kFloat32 ? count : 0);
    for (float& value : values) value = uniform(random);
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    sample.emplace(input.name, std::move(bytes));
  }
  return sample;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse({argv + 1, argv + argc});
    std::vector<vrt::SampleInputs> samples;
    if (arguments.noise_seed >= 0) samples.push_back(noise(arguments));
    const auto report = vrt::detail::prepare_model(arguments.model, arguments.options, samples, arguments.target);
    std::cout << report.converted_nodes << " nodes converted to float16\n";
    for (const auto& node : report.kept) std::cout << node.name << " (" << node.type << "): " << node.reason << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
