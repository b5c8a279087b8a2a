#include "vrt/device/cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <sstream>

#include "vrt/base/fail.h"
#include "vrt/device/cuda/build_id.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/nvrtc_api.h"
#include "vrt/device/cuda/prelude.h"

namespace vrt::cuda {

namespace {

NvrtcApi bind_all(void* library, const std::string& path) {
  NvrtcApi api;
  api.for_each([&](auto& function) {
    function.call = reinterpret_cast<decltype(function.call)>(dlsym(library, function.symbol));
    if (function.call == nullptr) {
      fail(ErrorCode::kUnavailable, "{} has no {}: it is not an NVRTC that vrt can use (12.0 or newer)", path,
           function.symbol);
    }
  });
  return api;
}

// NVRTC opens its builtins by name, and where it looks depends on how it was linked and on who stands between it and the loader (the
// sanitizers do). Opened already, by the full path, they are found under that name. Where they are not beside it NVRTC looks itself.
void open_builtins(const std::filesystem::path& library, int major, int minor) {
  const auto beside = library.parent_path() / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
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

// NVRTC catches SIGINT and SIGTERM while it compiles, and ends the process with a code of its own. A thread that holds them back gets
// them when it has done, and so does whoever they are for.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

// A program that is destroyed whatever happens.
class ScopedProgram {
 public:
  ScopedProgram(const NvrtcApi& api, const KernelBuild& build) : api_(api) {
    if (api_.create.call(&program_, build.text.c_str(), build.name.c_str(), 0, nullptr, nullptr) != kNvrtcSuccess) {
      fail(ErrorCode::kBackend, "NVRTC cannot take the source of {} ({} bytes)", build.name, build.text.size());
    }
  }
  ~ScopedProgram() { api_.destroy.call(&program_); }
  ScopedProgram(const ScopedProgram&) = delete;
  ScopedProgram& operator=(const ScopedProgram&) = delete;

  [[nodiscard]] NvrtcProgram get() const { return program_; }
  // NVRTC's texts are sized with their final zero; machine code has none.
  [[nodiscard]] std::string bytes(const NvrtcFunction<NvrtcResult(NvrtcProgram, std::size_t*)>& size,
                                  const NvrtcFunction<NvrtcResult(NvrtcProgram, char*)>& content) const {
    std::size_t count = 0;
    if (size.call(program_, &count) != kNvrtcSuccess || count == 0) return {};
    std::string result(count, '\0');
    if (content.call(program_, result.data()) != kNvrtcSuccess) return {};
    return result;
  }

 private:
  const NvrtcApi& api_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

struct Nvrtc::State {
  std::filesystem::path path;
  void* library = nullptr;
  NvrtcApi api;
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
  // Never closed: kernels may be compiled until the very end of the process.
  state_->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (state_->library == nullptr) {
    fail(ErrorCode::kUnavailable, "NVRTC cannot be opened: {}", dlerror());
  }
  state_->api = bind_all(state_->library, library.string());
  int major = 0;
  int minor = 0;
  state_->api.version.call(&major, &minor);
  state_->version = major * 1000 + minor * 10;
  open_builtins(library, major, minor);
  int count = 0;
  state_->api.architecture_count.call(&count);
  state_->architectures.resize(static_cast<std::size_t>(std::max(count, 0)));
  state_->api.architectures.call(state_->architectures.data());
  state_->build = build_id_of(library);
}

Nvrtc::~Nvrtc() = default;
Nvrtc::Nvrtc(Nvrtc&&) noexcept = default;
Nvrtc& Nvrtc::operator=(Nvrtc&&) noexcept = default;

int Nvrtc::version() const noexcept { return state_->version; }
const std::filesystem::path& Nvrtc::path() const noexcept { return state_->path; }
const std::string& Nvrtc::build() const noexcept { return state_->build; }
std::span<const int> Nvrtc::architectures() const noexcept { return state_->architectures; }

CompiledKernels Nvrtc::compile(const KernelBuild& build, int architecture) const {
  const NvrtcApi& api = state_->api;
  const int known = state_->newest_up_to(architecture);
  const bool machine_code = known == architecture;
  CompiledKernels result;
  result.target = fmt::format("{}_{}", machine_code ? "sm" : "compute", known == 0 ? architecture : known);

  std::vector<std::string> options = build.options;
  options.push_back("--gpu-architecture=" + result.target);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());

  const SignalsHeldBack held;
  const ScopedProgram program(api, build);
  const NvrtcResult status = api.compile.call(program.get(), static_cast<int>(pointers.size()), pointers.data());
  result.log = program.bytes(api.log_size, api.log).c_str();
  const std::string compiler = fmt::format("NVRTC {} ({})", version_text(version()), path().string());
  if (status == kNvrtcCompilation) {
    fail(ErrorCode::kInvalidArgument, "{} does not compile for {} with {}:\n{}\nThe source:\n{}", build.name,
         result.target, compiler, result.log, numbered(build.text));
  }
  if (status != kNvrtcSuccess) {
    fail(ErrorCode::kBackend, "{} refused to compile {}: {}; options: {}; {}", compiler, build.name,
         api.get_error_string.call(status), joined(options), result.log);
  }
  result.image = machine_code ? program.bytes(api.cubin_size, api.cubin) : program.bytes(api.ptx_size, api.ptx);
  if (result.image.empty()) {
    fail(ErrorCode::kBackend, "{} compiled {} for {} but returned no bytes; options: {}", compiler, build.name,
         result.target, joined(options));
  }
  return result;
}

KernelBuild production_build(std::string_view name, std::string_view cuda_c,
                             std::span<const std::string> extra_options) {
  KernelBuild build{std::string(name), {}, {"--std=c++17", "--fmad=false"}};
  build.options.insert(build.options.end(), extra_options.begin(), extra_options.end());
  build.text = fmt::format("{}#line 1 \"{}\"\n{}", prelude_text(), name, cuda_c);
  return build;
}

namespace {

// Of NVRTC's major versions that vrt was tried with, the newest.
constexpr int kNewestKnownMajor = 13;

Nvrtc open_newest_for(int driver_version) {
  const int driver_major = driver_version / 1000;
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
       version_text(driver_version), problems, fmt::join(search.looked_in, ", "), driver_major);
}

std::atomic<const Nvrtc*> in_use = nullptr;

}  // namespace

const std::vector<std::string>& nvrtc_builds() {
  static const auto* const builds = [] {
    auto* all = new std::vector<std::string>;
    for (const auto& library : find_nvrtc(driver_status().version / 1000).candidates)
      all->push_back(build_id_of(library));
    return all;
  }();
  return *builds;
}

const Nvrtc& nvrtc() {
  static const Nvrtc* const opened = new Nvrtc(open_newest_for(driver_status().version));
  in_use = opened;
  return *opened;
}

const Nvrtc& nvrtc_of_any_driver() {
  // No driver has to run what is compiled, so none is too old for it.
  static const Nvrtc* const opened = new Nvrtc(open_newest_for(kNewestKnownMajor * 1000));
  return *opened;
}

const Nvrtc* opened_nvrtc() noexcept { return in_use; }

}  // namespace vrt::cuda
