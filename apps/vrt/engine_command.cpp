#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/vrt/commands.h"
#include "apps/vrt/engine_report.h"
#include "apps/vrt/logging.h"
#include "apps/vrt/model_arguments.h"
#include "apps/vrt/printable.h"
#include "apps/vrt/progress.h"
#include "apps/vrt/signals.h"
#include "vrt/base/cache_paths.h"
#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/engine/engine_identity.h"
#include "vrt/engine/engine_state.h"
#include "vrt/engine/model_digest.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/hub/registry.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/recognition.h"
#include "vrt/pipeline/lanes.h"
#include "vrt/pipeline/sample_frames.h"

namespace vrt::cli {
namespace {

using detail::EngineCache;

EngineCache open_cache() {
  EngineCache cache = EngineCache::from_environment();
  if (!cache.is_on()) {
    fail(ErrorCode::kUnavailable,
         "there is no engine cache: VRT_ENGINE_CACHE is off or there is no place for a cache; set VRT_CACHE");
  }
  return cache;
}

/// Numbers between separators; nothing where one is no number from 1 up.
std::optional<std::vector<std::int64_t>> read_numbers(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const char* const stop = text.data() + end;
    std::int64_t number = 0;
    const auto [read, error] = std::from_chars(text.data(), stop, number);
    if (error != std::errc() || read != stop || number < 1) return std::nullopt;
    numbers.push_back(number);
    if (end == text.size()) return numbers;
    text.remove_prefix(end + 1);
  }
}

/// "image=1x3x480x640"; a name may hold "=" itself.
std::pair<std::string, Shape> read_input(const std::string& text) {
  const std::size_t split = text.rfind('=');
  const std::string name = split == std::string::npos ? "" : text.substr(0, split);
  const auto extents = read_numbers(std::string_view(text).substr(split == std::string::npos ? 0 : split + 1), 'x');
  require(extents && extents->size() <= Shape::kMaxRank, "--input {}: expected [NAME=]1x3x480x640, {} numbers at most",
          text, Shape::kMaxRank);
  return {name, Shape(std::span<const std::int64_t>(*extents))};
}

BatchRange read_batch(const std::string& text) {
  if (text.empty()) return {};
  const auto numbers = read_numbers(text, ':');
  require(numbers && numbers->size() == 3, "--batch {}: expected three counts, as in 1:4:8", text);
  return {numbers->at(0), numbers->at(1), numbers->at(2)};
}

/// The input that takes pictures: the only one, float32 [1, 3, H, W].
TensorInfo picture_input(const std::filesystem::path& file, const EngineOptions& options) {
  std::vector<TensorInfo> inputs = detail::read_signature(file).inputs;
  if (inputs.size() == 1 && !options.input_shapes.empty()) inputs[0].shape = options.input_shapes.begin()->second;
  const bool fits = inputs.size() == 1 && inputs[0].type == DType::kFloat32 && inputs[0].shape.rank() == 4 &&
                    inputs[0].shape[1] == 3 && inputs[0].shape[2] > 0 && inputs[0].shape[3] > 0;
  require(
      fits,
      "--samples: '{}' does not have one input of pictures, float32 [N, 3, H, W] with H and W known; give its shape by "
      "--input, or compare on noise",
      file.string());
  return inputs[0];
}

/// How the model's own class prepares pictures; for a model that vrt has no class for: stretched, RGB, 0 to 1.
struct Preparation {
  PreprocessOptions options;
  std::string description;
};

Preparation preparation_for(const ModelChoice& model, Size size) {
  if (model.family.empty() && !has_family(model.file))
    return {{.target = size}, "stretched to the input, RGB, 0 to 1, as vrt has no class for this network"};
  const ModelFamily& family = model.family.empty() ? recognise_family(model.file) : find_family(model.family);
  require(family.preprocessing != nullptr,
          "--samples: {} looks at boxes of another network, not at whole pictures; compare on noise", family.title);
  return {family.preprocessing(model.file, size), fmt::format("as {} takes them", family.title)};
}

/// Frames of what --samples names.
void take_samples(const std::string& source, const ModelChoice& model, EngineOptions& options) {
  const TensorInfo input = picture_input(model.file, options);
  const Size size{static_cast<std::int32_t>(input.shape[3]), static_cast<std::int32_t>(input.shape[2])};
  const Preparation preparation = preparation_for(model, size);
  const SampleChoice choice{.pictures = std::max<std::int64_t>({1, input.shape[0], options.batch.smallest})};
  options.accuracy.samples = sample_frames(source, choice, preparation.options, input.name);
  options.accuracy.samples_name = fmt::format("frames of '{}' {}", source, preparation.description);
}

EngineOptions options_of(const EngineBuildArguments& arguments) {
  EngineOptions options;
  options.backend = checked_engine(arguments.engine);
  options.precision = precision_of(arguments.fp16);
  for (const std::string& input : arguments.inputs) options.input_shapes.insert(read_input(input));
  options.batch = read_batch(arguments.batch);
  options.accuracy.largest_difference = largest_difference_of(arguments.max_difference);
  options.workspace_bytes = static_cast<std::uint64_t>(arguments.workspace_mb) << 20U;
  options.optimization_level = arguments.optimization_level;
  options.hardware_compatible = arguments.hardware_compatible;
  return options;
}

/// What `vrt run` opens of a model: one session with all threads for a picture, and on a CPU several at once for a video.
std::vector<EngineOptions> uses_of(const EngineOptions& options, Device device) {
  std::vector<EngineOptions> uses{options};
  const std::size_t lanes = lanes_for_video(device);
  if (lanes == 1) return uses;
  uses.push_back(options);
  uses.back().hint = PerformanceHint::kThroughput;
  uses.back().concurrent_sessions = static_cast<std::int32_t>(lanes);
  return uses;
}

/// The entry of what was just opened.
EngineEntry entry_of(const EngineCache& cache, const Engine& engine, const EngineOptions& options) {
  const auto sources = detail::digest_model(engine.model(), cache.memo_folder(), {});
  const std::string key = detail::key_of(identify_engine(sources, engine.state()->context(), engine.device(), options));
  for (EngineEntry& entry : cache.entries()) {
    if (entry.key == key) return std::move(entry);
  }
  fail(ErrorCode::kUnavailable, "the engine was built, but is not kept in {}: -v says why", cache.folder().string());
}

void print(const std::vector<EngineEntry>& entries, bool json) {
  if (json) std::fputs(engine_json(entries).c_str(), stdout);
  if (json) return;
  for (const EngineEntry& entry : entries) std::fputs(engine_text(entry).c_str(), stdout);
}

bool is_digits_of_key(const std::string& text) {
  constexpr std::size_t kLeast = 6;
  return text.size() >= kLeast && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// By the first digits of the key, or by what the model's file holds.
std::vector<EngineEntry> find_entries(const EngineCache& cache, const std::string& what) {
  std::vector<EngineEntry> entries = cache.entries();
  std::string digest;
  if (!is_digits_of_key(what)) digest = sha256_of_file(resolve_model(what));
  std::erase_if(entries, [&](const EngineEntry& entry) {
    if (digest.empty()) return !entry.key.starts_with(what);
    return !entry.manifest || entry.manifest->identity.sources.front() != digest;
  });
  if (entries.empty()) fail(ErrorCode::kNotFound, "{}: no engine of it is kept in {}", what, cache.folder().string());
  return entries;
}

}  // namespace

int engine_build_command(const EngineBuildArguments& arguments) {
  Logging logging(arguments.verbosity);
  const EngineCache cache = open_cache();
  EngineOptions options = options_of(arguments);
  const Device device = device_for_models(arguments.device, arguments.engine);
  const ModelChoice model = model_choice(arguments.model);
  if (!arguments.samples.empty()) take_samples(arguments.samples, model, options);
  const StopOnSignal stop;
  std::vector<EngineEntry> entries;
  try {
    BuildLine line(stderr);
    options.progress = [&](const BuildProgress& progress) {
      line.show(progress);
      return !stop.flag()->load();
    };
    for (const EngineOptions& use : uses_of(options, device))
      entries.push_back(entry_of(cache, Engine::open(model.file, device, use), use));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled && stop.signal() != 0) return 128 + stop.signal();
    throw;
  }
  logging.print_held();
  print(entries, arguments.json);
  return kSuccess;
}

