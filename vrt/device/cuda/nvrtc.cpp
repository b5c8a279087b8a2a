#include "vrt/device/cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <sstream>

#include "vrt/base/fail.h"
#include "vrt/device/cuda/driver.h"

namespace vrt::cuda {

namespace {

using Program = struct _nvrtcProgram*;
using NvrtcResult = int;
constexpr NvrtcResult kNvrtcSuccess = 0;
constexpr NvrtcResult kNvrtcCompilation = 6;

// The functions of NVRTC that vrt uses; all exist since 11.2.
struct Functions {
  const char* (*get_error_string)(NvrtcResult);
  NvrtcResult (*version)(int*, int*);
  NvrtcResult (*architecture_count)(int*);
  NvrtcResult (*architectures)(int*);
  NvrtcResult (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  NvrtcResult (*destroy)(Program*);
  NvrtcResult (*compile)(Program, int, const char* const*);
  NvrtcResult (*cubin_size)(Program, std::size_t*);
  NvrtcResult (*cubin)(Program, char*);
  NvrtcResult (*ptx_size)(Program, std::size_t*);
  NvrtcResult (*ptx)(Program, char*);
  NvrtcResult (*log_size)(Program, std::size_t*);
  NvrtcResult (*log)(Program, char*);
};

template <typename Function>
void bind(void* library, const std::string& path, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) {
    fail(ErrorCode::kUnavailable, "{} has no {}: it is not an NVRTC that vrt can use (12.0 or newer)", path, symbol);
  }
}

Functions bind_all(void* library, const std::string& path) {
  Functions f{};
  bind(library, path, "nvrtcGetErrorString", f.get_error_string);
  bind(library, path, "nvrtcVersion", f.version);
  bind(library, path, "nvrtcGetNumSupportedArchs", f.architecture_count);
  bind(library, path, "nvrtcGetSupportedArchs", f.architectures);
  bind(library, path, "nvrtcCreateProgram", f.create);
  bind(library, path, "nvrtcDestroyProgram", f.destroy);
  bind(library, path, "nvrtcCompileProgram", f.compile);
  bind(library, path, "nvrtcGetCUBINSize", f.cubin_size);
  bind(library, path, "nvrtcGetCUBIN", f.cubin);
  bind(library, path, "nvrtcGetPTXSize", f.ptx_size);
  bind(library, path, "nvrtcGetPTX", f.ptx);
  bind(library, path, "nvrtcGetProgramLogSize", f.log_size);
  bind(library, path, "nvrtcGetProgramLog", f.log);
  return f;
}

// Numbers lines as NVRTC's log does: from the last #line directive on, which ends the prelude.
std::string numbered(const std::string& source) {
  const std::size_t directive = source.rfind("#line 1 ");
  const std::size_t start = directive == std::string::npos ? 0 : source.find('\n', directive) + 1;
  std::istringstream lines(source.substr(start));
  std::string text;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) text += fmt::format("{:5} | {}\n", number, line);
  return text;
}

std::string joined(std::span<const std::string> options) { return fmt::format("{}", fmt::join(options, " ")); }

// A program that is destroyed whatever happens.
class ScopedProgram {
 public:
  ScopedProgram(const Functions& functions, const std::string& name, const std::string& source)
      : functions_(functions) {
    if (functions_.create(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr) != kNvrtcSuccess) {
      fail(ErrorCode::kBackend, "NVRTC cannot take the source of {} ({} bytes)", name, source.size());
    }
  }
  ~ScopedProgram() { functions_.destroy(&program_); }
  ScopedProgram(const ScopedProgram&) = delete;
  ScopedProgram& operator=(const ScopedProgram&) = delete;

  [[nodiscard]] Program get() const { return program_; }
  // NVRTC's texts are sized with their final zero; machine code has none.
  [[nodiscard]] std::string bytes(NvrtcResult (*size)(Program, std::size_t*),
                                  NvrtcResult (*content)(Program, char*)) const {
    std::size_t count = 0;
    if (size(program_, &count) != kNvrtcSuccess || count == 0) return {};
    std::string result(count, '\0');
    if (content(program_, result.data()) != kNvrtcSuccess) return {};
    return result;
  }

 private:
  const Functions& functions_;
  Program program_ = nullptr;
};

}  // namespace

struct Nvrtc::State {
  std::filesystem::path path;
  void* library = nullptr;
  Functions functions{};
  int version = 0;
  std::string build;
  std::vector<int> architectures;

  // The newest architecture that is at most `wanted`; 0 if there is none.
  [[nodiscard]] int newest_up_to(int wanted) const {
    int best = 0;
    for (const int known : architectures) {
      if (known <= wanted) best = std::max(best, known);
    }
    return best;
  }
};

