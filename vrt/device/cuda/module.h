// Internal: Kernels compiled for one GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vrt/device/backend.h"
#include "vrt/device/cuda/device.h"

namespace vrt::cuda {

class CudaModule final : public detail::ModuleBackend {
 public:
  /// Takes the compiled kernels from the cache or compiles them, and loads them.
  [[nodiscard]] static std::shared_ptr<const CudaModule> build(CudaDevice& device, const std::string& name,
                                                               const std::string& cuda_c,
                                                               const CompileOptions& options);
  ~CudaModule() override;
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  [[nodiscard]] Device device() const noexcept override { return device_.device(); }
  [[nodiscard]] detail::KernelFunction find(const char* name, const KernelSignature& expected) const override;

 private:
  CudaModule(CudaDevice& device, CUmod_st* module, std::string name, std::vector<std::string> kernels);
  void check_signature(CUfunc_st* function, const char* name, const KernelSignature& expected) const;

  CudaDevice& device_;
  CUmod_st* module_;
  std::string name_;
  std::vector<std::string> kernels_;  // Names in the source; KernelFunction refers to them.
};

}  // namespace vrt::cuda
