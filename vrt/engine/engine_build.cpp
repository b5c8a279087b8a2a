#include "vrt/engine/engine_build.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

std::vector<VrtBackendInputShape> bridge_shapes(const BuildRequest& request) {
  std::vector<VrtBackendInputShape> shapes;
  if (request.shapes_are_in_file) return shapes;
  for (const auto& [name, shape] : request.options->input_shapes) {
    VrtBackendInputShape& entry = shapes.emplace_back();
    entry = {name.c_str(), shape.rank(), {}};
    std::copy(shape.extents().begin(), shape.extents().end(), entry.extents);
  }
  return shapes;
}

/// Never throws into the module.
extern "C" std::int32_t forward_progress(void* user, const char* phase, std::int32_t step, std::int32_t steps) {
  try {
    const auto& listener = static_cast<const EngineOptions*>(user)->progress;
    return listener({phase != nullptr ? phase : "", step, steps}) ? 0 : 1;
  } catch (...) {
    return 1;
  }
}

/// The options as the bridge takes them, and what they point to.
class BridgeOptions {
 public:
  explicit BridgeOptions(const BuildRequest& request)
      : path_(request.file.string()), timing_(request.timing_file.string()), shapes_(bridge_shapes(request)) {
    const EngineOptions& options = *request.options;
    bridge_.struct_bytes = sizeof(bridge_);
    bridge_.model_path = path_.c_str();
    bridge_.device_kind = request.device.is_cuda() ? 1 : 0;
    bridge_.device_ordinal = request.device.ordinal();
    bridge_.input_shapes = shapes_.data();
    bridge_.input_shape_count = shapes_.size();
    bridge_.throughput = options.hint == PerformanceHint::kThroughput ? 1 : 0;
    bridge_.concurrent_sessions = options.concurrent_sessions;
    bridge_.threads = options.threads;
    bridge_.precision =
        static_cast<std::int32_t>(options.precision == Precision::kFloat16 ? DType::kFloat16 : DType::kFloat32);
    if (options.batch.largest > 0) set_batch(options.batch);
    bridge_.workspace_bytes = options.workspace_bytes;
    bridge_.optimization_level = options.optimization_level;
    bridge_.hardware_compatible = options.hardware_compatible ? 1 : 0;
    bridge_.timing_cache_path = timing_.c_str();
    if (!options.progress) return;
    bridge_.progress = &forward_progress;
    bridge_.progress_user = const_cast<EngineOptions*>(&options);
  }
  BridgeOptions(const BridgeOptions&) = delete;
  BridgeOptions& operator=(const BridgeOptions&) = delete;

  [[nodiscard]] const VrtBackendEngineOptions* get() const noexcept { return &bridge_; }

 private:
  void set_batch(const BatchRange& batch) {
    bridge_.batch_smallest = batch.smallest;
    bridge_.batch_typical = batch.typical == 0 ? batch.largest : batch.typical;
    bridge_.batch_largest = batch.largest;
  }

  std::string path_;
  std::string timing_;
  std::vector<VrtBackendInputShape> shapes_;
  VrtBackendEngineOptions bridge_{};
};

/// A new file that takes bytes piece by piece, and their digest.
class BlobFile {
 public:
  explicit BlobFile(fs::path path)
      : path_(std::move(path)),
        descriptor_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {  // NOLINT(*-vararg)
    if (descriptor_ < 0) fail_writing(errno);
  }
  ~BlobFile() { close(descriptor_); }
  BlobFile(const BlobFile&) = delete;
  BlobFile& operator=(const BlobFile&) = delete;

  /// False where the disk refuses; `finish` throws the reason.
  bool take(const char* data, std::uint64_t bytes) {
    digest_.update(std::string_view(data, bytes));
    bytes_ += bytes;
    while (bytes > 0 && error_ == 0) {
      const ssize_t written = write(descriptor_, data, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) error_ = errno;
      if (written < 0) break;
      data += written;
      bytes -= static_cast<std::uint64_t>(written);
    }
    return error_ == 0;
  }
  ManifestFile finish() {
    if (error_ == 0 && fsync(descriptor_) != 0) error_ = errno;
    throw_refusal();
    return {path_.filename().string(), bytes_, digest_.finish()};
  }
  void throw_refusal() const {
    if (error_ != 0) fail_writing(error_);
  }

 private:
  [[noreturn]] void fail_writing(int error) const {
    throw Error(ErrorCode::kIo, fmt::format("cannot write {}", path_.string()), std::generic_category().message(error));
  }

  fs::path path_;
  int descriptor_;
  int error_ = 0;
  std::uint64_t bytes_ = 0;
  Sha256 digest_;
};

extern "C" std::int32_t take_bytes(void* user, const void* data, std::uint64_t bytes) {
  try {
    return static_cast<BlobFile*>(user)->take(static_cast<const char*>(data), bytes) ? 0 : 1;
  } catch (...) {
    return 1;
  }
}

}  // namespace

EngineHandle build_engine(const BackendContext& context, const BuildRequest& request) {
  const BridgeOptions options(request);
  VrtBackendEngine* handle = nullptr;
  BackendText text;
  backend_of(request.device).with_context([&] {
    text.check(context.table().engine_create(context.handle(), options.get(), &handle, text.get()),
               fmt::format("{} {} cannot open '{}' on {}", context.name(), context.version(), request.model.string(),
                           to_string(request.device)));
  });
  return {handle, {context.table().engine_destroy, request.device}};
}

EngineHandle load_engine(const BackendContext& context, const BuildRequest& request, std::span<const std::byte> bytes) {
  const BridgeOptions options(request);
  VrtBackendEngine* handle = nullptr;
  BackendText text;
  backend_of(request.device).with_context([&] {
    text.check(
        context.table().engine_load(context.handle(), options.get(), bytes.data(), bytes.size(), &handle, text.get()),
        fmt::format("{} {} cannot take the engine that was kept of '{}'", context.name(), context.version(),
                    request.model.string()));
  });
  return {handle, {context.table().engine_destroy, request.device}};
}

ManifestFile serialize_engine(const EngineState& engine, const fs::path& target) {
  BlobFile file(target);
  BackendText text;
  backend_of(engine.device()).with_context([&] {
    const std::int32_t status = engine.table().engine_serialize(engine.handle(), &take_bytes, &file, text.get());
    file.throw_refusal();
    text.check(status,
               fmt::format("{} cannot serialise the engine of '{}'", engine.backend_text(), engine.model().string()));
  });
  return file.finish();
}

}  // namespace vrt::detail
