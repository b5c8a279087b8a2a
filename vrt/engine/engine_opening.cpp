#include "vrt/engine/engine_opening.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/base/sha256.h"
#include "vrt/engine/accuracy.h"
#include "vrt/engine/differing_layers.h"
#include "vrt/engine/engine_build.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/engine/engine_details.h"
#include "vrt/engine/engine_identity.h"
#include "vrt/engine/model_digest.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/engine/samples.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32] = {};
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool is_onnx(const fs::path& model) {
  std::string extension = model.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".onnx";
}

ManifestFile describe_kept(const fs::path& file) {
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return {file.filename().string(), fs::file_size(file), sha256_of_file(file)};
}

/// Removes what is in a folder but the files whose names begin so, and returns those: a model whose weights are too large for one
/// file has others beside it.
std::vector<fs::path> keep_alone(const fs::path& folder, std::string_view beginning) {
  std::vector<fs::path> kept;
  for (const auto& file : fs::directory_iterator(folder)) {
    const bool stays = file.path().filename().string().starts_with(beginning);
    stays ? kept.push_back(file) : static_cast<void>(fs::remove_all(file));
  }
  return kept;
}

/// What a failed load means: another build may be taken, or it would fail in the same way.
bool may_be_built_again(const Error& error) {
  return error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kBackend ||
         error.code() == ErrorCode::kUnsupported || error.code() == ErrorCode::kInvalidArgument;
}

/// One call of Engine::open.
class Opening {
 public:
  Opening(std::shared_ptr<BackendContext> backend, const fs::path& model, Device device, const EngineOptions& options)
      : backend_(std::move(backend)), model_(model), device_(device), options_(options) {}

  std::shared_ptr<EngineState> open() {
    const EngineCache cache =
        options_.use_cache && is_worth_keeping() ? EngineCache::from_environment() : EngineCache({}, 0);
    if (!cache.is_on() || !identify(cache)) return build_uncached();
    if (auto engine = take(cache)) return engine;
    std::optional<EngineCache::Claim> claim = cache.claim(key_, [this] { return say("waiting for another build"); });
    if (!claim) return build_uncached();
    if (!is_refused_) {
      if (auto engine = take(cache)) return engine;  // Whoever had the lock before has built it.
    }
    return build_and_keep(cache, *std::move(claim));
  }

 private:
  struct Built {
    std::shared_ptr<EngineState> engine;
    EngineDetails details;
    PreparationReport preparation;
    std::string samples;  ///< The digest of those that it was compared on; empty: noise.
    double seconds = 0;
  };

  [[nodiscard]] bool is_reduced() const { return options_.precision != Precision::kFloat32; }
  [[nodiscard]] bool is_prepared() const {
    return is_onnx(model_) && (is_reduced() || !backend_->can(VRT_BACKEND_RESHAPES));
  }
  /// Without either a second start has the same work as the first.
  [[nodiscard]] bool is_worth_keeping() const { return backend_->can(VRT_BACKEND_SERIALIZES) || is_prepared(); }

  /// False where the caller asks to stop.
  [[nodiscard]] bool say(std::string_view phase, std::int32_t step = 0, std::int32_t steps = 0) const {
    return !options_.progress || options_.progress({phase, step, steps});
  }
  void announce(std::string_view phase) const {
    if (!say(phase)) fail(ErrorCode::kCancelled, "stopped before {} '{}'", phase, model_.string());
  }

