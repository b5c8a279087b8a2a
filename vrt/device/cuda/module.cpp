#include "vrt/device/cuda/module.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/kernel_cache.h"
#include "vrt/device/cuda/nvrtc.h"

namespace vrt::cuda {

namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name before the first parenthesis that is not of an attribute such as __launch_bounds__(…).
std::string name_after(std::string_view declaration) {
  for (std::size_t open = declaration.find('('); open != std::string_view::npos;
       open = declaration.find('(', open + 1)) {
    std::size_t end = open;
    while (end > 0 && std::isspace(static_cast<unsigned char>(declaration[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > 0 && is_name_character(declaration[begin - 1])) --begin;
    const std::string_view name = declaration.substr(begin, end - begin);
    if (!name.empty() && name.rfind("__", 0) != 0) return std::string(name);
  }
  return {};
}

std::vector<std::string> kernel_names(std::string_view source) {
  constexpr std::string_view kMarker = "__global__";
  std::vector<std::string> names;
  for (std::size_t at = source.find(kMarker); at != std::string_view::npos; at = source.find(kMarker, at + 1)) {
    const std::string_view declaration = source.substr(at + kMarker.size(), 512);
    if (std::string name = name_after(declaration); !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

CompiledKernels compile_or_fetch(const KernelBuild& build, int architecture) {
  const KernelCache& cache = KernelCache::shared();
  for (const std::string& nvrtc_build : nvrtc_builds()) {
    if (auto cached = cache.find(digest_of(build, nvrtc_build, architecture))) return *std::move(cached);
  }
  const Nvrtc& compiler = nvrtc();
  CompiledKernels compiled = compiler.compile(build, architecture);
  if (!compiled.log.empty()) log(LogLevel::kDebug, fmt::format("NVRTC on {}: {}", build.name, compiled.log));
  cache.store(digest_of(build, compiler.build(), architecture), compiled);
  return compiled;
}

}  // namespace

std::shared_ptr<const CudaModule> CudaModule::build(CudaDevice& device, const std::string& name,
                                                    const std::string& cuda_c, const CompileOptions& options) {
  const CompiledKernels compiled =
      compile_or_fetch(production_build(name, cuda_c, options.extra), device.architecture());
  const ContextScope current = device.scope();
  CUmod_st* module = nullptr;
  device.check(device.api().module_load_data(&module, compiled.image.data()), "cuModuleLoadData",
               fmt::format("loading {} compiled for {}", name, compiled.target));
  return std::shared_ptr<const CudaModule>(new CudaModule(device, module, name, kernel_names(cuda_c)));
}

CudaModule::CudaModule(CudaDevice& device, CUmod_st* module, std::string name, std::vector<std::string> kernels)
    : device_(device), module_(module), name_(std::move(name)), kernels_(std::move(kernels)) {}

CudaModule::~CudaModule() {
  const ContextScope current = device_.scope();
  report(device_.api().module_unload(module_), "cuModuleUnload");
}

detail::KernelFunction CudaModule::find(const char* name, const KernelSignature& expected) const {
  const auto known = std::find(kernels_.begin(), kernels_.end(), name);
  if (known == kernels_.end()) {
    fail(ErrorCode::kNotFound, "{} has no kernel '{}'; it has {}", name_, name, fmt::join(kernels_, ", "));
  }
  const ContextScope current = device_.scope();
  CUfunc_st* function = nullptr;
  device_.check(device_.api().module_get_function(&function, module_, name), "cuModuleGetFunction",
                fmt::format("looking up the kernel '{}' of {}", name, name_));
  check_signature(function, name, expected);
  detail::KernelFunction found;
  found.native = function;
  found.name = known->c_str();
  return found;
}

// Older drivers cannot tell; there the C++ signature is taken at its word, as the compile gate checked it.
void CudaModule::check_signature(CUfunc_st* function, const char* name, const KernelSignature& expected) const {
  const auto& parameter_info = device_.api().function_get_param_info;
  if (!parameter_info.available()) return;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  const char* const doing = "comparing a kernel's parameters";
  for (std::size_t i = 0; i < expected.parameter_count; ++i) {
    const Result result = parameter_info(function, i, &offset, &bytes);
    // An invalid value says that there is no such parameter.
    if (result != kErrorInvalidValue) device_.check(result, "cuFuncGetParamInfo", doing);
    require(result == kSuccess, "the kernel '{}' of {} takes {} parameters, {} were declared", name, name_, i,
            expected.parameter_count);
    require(bytes == expected.parameter_bytes[i],
            "parameter {} of the kernel '{}' of {} has {} bytes, {} were declared", i, name, name_, bytes,
            expected.parameter_bytes[i]);
  }
  const Result behind = parameter_info(function, expected.parameter_count, &offset, &bytes);
  if (is_sticky(behind)) device_.check(behind, "cuFuncGetParamInfo", doing);
  require(behind != kSuccess, "the kernel '{}' of {} takes more than the {} parameters that were declared", name, name_,
          expected.parameter_count);
}

}  // namespace vrt::cuda