Nvrtc::Nvrtc(const std::filesystem::path& library) : state_(std::make_unique<State>()) {
  state_->path = library;
  // Never closed: kernels may be compiled until the very end of the process. Its builtins library is found by NVRTC itself in
  // the same folder, because it is opened by its full path.
  state_->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (state_->library == nullptr) {
    fail(ErrorCode::kUnavailable, "NVRTC cannot be opened: {}", dlerror());
  }
  state_->functions = bind_all(state_->library, library.string());
  int major = 0;
  int minor = 0;
  state_->functions.version(&major, &minor);
  state_->version = major * 1000 + minor * 10;
  int count = 0;
  state_->functions.architecture_count(&count);
  state_->architectures.resize(static_cast<std::size_t>(std::max(count, 0)));
  state_->functions.architectures(state_->architectures.data());
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(library, ignored);
  state_->build = fmt::format("{} {}", real.filename().string(), std::filesystem::file_size(real, ignored));
}

Nvrtc::~Nvrtc() = default;
Nvrtc::Nvrtc(Nvrtc&&) noexcept = default;
Nvrtc& Nvrtc::operator=(Nvrtc&&) noexcept = default;

int Nvrtc::version() const noexcept { return state_->version; }
const std::filesystem::path& Nvrtc::path() const noexcept { return state_->path; }
const std::string& Nvrtc::build() const noexcept { return state_->build; }
std::span<const int> Nvrtc::architectures() const noexcept { return state_->architectures; }

CompiledKernels Nvrtc::compile(const std::string& name, const std::string& source, int architecture,
                               std::span<const std::string> extra_options) const {
  const Functions& functions = state_->functions;
  const int known = state_->newest_up_to(architecture);
  const bool machine_code = known == architecture;
  CompiledKernels result;
  result.target = fmt::format("{}_{}", machine_code ? "sm" : "compute", known == 0 ? architecture : known);

  std::vector<std::string> options = production_options();
  options.push_back("--gpu-architecture=" + result.target);
  options.insert(options.end(), extra_options.begin(), extra_options.end());
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());

  const ScopedProgram program(functions, name, source);
  const NvrtcResult status = functions.compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  result.log = program.bytes(functions.log_size, functions.log).c_str();
  const std::string compiler = fmt::format("NVRTC {} ({})", version_text(version()), path().string());
  if (status == kNvrtcCompilation) {
    fail(ErrorCode::kInvalidArgument, "{} does not compile for {} with {}:\n{}\nThe source:\n{}", name, result.target,
         compiler, result.log, numbered(source));
  }
  if (status != kNvrtcSuccess) {
    fail(ErrorCode::kBackend, "{} refused to compile {}: {}; options: {}; {}", compiler, name,
         functions.get_error_string(status), joined(options), result.log);
  }
  result.image = machine_code ? program.bytes(functions.cubin_size, functions.cubin)
                              : program.bytes(functions.ptx_size, functions.ptx);
  if (result.image.empty()) {
    fail(ErrorCode::kBackend, "{} compiled {} for {} but returned no bytes; options: {}", compiler, name, result.target,
         joined(options));
  }
  return result;
}

std::vector<std::string> production_options() { return {"--std=c++17", "--fmad=false"}; }

namespace {

Nvrtc open_newest() {
  const int driver_major = driver_status().version / 1000;
  const NvrtcSearch search = find_nvrtc(driver_major);
  std::string problems;
  for (const std::filesystem::path& candidate : search.candidates) {
    try {
      Nvrtc opened(candidate);
      if (opened.version() / 1000 <= driver_major) return opened;
      problems += fmt::format("; {} is {}, newer than the driver", candidate.string(), version_text(opened.version()));
    } catch (const Error& error) {
      problems += fmt::format("; {}", error.what());
    }
  }
  fail(ErrorCode::kUnavailable,
       "no NVRTC that the driver ({}) can run was found{}; looked in {}; install the CUDA toolkit or `pip install "
       "nvidia-cuda-nvrtc-cu{}`, or set VRT_NVRTC to the library",
       version_text(driver_status().version), problems, fmt::join(search.looked_in, ", "), driver_major);
}

std::atomic<const Nvrtc*> in_use = nullptr;

}  // namespace

const Nvrtc& nvrtc() {
  static const Nvrtc* const opened = new Nvrtc(open_newest());
  in_use = opened;
  return *opened;
}

const Nvrtc* opened_nvrtc() noexcept { return in_use; }

}  // namespace vrt::cuda
