// The stand-in for TensorRT's ONNX parser library. Its models are those of model.h.
#include <NvOnnxParser.h>

#include <fstream>
#include <iterator>

#include "vrt/engine/tensorrt/testing/stand_in/network.h"

namespace {

using stand_in::Counted;
using stand_in::ErrorText;
using stand_in::Ledger;
using stand_in::Network;

class ParserError final : public nvonnxparser::IParserError {
 public:
  explicit ParserError(ErrorText text) : text_(std::move(text)) {}
  [[nodiscard]] nvonnxparser::ErrorCode code() const override {
    return static_cast<nvonnxparser::ErrorCode>(text_.code);
  }
  [[nodiscard]] const char* desc() const override { return text_.reason.c_str(); }
  [[nodiscard]] int node() const override { return text_.node; }
  [[nodiscard]] const char* nodeName() const override { return text_.name.c_str(); }
  [[nodiscard]] const char* nodeOperator() const override { return text_.type.c_str(); }

 private:
  ErrorText text_;
};

class Parser final : public nvonnxparser::IParser {
 public:
  explicit Parser(Network& network)
      : network_(&network), counted_(network.counted().ledger(), "parser", &network.counted()) {}

  bool parseFromFile(const char* path, int) noexcept override {
    if (counted_.ledger().fails("parseFromFile")) return false;
    std::ifstream file(path);
    network_->fill(stand_in::read_model({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}));
    for (const ErrorText& error : network_->model().errors) errors_.push_back(std::make_unique<ParserError>(error));
    return errors_.empty();
  }
  [[nodiscard]] bool supportsOperator(const char* name) const noexcept override {
    return network_->model().lacks.count(name) == 0;
  }
  [[nodiscard]] int getNbErrors() const noexcept override { return static_cast<int>(errors_.size()); }
  [[nodiscard]] const nvonnxparser::IParserError* getError(int index) const noexcept override {
    return errors_[index].get();
  }

 private:
  Network* network_;
  Counted counted_;
  std::vector<std::unique_ptr<ParserError>> errors_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void* createNvOnnxParser_INTERNAL(void* network, void* logger,
                                                                                    int version) {
  Network& filled = *static_cast<Network*>(static_cast<nvinfer1::INetworkDefinition*>(network));
  Ledger& ledger = filled.counted().ledger();
  ledger.use_logger(static_cast<nvinfer1::ILogger*>(logger));
  if (version != NV_ONNX_PARSER_VERSION || ledger.fails("createNvOnnxParser")) return nullptr;
  return static_cast<nvonnxparser::IParser*>(new Parser(filled));
}
