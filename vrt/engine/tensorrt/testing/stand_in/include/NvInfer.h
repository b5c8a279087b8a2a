// A stand-in for TensorRT's headers, for machines without them: the part of the interface that vrt's module uses, declared anew, with the
// library in testing/stand_in/library.cpp behind it. Nothing here says how the real interface lays out its classes; tools/check_tensorrt_headers.sh
// compiles the module with the real headers.
#pragma once

#include <NvInferRuntime.h>

// Names are TensorRT's.
// NOLINTBEGIN(readability-identifier-naming)
namespace nvinfer1 {

class ITensor {
 public:
  virtual ~ITensor() = default;
  [[nodiscard]] virtual const char* getName() const noexcept = 0;
  [[nodiscard]] virtual Dims getDimensions() const noexcept = 0;
  [[nodiscard]] virtual DataType getType() const noexcept = 0;
};

class ILayer {
 public:
  virtual ~ILayer() = default;
  [[nodiscard]] virtual const char* getName() const noexcept = 0;
  [[nodiscard]] virtual std::int32_t getNbOutputs() const noexcept = 0;
  [[nodiscard]] virtual ITensor* getOutput(std::int32_t index) const noexcept = 0;
};

using NetworkDefinitionCreationFlags = std::uint32_t;
enum class NetworkDefinitionCreationFlag : std::int32_t { kEXPLICIT_BATCH, kSTRONGLY_TYPED };

class INetworkDefinition {
 public:
  virtual ~INetworkDefinition() = default;
  [[nodiscard]] virtual std::int32_t getNbInputs() const noexcept = 0;
  [[nodiscard]] virtual ITensor* getInput(std::int32_t index) const noexcept = 0;
  [[nodiscard]] virtual std::int32_t getNbOutputs() const noexcept = 0;
  [[nodiscard]] virtual ITensor* getOutput(std::int32_t index) const noexcept = 0;
  [[nodiscard]] virtual std::int32_t getNbLayers() const noexcept = 0;
  [[nodiscard]] virtual ILayer* getLayer(std::int32_t index) const noexcept = 0;
};

class IOptimizationProfile {
 public:
  virtual ~IOptimizationProfile() = default;
  virtual bool setDimensions(const char* input, OptProfileSelector which, const Dims& shape) noexcept = 0;
};

class ITimingCache {
 public:
  virtual ~ITimingCache() = default;
  [[nodiscard]] virtual IHostMemory* serialize() const noexcept = 0;
};

class IProgressMonitor {
 public:
  virtual ~IProgressMonitor() = default;
  virtual void phaseStart(const char* phase, const char* parent, std::int32_t steps) noexcept = 0;
  virtual bool stepComplete(const char* phase, std::int32_t step) noexcept = 0;
  virtual void phaseFinish(const char* phase) noexcept = 0;
};

enum class BuilderFlag : std::int32_t { kFP16, kTF32 = 6 };
enum class MemoryPoolType : std::int32_t { kWORKSPACE };
enum class HardwareCompatibilityLevel : std::int32_t { kNONE, kAMPERE_PLUS };

class IBuilderConfig {
 public:
  virtual ~IBuilderConfig() = default;
  virtual void clearFlag(BuilderFlag flag) noexcept = 0;
  virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;
  virtual void setMemoryPoolLimit(MemoryPoolType pool, std::size_t bytes) noexcept = 0;
  virtual void setBuilderOptimizationLevel(std::int32_t level) noexcept = 0;
  virtual void setHardwareCompatibilityLevel(HardwareCompatibilityLevel level) noexcept = 0;
  virtual void setProgressMonitor(IProgressMonitor* monitor) noexcept = 0;
  virtual std::int32_t addOptimizationProfile(const IOptimizationProfile* profile) noexcept = 0;
  [[nodiscard]] virtual ITimingCache* createTimingCache(const void* data, std::size_t bytes) const noexcept = 0;
  virtual bool setTimingCache(const ITimingCache& cache, bool ignore_mismatch) noexcept = 0;
};

class IBuilder {
 public:
  virtual ~IBuilder() = default;
  [[nodiscard]] virtual INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept = 0;
  [[nodiscard]] virtual IBuilderConfig* createBuilderConfig() noexcept = 0;
  [[nodiscard]] virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;
  [[nodiscard]] virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network,
                                                            IBuilderConfig& config) noexcept = 0;
};

}  // namespace nvinfer1
// NOLINTEND(readability-identifier-naming)
