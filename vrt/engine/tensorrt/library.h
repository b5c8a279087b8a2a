// Internal: TensorRT's libraries, found and opened at run time.
#pragma once

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <memory>
#include <string>

#include "vrt/engine/tensorrt/flavor.h"

namespace vrt::tensorrt {

/// The functions by which everything else of TensorRT is made. The libraries stay loaded until the process ends.
class Library {
 public:
  /// Opens `$VRT_TENSORRT` (`$VRT_TENSORRT_RTX`; a library, or a folder that holds it), else what the loader finds, else what a wheel
  /// brought, and compares its version with the headers' before anything else of it is called. Throws backend::Failure: UNAVAILABLE with
  /// every place that was tried, or with both versions.
  [[nodiscard]] static Library open();

  [[nodiscard]] const Version& version() const noexcept { return version_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Throw backend::Failure where TensorRT gives nothing, with what it said.
  [[nodiscard]] std::unique_ptr<nvinfer1::IBuilder> create_builder() const;
  [[nodiscard]] std::unique_ptr<nvinfer1::IRuntime> create_runtime() const;
  /// Fills `network`, which has to outlive it.
  [[nodiscard]] std::unique_ptr<nvonnxparser::IParser> create_parser(nvinfer1::INetworkDefinition& network) const;

 private:
  Library() = default;

  Version version_;
  std::string path_;
  void* (*create_builder_)(void* logger, std::int32_t version) = nullptr;
  void* (*create_runtime_)(void* logger, std::int32_t version) = nullptr;
  void* (*create_parser_)(void* network, void* logger, int version) = nullptr;
};

}  // namespace vrt::tensorrt
