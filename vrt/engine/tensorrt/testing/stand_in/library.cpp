// The stand-in for TensorRT's main library: keeps the rules of the real one as far as they are known and reports who breaks them, fails
// on demand (ledger.h), and runs its networks (model.h) on the host's memory. VRT_STANDIN_MAJOR and VRT_STANDIN_MINOR replace its version.
#include <NvInfer.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "vrt/engine/tensorrt/testing/stand_in/network.h"

namespace {

using nvinfer1::Dims;
using nvinfer1::OptProfileSelector;
using stand_in::Counted;
using stand_in::Ledger;
using stand_in::Model;
using stand_in::Network;
using stand_in::TensorText;

constexpr char kPlanMark[] = "stand-in plan\n";
constexpr char kTimingMark[] = "stand-in timing ";

Ledger& ledger() {
  static auto& one = *new Ledger;
  return one;
}

class Memory final : public nvinfer1::IHostMemory {
 public:
  explicit Memory(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] void* data() const noexcept override { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept override { return bytes_.size(); }

 private:
  Counted counted_{ledger(), "host memory", nullptr};
  mutable std::string bytes_;
};

/// The range of batches, as a plan keeps it.
struct Range {
  std::int64_t smallest = 0;
  std::int64_t typical = 0;
  std::int64_t largest = 0;
};

class Profile final : public nvinfer1::IOptimizationProfile {
 public:
  bool setDimensions(const char*, OptProfileSelector which, const Dims& shape) noexcept override {
    if (ledger().fails("setDimensions")) return false;
    (which == OptProfileSelector::kMIN   ? range.smallest
     : which == OptProfileSelector::kOPT ? range.typical
                                         : range.largest) = shape.d[0];
    return true;
  }
  Range range;
};

class TimingCache final : public nvinfer1::ITimingCache {
 public:
  TimingCache(std::string bytes, const Counted* config)
      : bytes_(std::move(bytes)), counted_(ledger(), "timing cache", config) {}
  [[nodiscard]] nvinfer1::IHostMemory* serialize() const noexcept override {
    if (ledger().fails("timing_cache_serialize")) return nullptr;
    return new Memory(bytes_ + "+");
  }
  [[nodiscard]] bool is_of_this_kind() const { return bytes_.rfind(kTimingMark, 0) == 0; }

 private:
  std::string bytes_;
  Counted counted_;
};

class Config final : public nvinfer1::IBuilderConfig {
 public:
  explicit Config(const Counted* builder) : counted_(ledger(), "builder configuration", builder) {}

  void clearFlag(nvinfer1::BuilderFlag flag) noexcept override {
    ledger().note("clear flag " + std::to_string(static_cast<int>(flag)));
  }
  void setProfilingVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept override {
    ledger().note("verbosity " + std::to_string(static_cast<int>(verbosity)));
  }
  void setMemoryPoolLimit(nvinfer1::MemoryPoolType, std::size_t bytes) noexcept override {
    ledger().note("workspace " + std::to_string(bytes));
  }
  void setBuilderOptimizationLevel(std::int32_t level) noexcept override {
    ledger().note("level " + std::to_string(level));
  }
  void setHardwareCompatibilityLevel(nvinfer1::HardwareCompatibilityLevel level) noexcept override {
    ledger().note("compatibility " + std::to_string(static_cast<int>(level)));
  }
  void setProgressMonitor(nvinfer1::IProgressMonitor* progress) noexcept override { monitor = progress; }
  std::int32_t addOptimizationProfile(const nvinfer1::IOptimizationProfile* profile) noexcept override {
    if (ledger().fails("addOptimizationProfile")) return -1;
    range = static_cast<const Profile*>(profile)->range;
    ledger().note("profile " + std::to_string(range.smallest) + " " + std::to_string(range.typical) + " " +
                  std::to_string(range.largest));
    return 0;
  }
  [[nodiscard]] nvinfer1::ITimingCache* createTimingCache(const void* data, std::size_t bytes) const noexcept override {
    if (ledger().fails("createTimingCache")) return nullptr;
    return new TimingCache(bytes == 0 ? std::string(kTimingMark) : std::string(static_cast<const char*>(data), bytes),
                           &counted_);
  }
  bool setTimingCache(const nvinfer1::ITimingCache& cache, bool ignore_mismatch) noexcept override {
    if (ledger().fails("setTimingCache")) return false;
    return ignore_mismatch || static_cast<const TimingCache&>(cache).is_of_this_kind();
  }

