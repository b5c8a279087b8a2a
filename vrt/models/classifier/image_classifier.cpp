#include "vrt/models/classifier/image_classifier.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/device/kernel.h"
#include "vrt/models/classifier/classifier_format.h"
#include "vrt/models/classifier/classify_keys_cu.h"
#include "vrt/models/classifier/classify_scores_cu.h"
#include "vrt/models/common/candidate_ranking.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/common/load_kernel.h"
#include "vrt/models/common/picture_network.h"

namespace vrt {
namespace {

static_assert(ImageClassifier::kMaxClasses <= CandidateRanking::kMaxRanked);
constexpr std::uint32_t kScoreThreads = 256;

using Keys = void(DeviceSpan<const float>, std::int32_t, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
using Scores = void(DeviceSpan<const float>, std::int32_t, DeviceSpan<const std::uint64_t>,
                    DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t, DeviceSpan<std::int32_t>,
                    DeviceSpan<float>, DeviceSpan<std::int32_t>);

std::int32_t class_count_of(const Engine& engine) {
  require(is_classifier_output(outputs_of_a_picture(engine)),
          "{}: not a classifier's output: expected one, float32 [1, C], found {}", engine.model().string(),
          describe_tensors(engine.outputs()));
  return static_cast<std::int32_t>(engine.outputs()[0].shape[1]);
}

PreprocessOptions preprocessing_of(const Engine& engine, const ImageClassifierOptions& options) {
  PreprocessOptions preprocessing = options.preprocessing;
  preprocessing.target = picture_input_of(engine, "a classifier");
  return preprocessing;
}

// How many classes a result holds.
std::int32_t checked_top_k(const ImageClassifierOptions& options, std::int32_t classes, const Engine& engine) {
  require(options.top_k >= 1 && options.top_k <= ImageClassifier::kMaxClasses, "top_k must be in [1, {}], not {}",
          ImageClassifier::kMaxClasses, options.top_k);
  require(options.names.size() == 0 || options.names.size() == static_cast<std::size_t>(classes),
          "{}: the network has {} classes, there are names for {}", engine.model().string(), classes,
          options.names.size());
  return std::min(options.top_k, classes);
}

}  // namespace

bool is_classifier_output(std::span<const TensorInfo> outputs) { return is_only(outputs, {1, Shape::kDynamic}); }

PreprocessOptions imagenet_preprocessing() {
  PreprocessOptions options;
  options.mode = ResizeMode::kCrop;
  options.interpolation = Interpolation::kBilinearAntialiased;
  options.mean = {0.485F, 0.456F, 0.406F};
  options.standard_deviation = {0.229F, 0.224F, 0.225F};
  return options;
}

struct ImageClassifierResult::State {
  State(const Stream& stream, std::int32_t top_k, const ClassNames& labels)
      : device(stream.device()),
        names(labels),
        device_ids(DeviceBuffer<std::int32_t>::zeros(stream, static_cast<std::size_t>(top_k))),
        device_scores(DeviceBuffer<float>::zeros(stream, static_cast<std::size_t>(top_k))),
        device_count(DeviceBuffer<std::int32_t>::zeros(stream, 1)),
        ids(device, device_ids.size()),
        scores(device, device_scores.size()),
        count(device, 1),
        classes(device_ids.size()) {}

  void enqueue_read_back(const Stream& stream) {
    read_back(stream, device_ids.span(), ids.span());
    read_back(stream, device_scores.span(), scores.span());
    read_back(stream, device_count.span(), count.span());
  }

  void assemble() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count[0]); ++i)
      classes[i] = {ids[i], scores[i], names[ids[i]]};
  }

  Device device;
  ClassNames names;
  DeviceBuffer<std::int32_t> device_ids;
  DeviceBuffer<float> device_scores;
  DeviceBuffer<std::int32_t> device_count;
  PinnedBuffer<std::int32_t> ids;
  PinnedBuffer<float> scores;
  PinnedBuffer<std::int32_t> count;
  std::vector<Classification> classes;  // As long as it can get.
};

