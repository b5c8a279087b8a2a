// A backend for tests of the bridge: needs no vendor, fails on demand and watches the order of destruction.
//
// Its model files are text, one word a line:
//   input NAME DTYPE EXTENT…    -1 is a dynamic extent; EngineOptions::input_shapes replaces the whole shape
//   output NAME DTYPE EXTENT…   float32 outputs get 2·input + 1, element by element, the first input repeated
//   fail CALL STATUS TEXT…      CALL is the bridge function's name; TEXT is the message
//   throw CALL                  the call throws inside the module
//   milliseconds N              a run takes at least that long
//   batched NAME                the first extent of that tensor is the batch of the run
//   layer NAME TYPE PRECISION   what engine_describe tells; PRECISION "asked" is what the options ask for
//   error VALUE                 in float16, outputs are off by that much
//   steps N                     a build reports N steps of progress, and ends where it is told to
//   step_milliseconds N         each step takes at least that long
//   float16_only                it does not compile to float32
// In a file of another kind the text stands between "fake-model:" and "fake-end".
// As fake_plain it neither reshapes nor serialises.
// Its serialised engines are "fake-engine", its version and the model's text in three parts, a line feed between.
// The context fails where the variable VRT_FAKE_CONTEXT_STATUS holds a status. VRT_FAKE_VERSION replaces its version 1.2.3;
// VRT_FAKE_UNSUPPORTED makes it refuse every device.
// Every creation and destruction is logged ("fake: + engine", "fake: - engine"), a wrong order as an error.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_functions.h"
#include "vrt/engine/backend_support.h"

namespace {

using vrt::backend::checked;
using vrt::backend::Failure;
using vrt::backend::guarded;
using vrt::backend::hand_out;
using vrt::backend::Logger;
using vrt::backend::tensor_at;

constexpr std::int32_t kInfo = 1;
constexpr std::int32_t kError = 3;
constexpr std::int32_t kFloat32 = 1;
constexpr std::int32_t kFloat16 = 2;

struct Tensor {
  std::string name;
  std::int32_t dtype = 0;
  std::vector<std::int64_t> extents;
  bool batched = false;

  [[nodiscard]] std::size_t bytes() const {
    static constexpr std::size_t kElementBytes[] = {0, 4, 2, 2, 1, 1, 4, 8, 1};
    return kElementBytes[dtype] * static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(),
                                                                           std::int64_t{1}, std::multiplies<>()));
  }
};

struct Layer {
  std::string name;
  std::string type;
  std::string precision;
};

struct Planned {
  std::int32_t status = VRT_BACKEND_OK;
  std::string text;
};

struct Model {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::map<std::string, Planned> failures;
  std::map<std::string, bool> throws;
  std::vector<Layer> layers;
  std::string text;  ///< The whole file.
  float error = 0;
  int steps = 0;
  int step_milliseconds = 0;
  bool float16_only = false;
  int milliseconds = 0;

  void fail_if_planned(const std::string& call) const {
    if (throws.count(call) > 0) throw 42;  // Not even a std::exception.
    const auto found = failures.find(call);
    if (found != failures.end()) throw Failure(found->second.status, found->second.text);
  }
};

Tensor parse_tensor(std::istream& words) {
  Tensor tensor;
  words >> tensor.name >> tensor.dtype;
  for (std::int64_t extent = 0; words >> extent;) tensor.extents.push_back(extent);
  return tensor;
}

void parse_line(const std::string& line, Model& model) {
  std::istringstream words(line);
  std::string kind;
  std::string call;
  words >> kind;
  if (kind == "input") model.inputs.push_back(parse_tensor(words));
  if (kind == "output") model.outputs.push_back(parse_tensor(words));
  if (kind == "milliseconds") words >> model.milliseconds;
  if (kind == "error" && words >> call) model.error = std::strtof(call.c_str(), nullptr);  // Also inf and nan.
  if (kind == "steps") words >> model.steps;
  if (kind == "step_milliseconds") words >> model.step_milliseconds;
  if (kind == "float16_only") model.float16_only = true;
  if (kind == "batched" && words >> call) {
    for (auto* tensors : {&model.inputs, &model.outputs})
      for (Tensor& tensor : *tensors) tensor.batched = tensor.batched || tensor.name == call;
  }
  if (kind == "layer") {
    Layer& layer = model.layers.emplace_back();
    words >> layer.name >> layer.type >> layer.precision;
  }
  if (kind == "throw" && words >> call) model.throws[call] = true;
  if (kind == "fail" && words >> call) {
    Planned& planned = model.failures[call];
    words >> planned.status;
    std::getline(words, planned.text);
  }
}

