// Part of the stand-in for TensorRT's headers (NvInfer.h): what runs engines.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include <NvInferVersion.h>

// Names are TensorRT's.
// NOLINTBEGIN(readability-identifier-naming)
namespace nvinfer1 {

class ILogger {
 public:
  enum class Severity : std::int32_t { kINTERNAL_ERROR, kERROR, kWARNING, kINFO, kVERBOSE };
  virtual ~ILogger() = default;
  virtual void log(Severity severity, const char* message) noexcept = 0;
};

struct Dims {
  static constexpr std::int32_t MAX_DIMS = 8;
  std::int32_t nbDims;
  std::int64_t d[MAX_DIMS];
};

enum class DataType : std::int32_t { kFLOAT, kHALF, kINT8, kINT32, kBOOL, kUINT8, kFP8, kBF16, kINT64 };
enum class TensorIOMode : std::int32_t { kNONE, kINPUT, kOUTPUT };
enum class TensorLocation : std::int32_t { kDEVICE, kHOST };
enum class OptProfileSelector : std::int32_t { kMIN, kOPT, kMAX };
enum class LayerInformationFormat : std::int32_t { kONELINE, kJSON };
enum class ProfilingVerbosity : std::int32_t { kLAYER_NAMES_ONLY, kNONE, kDETAILED };
enum class ExecutionContextAllocationStrategy : std::int32_t { kSTATIC, kON_PROFILE_CHANGE, kUSER_MANAGED };

class IHostMemory {
 public:
  virtual ~IHostMemory() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
};

class IEngineInspector {
 public:
  virtual ~IEngineInspector() = default;
  [[nodiscard]] virtual const char* getEngineInformation(LayerInformationFormat format) const noexcept = 0;
};

class IExecutionContext {
 public:
  virtual ~IExecutionContext() = default;
  virtual bool setInputShape(const char* name, const Dims& shape) noexcept = 0;
  [[nodiscard]] virtual Dims getTensorShape(const char* name) const noexcept = 0;
  virtual bool setTensorAddress(const char* name, void* data) noexcept = 0;
  virtual bool enqueueV3(cudaStream_t stream) noexcept = 0;
};

#if VRT_TENSORRT_IS_RTX
enum class EngineStat : std::int32_t { kTOTAL_WEIGHTS_SIZE };
#endif

class ICudaEngine {
 public:
  virtual ~ICudaEngine() = default;
  [[nodiscard]] virtual std::int32_t getNbIOTensors() const noexcept = 0;
  [[nodiscard]] virtual const char* getIOTensorName(std::int32_t index) const noexcept = 0;
  [[nodiscard]] virtual TensorIOMode getTensorIOMode(const char* name) const noexcept = 0;
  [[nodiscard]] virtual DataType getTensorDataType(const char* name) const noexcept = 0;
  [[nodiscard]] virtual TensorLocation getTensorLocation(const char* name) const noexcept = 0;
  [[nodiscard]] virtual Dims getTensorShape(const char* name) const noexcept = 0;
  [[nodiscard]] virtual Dims getProfileShape(const char* name, std::int32_t profile,
                                             OptProfileSelector which) const noexcept = 0;
  [[nodiscard]] virtual IExecutionContext* createExecutionContext(
      ExecutionContextAllocationStrategy strategy = ExecutionContextAllocationStrategy::kSTATIC) noexcept = 0;
  [[nodiscard]] virtual IEngineInspector* createEngineInspector() const noexcept = 0;
  [[nodiscard]] virtual IHostMemory* serialize() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t getDeviceMemorySizeV2() const noexcept = 0;
#if VRT_TENSORRT_IS_RTX
  [[nodiscard]] virtual std::int64_t getEngineStat(EngineStat stat) const noexcept = 0;
#endif
};

class IRuntime {
 public:
  virtual ~IRuntime() = default;
  [[nodiscard]] virtual ICudaEngine* deserializeCudaEngine(const void* plan, std::size_t bytes) noexcept = 0;
};

}  // namespace nvinfer1
// NOLINTEND(readability-identifier-naming)