ImageClassifierResult::ImageClassifierResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ImageClassifierResult::~ImageClassifierResult() = default;
ImageClassifierResult::ImageClassifierResult(ImageClassifierResult&&) noexcept = default;
ImageClassifierResult& ImageClassifierResult::operator=(ImageClassifierResult&&) noexcept = default;

std::span<const Classification> ImageClassifierResult::classes() const {
  // On each call: a replayed graph writes new results without any call that could be noticed here.
  state_->assemble();
  return std::span<const Classification>(state_->classes).first(static_cast<std::size_t>(state_->count[0]));
}

struct ImageClassifier::State {
  State(const Engine& engine, const Stream& on, const ImageClassifierOptions& wanted)
      : names(wanted.names),
        softmax(wanted.softmax ? 1 : 0),
        class_count(class_count_of(engine)),
        top_k(checked_top_k(wanted, class_count, engine)),
        network(engine, on, preprocessing_of(engine, wanted)),
        ranking(on, class_count),
        counts(DeviceBuffer<std::int32_t>::zeros(on, 2)),
        make_keys(load_kernel<Keys>(on, kernels::classify_keys_cu, "classify_keys")),
        score(load_kernel<Scores>(on, kernels::classify_scores_cu, "classify_scores")) {}

  void check(const ImageClassifierResult::State& result) const {
    require(result.device == network.stream().device(), "the result is for {}, this classifier runs on {}",
            result.device, network.stream().device());
    require(result.classes.size() >= static_cast<std::size_t>(top_k), "the result has room for {} classes, expected {}",
            result.classes.size(), top_k);
  }

  void rank(DeviceSpan<const float> values, ImageClassifierResult::State& result) {
    const Stream& stream = network.stream();
    const auto candidates = counts.span().subspan(0, 1);
    const auto ranked = counts.span().subspan(1, 1);
    fill_bytes(stream, candidates, 0);
    make_keys.launch(stream, grid_1d(values.size()), values, class_count, ranking.keys(), candidates);
    ranking.submit(candidates, ranked);
    score.launch(stream, grid_per_item(1, kScoreThreads), values, class_count, ranking.ranked(), ranked, top_k, softmax,
                 result.device_ids.span(), result.device_scores.span(), result.device_count.span());
  }

  ClassNames names;
  std::int32_t softmax;
  std::int32_t class_count;
  std::int32_t top_k;
  PictureNetwork network;
  CandidateRanking ranking;
  DeviceBuffer<std::int32_t> counts;  // Finite values; those that are ranked.
  Kernel<Keys> make_keys;
  Kernel<Scores> score;
};

ImageClassifier::ImageClassifier(const Engine& engine, const Stream& stream, const ImageClassifierOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
ImageClassifier::~ImageClassifier() = default;
ImageClassifier::ImageClassifier(ImageClassifier&&) noexcept = default;
ImageClassifier& ImageClassifier::operator=(ImageClassifier&&) noexcept = default;

const ClassNames& ImageClassifier::names() const noexcept { return state_->names; }

ImageClassifierResult ImageClassifier::allocate_result() const {
  return ImageClassifierResult(
      std::make_unique<ImageClassifierResult::State>(state_->network.stream(), state_->top_k, state_->names));
}

void ImageClassifier::submit(const ImageView& image, ImageClassifierResult& result) {
  ImageClassifierResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void ImageClassifier::submit(std::span<const ImageView> images, std::span<ImageClassifierResult* const> results) {
  require_results(images, results);
  for (const ImageClassifierResult* result : results) state_->check(*result->state_);
  state_->network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ImageClassifierResult::State& into = *results[i]->state_;
    state_->rank(state_->network.output(0, i), into);
    into.enqueue_read_back(state_->network.stream());
  }
}

GraphNode ImageClassifier::input_node() const { return state_->network.input_node(); }

void ImageClassifier::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.update(graph, input, image);
}

}  // namespace vrt