Model parse_model(const std::string& text) {
  Model model;
  model.text = text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) parse_line(line, model);
  if (model.inputs.empty()) throw Failure(VRT_BACKEND_CORRUPT, "the file names no input");
  return model;
}

Model read_model(const char* path) {
  constexpr std::string_view kBegin = "fake-model:";
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string::npos) return parse_model(text);
  text.erase(0, begin + kBegin.size());
  return parse_model(text.substr(0, text.find("fake-end")));
}

void apply_shapes(const VrtBackendEngineOptions& options, Model& model) {
  for (std::uint64_t i = 0; i < options.input_shape_count; ++i) {
    const VrtBackendInputShape& wanted = options.input_shapes[i];
    const auto found = std::find_if(model.inputs.begin(), model.inputs.end(),
                                    [&](const Tensor& tensor) { return tensor.name == wanted.name; });
    if (found == model.inputs.end())
      throw Failure(VRT_BACKEND_INVALID_ARGUMENT, std::string("no input ") + wanted.name);
    found->extents.assign(wanted.extents, wanted.extents + wanted.rank);
  }
}

/// Counts what lives below a handle, and reports a handle that goes before its children.
class Children {
 public:
  void add() { ++count_; }
  void remove() { --count_; }
  void check(const Logger& logger, const char* what) const {
    if (count_ == 0) return;
    logger(kError, (std::string("fake: wrong order: ") + what + " destroyed before what it made").c_str());
  }

 private:
  std::atomic<int> count_{0};
};

}  // namespace

struct VrtBackendContext {
  Logger logger;
  Children engines;
  std::string version;
};

struct VrtBackendEngine {
  VrtBackendContext* context;
  Model model;
  bool is_float16;
  std::int64_t largest_batch;
  Children sessions;
};

struct VrtBackendSession {
  VrtBackendEngine* engine;
  std::vector<float*> inputs;
  std::vector<float*> outputs;
  std::atomic<bool> running{false};
};

namespace {

void compute(VrtBackendSession& session, std::int64_t batch) {
  session.running = true;
  const std::int64_t largest = session.engine->largest_batch;
  const auto used = [&](const Tensor& tensor) {
    const std::size_t count = tensor.bytes() / sizeof(float);
    return tensor.batched ? count * static_cast<std::size_t>(batch) / static_cast<std::size_t>(largest) : count;
  };
  const float error = session.engine->is_float16 ? session.engine->model.error : 0;
  const Model& model = session.engine->model;
  std::this_thread::sleep_for(std::chrono::milliseconds(model.milliseconds));
  const std::size_t input_count = used(model.inputs[0]);
  for (std::size_t o = 0; o < session.outputs.size(); ++o) {
    if (model.outputs[o].dtype != kFloat32) continue;
    for (std::size_t i = 0; i < used(model.outputs[o]); ++i)
      session.outputs[o][i] = 2 * session.inputs[0][i % input_count] + 1 + error;
  }
  session.running = false;
}

void report_progress(const VrtBackendEngineOptions& options, const Model& model) {
  for (int step = 1; step <= model.steps; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(model.step_milliseconds));
    if (options.progress != nullptr && options.progress(options.progress_user, "building", step, model.steps) != 0)
      throw Failure(VRT_BACKEND_CANCELLED, "the build was stopped");
  }
}