  nvinfer1::IProgressMonitor* monitor = nullptr;
  Range range;

 private:
  Counted counted_;
};

/// Reports the model's steps as the real builder does, from a thread of its own; false once one was to be the last.
bool report_steps(const Model& model, nvinfer1::IProgressMonitor& monitor) {
  bool goes_on = true;
  std::thread worker([&] {
    monitor.phaseStart("Building", nullptr, model.steps);
    monitor.phaseStart("Timing", "Building", model.steps);
    for (int step = 0; step < model.steps && goes_on; ++step) goes_on = monitor.stepComplete("Timing", step);
    monitor.phaseFinish("Timing");
    monitor.phaseFinish("Building");
  });
  worker.join();
  return goes_on;
}

class Builder final : public nvinfer1::IBuilder {
 public:
  [[nodiscard]] nvinfer1::INetworkDefinition* createNetworkV2(
      nvinfer1::NetworkDefinitionCreationFlags flags) noexcept override {
    if (ledger().fails("createNetworkV2")) return nullptr;
    ledger().note("network flags " + std::to_string(flags));
    return new Network(ledger(), &counted_);
  }
  [[nodiscard]] nvinfer1::IBuilderConfig* createBuilderConfig() noexcept override {
    return ledger().fails("createBuilderConfig") ? nullptr : new Config(&counted_);
  }
  [[nodiscard]] nvinfer1::IOptimizationProfile* createOptimizationProfile() noexcept override {
    if (ledger().fails("createOptimizationProfile")) return nullptr;
    return profiles_.emplace_back(std::make_unique<Profile>()).get();
  }
  [[nodiscard]] nvinfer1::IHostMemory* buildSerializedNetwork(nvinfer1::INetworkDefinition& network,
                                                              nvinfer1::IBuilderConfig& config) noexcept override {
    const Model& model = static_cast<const Network&>(network).model();
    const auto& settings = static_cast<const Config&>(config);
    if (ledger().fails("buildSerializedNetwork")) return nullptr;
    if (settings.monitor != nullptr && !report_steps(model, *settings.monitor)) {
      ledger().say(nvinfer1::ILogger::Severity::kERROR, "the build was cancelled by the user");
      return nullptr;
    }
    const Range& range = settings.range;
    return new Memory(kPlanMark + std::to_string(range.smallest) + " " + std::to_string(range.typical) + " " +
                      std::to_string(range.largest) + "\n" + model.text);
  }

 private:
  Counted counted_{ledger(), "builder", nullptr};
  std::vector<std::unique_ptr<Profile>> profiles_;
};

std::int64_t elements(const Dims& shape) {
  std::int64_t count = 1;
  for (int i = 0; i < shape.nbDims; ++i) count *= shape.d[i];
  return count;
}

class Context final : public nvinfer1::IExecutionContext {
 public:
  Context(const Model& model, const Range& range, const Counted* engine)
      : model_(&model), range_(range), counted_(ledger(), "execution context", engine) {}

