#include "vrt/engine/engine.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>

#include "vrt/base/fail.h"
#include "vrt/engine/engine_details.h"
#include "vrt/engine/engine_opening.h"
#include "vrt/engine/engine_state.h"

namespace vrt {
namespace detail {
namespace {

namespace fs = std::filesystem;

/// A copy of `text` that is never freed; equal texts share one.
const char* with_static_storage(std::string text) {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.insert(std::move(text)).first->c_str();
}

void check_model_file(const fs::path& model) {
  std::error_code error;
  const fs::file_status status = fs::status(model, error);
  if (!fs::exists(status)) fail(ErrorCode::kNotFound, "there is no model file '{}'", model.string());
  if (fs::is_directory(status)) fail(ErrorCode::kCorrupt, "'{}' is a folder, not a model file", model.string());
  if (access(model.c_str(), R_OK) != 0) fail(ErrorCode::kIo, "the model file '{}' may not be read", model.string());
}

void check_batch(const BatchRange& batch) {
  const std::int64_t typical = batch.typical == 0 ? batch.largest : batch.typical;
  const bool sound =
      batch.largest == 0 || (batch.smallest >= 1 && batch.smallest <= typical && typical <= batch.largest);
  require(sound, "EngineOptions::batch is {} to {}, typically {}: expected 1 <= smallest <= typical <= largest",
          batch.smallest, batch.largest, typical);
}

void check_accuracy(const AccuracyOptions& accuracy) {
  require(accuracy.least_cosine >= -1 && accuracy.least_cosine <= 1,
          "AccuracyOptions::least_cosine is {}: expected a cosine", accuracy.least_cosine);
  require(accuracy.largest_difference >= 0,
          "AccuracyOptions::largest_difference is {}: expected a share of the output's range, 0 or more",
          accuracy.largest_difference);
}

void check_options(const EngineOptions& options) {
  check_batch(options.batch);
  check_accuracy(options.accuracy);
  require(options.optimization_level >= -1 && options.optimization_level <= 5,
          "EngineOptions::optimization_level is {}: expected 0 to 5, or -1 for the backend's default",
          options.optimization_level);
  require(options.concurrent_sessions >= 1, "EngineOptions::concurrent_sessions is {}: expected 1 or more",
          options.concurrent_sessions);
  require(options.threads >= 0, "EngineOptions::threads is {}: expected a count, or 0 for all that there are",
          options.threads);
  for (const auto& [name, shape] : options.input_shapes) {
    const auto extents = shape.extents();
    const bool is_batched = options.batch.largest > 0 && !extents.empty() && extents[0] == Shape::kDynamic;
    require(std::all_of(extents.begin() + (is_batched ? 1 : 0), extents.end(),
                        [](std::int64_t extent) { return extent > 0; }),
            "the shape {} for input '{}' is not static: every extent has to be 1 or more", to_string(shape), name);
  }
}

bool is_element_type(std::int32_t value) {
  return value >= static_cast<std::int32_t>(DType::kFloat32) && value <= static_cast<std::int32_t>(DType::kBool);
}

TensorInfo to_info(const VrtBackendTensor& tensor, const BackendContext& context) {
  const bool sound = tensor.name != nullptr && tensor.rank <= Shape::kMaxRank && is_element_type(tensor.dtype) &&
                     std::all_of(tensor.extents, tensor.extents + tensor.rank, [](auto extent) { return extent >= 0; });
  if (!sound) {
    fail(ErrorCode::kBackend, "backend '{}' describes a tensor ('{}', rank {}, element type {}) that vrt cannot hold",
         context.name(), tensor.name != nullptr ? tensor.name : "", tensor.rank, tensor.dtype);
  }
  const std::span<const std::int64_t> extents(tensor.extents, tensor.rank);
  return {tensor.name, static_cast<DType>(tensor.dtype), Shape(extents), tensor.batched != 0};
}

using Describe = std::int32_t (*)(const VrtBackendEngine*, std::uint64_t, VrtBackendTensor*, VrtBackendError*);

std::vector<TensorInfo> describe_all(const BackendContext& context, const VrtBackendEngine* engine, std::uint64_t count,
                                     Describe describe_one) {
  std::vector<TensorInfo> infos;
  for (std::uint64_t index = 0; index < count; ++index) {
    VrtBackendTensor tensor{};
    tensor.struct_bytes = sizeof(tensor);
    BackendText text;
    text.check(describe_one(engine, index, &tensor, text.get()),
               fmt::format("backend '{}' cannot describe tensor {}", context.name(), index));
    infos.push_back(to_info(tensor, context));
  }
  return infos;
}

}  // namespace

EngineState::EngineState(std::shared_ptr<BackendContext> context, fs::path model, const BatchRange& batch,
                         EngineHandle handle)
    : context_(std::move(context)),
      model_(std::move(model)),
      device_(handle.get_deleter().device),
      operation_name_(with_static_storage(fmt::format("network '{}'", model_.stem().string()))),
      handle_(std::move(handle)),
      inputs_(
          describe_all(*context_, this->handle(), table().engine_input_count(this->handle()), table().engine_input)),
      outputs_(
          describe_all(*context_, this->handle(), table().engine_output_count(this->handle()), table().engine_output)),
      batch_(batch) {}

EngineDetails EngineState::describe() const {
  std::string json;
  const VrtBackendWrite append = [](void* user, const void* data, std::uint64_t bytes) -> std::int32_t {
    static_cast<std::string*>(user)->append(static_cast<const char*>(data), bytes);
    return 0;
  };
  BackendText text;
  backend_of(device_).with_context([&] {
    text.check(table().engine_describe(handle(), append, &json, text.get()),
               fmt::format("{} cannot describe the engine of '{}'", backend_text(), model_.string()));
  });
  return parse_details(json);
}

std::string EngineState::backend_text() const { return fmt::format("{} {}", context_->name(), context_->version()); }

}  // namespace detail

Engine Engine::open(const std::filesystem::path& model, Device device, const EngineOptions& options) {
  detail::check_options(options);
  detail::check_model_file(model);
  std::shared_ptr<detail::BackendContext> backend = detail::open_backend_for(device, options.backend);
  return Engine(detail::open_engine(std::move(backend), model, device, options));
}

Device Engine::device() const noexcept { return state_->device(); }
std::string_view Engine::backend_name() const noexcept { return state_->context().name(); }
std::string_view Engine::backend_version() const noexcept { return state_->context().version(); }
std::span<const TensorInfo> Engine::inputs() const noexcept { return state_->inputs(); }
std::span<const TensorInfo> Engine::outputs() const noexcept { return state_->outputs(); }
const std::filesystem::path& Engine::model() const noexcept { return state_->model(); }
EngineDetails Engine::details() const { return state_->describe(); }
const std::optional<AccuracyReport>& Engine::accuracy() const noexcept { return state_->accuracy(); }

}  // namespace vrt