VrtBackendEngine* make_engine(VrtBackendContext* context, const VrtBackendEngineOptions& options, Model model) {
  apply_shapes(options, model);
  const std::string settings = "fake: throughput " + std::to_string(options.throughput) + " sessions " +
                               std::to_string(options.concurrent_sessions) + " threads " +
                               std::to_string(options.threads);
  for (auto* tensors : {&model.inputs, &model.outputs}) {
    for (Tensor& tensor : *tensors)
      if (tensor.batched) tensor.extents.at(0) = options.batch_largest;
  }
  auto* engine =
      new VrtBackendEngine{context, std::move(model), options.precision == kFloat16, options.batch_largest, {}};
  context->engines.add();
  context->logger(kInfo, settings.c_str());
  context->logger(kInfo, "fake: + engine");
  return engine;
}

std::string serialized_beginning(const VrtBackendContext& context) { return "fake-engine\n" + context.version + "\n"; }

void describe(const std::vector<Tensor>& tensors, std::uint64_t index, VrtBackendTensor* out) {
  const Tensor& tensor = tensor_at(tensors, index);
  vrt::backend::describe_tensor(tensor.name, tensor.dtype, tensor.extents, tensor.batched, out);
}

void bind(const Tensor& tensor, void* data, std::uint64_t bytes, float*& slot) {
  vrt::backend::require_bytes(tensor.name, tensor.bytes(), bytes);
  slot = static_cast<float*>(data);
}

}  // namespace

extern "C" {

std::int32_t context_create(const VrtBackendContextOptions* options, VrtBackendContext** out, VrtBackendError* error) {
  return guarded(error, [&] {
    const char* status = std::getenv("VRT_FAKE_CONTEXT_STATUS");
    if (status != nullptr) throw Failure(std::atoi(status), "libvendor.so.7 is not there");
    const char* version = std::getenv("VRT_FAKE_VERSION");
    *out = new VrtBackendContext{
        Logger(checked(options, "the context's options")), {}, version != nullptr ? version : "1.2.3"};
    (*out)->logger(kInfo, "fake: + context");
  });
}

void context_destroy(VrtBackendContext* context) {
  context->engines.check(context->logger, "context");
  context->logger(kInfo, "fake: - context");
  delete context;
}

const char* context_version(const VrtBackendContext* context) { return context->version.c_str(); }
const char* context_library(const VrtBackendContext*) { return ""; }

std::int32_t context_supports(VrtBackendContext*, std::int32_t, std::int32_t, VrtBackendError* error) {
  if (std::getenv("VRT_FAKE_UNSUPPORTED") == nullptr) return VRT_BACKEND_OK;
  return vrt::backend::report(error, VRT_BACKEND_UNSUPPORTED, "not on such a device");
}

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error) {
  return guarded(error, [&] {
    checked(options, "the engine's options");
    Model model = read_model(options->model_path);
    model.fail_if_planned("engine_create");
    if (model.float16_only && options->precision != kFloat16) throw Failure(VRT_BACKEND_UNSUPPORTED, "float16 only");
    report_progress(*options, model);
    *out = make_engine(context, *options, std::move(model));
    context->logger(kInfo, "fake: build");
  });
}

std::int32_t engine_load(VrtBackendContext* context, const VrtBackendEngineOptions* options, const void* data,
                         std::uint64_t bytes, VrtBackendEngine** out, VrtBackendError* error) {
  return guarded(error, [&] {
    checked(options, "the engine's options");
    const std::string text(static_cast<const char*>(data), bytes);
    const std::string beginning = serialized_beginning(*context);
    if (text.compare(0, beginning.size(), beginning) != 0)
      throw Failure(VRT_BACKEND_CORRUPT, "not an engine of fake " + context->version);
    Model model = parse_model(text.substr(beginning.size()));
    model.fail_if_planned("engine_load");
    *out = make_engine(context, *options, std::move(model));
    context->logger(kInfo, "fake: load");
  });
}

std::int32_t engine_serialize(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] {
    engine->model.fail_if_planned("engine_serialize");
    const std::string beginning = serialized_beginning(*engine->context);
    for (const std::string& part : {beginning, engine->model.text}) hand_out(write, user, part);
  });
}