  bool setInputShape(const char* name, const Dims& shape) noexcept override {
    if (ledger().fails("setInputShape") || !model_->is_input(name)) return false;
    if (shape.d[0] < range_.smallest || shape.d[0] > range_.largest) return false;
    batch_ = shape.d[0];
    return true;
  }
  [[nodiscard]] Dims getTensorShape(const char* name) const noexcept override {
    Dims shape = model_->find(name)->shape;
    const bool follows = batch_ > 0 && model_->data_dependent.count(name) == 0;
    if (shape.nbDims > 0 && shape.d[0] < 0 && follows) shape.d[0] = batch_;
    return shape;
  }
  bool setTensorAddress(const char* name, void* data) noexcept override {
    if (ledger().fails("setTensorAddress") || model_->find(name) == nullptr) return false;
    addresses_[name] = data;
    return true;
  }
  bool enqueueV3(cudaStream_t stream) noexcept override {
    if (ledger().fails("enqueueV3")) return false;
    ledger().note("stream " + std::to_string(reinterpret_cast<std::uintptr_t>(stream)));
    for (const TensorText& output : model_->outputs) compute(output);
    return true;
  }

 private:
  void compute(const TensorText& output) {
    const TensorText& input = model_->inputs.front();
    const auto* const from = static_cast<const float*>(addresses_.at(input.name));
    auto* const to = static_cast<float*>(addresses_.at(output.name));
    const std::int64_t given = elements(getTensorShape(input.name.c_str()));
    const std::int64_t wanted = elements(getTensorShape(output.name.c_str()));
    for (std::int64_t i = 0; i < wanted; ++i) to[i] = 2 * from[i % given] + 1;
  }

  const Model* model_;
  Range range_;
  std::int64_t batch_ = 0;
  std::map<std::string, void*> addresses_;
  Counted counted_;
};

/// As TensorRT 10 writes it, with the type in the format, or as 11 does, with the type apart.
std::string information(const Model& model) {
  const bool apart = VRT_TENSORRT_IS_RTX != 0;
  std::string text = "Layers:\n";
  for (const stand_in::LayerText& layer : model.layers) {
    const std::string type =
        apart ? "Datatype: " + layer.datatype + ", Format: (Linear) Row major linear format }"
              : "Location: Device, Format/Datatype: Row major linear " + layer.datatype + " format }";
    text += "Name: " + layer.name + ", LayerType: " + layer.type + ", Inputs: [ { Name: a, Dimensions: [1,2], " + type +
            "], Outputs: [ { Name: b, Dimensions: [1,2], " + type + "], TacticName: , StreamId: 0, Metadata: \n";
  }
  return text + "\nBindings:\na\nb\n";
}

class Inspector final : public nvinfer1::IEngineInspector {
 public:
  Inspector(const Model& model, const Counted* engine)
      : text_(information(model)), counted_(ledger(), "inspector", engine) {}
  [[nodiscard]] const char* getEngineInformation(nvinfer1::LayerInformationFormat) const noexcept override {
    return ledger().fails("getEngineInformation") ? nullptr : text_.c_str();
  }

 private:
  std::string text_;
  Counted counted_;
};

class Engine final : public nvinfer1::ICudaEngine {
 public:
  Engine(std::string plan, const Counted* runtime) : plan_(std::move(plan)), counted_(ledger(), "engine", runtime) {
    std::istringstream text(plan_.substr(std::strlen(kPlanMark)));
    text >> range_.smallest >> range_.typical >> range_.largest;
    text.ignore();
    model_ = stand_in::read_model({std::istreambuf_iterator<char>(text), std::istreambuf_iterator<char>()});
  }

