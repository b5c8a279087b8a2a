#include "vrt/image/preprocessor.h"

#include <cmath>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/image/preprocess_cu.h"
#include "vrt/image/preprocess_params.h"

namespace vrt {
namespace {

using detail::PreprocessKernel;
using Bytes = DeviceSpan<const std::uint8_t>;
using MakePictures = void(Bytes, Bytes, Bytes, DeviceSpan<float>, detail::PreprocessParams);
using MakeCrops = void(Bytes, Bytes, Bytes, DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<float>,
                       detail::PreprocessParams);

// A kernel for pictures and for crops.
struct PreprocessKernels {
  PreprocessKernels(const KernelModule& module, PreprocessKernel kernel_of)
      : kernel(kernel_of),
        pictures(module.get<MakePictures>(("preprocess_" + std::string(to_string(kernel))).c_str())),
        crops(module.get<MakeCrops>(("preprocess_crops_" + std::string(to_string(kernel))).c_str())) {}

  PreprocessKernel kernel;
  Kernel<MakePictures> pictures;
  Kernel<MakeCrops> crops;
};

// CUDA's limit on layers of blocks.
constexpr std::int32_t kMostLayers = 65535;

void validate(const PreprocessOptions& options) {
  require(options.target.width > 0 && options.target.height > 0, "a preprocessing target of {}x{} pixels is empty",
          options.target.width, options.target.height);
  require(std::isfinite(options.scale), "a scale of {}: pixels would not be numbers", options.scale);
  require(options.pad_value >= 0 && options.pad_value <= 255, "a pad value of {}: expected 0 to 255",
          options.pad_value);
  for (const float mean : options.mean) require(std::isfinite(mean), "a mean of {} cannot be subtracted", mean);
  for (const float deviation : options.standard_deviation) {
    require(std::isfinite(deviation) && deviation != 0, "a standard deviation of {} cannot be divided by", deviation);
  }
}

std::size_t picture_floats(const PreprocessOptions& options) {
  return std::size_t{3} * static_cast<std::size_t>(options.target.width) *
         static_cast<std::size_t>(options.target.height);
}

void require_batch(const ImageBatch& batch, const Device& device) {
  require(batch.first.device == device, "a picture on {} for a preprocessor on {}: upload it to {} first",
          batch.first.device, device, device);
  batch.validate();
  require(batch.count <= kMostLayers, "{} pictures in one call: at most {}", batch.count, kMostLayers);
}

void require_output(DeviceSpan<float> output, std::size_t pictures, const PreprocessOptions& options) {
  std::size_t expected = 0;
  // A product that wraps could be the size of a small output.
  const bool overflows = __builtin_mul_overflow(pictures, picture_floats(options), &expected);
  require(!overflows, "{} pictures of 3 x {} x {} floats: more than memory can hold", pictures, options.target.height,
          options.target.width);
  require(output.size() == expected, "preprocessing output of {} floats: {} x 3 x {} x {} = {} expected", output.size(),
          pictures, options.target.height, options.target.width, expected);
}

// The plane that the kernels read channel 0, 1 or 2 from, of all pictures.
Bytes plane_span(const ImageBatch& batch, std::size_t channel) {
  const ImageView& image = batch.first;
  const std::size_t plane = detail::plane_of(image.format, channel);
  const ImagePlane& from = image.planes[plane];
  const auto index = static_cast<int>(plane);
  const auto rows = static_cast<std::size_t>(row_count(image.format, image.size.height, index));
  // The last row need not be padded to the pitch.
  const std::size_t last = (rows - 1) * from.pitch_bytes + row_bytes(image.format, image.size.width, index);
  return Bytes::from_raw(from.data, static_cast<std::size_t>(batch.count - 1) * batch.stride_bytes[plane] + last);
}

DeviceSpan<const float> corners_of(DeviceSpan<const CropBox> boxes) {
  static_assert(sizeof(CropBox) == 4 * sizeof(float));
  return DeviceSpan<const float>::from_raw(reinterpret_cast<const float*>(boxes.data()), boxes.size() * 4);
}

}  // namespace

struct Preprocessor::State {
  State(const Stream& stream_of, const PreprocessOptions& options_of, const KernelModule& module, bool antialias)
      : stream(stream_of),
        options(options_of),
        general(module, antialias ? PreprocessKernel::kAntialiased : PreprocessKernel::kBilinear),
        special(module, antialias ? PreprocessKernel::kAntialiasedYuv : PreprocessKernel::kBilinearNv12) {}

  [[nodiscard]] PreprocessKernel kernel(const ImageBatch& batch) const {
    return detail::preprocess_kernel(options.interpolation, batch);
  }
  [[nodiscard]] const PreprocessKernels& kernels_for(const ImageBatch& batch) const {
    return kernel(batch) == special.kernel ? special : general;
  }
  [[nodiscard]] LaunchShape shape(const ImageBatch& batch, std::size_t layers) const {
    return detail::preprocess_shape(kernel(batch), options.target, layers);
  }