  bool identify(const EngineCache& cache);
  std::shared_ptr<EngineState> take(const EngineCache& cache);
  std::shared_ptr<EngineState> make(const EngineCache::Found& found) const;
  std::shared_ptr<EngineState> build_uncached() const;
  std::shared_ptr<EngineState> build_and_keep(const EngineCache& cache, EngineCache::Claim claim) const;
  void keep(const EngineCache& cache, EngineCache::Claim claim, const Built& built) const;
  [[nodiscard]] std::optional<ManifestFile> serialize(const EngineState& engine, const fs::path& folder) const;
  [[nodiscard]] Built build(const fs::path& folder, const fs::path& timing_file) const;
  using Samples = std::span<const SampleInputs>;
  [[nodiscard]] std::vector<SampleInputs> make_samples() const;
  [[nodiscard]] PreparationReport prepare(const fs::path& target, Samples samples) const;
  [[nodiscard]] std::vector<SampleInputs> noise_of_signature() const;
  void measure(const std::shared_ptr<EngineState>& engine, const fs::path& prepared, Samples samples) const;
  [[nodiscard]] bool fits(const Manifest& manifest) const;
  void judge_kept(const AccuracyReport& report) const;
  /// `samples` is what messages call them.
  void require_accurate(const AccuracyReport& report, const std::string& samples, const std::string& layers) const;
  [[nodiscard]] Manifest describe(const Built& built) const;
  [[nodiscard]] BuildRequest request_for(const fs::path& file, const fs::path& timing_file = {}) const {
    return {model_, file, device_, &options_, file != model_ && !backend_->can(VRT_BACKEND_RESHAPES), timing_file};
  }
  [[nodiscard]] std::shared_ptr<EngineState> wrap(EngineHandle handle) const {
    return std::make_shared<EngineState>(backend_, model_, options_.batch, std::move(handle));
  }

  std::shared_ptr<BackendContext> backend_;
  const fs::path& model_;
  Device device_;
  const EngineOptions& options_;
  std::vector<DigestedFile> sources_;
  EngineIdentity identity_;
  std::string key_;
  bool is_refused_ = false;  // There is an entry, and it is not taken.
};

/// False where the model cannot be digested: then the backend says what is wrong with it, or reads it all the same.
bool Opening::identify(const EngineCache& cache) {
  constexpr std::uint64_t kMegabyte = 1 << 20;
  try {
    sources_ = digest_model(model_, cache.memo_folder(), [&](std::uint64_t bytes, std::uint64_t total) {
      return say("hashing", static_cast<std::int32_t>(bytes / kMegabyte), static_cast<std::int32_t>(total / kMegabyte));
    });
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::kCancelled) throw;
    if (problem.code() == ErrorCode::kUnavailable) cache.warn_unusable(problem.what());
    log(LogLevel::kInfo, fmt::format("the engine is not kept for the next start: {}", problem.what()));
    return false;
  }
  identity_ = identify_engine(sources_, *backend_, device_, options_);
  key_ = key_of(identity_);
  return true;
}

std::shared_ptr<EngineState> Opening::take(const EngineCache& cache) {
  const auto start = Clock::now();
  const EngineCache::LookUp look_up = cache.find(key_);
  is_refused_ = look_up.is_unsound || (look_up.found && !fits(look_up.found->manifest));
  if (!look_up.found || is_refused_) return nullptr;
  const Manifest& manifest = look_up.found->manifest;
  if (manifest.accuracy) judge_kept(*manifest.accuracy);
  try {
    std::shared_ptr<EngineState> engine = make(*look_up.found);
    engine->set_accuracy(manifest.accuracy);
    log(LogLevel::kInfo, fmt::format("'{}': loaded from cache entry {} in {:.0f} ms", model_.string(),
                                     key_.substr(0, 12), 1000 * seconds_since(start)));
    return engine;
  } catch (const Error& problem) {
    if (!may_be_built_again(problem)) throw;
    log(LogLevel::kWarning, fmt::format("an engine of the cache is not taken and built again: {}", problem.what()));
  }
  is_refused_ = true;
  return nullptr;
}

/// Where the backend has not serialised it, it compiles the prepared file.
std::shared_ptr<EngineState> Opening::make(const EngineCache::Found& found) const {
  if (found.engine) return wrap(load_engine(*backend_, request_for(model_), found.engine->bytes()));
  return wrap(build_engine(*backend_, request_for(found.model)));
}

/// Whether an entry is what the caller wants compared: on its own samples, if it gives some.
bool Opening::fits(const Manifest& manifest) const {
  if (!is_reduced()) return true;
  const std::string samples = digest_of(options_.accuracy.samples);
  const bool fits = manifest.accuracy && (samples.empty() || samples == manifest.samples);
  if (!fits) log(LogLevel::kInfo, "the kept engine was compared with float32 on other samples: it is built again");
  return fits;
}

std::shared_ptr<EngineState> Opening::build_uncached() const {
  if (!is_prepared()) return build({}, {}).engine;
  const TemporaryFolder folder(fs::temp_directory_path() / "vrt-engine-");
  return build(folder.path(), {}).engine;
}

