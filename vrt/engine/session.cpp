#include <algorithm>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
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
  VrtBackendSession* handle = nullptr;
  BackendText text;
  text.check(engine.table().session_create(engine.handle(), &handle, text.get()),
             fmt::format("{} cannot make a session of '{}'", engine.backend_text(), engine.model().string()));
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
      handle_(create_session(*engine_.state(), stream_), engine_.state()->table().session_destroy) {
  bind();
}

SessionState::~SessionState() {
  try {
    last_run_.record(stream_);
    last_run_.synchronize();
  } catch (const std::exception& failure) {
    log(LogLevel::kError, fmt::format("a session of '{}' was destroyed with failed work on its stream: {}",
                                      engine_.model().string(), failure.what()));
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

void SessionState::submit() {
  stream_.enqueue_host(engine_.state()->operation_name(), [this] { run(); });
}

void SessionState::run() const {
  const EngineState& engine = *engine_.state();
  BackendText text;
  const std::int32_t status = engine.table().session_enqueue(handle_.get(), nullptr, text.get());
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

void Session::submit() { state_->submit(); }

const Engine& Session::engine() const noexcept { return state_->engine(); }
const Stream& Session::stream() const noexcept { return state_->stream(); }

}  // namespace vrt
