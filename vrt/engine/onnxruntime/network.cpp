#include "vrt/engine/onnxruntime/network.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/trial_run.h"

namespace vrt::onnxruntime {
namespace {

namespace fs = std::filesystem;
using backend::Failure;

std::string read_model(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) throw Failure(VRT_BACKEND_NOT_FOUND, "the file cannot be read");
  if (bytes.empty()) throw Failure(VRT_BACKEND_CORRUPT, "the file is empty");
  return bytes;
}

void report(const VrtBackendEngineOptions& options, const char* phase, std::int32_t step) {
  constexpr std::int32_t kSteps = 2;
  if (options.progress == nullptr || options.progress(options.progress_user, phase, step, kSteps) == 0) return;
  throw Failure(VRT_BACKEND_CANCELLED, "the build was stopped");
}

void require_float16(const std::vector<Layer>& layers) {
  const bool any =
      std::any_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.precision == "float16"; });
  if (any) return;
  throw Failure(VRT_BACKEND_UNSUPPORTED, "float16 was asked for, but none of the network's " +
                                             std::to_string(layers.size()) + " layers computes in it");
}

/// What has to hold on a GPU, by what really runs there.
void check_layers(const Network& network) {
  require_on_gpu(*network.layers, network.signature, network.settings.batch_smallest);
  if (network.settings.float16) require_float16(*network.layers);
}

std::vector<Layer> layers_of_run(const Network& network, OrtSession& session, const Recording& recording) {
  const OrtApi& api = *network.library->api;
  static_cast<void>(run_once(api, session, network.signature, network.settings.batch_smallest, Filling::kPattern));
  return recording.finish(api, session);
}

std::vector<Layer> record_layers(const Network& network, const Settings& settings, std::string_view model) {
  const Recording recording;
  const Handle<OrtSession> session =
      make_session(*network.library, settings, model, {.profile_prefix = recording.prefix()});
  return layers_of_run(network, *session, recording);
}

/// For a model that is optimised already.
Settings as_it_is(Settings settings) {
  settings.level = ORT_DISABLE_ALL;
  return settings;
}

}  // namespace

Network open_network(const Library& library, const VrtBackendEngineOptions& options) {
  Network network{&library, settings_of(options), read_model(options.model_path), {}, {}, {}};
  const bool on_gpu = network.settings.on_gpu;
  std::optional<Recording> recording;
  if (on_gpu) recording.emplace();
  report(options, "compiling", 0);
  Handle<OrtSession> session =
      make_session(library, network.settings, network.model, {.profile_prefix = on_gpu ? recording->prefix() : ""});
  network.signature = read_signature(*library.api, *session, network.settings, options);
  report(options, "trying it out", 1);
  settle_outputs(*library.api, *session, network.settings, network.signature);
  if (on_gpu) {
    network.layers = layers_of_run(network, *session, *recording);
    check_layers(network);
  } else {
    network.shared_session = std::move(session);
  }
  return network;
}

std::vector<Layer> record_layers(const Network& network) {
  return record_layers(network, network.settings, network.model);
}

BlobTarget target_of(const Network& network) { return {network.library->version, network.settings.on_gpu}; }

std::string optimized_model(const Network& network, const std::vector<Layer>& layers) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "model.onnx";
  try {
    static_cast<void>(make_session(*network.library, network.settings, network.model, {.optimized_path = file}));
    std::string model = read_model(file);
    if (are_same(record_layers(network, as_it_is(network.settings), model), layers)) return model;
  } catch (const Failure& failure) {
    if (failure.status() == VRT_BACKEND_OUT_OF_MEMORY) throw;
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  std::string("ONNX Runtime does not take the model that it has optimised: ") + failure.what());
  }
  throw Failure(VRT_BACKEND_UNSUPPORTED, "ONNX Runtime runs the model that it has optimised by other layers");
}

Network load_network(const Library& library, const VrtBackendEngineOptions& options, std::string_view blob) {
  Network network{&library, as_it_is(settings_of(options)), {}, {}, {}, {}};
  ParsedBlob parsed = parse_blob(blob, target_of(network), network.settings.batch_largest);
  network.signature = std::move(parsed.signature);
  network.layers = std::move(parsed.layers);
  if (network.settings.on_gpu) {
    network.model = parsed.model;
  } else {
    network.shared_session = make_session(library, network.settings, parsed.model, {});
  }
  return network;
}

}  // namespace vrt::onnxruntime
