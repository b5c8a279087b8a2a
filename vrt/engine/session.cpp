#include <algorithm>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/device/backend.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_state.h"

namespace vrt {
namespace detail {
namespace {

std::size_t bytes_of(const TensorInfo& info) {
  return static_cast<std::size_t>(info.shape.element_count()) * size_bytes(info.type);
}

VrtBackendSession* create_session(const EngineState& engine, const Stream& stream) {
  require(engine.device() == stream.device(),
          "the engine of '{}' is on {}, the stream on {}: open it on the stream's device", engine.model().string(),
          to_string(engine.device()), to_string(stream.device()));
  const VrtBackendSessionOptions options{sizeof(options), stream.native_handle()};
  VrtBackendSession* handle = nullptr;
  BackendText text;
  backend_of(stream.device()).with_context([&] {
    text.check(engine.table().session_create(engine.handle(), &options, &handle, text.get()),
               fmt::format("{} cannot make a session of '{}'", engine.backend_text(), engine.model().string()));
  });
  return handle;
}

std::string listed(std::span<const TensorInfo> infos) {
  std::string names;
  for (const TensorInfo& info : infos)
    names += fmt::format("{}'{}' {}", names.empty() ? "" : ", ", info.name, to_string(info.shape));
  return names;
}

std::size_t index_of(std::span<const TensorInfo> infos, std::string_view name, const char* kind, const Engine& engine) {
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const TensorInfo& info) { return info.name == name; });
  if (found != infos.end()) return static_cast<std::size_t>(found - infos.begin());
  fail(ErrorCode::kNotFound, "'{}' has no {} '{}'; there is {}", engine.model().string(), kind, name, listed(infos));
}

std::size_t checked_index(std::span<const TensorInfo> infos, std::size_t index, const char* kind,
                          const Engine& engine) {
  if (index < infos.size()) return index;
  fail(ErrorCode::kNotFound, "'{}' has no {} {}; there is {}", engine.model().string(), kind, index, listed(infos));
}

}  // namespace

SessionState::SessionState(Engine engine, const Stream& stream)
    : engine_(std::move(engine)),
      stream_(stream),
      last_run_(stream.device()),
      inputs_(allocate(engine_.inputs())),
      outputs_(allocate(engine_.outputs())),
      batch_(engine_.state()->batch().largest),
      handle_(create_session(*engine_.state(), stream_), {engine_.state()->table().session_destroy, stream_.device()}) {
  bind();
  if (stream_.device().is_cpu()) return;
  enqueue_on_gpu();
  stream_.synchronize();
}

SessionState::~SessionState() {
  try {
    last_run_.record(stream_);
    last_run_.synchronize();
  } catch (const std::exception& failure) {
    log(LogLevel::kError, fmt::format("a session of '{}' was destroyed with failed work on its stream: {}",
                                      engine_.model().native(), failure.what()));
  }
}

SessionState::Memory SessionState::allocate(std::span<const TensorInfo> infos) const {
  Memory memory;
  for (const TensorInfo& info : infos) {
    // An empty tensor has an address, too.
    memory.push_back(DeviceBuffer<std::byte>::zeros(stream_, std::max<std::size_t>(bytes_of(info), 1)));
  }
  return memory;
}

void SessionState::bind() {
  const EngineState& engine = *engine_.state();
  const auto bind_all = [&](auto bind_one, std::span<const TensorInfo> infos, Memory& memory, const char* kind) {
    for (std::size_t index = 0; index < infos.size(); ++index) {
      BackendText text;
      text.check(bind_one(handle_.get(), index, memory[index].span().data(), bytes_of(infos[index]), text.get()),
                 fmt::format("{} cannot bind {} '{}' of '{}'", engine.backend_text(), kind, infos[index].name,
                             engine.model().string()));
    }
  };
  bind_all(engine.table().session_bind_input, engine_.inputs(), inputs_, "input");
  bind_all(engine.table().session_bind_output, engine_.outputs(), outputs_, "output");
}

void SessionState::set_batch(std::int64_t batch) {
  const BatchRange& range = engine_.state()->batch();
  require(range.largest > 0, "'{}' was opened without a changing batch: give EngineOptions::batch",
          engine_.model().native());
  require(batch == 0 || (batch >= range.smallest && batch <= range.largest),
          "a batch of {} for '{}': it was opened for {} to {}", batch, engine_.model().native(), range.smallest,
          range.largest);
  batch_ = batch;
}

void SessionState::submit() {
  const bool nothing_to_do = batch_ == 0 && engine_.state()->batch().largest > 0;
  if (nothing_to_do) return;
  if (stream_.device().is_cuda()) return enqueue_on_gpu();
  stream_.enqueue_host(engine_.state()->operation_name(), [this, batch = batch_] { run(batch); });
}

void SessionState::enqueue_on_gpu() const {
  stream_.backend().enqueue_foreign(engine_.state()->operation_name(), [this] { run(batch_); });
}

void SessionState::run(std::int64_t batch) const {
  const EngineState& engine = *engine_.state();
  BackendText text;
  const std::int32_t status = engine.table().session_enqueue(handle_.get(), batch, text.get());
  if (status == VRT_BACKEND_OK) return;
  text.check(status, fmt::format("{} could not run '{}'", engine.backend_text(), engine.model().string()));
}

}  // namespace detail

Session::Session(Engine engine, const Stream& stream)
    : state_(std::make_unique<detail::SessionState>(std::move(engine), stream)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

TensorView Session::input(std::string_view name) const {
  return state_->input(detail::index_of(engine().inputs(), name, "input", engine()));
}
TensorView Session::input(std::size_t index) const {
  return state_->input(detail::checked_index(engine().inputs(), index, "input", engine()));
}
TensorView Session::output(std::string_view name) const {
  return state_->output(detail::index_of(engine().outputs(), name, "output", engine()));
}
TensorView Session::output(std::size_t index) const {
  return state_->output(detail::checked_index(engine().outputs(), index, "output", engine()));
}

void Session::set_batch(std::int64_t batch) { state_->set_batch(batch); }
void Session::submit() { state_->submit(); }

const Engine& Session::engine() const noexcept { return state_->engine(); }
const Stream& Session::stream() const noexcept { return state_->stream(); }

}  // namespace vrt
