#include "vrt/engine/openvino/network.h"

#include <openvino/frontend/exception.hpp>
#include <openvino/frontend/manager.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <sstream>
#include <streambuf>

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

/// Lets the first extent of each input that leaves it open change within the range.
void open_batch(ov::Model& model, const VrtBackendEngineOptions& options) {
  if (options.batch_largest == 0) return;
  std::map<std::size_t, ov::PartialShape> shapes;
  for (std::size_t index = 0; index < model.inputs().size(); ++index) {
    ov::PartialShape shape = model.input(index).get_partial_shape();
    if (shape.rank().is_dynamic() || shape.size() == 0 || shape[0].is_static()) continue;
    shape[0] = ov::Dimension(options.batch_smallest, options.batch_largest);
    shapes.emplace(index, shape);
  }
  if (shapes.empty()) {
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                  "a changing batch was asked for, but no input leaves its first dimension open; inputs: " +
                      listed(std::as_const(model).inputs()));
  }
  model.reshape(shapes);
}

/// The shape of one run: static but for a first extent that is the batch.
bool is_held(const ov::PartialShape& shape, const VrtBackendEngineOptions& options) {
  if (shape.is_static()) return true;
  if (options.batch_largest == 0 || shape.rank().is_dynamic()) return false;
  const ov::Dimension batch(options.batch_smallest, options.batch_largest);
  return shape.size() > 0 && shape[0] == batch &&
         std::all_of(shape.begin() + 1, shape.end(), [](const ov::Dimension& extent) { return extent.is_static(); });
}

void require_held(const ov::Model& model, const VrtBackendEngineOptions& options) {
  for (const Port& input : model.inputs()) {
    const ov::PartialShape& shape = input.get_partial_shape();
    if (is_held(shape, options)) continue;
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "input '" + name_of(input) + "' is " + text_of(shape) + ": " +
                                                    unknown_dimensions(shape) + "; give a shape for it");
  }
  for (const Port& output : model.outputs()) {
    const ov::PartialShape& shape = output.get_partial_shape();
    if (is_held(shape, options)) continue;
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "output '" + name_of(output) + "' is " + text_of(shape) + ": " + unknown_dimensions(shape) +
                      " though every input is; an output whose size depends on data cannot be held");
  }
}

std::vector<Tensor> describe(const std::vector<Port>& ports, const char* kind) {
  std::vector<Tensor> tensors;
  for (const Port& port : ports) {
    const ov::PartialShape& shape = port.get_partial_shape();
    Tensor tensor{name_of(port), port.get_element_type(), shape.get_max_shape()};
    tensor.batched = shape.is_dynamic();
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

ov::element::Type precision_of(const VrtBackendEngineOptions& options) {
  const auto asked = static_cast<DType>(options.precision);
  if (asked == DType::kFloat32) return ov::element::f32;
  if (asked == DType::kFloat16) return ov::element::f16;
  throw Failure(VRT_BACKEND_UNSUPPORTED, "networks are compiled to float32 or float16");
}

ov::AnyMap compile_settings(const VrtBackendEngineOptions& options) {
  const std::int32_t allowed = backend::allowed_processors();
  const bool throughput = options.throughput != 0;
  return {ov::hint::inference_precision(precision_of(options)),
          ov::hint::performance_mode(throughput ? ov::hint::PerformanceMode::THROUGHPUT
                                                : ov::hint::PerformanceMode::LATENCY),
          ov::num_streams(throughput ? std::max(options.concurrent_sessions, 1) : 1),
          ov::inference_num_threads(options.threads > 0 ? std::min(options.threads, allowed) : allowed)};
}

void require_precision(const ov::CompiledModel& compiled, const VrtBackendEngineOptions& options) {
  const auto asked = precision_of(options);
  const auto precision = compiled.get_property(ov::hint::inference_precision);
  if (precision == asked) return;
  throw Failure(VRT_BACKEND_UNSUPPORTED,
                text_of(asked) + " was asked for, the network was compiled to " + text_of(precision) + " on this CPU");
}

ov::CompiledModel compile(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                          const VrtBackendEngineOptions& options) {
  try {
    ov::CompiledModel compiled = core.compile_model(model, "CPU", compile_settings(options));
    require_precision(compiled, options);
    return compiled;
  } catch (const ov::Exception& failure) {
    throw Failure(VRT_BACKEND_FAILED, "the network does not compile: " + essence(failure.what()));
  }
}

/// Bytes as the source of a stream, where they are. It can be read again from any place.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view bytes) {
    char* const begin = const_cast<char*>(bytes.data());  // A source: nothing is written to it.
    setg(begin, begin, begin + bytes.size());
  }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override {
    const off_type size = egptr() - eback();
    const off_type start = from == std::ios_base::beg ? 0 : from == std::ios_base::end ? size : gptr() - eback();
    const off_type target = start + offset;
    if ((which & std::ios_base::in) == 0 || target < 0 || target > size) return off_type{-1};
    setg(eback(), eback() + target, egptr());
    return target;
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(position, std::ios_base::beg, which);
  }
};

