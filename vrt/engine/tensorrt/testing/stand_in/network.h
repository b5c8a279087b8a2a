// Internal: the network of the stand-in for TensorRT, which its parser fills.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vrt/engine/tensorrt/testing/stand_in/ledger.h"
#include "vrt/engine/tensorrt/testing/stand_in/model.h"

namespace stand_in {

class Tensor final : public nvinfer1::ITensor {
 public:
  explicit Tensor(TensorText text) : text_(std::move(text)) {}
  [[nodiscard]] const char* getName() const noexcept override { return text_.name.c_str(); }
  [[nodiscard]] nvinfer1::Dims getDimensions() const noexcept override { return text_.shape; }
  [[nodiscard]] nvinfer1::DataType getType() const noexcept override { return text_.type; }

 private:
  TensorText text_;
};

class Layer final : public nvinfer1::ILayer {
 public:
  explicit Layer(const TensorText& output) : name_(output.name), output_(output) {}
  [[nodiscard]] const char* getName() const noexcept override { return name_.c_str(); }
  [[nodiscard]] std::int32_t getNbOutputs() const noexcept override { return 1; }
  [[nodiscard]] nvinfer1::ITensor* getOutput(std::int32_t) const noexcept override { return &output_; }

 private:
  std::string name_;
  mutable Tensor output_;
};

class Network final : public nvinfer1::INetworkDefinition {
 public:
  Network(Ledger& ledger, const Counted* builder) : counted_(ledger, "network", builder) {}

  void fill(Model model) {
    model_ = std::move(model);
    for (const TensorText& text : model_.inputs) inputs_.push_back(std::make_unique<Tensor>(text));
    for (const TensorText& text : model_.outputs) outputs_.push_back(std::make_unique<Tensor>(text));
    for (const TensorText& text : model_.layer_outputs) layers_.push_back(std::make_unique<Layer>(text));
  }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const Counted& counted() const { return counted_; }

  [[nodiscard]] std::int32_t getNbInputs() const noexcept override { return static_cast<std::int32_t>(inputs_.size()); }
  [[nodiscard]] nvinfer1::ITensor* getInput(std::int32_t index) const noexcept override { return inputs_[index].get(); }
  [[nodiscard]] std::int32_t getNbOutputs() const noexcept override {
    return static_cast<std::int32_t>(outputs_.size());
  }
  [[nodiscard]] nvinfer1::ITensor* getOutput(std::int32_t index) const noexcept override {
    return outputs_[index].get();
  }
  [[nodiscard]] std::int32_t getNbLayers() const noexcept override { return static_cast<std::int32_t>(layers_.size()); }
  [[nodiscard]] nvinfer1::ILayer* getLayer(std::int32_t index) const noexcept override { return layers_[index].get(); }

 private:
  Counted counted_;
  Model model_;
  std::vector<std::unique_ptr<Tensor>> inputs_;
  std::vector<std::unique_ptr<Tensor>> outputs_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace stand_in