std::shared_ptr<EngineState> Opening::build_and_keep(const EngineCache& cache, EngineCache::Claim claim) const {
  const fs::path place = claim.folder.path();
  const fs::path timing = device_.is_cuda() ? cache.timing_file(identity_, vrt::describe(device_).name) : fs::path();
  try {
    const Built built = build(claim.folder.path(), timing);
    keep(cache, std::move(claim), built);
    return built.engine;
  } catch (const Error& problem) {
    std::error_code ignored;  // Somebody may have removed the cache, and the prepared model with it.
    if (problem.code() == ErrorCode::kCancelled || (problem.code() != ErrorCode::kIo && fs::exists(place, ignored)))
      throw;
    cache.warn_unusable(problem.what());  // The disk may be full: the prepared model has another place.
  }
  return build_uncached();
}

void Opening::keep(const EngineCache& cache, EngineCache::Claim claim, const Built& built) const {
  announce("storing");
  if (!are_unchanged(sources_)) {
    log(LogLevel::kWarning, fmt::format("'{}' changed while it was built: the engine is not kept", model_.string()));
    return;
  }
  try {
    Manifest manifest = describe(built);
    const fs::path& folder = claim.folder.path();
    if (auto engine = serialize(*built.engine, folder)) manifest.files.push_back(std::move(*engine));
    const std::vector<fs::path> prepared =
        keep_alone(folder, manifest.files.empty() ? EngineCache::kModelFile : EngineCache::kEngineFile);
    if (manifest.files.empty()) {
      for (const fs::path& file : prepared) manifest.files.push_back(describe_kept(file));
    }
    if (!manifest.files.empty()) static_cast<void>(cache.store(std::move(claim), manifest));
  } catch (const std::exception& problem) {
    cache.warn_unusable(problem.what());
  }
}

/// Nothing where the backend serialises no engines, or not this one.
std::optional<ManifestFile> Opening::serialize(const EngineState& engine, const fs::path& folder) const {
  const fs::path file = folder / EngineCache::kEngineFile;
  if (!backend_->can(VRT_BACKEND_SERIALIZES)) return std::nullopt;
  try {
    return serialize_engine(engine, file);
  } catch (const Error& problem) {
    if (problem.code() != ErrorCode::kUnsupported) throw;
    log(LogLevel::kInfo, fmt::format("{}: {} is compiled again at the next start", problem.what(),
                                     is_prepared() ? "the prepared model" : "the model"));
  }
  fs::remove(file);
  return std::nullopt;
}

Opening::Built Opening::build(const fs::path& folder, const fs::path& timing_file) const {
  const auto start = Clock::now();
  Built built;
  const std::vector<SampleInputs> made = make_samples();
  const Samples samples = made.empty() ? Samples(options_.accuracy.samples) : Samples(made);
  const fs::path file = is_prepared() ? folder / EngineCache::kModelFile : model_;
  if (is_prepared()) built.preparation = prepare(file, samples);
  log(LogLevel::kInfo, fmt::format("'{}': building for {} with {} {}", model_.string(), to_string(device_),
                                   backend_->name(), backend_->version()));
  announce("building");
  built.engine = wrap(build_engine(*backend_, request_for(file, timing_file)));
  if (is_reduced() || !folder.empty()) built.details = built.engine->describe();
  require_precision(built.details, options_.precision, built.preparation);
  if (is_reduced()) measure(built.engine, file, samples);
  if (is_reduced()) built.samples = digest_of(samples);
  built.seconds = seconds_since(start);
  log(LogLevel::kInfo, fmt::format("'{}': built in {:.1f} s", model_.string(), built.seconds));
  return built;
}

/// Empty where the caller gives some, or nothing to make them by.
std::vector<SampleInputs> Opening::make_samples() const {
  const AccuracyOptions& asked = options_.accuracy;
  if (!is_reduced() || !asked.samples.empty() || !asked.make_samples) return {};
  announce("taking samples");
  return asked.make_samples();
}

PreparationReport Opening::prepare(const fs::path& target, Samples samples) const {
  announce("preparing");
  if (!is_reduced()) return prepare_model(model_, options_, {}, target);
  if (!samples.empty()) return prepare_model(model_, options_, samples, target);
  return prepare_model(model_, options_, noise_of_signature(), target);
}