  /// Of a batch and an output that fit this preprocessor.
  [[nodiscard]] ResizeMapping checked_mapping(const ImageBatch& batch, DeviceSpan<float> output) const {
    require_batch(batch, stream.device());
    require_output(output, static_cast<std::size_t>(batch.count), options);
    const ResizeMapping mapping =
        ResizeMapping::make(options.mode, batch.first.size, options.target, options.pad_position);
    require_rows(mapping.used.height, mapping.filled.height);
    return mapping;
  }

  /// Of the source, for so many of the output.
  void require_rows(std::int64_t source, std::int64_t output) const {
    if (options.interpolation != Interpolation::kBilinearAntialiased) return;
    require(source <= detail::kMostRowStep * output,
            "{} rows of a picture become {}: antialiasing makes one of at most {}", source, output,
            detail::kMostRowStep);
  }

  void require_crops(const ImageView& image, DeviceSpan<const CropBox> boxes, DeviceSpan<const std::int32_t> count,
                     DeviceSpan<float> output) const {
    require_batch({image, 1, {}}, stream.device());
    require_output(output, boxes.size(), options);
    require(count.size() == 1, "the number of crops is one element of device memory, not {}", count.size());
    require(boxes.size() <= std::size_t{kMostLayers}, "{} crops in one call: at most {}", boxes.size(), kMostLayers);
    require_rows(std::int64_t{3} * image.size.height,
                 options.target.height);  // A box reaches a picture's height beyond it.
  }

  [[nodiscard]] detail::PreprocessParams crop_params(const ImageBatch& batch, std::size_t crop_count) const {
    const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kStretch, batch.first.size, options.target);
    return detail::preprocess_params(batch, options, mapping, crop_count);
  }

  Stream stream;
  PreprocessOptions options;
  PreprocessKernels general;
  PreprocessKernels special;  // For certain formats.
};

Preprocessor::Preprocessor(const Stream& stream, const PreprocessOptions& options) {
  validate(options);
  state_ = std::make_unique<State>(stream, options, KernelModule::load(stream.device(), kernels::preprocess_cu),
                                   options.interpolation == Interpolation::kBilinearAntialiased);
}

Preprocessor::~Preprocessor() = default;
Preprocessor::Preprocessor(Preprocessor&&) noexcept = default;
Preprocessor& Preprocessor::operator=(Preprocessor&&) noexcept = default;

const PreprocessOptions& Preprocessor::options() const noexcept { return state_->options; }

ResizeMapping Preprocessor::submit(const ImageView& image, DeviceSpan<float> output) {
  return submit_batch({image, 1, {}}, output);
}

ResizeMapping Preprocessor::submit_batch(const ImageBatch& batch, DeviceSpan<float> output) {
  const ResizeMapping mapping = state_->checked_mapping(batch, output);
  const auto count = static_cast<std::size_t>(batch.count);
  state_->kernels_for(batch).pictures.launch(state_->stream, state_->shape(batch, count), plane_span(batch, 0),
                                             plane_span(batch, 1), plane_span(batch, 2), output,
                                             detail::preprocess_params(batch, state_->options, mapping, count));
  return mapping;
}

ResizeMapping Preprocessor::update(Graph& graph, GraphNode node, const ImageView& image, DeviceSpan<float> output) {
  const ImageBatch batch{image, 1, {}};
  const ResizeMapping mapping = state_->checked_mapping(batch, output);
  state_->kernels_for(batch).pictures.update(graph, node, state_->shape(batch, 1), plane_span(batch, 0),
                                             plane_span(batch, 1), plane_span(batch, 2), output,
                                             detail::preprocess_params(batch, state_->options, mapping, 1));
  return mapping;
}

void Preprocessor::submit_crops(const ImageView& image, DeviceSpan<const CropBox> boxes,
                                DeviceSpan<const std::int32_t> count, DeviceSpan<float> output) {
  state_->require_crops(image, boxes, count, output);
  if (boxes.empty()) return;
  const ImageBatch batch{image, 1, {}};
  state_->kernels_for(batch).crops.launch(state_->stream, state_->shape(batch, boxes.size()), plane_span(batch, 0),
                                          plane_span(batch, 1), plane_span(batch, 2), corners_of(boxes), count, output,
                                          state_->crop_params(batch, boxes.size()));
}

void Preprocessor::update_crops(Graph& graph, GraphNode node, const ImageView& image, DeviceSpan<const CropBox> boxes,
                                DeviceSpan<const std::int32_t> count, DeviceSpan<float> output) {
  state_->require_crops(image, boxes, count, output);
  require(!boxes.empty(), "no crops: nothing was captured that could get another picture");
  const ImageBatch batch{image, 1, {}};
  state_->kernels_for(batch).crops.update(graph, node, state_->shape(batch, boxes.size()), plane_span(batch, 0),
                                          plane_span(batch, 1), plane_span(batch, 2), corners_of(boxes), count, output,
                                          state_->crop_params(batch, boxes.size()));
}

}  // namespace vrt
