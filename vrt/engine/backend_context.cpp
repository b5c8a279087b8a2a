#include "vrt/engine/backend_context.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/engine/engine.h"

namespace vrt {
namespace detail {
namespace {

struct KnownBackend {
  const char* name;
  bool on_gpu;
  bool on_cpu;
  const char* how_to_get;

  [[nodiscard]] bool runs_on(Device device) const { return device.is_cuda() ? on_gpu : on_cpu; }
};

/// In the order in which "auto" tries them.
constexpr KnownBackend kKnownBackends[] = {
    {"tensorrt", true, false, "build vrt where TensorRT's NvInfer.h and NvOnnxParser.h are installed"},
    {"tensorrt_rtx", true, false, "build vrt where TensorRT-RTX's NvInfer.h and NvOnnxParser.h are installed"},
    {"openvino", false, true, "build vrt with the wheel 'openvino' installed (OpenVINO_DIR names its cmake folder)"},
    {"onnxruntime", true, true,
     "build vrt where ONNX Runtime's onnxruntime_c_api.h is found (tools/setup.sh brings it)"},
};

const KnownBackend* find_known(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKnownBackends), std::end(kKnownBackends),
                                   [&](const KnownBackend& backend) { return name == backend.name; });
  return found == std::end(kKnownBackends) ? nullptr : found;
}

std::string known_names() { return fmt::format("{}", fmt::join(backend_names(), ", ")); }

std::string searched_places() {
  std::string places;
  for (const auto& folder : module_search_folders()) places += (places.empty() ? "" : ", ") + folder.string();
  return places;
}

/// Names become file names: nothing that could leave the search folders.
bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

std::filesystem::path locate(const std::string& name) {
  const KnownBackend* known = find_known(name);
  if (known == nullptr) {
    require(is_plain_name(name), "backend '{}' is not a name: expected auto or one of {}", name, known_names());
  }
  std::filesystem::path path = find_module(name);
  if (!path.empty()) return path;
  require(known != nullptr, "backend '{}' is unknown: expected auto, one of {}, or a module {} in one of: {}", name,
          known_names(), module_file_name(name), searched_places());
  fail(ErrorCode::kUnavailable,
       "backend '{}' is missing: no {} in any of: {}. To get it, {}, or set VRT_BACKEND_PATH to the folder that holds "
       "it",
       name, module_file_name(name), searched_places(), known->how_to_get);
}

extern "C" void forward_log(void*, std::int32_t level, const char* message) {
  log(static_cast<LogLevel>(std::clamp(level, 0, 3)), message != nullptr ? message : "");
}

ErrorCode code_of(std::int32_t status) {
  switch (status) {
    case VRT_BACKEND_INVALID_ARGUMENT: return ErrorCode::kInvalidArgument;
    case VRT_BACKEND_NOT_FOUND: return ErrorCode::kNotFound;
    case VRT_BACKEND_UNSUPPORTED: return ErrorCode::kUnsupported;
    case VRT_BACKEND_UNAVAILABLE: return ErrorCode::kUnavailable;
    case VRT_BACKEND_CORRUPT: return ErrorCode::kCorrupt;
    case VRT_BACKEND_OUT_OF_MEMORY: return ErrorCode::kOutOfMemory;
    case VRT_BACKEND_CANCELLED: return ErrorCode::kCancelled;
    default: return ErrorCode::kBackend;
  }
}

BackendInfo describe_backend(const std::string& name) {
  BackendInfo info;
  info.name = name;
  try {
    const std::shared_ptr<BackendContext> context = open_backend(name);
    info.available = true;
    info.version = context->version();
    info.location = context->location();
  } catch (const Error& error) {
    info.problem = error.what();
  }
  return info;
}

}  // namespace

void BackendText::check(std::int32_t status, std::string_view doing) {
  if (status == VRT_BACKEND_OK) return;
  text_[sizeof(text_) - 1] = '\0';
  const std::string cause = text_[0] != '\0' ? text_ : fmt::format("the backend gives status {} and no reason", status);
  throw Error(code_of(status), std::string(doing), cause);
}

BackendContext::BackendContext(std::unique_ptr<BackendModule> module) : module_(std::move(module)) {
  const VrtBackendContextOptions options{sizeof(options), &forward_log, nullptr};
  BackendText text;
  text.check(table().context_create(&options, &handle_, text.get()),
             fmt::format("backend '{}' of '{}' does not start", name(), module_->path().string()));
}

BackendContext::~BackendContext() { table().context_destroy(handle_); }

std::string BackendContext::location() const {
  const std::string library = table().context_library(handle_);
  return library.empty() ? module_->path().string() : fmt::format("{}, {}", module_->path().string(), library);
}

void BackendContext::require_support(Device device) const {
  BackendText text;
  text.check(table().context_supports(handle_, device.is_cuda() ? 1 : 0, device.ordinal(), text.get()),
             fmt::format("{} {} cannot run networks on {}", name(), version(), to_string(device)));
}

std::shared_ptr<BackendContext> open_backend(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<BackendContext>> opened;
  const std::filesystem::path path = locate(name);
  const std::lock_guard lock(mutex);
  std::weak_ptr<BackendContext>& entry = opened[path.string()];
  std::shared_ptr<BackendContext> context = entry.lock();
  if (!context) {
    context = std::make_shared<BackendContext>(std::make_unique<BackendModule>(path));
    entry = context;
  }
  return context;
}

namespace {

std::shared_ptr<BackendContext> open_supporting(const std::string& name, Device device) {
  std::shared_ptr<BackendContext> context = open_backend(name);
  context->require_support(device);
  return context;
}

/// The first backend that runs on the device; nullptr if none does, and why is added to `reasons`.
std::shared_ptr<BackendContext> open_best(Device device, std::string& reasons) {
  for (const KnownBackend& backend : kKnownBackends) {
    if (!backend.runs_on(device)) continue;
    std::string reason = "not installed";
    try {
      if (!find_module(backend.name).empty()) return open_supporting(backend.name, device);
    } catch (const Error& error) {
      reason = error.what();
      log(LogLevel::kInfo, fmt::format("not taking backend '{}': {}", backend.name, reason));
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", backend.name, reason);
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<BackendContext> open_backend_for(Device device, const std::string& requested) {
  if (requested != "auto") {
    const KnownBackend* known = find_known(requested);
    if (known == nullptr || known->runs_on(device)) return open_supporting(requested, device);
    fail(ErrorCode::kUnsupported, "backend '{}' does not run on {}: open the engine on another device", requested,
         to_string(device));
  }
  std::string reasons;
  if (std::shared_ptr<BackendContext> context = open_best(device, reasons)) return context;
  fail(ErrorCode::kUnavailable,
       "no inference backend here runs on {}: {}. Modules are looked for in {}; `vrt doctor` says how to get each",
       to_string(device), reasons, searched_places());
}

}  // namespace detail

Device Engine::best_device(const std::string& backend) {
  for (const Device device : Device::all()) {
    if (device.is_cpu()) break;
    try {
      static_cast<void>(detail::open_backend_for(device, backend));
      return device;
    } catch (const Error& error) {
      log(LogLevel::kInfo, fmt::format("not taking {} for models: {}", to_string(device), error.what()));
    }
  }
  return Device::cpu();
}

std::vector<BackendInfo> list_backends() {
  std::vector<BackendInfo> backends;
  for (const std::string& name : backend_names()) backends.push_back(detail::describe_backend(name));
  return backends;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const detail::KnownBackend& backend : detail::kKnownBackends) names.emplace_back(backend.name);
  return names;
}

}  // namespace vrt
