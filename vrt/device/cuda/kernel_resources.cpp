#include "vrt/device/cuda/kernel_resources.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt::cuda {

namespace {

// The number in front of `unit`, as in "8 bytes spill stores"; nothing if the line does not say.
std::optional<std::uint32_t> number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + at, value);
  if (error != std::errc() || end != line.data() + at) return std::nullopt;
  return value;
}

std::uint32_t required_before(const std::string& line, std::string_view unit) {
  const auto value = number_before(line, unit);
  if (!value) fail(ErrorCode::kBackend, "ptxas reports \"{}\"; expected a number before \"{}\"", line, unit);
  return *value;
}

// 'name' of "Compiling entry function 'name' for 'sm_90'"; empty for other lines.
std::string entry_of(const std::string& line) {
  constexpr std::string_view kHead = "Compiling entry function '";
  const std::size_t at = line.find(kHead);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kHead.size();
  return line.substr(begin, line.find('\'', begin) - begin);
}

void read_line(const std::string& line, KernelResources& kernel) {
  if (line.find("bytes stack frame") != std::string::npos) {
    kernel.stack_bytes = required_before(line, " bytes stack frame");
    kernel.spill_store_bytes = required_before(line, " bytes spill stores");
    kernel.spill_load_bytes = required_before(line, " bytes spill loads");
  } else if (line.find(" registers") != std::string::npos) {
    kernel.registers = required_before(line, " registers");
    kernel.shared_bytes = number_before(line, " bytes smem").value_or(0);  // Said only where there is any.
  }
}

}  // namespace

std::vector<KernelResources> resources_in(std::string_view log) {
  std::vector<KernelResources> kernels;
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) {
    if (std::string name = entry_of(line); !name.empty()) {
      kernels.push_back({.kernel = std::move(name)});
    } else if (!kernels.empty()) {
      read_line(line, kernels.back());
    }
  }
  for (const KernelResources& kernel : kernels) {
    if (kernel.registers == 0)
      fail(ErrorCode::kBackend, "ptxas reports no registers for '{}':\n{}", kernel.kernel, log);
  }
  return kernels;
}

std::vector<KernelResources> measure_resources(const Nvrtc& compiler, KernelBuild build, int architecture) {
  build.options.emplace_back(kResourceOption);
  const CompiledKernels compiled = compiler.compile(build, architecture);
  if (!compiled.target.starts_with("sm_")) return {};
  std::vector<KernelResources> kernels = resources_in(compiled.log);
  if (kernels.empty()) {
    fail(ErrorCode::kBackend, "{} with {} reports no kernel of {}; it said: {}", compiler.path().string(),
         kResourceOption, build.name, compiled.log);
  }
  return kernels;
}

}  // namespace vrt::cuda
