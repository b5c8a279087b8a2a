#include "vrt/engine/openvino/network.h"

#include <sched.h>

#include <openvino/frontend/exception.hpp>
#include <openvino/frontend/manager.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/openvino/element_type.h"
#include "vrt/engine/openvino/message.h"

namespace vrt::openvino {
namespace {

using backend::Failure;
using Port = ov::Output<const ov::Node>;

template <typename Value>
std::string text_of(const Value& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

std::string name_of(const Port& port) {
  return port.get_names().empty() ? port.get_node()->get_friendly_name() : port.get_any_name();
}

/// OpenVINO's reader for a file. Not OpenVINO's own search, which tries every format and lets some print on standard
/// error.
const char* reader_for(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".onnx") return "onnx";
  if (extension == ".xml") return "ir";
  throw Failure(VRT_BACKEND_CORRUPT, "not known as a model: the name has to end in .onnx, or .xml for OpenVINO's own");
}

std::shared_ptr<ov::Model> read_model(const std::string& path) {
  const char* const name = reader_for(path);
  if (std::filesystem::file_size(path) == 0) throw Failure(VRT_BACKEND_CORRUPT, "the file is empty");
  try {
    const ov::frontend::FrontEnd::Ptr reader = ov::frontend::FrontEndManager().load_by_framework(name);
    return reader->convert(reader->load(path));
  } catch (const ov::frontend::OpConversionFailure& failure) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, essence(failure.what()));
  } catch (const ov::frontend::NotImplementedFailure& failure) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, essence(failure.what()));
  } catch (const std::exception& failure) {
    throw Failure(VRT_BACKEND_CORRUPT, "the model cannot be read: " + essence(failure.what()));
  }
}

std::string listed(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) {
    names += (names.empty() ? "'" : ", '") + name_of(port) + "' " + text_of(port.get_partial_shape());
  }
  return names;
}

Port find_input(const std::vector<Port>& inputs, const std::string& name) {
  if (name.empty() && inputs.size() == 1) return inputs.front();
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const Port& port) {
    return port.get_names().count(name) > 0 || name_of(port) == name;
  });
  if (found != inputs.end() && !name.empty()) return *found;
  const std::string wanted =
      name.empty() ? "\"\" stands for the only input, and there are several" : "there is no input '" + name + "'";
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT, wanted + "; inputs: " + listed(inputs));
}

void reshape(ov::Model& model, const VrtBackendEngineOptions& options) {
  const std::vector<Port> inputs = std::as_const(model).inputs();
  std::map<std::size_t, ov::PartialShape> shapes;
  for (std::uint64_t i = 0; i < options.input_shape_count; ++i) {
    const VrtBackendInputShape& wanted = options.input_shapes[i];
    const Port port = find_input(inputs, wanted.name);
    const ov::PartialShape shape(std::vector<ov::Dimension>(wanted.extents, wanted.extents + wanted.rank));
    if (!port.get_partial_shape().rank().compatible(shape.rank())) {
      throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + name_of(port) + "' is " +
                                                      text_of(port.get_partial_shape()) + "; the shape " +
                                                      text_of(shape) + " has another rank");
    }
    const auto index = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), port) - inputs.begin());
    if (!shapes.emplace(index, shape).second) {
      throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + name_of(port) + "' is given two shapes");
    }
  }
  if (shapes.empty()) return;
  try {
    model.reshape(shapes);
  } catch (const std::exception& failure) {
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                  "the network cannot take these input shapes: " + essence(failure.what()));
  }
}

std::string unknown_dimensions(const ov::PartialShape& shape) {
  if (shape.rank().is_dynamic()) return "its rank is not known";
  std::string indices;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[static_cast<std::ptrdiff_t>(i)].is_dynamic())
      indices += (indices.empty() ? "" : ", ") + std::to_string(i);
  }
  return "dimension " + indices + " is not known";
}

void require_static(const ov::Model& model) {
  for (const Port& input : model.inputs()) {
    const ov::PartialShape& shape = input.get_partial_shape();
    if (shape.is_static()) continue;
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + name_of(input) + "' is " + text_of(shape) + ": " +
                                                    unknown_dimensions(shape) + "; give a shape for it");
  }
  for (const Port& output : model.outputs()) {
    const ov::PartialShape& shape = output.get_partial_shape();
    if (shape.is_static()) continue;
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "output '" + name_of(output) + "' is " + text_of(shape) + ": " + unknown_dimensions(shape) +
                      " though every input is; an output whose size depends on data cannot be held");
  }
}

std::vector<Tensor> describe(const std::vector<Port>& ports, const char* kind) {
  std::vector<Tensor> tensors;
  for (const Port& port : ports) {
    Tensor tensor{name_of(port), port.get_element_type(), port.get_shape()};
    const auto dtype = to_dtype(tensor.type);
    if (!dtype || tensor.shape.size() > VRT_BACKEND_MAX_RANK) {
      throw Failure(VRT_BACKEND_UNSUPPORTED, std::string(kind) + " '" + tensor.name + "' is " + text_of(tensor.type) +
                                                 " " + text_of(tensor.shape) + ": vrt has no such tensors");
    }
    tensor.dtype = static_cast<std::int32_t>(*dtype);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// The processors that this process may run on.
std::int32_t allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
}

ov::AnyMap compile_settings(const VrtBackendEngineOptions& options) {
  const std::int32_t allowed = allowed_processors();
  const bool throughput = options.throughput != 0;
  return {ov::hint::inference_precision(ov::element::f32),
          ov::hint::performance_mode(throughput ? ov::hint::PerformanceMode::THROUGHPUT
                                                : ov::hint::PerformanceMode::LATENCY),
          ov::num_streams(throughput ? std::max(options.concurrent_sessions, 1) : 1),
          ov::inference_num_threads(options.threads > 0 ? std::min(options.threads, allowed) : allowed)};
}

ov::CompiledModel compile(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                          const VrtBackendEngineOptions& options) {
  try {
    ov::CompiledModel compiled = core.compile_model(model, "CPU", compile_settings(options));
    const auto precision = compiled.get_property(ov::hint::inference_precision);
    if (precision == ov::element::f32) return compiled;
    throw Failure(VRT_BACKEND_UNSUPPORTED, "float32 was asked for, the network was compiled to " + text_of(precision));
  } catch (const ov::Exception& failure) {
    throw Failure(VRT_BACKEND_FAILED, "the network does not compile: " + essence(failure.what()));
  }
}

}  // namespace

Network open_network(ov::Core& core, const VrtBackendEngineOptions& options) {
  if (options.device_kind != 0) throw Failure(VRT_BACKEND_UNSUPPORTED, "OpenVINO runs networks on the CPU only here");
  const std::shared_ptr<ov::Model> model = read_model(options.model_path);
  reshape(*model, options);
  require_static(*model);
  Network network;
  network.inputs = describe(std::as_const(*model).inputs(), "input");
  network.outputs = describe(std::as_const(*model).outputs(), "output");
  network.compiled = compile(core, model, options);
  return network;
}

}  // namespace vrt::openvino