  [[nodiscard]] std::int32_t getNbIOTensors() const noexcept override {
    return static_cast<std::int32_t>(model_.inputs.size() + model_.outputs.size());
  }
  [[nodiscard]] const char* getIOTensorName(std::int32_t index) const noexcept override {
    const auto inputs = static_cast<std::int32_t>(model_.inputs.size());
    return index < inputs ? model_.inputs[index].name.c_str() : model_.outputs[index - inputs].name.c_str();
  }
  [[nodiscard]] nvinfer1::TensorIOMode getTensorIOMode(const char* name) const noexcept override {
    return model_.is_input(name) ? nvinfer1::TensorIOMode::kINPUT : nvinfer1::TensorIOMode::kOUTPUT;
  }
  [[nodiscard]] nvinfer1::DataType getTensorDataType(const char* name) const noexcept override {
    return model_.find(name)->type;
  }
  [[nodiscard]] nvinfer1::TensorLocation getTensorLocation(const char* name) const noexcept override {
    return model_.host.count(name) > 0 ? nvinfer1::TensorLocation::kHOST : nvinfer1::TensorLocation::kDEVICE;
  }
  [[nodiscard]] Dims getTensorShape(const char* name) const noexcept override { return model_.find(name)->shape; }
  [[nodiscard]] Dims getProfileShape(const char* name, std::int32_t, OptProfileSelector which) const noexcept override {
    if (range_.largest == 0) return {-1, {}};
    Dims shape = model_.find(name)->shape;
    shape.d[0] = which == OptProfileSelector::kMAX ? range_.largest : range_.smallest;
    return shape;
  }
  [[nodiscard]] nvinfer1::IExecutionContext* createExecutionContext(
      nvinfer1::ExecutionContextAllocationStrategy strategy) noexcept override {
    const bool managed = strategy == nvinfer1::ExecutionContextAllocationStrategy::kUSER_MANAGED;
    if (ledger().fails(managed ? "createExecutionContext_user_managed" : "createExecutionContext")) return nullptr;
    return new Context(model_, range_, &counted_);
  }
  [[nodiscard]] nvinfer1::IEngineInspector* createEngineInspector() const noexcept override {
    return ledger().fails("createEngineInspector") ? nullptr : new Inspector(model_, &counted_);
  }
  [[nodiscard]] nvinfer1::IHostMemory* serialize() const noexcept override {
    return ledger().fails("serialize") ? nullptr : new Memory(plan_);
  }
  [[nodiscard]] std::int64_t getDeviceMemorySizeV2() const noexcept override { return 4096; }
#if VRT_TENSORRT_IS_RTX
  [[nodiscard]] std::int64_t getEngineStat(nvinfer1::EngineStat) const noexcept override { return 1234; }
#endif

 private:
  std::string plan_;
  Counted counted_;
  Range range_;
  Model model_;
};

class Runtime final : public nvinfer1::IRuntime {
 public:
  [[nodiscard]] nvinfer1::ICudaEngine* deserializeCudaEngine(const void* plan, std::size_t bytes) noexcept override {
    if (ledger().fails("deserializeCudaEngine")) return nullptr;
    std::string text(static_cast<const char*>(plan), bytes);
    if (text.rfind(kPlanMark, 0) == 0) return new Engine(std::move(text), &counted_);
    ledger().say(nvinfer1::ILogger::Severity::kERROR,
                 "IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion magic failed. "
                 "In parse at "
                 "/src/runtime.cpp:780)");
    return nullptr;
  }

 private:
  Counted counted_{ledger(), "runtime", nullptr};
};

std::int32_t number(const char* variable, std::int32_t otherwise) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? static_cast<std::int32_t>(std::strtol(value, nullptr, 10)) : otherwise;
}

template <typename Interface, typename Made>
void* create(const char* call, void* logger, std::int32_t version) {
  ledger().use_logger(static_cast<nvinfer1::ILogger*>(logger));
  if (ledger().fails(call) || version != NV_TENSORRT_VERSION) return nullptr;
  return static_cast<Interface*>(new Made);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
stand_in::Ledger* stand_in_ledger() { return &ledger(); }
std::int32_t getInferLibMajorVersion() { return number("VRT_STANDIN_MAJOR", NV_TENSORRT_MAJOR); }
std::int32_t getInferLibMinorVersion() { return number("VRT_STANDIN_MINOR", NV_TENSORRT_MINOR); }
std::int32_t getInferLibPatchVersion() { return NV_TENSORRT_PATCH; }
void* createInferBuilder_INTERNAL(void* logger, std::int32_t version) {
  return create<nvinfer1::IBuilder, Builder>("createInferBuilder", logger, version);
}
void* createInferRuntime_INTERNAL(void* logger, std::int32_t version) {
  return create<nvinfer1::IRuntime, Runtime>("createInferRuntime", logger, version);
}
}
#pragma GCC visibility pop