std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] {
    engine->model.fail_if_planned("engine_describe");
    const char* asked = engine->is_float16 ? "float16" : "float32";
    std::string text;
    for (const Layer& layer : engine->model.layers)
      vrt::backend::add_layer_json(text, layer.name, layer.type, layer.precision == "asked" ? asked : layer.precision);
    hand_out(write, user, "{\"layers\":[" + text + "],\"weights_bytes\":12,\"activation_bytes\":34}");
  });
}

void engine_destroy(VrtBackendEngine* engine) {
  engine->sessions.check(engine->context->logger, "engine");
  engine->context->logger(kInfo, "fake: - engine");
  engine->context->engines.remove();
  delete engine;
}

std::uint64_t engine_input_count(const VrtBackendEngine* engine) { return engine->model.inputs.size(); }
std::uint64_t engine_output_count(const VrtBackendEngine* engine) { return engine->model.outputs.size(); }

std::int32_t engine_input(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                          VrtBackendError* error) {
  return guarded(error, [&] {
    engine->model.fail_if_planned("engine_input");
    describe(engine->model.inputs, index, out);
  });
}

std::int32_t engine_output(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                           VrtBackendError* error) {
  return guarded(error, [&] {
    engine->model.fail_if_planned("engine_output");
    describe(engine->model.outputs, index, out);
  });
}

std::int32_t session_create(VrtBackendEngine* engine, const VrtBackendSessionOptions* options, VrtBackendSession** out,
                            VrtBackendError* error) {
  return guarded(error, [&] {
    checked(options, "the session's options");
    engine->model.fail_if_planned("session_create");
    *out = new VrtBackendSession{engine,
                                 std::vector<float*>(engine->model.inputs.size()),
                                 std::vector<float*>(engine->model.outputs.size()),
                                 {}};
    engine->sessions.add();
    engine->context->logger(kInfo, "fake: + session");
  });
}

void session_destroy(VrtBackendSession* session) {
  if (session->running) session->engine->context->logger(kError, "fake: wrong order: session destroyed while it runs");
  session->engine->context->logger(kInfo, "fake: - session");
  session->engine->sessions.remove();
  delete session;
}

std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error) {
  return guarded(error, [&] {
    session->engine->model.fail_if_planned("session_bind_input");
    bind(tensor_at(session->engine->model.inputs, index), data, bytes, session->inputs.at(index));
  });
}

std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error) {
  return guarded(error, [&] {
    session->engine->model.fail_if_planned("session_bind_output");
    bind(tensor_at(session->engine->model.outputs, index), data, bytes, session->outputs.at(index));
  });
}

std::int32_t session_enqueue(VrtBackendSession* session, std::int64_t batch, VrtBackendError* error) {
  return guarded(error, [&] {
    session->engine->model.fail_if_planned("session_enqueue");
    compute(*session, batch);
  });
}

}  // extern "C"

namespace {

#if defined(VRT_FAKE_PLAIN)
constexpr std::uint32_t kCapabilities = 0;
#else
constexpr std::uint32_t kCapabilities = VRT_BACKEND_RESHAPES | VRT_BACKEND_SERIALIZES;
#endif

constexpr VrtBackendTable make_table() {
  VrtBackendTable table = vrt::backend::make_table("fake", kCapabilities);
#if defined(VRT_FAKE_SHORT_TABLE)
  table.struct_bytes = offsetof(VrtBackendTable, session_enqueue);
#elif defined(VRT_FAKE_OTHER_VERSION)
  ++table.abi_version;
#elif defined(VRT_FAKE_TABLE_WITH_HOLE)
  table.session_bind_output = nullptr;
#endif
  return table;
}

[[maybe_unused]] constexpr VrtBackendTable kTable = make_table();

}  // namespace

#define VRT_EXPORT extern "C" __attribute__((visibility("default")))

#if defined(VRT_FAKE_WITHOUT_ENTRY)
VRT_EXPORT int vrt_backend_v0() { return 0; }
#elif defined(VRT_FAKE_OTHER_BRIDGE)
VRT_EXPORT const VrtBackendTable* vrt_backend_entry(std::uint32_t) { return nullptr; }
#else
VRT_EXPORT const VrtBackendTable* vrt_backend_entry(std::uint32_t) { return &kTable; }
#endif
