// Internal: the models of the stand-in for TensorRT: text, one statement a line.
//   input NAME TYPE EXTENT…        TYPE is the number of nvinfer1::DataType; -1 is an open extent
//   output NAME TYPE EXTENT…       each float output is 2·input + 1, the first input repeated
//   layer NAME TYPE DATATYPE       what the inspector tells; DATATYPE as TensorRT spells it ("FP16")
//   layer_output NAME TYPE         a layer of the network whose output has that type
//   host NAME                      that tensor is of the host's memory
//   data_dependent NAME            its size is not known even where all inputs' are
//   steps N                        a build has N steps of progress, reported from another thread
//   error CODE NODE NAME OPERATOR REASON…    the parser refuses the model; "-" is an empty NAME or OPERATOR
//   lacks OPERATOR                 the parser has no such operator
#pragma once

#include <NvOnnxParser.h>

#include <istream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace stand_in {

struct TensorText {
  std::string name;
  nvinfer1::DataType type = nvinfer1::DataType::kFLOAT;
  nvinfer1::Dims shape{};
};

struct LayerText {
  std::string name;
  std::string type;
  std::string datatype;
};

struct ErrorText {
  int code = 0;
  int node = 0;
  std::string name;
  std::string type;
  std::string reason;
};

struct Model {
  std::string text;
  std::vector<TensorText> inputs;
  std::vector<TensorText> outputs;
  std::vector<LayerText> layers;
  std::vector<TensorText> layer_outputs;
  std::set<std::string> host;
  std::set<std::string> data_dependent;
  std::set<std::string> lacks;
  std::vector<ErrorText> errors;
  int steps = 0;

  [[nodiscard]] const TensorText* find(const std::string& name) const {
    for (const auto* tensors : {&inputs, &outputs})
      for (const TensorText& tensor : *tensors)
        if (tensor.name == name) return &tensor;
    return nullptr;
  }
  [[nodiscard]] bool is_input(const std::string& name) const {
    for (const TensorText& tensor : inputs)
      if (tensor.name == name) return true;
    return false;
  }
};

inline TensorText read_tensor(std::istream& words) {
  TensorText tensor;
  int type = 0;
  words >> tensor.name >> type;
  tensor.type = static_cast<nvinfer1::DataType>(type);
  for (std::int64_t extent = 0; words >> extent;) tensor.shape.d[tensor.shape.nbDims++] = extent;
  return tensor;
}

inline ErrorText read_error(std::istream& words) {
  ErrorText error;
  words >> error.code >> error.node >> error.name >> error.type;
  std::getline(words >> std::ws, error.reason);
  for (std::string* text : {&error.name, &error.type})
    if (*text == "-") text->clear();
  return error;
}

inline void read_line(const std::string& line, Model& model) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  std::string name;
  if (kind == "input") model.inputs.push_back(read_tensor(words));
  if (kind == "output") model.outputs.push_back(read_tensor(words));
  if (kind == "layer_output") model.layer_outputs.push_back(read_tensor(words));
  if (kind == "error") model.errors.push_back(read_error(words));
  if (kind == "steps") words >> model.steps;
  if (kind == "host" && words >> name) model.host.insert(name);
  if (kind == "data_dependent" && words >> name) model.data_dependent.insert(name);
  if (kind == "lacks" && words >> name) model.lacks.insert(name);
  if (kind == "layer") {
    LayerText& layer = model.layers.emplace_back();
    words >> layer.name >> layer.type >> layer.datatype;
  }
}

inline Model read_model(const std::string& text) {
  Model model;
  model.text = text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) read_line(line, model);
  return model;
}

}  // namespace stand_in