int engine_info_command(const std::string& what, bool json) {
  print(find_entries(open_cache(), what), json);
  return kSuccess;
}

int engine_list_command(bool json) {
  const EngineCache cache = open_cache();
  const std::vector<EngineEntry> entries = cache.entries();
  if (json) {
    std::fputs(engine_json(entries).c_str(), stdout);
    return kSuccess;
  }
  std::uint64_t bytes = 0;
  for (const EngineEntry& entry : entries) bytes += entry.bytes;
  if (!entries.empty()) std::fputs(engine_table(entries).c_str(), stdout);
  fmt::print("{} engines, {:.1f} MB in {}\n", entries.size(), static_cast<double>(bytes) / (1 << 20),
             cache.folder().string());
  return kSuccess;
}

int engine_prune_command(const EnginePruneArguments& arguments) {
  const EngineCache cache = open_cache();
  EngineCache::Removed removed;
  for (const EngineEntry& entry : cache.entries()) {
    if (EngineCache::find_fault(entry).empty()) continue;
    cache.remove(entry);
    ++removed.count;
    removed.bytes += entry.bytes;
  }
  std::uint64_t most = arguments.all ? 0 : cache.limit_bytes();
  if (arguments.keep_mb >= 0) most = static_cast<std::uint64_t>(arguments.keep_mb) << 20U;
  const EngineCache::Removed above = cache.prune(most);
  fmt::print("removed {} engines, {} bytes from {}\n", removed.count + above.count, removed.bytes + above.bytes,
             cache.folder().string());
  return kSuccess;
}

int engine_verify_command(bool json) {
  const EngineCache cache = open_cache();
  std::vector<EngineEntry> entries = cache.entries();
  for (EngineEntry& entry : entries) entry.problem = EngineCache::find_fault(entry);
  const auto faulty = std::ranges::count_if(entries, [](const EngineEntry& entry) { return !entry.problem.empty(); });
  if (json) std::fputs(engine_json(entries).c_str(), stdout);
  for (const EngineEntry& entry : entries) {
    if (!json)
      fmt::print("{} {}\n", entry.key, entry.problem.empty() ? "ok" : "not taken: " + printable(entry.problem));
  }
  if (!json)
    fmt::print("{} engines in {}, {} of them damaged or not ours\n", entries.size(), cache.folder().string(), faulty);
  return faulty == 0 ? kSuccess : kFailure;
}

}  // namespace vrt::cli
