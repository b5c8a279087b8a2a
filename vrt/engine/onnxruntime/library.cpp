#include "vrt/engine/onnxruntime/library.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

namespace fs = std::filesystem;
using backend::Failure;
using backend::Logger;

/// ONNX Runtime has one log for the process, whoever asked for the environment: all open contexts listen to it.
backend::LoggerList& log_listeners() {
  static auto& listeners = *new backend::LoggerList;
  return listeners;
}

void ORT_API_CALL forward_log(void*, OrtLoggingLevel severity, const char*, const char*, const char* location,
                              const char* message) {
  try {
    log_listeners().send(log_level_of(severity, location != nullptr ? location : ""),
                         essence(message != nullptr ? message : "").c_str());
  } catch (...) {  // NOLINT(bugprone-empty-catch): a line that there is no memory for
  }
}

/// The API's version that a release "1.N.P" has is N; 0 for other names.
std::uint32_t api_version_of(std::string_view release) {
  std::uint32_t minor = 0;
  if (release.substr(0, 2) != "1.") return 0;
  std::from_chars(release.data() + 2, release.data() + release.size(), minor);
  return minor;
}

[[noreturn]] void refuse(const std::string& reason) { throw Failure(VRT_BACKEND_UNAVAILABLE, reason); }

const OrtApiBase& base_of(void* library) {
  using GetBase = const OrtApiBase*(ORT_API_CALL*)();
  void* const symbol = dlsym(library, "OrtGetApiBase");
  if (symbol == nullptr) refuse("it exports no OrtGetApiBase: not ONNX Runtime");
  const OrtApiBase* const base = reinterpret_cast<GetBase>(symbol)();
  if (base == nullptr) refuse("its OrtGetApiBase gives nothing");
  return *base;
}

/// Asks for the API only where it is there: an older library prints a line of its own.
const OrtApi& api_of(const OrtApiBase& base) {
  const std::string version = base.GetVersionString();
  const OrtApi* api = api_version_of(version) >= ORT_API_VERSION ? base.GetApi(ORT_API_VERSION) : nullptr;
  if (api == nullptr) {
    refuse("it is ONNX Runtime " + version + ", version 1." + std::to_string(ORT_API_VERSION) + " or newer is needed");
  }
  return *api;
}

std::string file_of(const void* symbol, const std::string& otherwise) {
  Dl_info info{};
  const bool found = dladdr(symbol, &info) != 0 && info.dli_fname != nullptr;
  return found ? info.dli_fname : otherwise;
}

/// Before the library is loaded: from version 1.32 on its environment keeps a number of the machine and a database under the user's
/// home, and DisableTelemetryEvents needs an environment. Whoever has set the variable has decided.
void switch_off_telemetry() { setenv("ORT_DISABLE_TELEMETRY", "1", 0); }

/// Stays loaded: with RTLD_NODELETE, as its threads would be left without code.
Library load(const fs::path& path) {
  switch_off_telemetry();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    refuse(reason != nullptr ? reason : "the loader gives no reason");
  }
  const OrtApiBase& base = base_of(handle);
  Library library;
  library.api = &api_of(base);
  library.version = base.GetVersionString();
  library.path = file_of(dlsym(handle, "OrtGetApiBase"), path.string());
  check(*library.api,
        library.api->CreateEnvWithCustomLogger(&forward_log, nullptr, ORT_LOGGING_LEVEL_WARNING, "vrt",
                                               &library.environment),
        Stage::kCall);
  check(*library.api, library.api->DisableTelemetryEvents(library.environment), Stage::kCall);
  return library;
}

/// The library of a file, loaded once for the process and never given back.
const Library& loaded(const fs::path& path) {
  static std::mutex mutex;
  static auto& libraries = *new std::map<std::string, Library>;
  const std::lock_guard lock(mutex);
  const auto found = libraries.find(path.string());
  return found != libraries.end() ? found->second : libraries.emplace(path.string(), load(path)).first->second;
}

std::string listed(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) text += (text.empty() ? "" : ", ") + place;
  return text;
}

}  // namespace

const Library& load_library() {
  const LibrarySearch search = find_library();
  std::string reasons;
  for (const fs::path& candidate : search.candidates) {
    try {
      return loaded(candidate);
    } catch (const Failure& failure) {
      reasons += "; " + candidate.string() + ": " + failure.what();
    }
  }
  refuse("no ONNX Runtime that can be used was found in " + listed(search.looked_in) + reasons +
         ". Install the wheel onnxruntime, or onnxruntime-gpu for a GPU, or set VRT_ONNXRUNTIME to its "
         "libonnxruntime.so or the folder of it");
}

LogSubscription::LogSubscription(const Logger& logger) : logger_(&logger) { log_listeners().add(logger_); }
LogSubscription::~LogSubscription() { log_listeners().remove(logger_); }

}  // namespace vrt::onnxruntime