std::string info_of(const ov::Node& node, const char* key) {
  const auto found = node.get_rt_info().find(key);
  return found == node.get_rt_info().end() ? "" : found->second.as<std::string>();
}

/// vrt's name of an element type; OpenVINO's own where vrt has none.
std::string precision_name(const std::string& name) {
  static const std::map<std::string, std::string> names = {
      {"f32", "float32"}, {"f16", "float16"}, {"bf16", "bfloat16"}, {"i8", "int8"},    {"u8", "uint8"},
      {"i32", "int32"},   {"i64", "int64"},   {"boolean", "bool"},  {"undefined", ""}, {"dynamic", ""}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

}  // namespace

Network open_network(ov::Core& core, const VrtBackendEngineOptions& options) {
  if (options.device_kind != 0) throw Failure(VRT_BACKEND_UNSUPPORTED, "OpenVINO runs networks on the CPU only here");
  const std::shared_ptr<ov::Model> model = read_model(options.model_path);
  reshape(*model, options);
  open_batch(*model, options);
  require_held(*model, options);
  Network network;
  network.inputs = describe(std::as_const(*model).inputs(), "input");
  network.outputs = describe(std::as_const(*model).outputs(), "output");
  network.compiled = compile(core, model, options);
  return network;
}

Network load_network(ov::Core& core, const VrtBackendEngineOptions& options, std::string_view bytes) {
  ViewBuffer buffer(bytes);
  std::istream stream(&buffer);
  Network network;
  try {
    network.compiled = core.import_model(stream, "CPU", compile_settings(options));
  } catch (const std::exception& failure) {
    throw Failure(VRT_BACKEND_CORRUPT, "the compiled network cannot be taken: " + essence(failure.what()));
  }
  require_precision(network.compiled, options);
  network.inputs = describe(network.compiled.inputs(), "input");
  network.outputs = describe(network.compiled.outputs(), "output");
  return network;
}

std::string serialize(const Network& network) {
  std::ostringstream stream;
  // OpenVINO's export is not const, though the compiled network does not change.
  ov::CompiledModel compiled = network.compiled;
  compiled.export_model(stream);
  return stream.str();
}

std::string describe_network(const Network& network) {
  std::string layers;
  std::uint64_t weights_bytes = 0;
  for (const std::shared_ptr<ov::Node>& node : network.compiled.get_runtime_model()->get_ordered_ops()) {
    const std::string type = info_of(*node, "layerType");
    if (type == "Const") {
      weights_bytes += ov::shape_size(node->get_output_shape(0)) * node->get_output_element_type(0).size();
      continue;
    }
    backend::add_layer_json(layers, node->get_friendly_name(), type,
                            precision_name(info_of(*node, "runtimePrecision")));
  }
  return "{\"layers\": [" + layers + "], \"weights_bytes\": " + std::to_string(weights_bytes) + "}";
}

}  // namespace vrt::openvino
