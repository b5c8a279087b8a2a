#include "vrt/models/common/picture_network.h"

#include <algorithm>
#include <array>

#include "vrt/engine/engine_state.h"
#include "vrt/models/common/engine_tensors.h"

namespace vrt {
namespace {

using PlaneOffsets = std::array<std::ptrdiff_t, 3>;

bool have_one_layout(const ImageView& a, const ImageView& b) {
  bool same = a.size == b.size && a.format == b.format && a.color == b.color && a.device == b.device;
  for (int plane = 0; plane < plane_count(a.format) && same; ++plane) {
    const auto index = static_cast<std::size_t>(plane);
    same = a.planes[index].pitch_bytes == b.planes[index].pitch_bytes;
  }
  return same;
}

// From each plane of `a` to that of `b`. As numbers, since the pictures may be of different allocations.
PlaneOffsets offsets_between(const ImageView& a, const ImageView& b) {
  PlaneOffsets offsets{};
  for (int plane = 0; plane < plane_count(a.format); ++plane) {
    const auto index = static_cast<std::size_t>(plane);
    offsets[index] = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(b.planes[index].data) -
                                                 reinterpret_cast<std::uintptr_t>(a.planes[index].data));
  }
  return offsets;
}

// Whether a batch may have these strides: they are positive, and not as far as unrelated memory may be.
bool are_strides(const PlaneOffsets& offsets, PixelFormat format) {
  constexpr std::ptrdiff_t kFarthest = std::ptrdiff_t{1} << 40;
  return std::all_of(offsets.begin(), offsets.begin() + plane_count(format),
                     [](std::ptrdiff_t offset) { return offset > 0 && offset <= kFarthest; });
}

std::size_t picture_floats(Size size) {
  return std::size_t{3} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

}  // namespace

std::vector<TensorInfo> outputs_of_a_picture(const Engine& engine) {
  std::vector<TensorInfo> outputs(engine.outputs().begin(), engine.outputs().end());
  const bool has_batch = engine.inputs().size() == 1 && engine.inputs()[0].shape.rank() > 0;
  const std::int64_t batch = has_batch ? engine.inputs()[0].shape[0] : 1;
  if (batch == 1) return outputs;
  for (TensorInfo& output : outputs) {
    const auto extents = output.shape.extents();
    require(!extents.empty() && extents[0] == batch,
            "{}: the network takes {} pictures, and its output '{}' {} does not begin with one item for each",
            engine.model().string(), batch, output.name, to_string(output.shape));
    std::vector<std::int64_t> single(extents.begin(), extents.end());
    single[0] = 1;
    output.shape = Shape(std::span<const std::int64_t>(single));
  }
  return outputs;
}

ImageBatch leading_batch(std::span<const ImageView> images) {
  ImageBatch batch{images[0], 1, {}};
  if (images.size() < 2 || !have_one_layout(images[0], images[1])) return batch;
  const PlaneOffsets stride = offsets_between(images[0], images[1]);
  if (!are_strides(stride, images[0].format)) return batch;
  std::size_t count = 2;
  while (count < images.size() && have_one_layout(images[0], images[count]) &&
         offsets_between(images[count - 1], images[count]) == stride)
    ++count;
  batch.count = static_cast<std::int32_t>(count);
  std::ranges::transform(stride, batch.stride_bytes.begin(),
                         [](std::ptrdiff_t offset) { return static_cast<std::size_t>(offset); });
  return batch;
}

PictureNetwork::PictureNetwork(const Engine& engine, const Stream& stream, const PreprocessOptions& preprocessing)
    : stream_(stream),
      session_(engine, stream),
      preprocessor_(stream, preprocessing),
      input_(session_.input(0).as<float>()),
      changing_batch_(engine.inputs()[0].batched),
      smallest_batch_(engine.state()->batch().smallest),
      mappings_(static_cast<std::size_t>(engine.inputs()[0].shape[0])) {
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    const bool is_float = engine.outputs()[i].type == DType::kFloat32;
    outputs_.push_back(is_float ? session_.output(i).as<float>() : DeviceSpan<float>());
  }
}

DeviceSpan<float> PictureNetwork::input_of(std::size_t first, std::size_t count) const {
  const std::size_t floats = picture_floats(input());
  return input_.subspan(first * floats, count * floats);
}

DeviceSpan<const float> PictureNetwork::output(std::size_t index, std::size_t picture) const {
  const std::size_t floats = outputs_.at(index).size() / most_pictures();
  return outputs_[index].subspan(picture * floats, floats);
}

void PictureNetwork::submit(std::span<const ImageView> images) {
  if (images.size() > most_pictures()) {  // Not by `require`, for which the path would be made a text each time.
    fail(ErrorCode::kInvalidArgument,
         "{} pictures in one submit, and '{}' was opened for {}: give EngineOptions::batch a largest of {} where the "
         "model leaves its batch open, export the model for as many, or submit fewer at a time",
         images.size(), engine().model().string(), most_pictures(), images.size());
  }
  if (images.empty()) return;
  preprocess(images);
  if (changing_batch_) session_.set_batch(std::max(static_cast<std::int64_t>(images.size()), smallest_batch_));
  session_.submit();
}

void PictureNetwork::preprocess(std::span<const ImageView> images) {
  // A graph keeps the memory of each picture alive and may be given another one: there, each has a launch of its own.
  const bool is_captured = Graph::is_capturing(stream_);
  for (std::size_t first = 0; first < images.size();) {
    const ImageBatch batch = is_captured ? ImageBatch{images[first], 1, {}} : leading_batch(images.subspan(first));
    const auto count = static_cast<std::size_t>(batch.count);
    std::fill_n(mappings_.begin() + static_cast<std::ptrdiff_t>(first), count,
                preprocessor_.submit_batch(batch, input_of(first, count)));
    first += count;
  }
  if (!is_captured) return;
  input_node_.reset();
  if (images.size() == 1) input_node_ = Graph::last_node(stream_);
}

GraphNode PictureNetwork::input_node() const {
  require(input_node_.has_value(), "no submit of one picture was captured, or the last one was of several");
  return *input_node_;
}

void PictureNetwork::update(Graph& graph, GraphNode input, const ImageView& image) {
  preprocessor_.update(graph, input, image, input_of(0, 1));
}

}  // namespace vrt
