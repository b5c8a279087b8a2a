// Internal (not installed): an opened backend, and its statuses as vrt's errors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vrt/device/device.h"
#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_module.h"

namespace vrt::detail {

/// The buffer that a bridge call writes its text to.
class BackendText {
 public:
  [[nodiscard]] VrtBackendError* get() noexcept { return &error_; }
  /// Throws the failure unless `status` is OK: `doing` as the message, the module's text as the cause.
  void check(std::int32_t status, std::string_view doing);

 private:
  char text_[2048] = {};
  VrtBackendError error_{sizeof(VrtBackendError), text_, sizeof(text_)};
};

/// A backend's vendor library, open. Owns the module; engines own the context.
class BackendContext {
 public:
  /// Opens the backend of a module. Throws kUnavailable with the module's reason.
  explicit BackendContext(std::unique_ptr<BackendModule> module);
  ~BackendContext();
  BackendContext(const BackendContext&) = delete;
  BackendContext& operator=(const BackendContext&) = delete;

  [[nodiscard]] const VrtBackendTable& table() const noexcept { return module_->table(); }
  [[nodiscard]] VrtBackendContext* handle() const noexcept { return handle_; }
  [[nodiscard]] std::string_view name() const noexcept { return module_->table().name; }
  [[nodiscard]] std::string_view version() const noexcept { return module_->table().context_version(handle_); }
  /// The module's path and the vendor's library's.
  [[nodiscard]] std::string location() const;
  [[nodiscard]] const std::filesystem::path& module_path() const noexcept { return module_->path(); }
  [[nodiscard]] bool can(VrtBackendCapability capability) const noexcept {
    return (module_->table().capabilities & static_cast<std::uint32_t>(capability)) != 0;
  }
  /// Throws kUnsupported or kUnavailable with the module's reason unless networks run on that device.
  void require_support(Device device) const;

 private:
  std::unique_ptr<BackendModule> module_;
  VrtBackendContext* handle_ = nullptr;
};

/// The backend of that name, opened once and shared by all that hold it. Throws kUnavailable: what is missing, where
/// vrt looked and how to get it; kInvalidArgument for a name that neither vrt nor a module knows.
[[nodiscard]] std::shared_ptr<BackendContext> open_backend(const std::string& name);

/// The backend that `requested` ("auto" or a name) means on a device, opened. "auto" takes the first that runs there; why those before
/// it do not is logged. Throws kUnavailable (with the reason of each that was tried) or kUnsupported.
[[nodiscard]] std::shared_ptr<BackendContext> open_backend_for(Device device, const std::string& requested);

}  // namespace vrt::detail