/// Noise for the file's inputs with the options' shapes; nothing where one stays open, which prepare_model names.
std::vector<SampleInputs> Opening::noise_of_signature() const {
  std::vector<TensorInfo> inputs = read_signature(model_).inputs;
  for (TensorInfo& input : inputs) {
    auto given = options_.input_shapes.find(input.name);
    if (given == options_.input_shapes.end() && inputs.size() == 1) given = options_.input_shapes.find("");
    if (given != options_.input_shapes.end()) input.shape = given->second;
    const auto declared = input.shape.extents();
    std::vector<std::int64_t> extents(declared.begin(), declared.end());
    input.batched = options_.batch.largest > 0 && !extents.empty() && extents[0] == Shape::kDynamic;
    if (input.batched) extents[0] = options_.batch.largest;
    input.shape = Shape(std::span<const std::int64_t>(extents));
    if (!input.shape.is_static()) return {};
  }
  return noise_samples(inputs, trial_batch(options_.batch));
}

void Opening::measure(const std::shared_ptr<EngineState>& engine, const fs::path& prepared, Samples samples) const {
  announce("comparing");
  const Engine reduced = EngineMaker::make(engine);
  const Engine reference = open_reference(model_, options_, std::string(backend_->name()));
  AccuracyReport report = compare(reduced, reference, samples,
                                  [this](std::int32_t run, std::int32_t runs) { return say("comparing", run, runs); });
  const std::string& name = options_.accuracy.samples_name;
  if (find_worst(report, options_.accuracy) != nullptr)
    require_accurate(report, name.empty() ? "samples" : name,
                     describe_differing_layers(backend_, request_for(prepared)));
  engine->set_accuracy(std::move(report));
}

/// Whoever built it with bounds of their own has decided for this machine; bounds that a caller gives count all the same.
void Opening::judge_kept(const AccuracyReport& report) const {
  const AccuracyOptions defaults;
  const AccuracyOptions& asked = options_.accuracy;
  const bool any_given =
      asked.least_cosine != defaults.least_cosine || asked.largest_difference != defaults.largest_difference;
  if (any_given) return require_accurate(report, "samples", "");
  if (const OutputAccuracy* worst = find_worst(report, asked)) {
    log(LogLevel::kWarning, fmt::format("'{}' in float16 was built with laxer bounds than usual: it is off in {}",
                                        model_.string(), detail::describe(*worst, asked)));
  }
}

void Opening::require_accurate(const AccuracyReport& report, const std::string& samples,
                               const std::string& layers) const {
  const OutputAccuracy* worst = find_worst(report, options_.accuracy);
  if (worst == nullptr) return;
  fail(ErrorCode::kUnsupported,
       "'{}' in float16 by {} {} differs too much from float32 by {} on {} {}: {}{}; keep float32, {}or allow more "
       "(--max-difference of the tool, EngineOptions::accuracy)",
       model_.string(), backend_->name(), backend_->version(), report.reference, report.runs,
       report.on_noise ? "runs of noise" : samples, detail::describe(*worst, options_.accuracy), layers,
       report.on_noise ? "give samples of what the network is for (--samples of `vrt engine build`), " : "");
}

Manifest Opening::describe(const Built& built) const {
  Manifest manifest;
  manifest.identity = identity_;
  for (const DigestedFile& file : sources_)
    manifest.sources.push_back({file.path.string(), file.identity.bytes, file.sha256});
  manifest.library = backend_->location();
  manifest.device = to_string(device_);
  manifest.driver_version = driver_version_of(device_);
  manifest.created = utc_now();
  manifest.build_seconds = built.seconds;
  for (const EngineLayer& layer : built.details.layers) ++manifest.layers[layer.precision];
  manifest.weights_bytes = built.details.weights_bytes;
  manifest.activation_bytes = built.details.activation_bytes;
  manifest.converted_nodes = built.preparation.converted_nodes;
  manifest.kept = built.preparation.kept;
  manifest.kept_count = manifest.kept.size();
  if (manifest.kept.size() > Manifest::kMostKept) manifest.kept.resize(Manifest::kMostKept);
  manifest.accuracy = built.engine->accuracy();
  manifest.samples = built.samples;
  return manifest;
}

}  // namespace

std::shared_ptr<EngineState> open_engine(std::shared_ptr<BackendContext> backend, const fs::path& model, Device device,
                                         const EngineOptions& options) {
  return Opening(std::move(backend), model, device, options).open();
}

}  // namespace vrt::detail
