#include "vrt/engine/backend_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "vrt/base/fail.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  fail(ErrorCode::kUnavailable, "backend module '{}' cannot be used: {}", path.string(), reason);
}

/// What is wrong with a table; empty if nothing is.
std::string find_fault(const VrtBackendTable* table) {
  if (table == nullptr) {
    return fmt::format("it does not speak version {} of vrt's backend bridge; rebuild it", VRT_BACKEND_ABI_VERSION);
  }
  if (table->struct_bytes < sizeof(VrtBackendTable)) {
    return fmt::format("its function table has {} bytes, {} are needed; rebuild it", table->struct_bytes,
                       sizeof(VrtBackendTable));
  }
  if (table->abi_version != VRT_BACKEND_ABI_VERSION) {
    return fmt::format("it speaks version {} of vrt's backend bridge, {} is needed; rebuild it", table->abi_version,
                       VRT_BACKEND_ABI_VERSION);
  }
  const bool whole = table->name && table->context_create && table->context_destroy && table->context_version &&
                     table->context_library && table->context_supports && table->engine_create && table->engine_load &&
                     table->engine_serialize && table->engine_describe && table->engine_destroy &&
                     table->engine_input_count && table->engine_output_count && table->engine_input &&
                     table->engine_output && table->session_create && table->session_destroy &&
                     table->session_bind_input && table->session_bind_output && table->session_enqueue;
  return whole ? "" : "a function is missing from its table";
}

/// The folder of the binary that holds this function: the vrt library, or an executable that it is linked into.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  return fs::weakly_canonical(info.dli_fname, error).parent_path();
}

fs::path executable_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<fs::path> folders_of_environment() {
  std::vector<fs::path> folders;
  const char* value = std::getenv("VRT_BACKEND_PATH");
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

}  // namespace

BackendModule::BackendModule(fs::path path) : path_(std::move(path)) {
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    refuse(path_, reason != nullptr ? reason : "the loader gives no reason");
  }
  std::string fault = fmt::format("it exports no '{}': not a backend module of vrt", VRT_BACKEND_ENTRY_NAME);
  if (void* symbol = dlsym(library_, VRT_BACKEND_ENTRY_NAME)) {
    table_ = reinterpret_cast<VrtBackendEntry>(symbol)(VRT_BACKEND_ABI_VERSION);
    fault = find_fault(table_);
  }
  if (fault.empty()) return;
  dlclose(library_);
  refuse(path_, fault);
}

BackendModule::~BackendModule() { dlclose(library_); }

std::string module_file_name(std::string_view backend) { return fmt::format("libvrt_backend_{}.so", backend); }

std::vector<fs::path> module_search_folders() {
  const fs::path own = own_folder();
  const fs::path executable = executable_folder();
  std::vector<fs::path> folders = folders_of_environment();
  if (own != executable) folders.push_back(own / "vrt");
  for (const fs::path& binary : {own, executable}) folders.push_back(binary.parent_path() / VRT_LIBRARY_FOLDER / "vrt");
  folders.emplace_back(VRT_MODULE_FOLDER);
  std::vector<fs::path> unique;
  for (fs::path& folder : folders) {
    if (std::find(unique.begin(), unique.end(), folder) == unique.end()) unique.push_back(std::move(folder));
  }
  return unique;
}

fs::path find_module(std::string_view backend) {
  const std::string name = module_file_name(backend);
  for (const fs::path& folder : module_search_folders()) {
    std::error_code error;
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return {};
}

}  // namespace vrt::detail
