#include "vrt/engine/tensorrt/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/tensorrt/library_search.h"
#include "vrt/engine/tensorrt/log_relay.h"

namespace vrt::tensorrt {
namespace {

namespace fs = std::filesystem;
using backend::Failure;

/// Libraries by path, or by the name that the loader looks for; and how each attempt ended.
class Attempts {
 public:
  /// NULL if it does not open, which is noted.
  void* open(const std::string& name) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char* const reason = library == nullptr ? dlerror() : nullptr;
    if (library == nullptr) note(reason != nullptr ? reason : name + ": the loader gives no reason");
    return library;
  }
  void note(const std::string& text) { text_ += (text_.empty() ? "" : "; ") + text; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

struct Opened {
  void* handle = nullptr;
  fs::path folder;  ///< Empty where the loader found it.
};

std::string plain_name(const std::string& stem) { return stem + ".so." + std::to_string(kLibraryMajor); }

Opened open_chosen(const fs::path& chosen, Attempts& attempts) {
  std::error_code ignored;
  if (!fs::is_directory(chosen, ignored)) return {attempts.open(chosen.string()), chosen.parent_path()};
  fs::path file = find_in_folder(chosen, kLibraryStem, kLibraryMajor);
  if (file.empty()) file = find_any_in_folder(chosen, kLibraryStem);  // For a refusal that names its version.
  if (!file.empty()) return {attempts.open(file.string()), chosen};
  attempts.note(std::string(kVariable) + "=" + chosen.string() + " holds no " + plain_name(kLibraryStem));
  return {};
}

Opened open_library(Attempts& attempts) {
  const char* chosen = std::getenv(kVariable);
  if (chosen != nullptr && *chosen != '\0') return open_chosen(chosen, attempts);
  if (void* handle = attempts.open(plain_name(kLibraryStem))) return {handle, {}};
  for (const fs::path& folder : wheel_folders()) {
    const fs::path file = find_in_folder(folder, kLibraryStem, kLibraryMajor);
    if (file.empty()) {
      attempts.note(folder.string() + " holds none");
    } else if (void* handle = attempts.open(file.string())) {
      return {handle, folder};
    }
  }
  return {};
}

/// The parser beside the library; where the loader found that, it finds this.
void* open_parser(const fs::path& folder, Attempts& attempts) {
  if (folder.empty()) return attempts.open(plain_name(kParserStem));
  const fs::path file = find_in_folder(folder, kParserStem, kLibraryMajor);
  if (!file.empty()) return attempts.open(file.string());
  attempts.note(folder.string() + " holds no " + plain_name(kParserStem));
  return nullptr;
}

template <typename Function>
Function symbol(void* library, const char* name, const std::string& path) {
  void* const address = dlsym(library, name);
  if (address != nullptr) return reinterpret_cast<Function>(address);
  throw Failure(VRT_BACKEND_UNAVAILABLE,
                "'" + path + "' has no function '" + name + "': it is not the library of " + kProduct);
}

std::string path_of(void* address, const std::string& fallback) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

Version version_of(void* library, const std::string& path) {
  const auto number = [&](const char* name) { return symbol<std::int32_t (*)()>(library, name, path)(); };
  return {number("getInferLibMajorVersion"), number("getInferLibMinorVersion"), number("getInferLibPatchVersion")};
}

void require_fit(const Version& version, const std::string& path) {
  if (fits(kHeaders, kHeadersAreRtx, kIsRtx, version)) return;
  throw Failure(VRT_BACKEND_UNAVAILABLE,
                "'" + path + "' is " + kProduct + " " + to_text(version) +
                    ", this module was built with the headers of " + (kHeadersAreRtx ? "TensorRT-RTX " : "TensorRT ") +
                    to_text(kHeaders) +
                    ": the two do not fit. Install the other library, or build vrt with the headers of this one");
}

[[noreturn]] void refuse_missing(const char* stem, const Attempts& attempts) {
  throw Failure(VRT_BACKEND_UNAVAILABLE, "no " + plain_name(stem) + ": " + attempts.text() + ". Install " + kProduct +
                                             ", or set " + kVariable + " to its library or the folder that holds it");
}

/// What one of TensorRT's factories gave, owned.
template <typename Interface>
std::unique_ptr<Interface> own(void* made, const char* what, const ErrorNotes& notes) {
  if (made != nullptr) return std::unique_ptr<Interface>(static_cast<Interface*>(made));
  throw notes.failure(std::string(kProduct) + " gives no " + what);
}

}  // namespace

Library Library::open() {
  Attempts attempts;
  const Opened opened = open_library(attempts);
  if (opened.handle == nullptr) refuse_missing(kLibraryStem, attempts);
  Library library;
  library.path_ = path_of(dlsym(opened.handle, "getInferLibMajorVersion"), plain_name(kLibraryStem));
  library.version_ = version_of(opened.handle, library.path_);
  require_fit(library.version_, library.path_);
  void* const parser = open_parser(opened.folder, attempts);
  if (parser == nullptr) refuse_missing(kParserStem, attempts);
  library.create_builder_ =
      symbol<decltype(create_builder_)>(opened.handle, "createInferBuilder_INTERNAL", library.path_);
  library.create_runtime_ =
      symbol<decltype(create_runtime_)>(opened.handle, "createInferRuntime_INTERNAL", library.path_);
  library.create_parser_ =
      symbol<decltype(create_parser_)>(parser, "createNvOnnxParser_INTERNAL", plain_name(kParserStem));
  return library;
}

std::unique_ptr<nvinfer1::IBuilder> Library::create_builder() const {
  const ErrorNotes notes;
  return own<nvinfer1::IBuilder>(create_builder_(&LogRelay::instance(), NV_TENSORRT_VERSION), "builder", notes);
}

std::unique_ptr<nvinfer1::IRuntime> Library::create_runtime() const {
  const ErrorNotes notes;
  return own<nvinfer1::IRuntime>(create_runtime_(&LogRelay::instance(), NV_TENSORRT_VERSION), "runtime", notes);
}

std::unique_ptr<nvonnxparser::IParser> Library::create_parser(nvinfer1::INetworkDefinition& network) const {
  const ErrorNotes notes;
  return own<nvonnxparser::IParser>(create_parser_(&network, &LogRelay::instance(), NV_ONNX_PARSER_VERSION),
                                    "ONNX parser", notes);
}

}  // namespace vrt::tensorrt
