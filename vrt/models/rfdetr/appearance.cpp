#include "vrt/models/rfdetr/appearance.h"

#include "vrt/base/fail.h"
#include "vrt/models/rfdetr/rfdetr_appearance_cu.h"

namespace vrt {
namespace {

std::size_t product(std::int32_t a, std::int32_t b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

// One thread for each of `count`, for each of `instances`.
LaunchShape per_instance(std::size_t count, std::uint32_t instances) {
  LaunchShape shape = grid_1d(count, 128);
  shape.grid.y = instances;
  return shape;
}

}  // namespace

AppearanceBuffers::AppearanceBuffers(const Stream& stream, std::int32_t most, std::int32_t channels, bool read_back)
    : channels_(static_cast<std::size_t>(channels)),
      vectors_(stream, product(most, channels), read_back ? ReadBack::kWanted : ReadBack::kNone) {}

void AppearanceBuffers::enqueue_read_back(const Stream& stream) { vectors_.enqueue_read_back(stream); }

std::span<const float> AppearanceBuffers::host_vector(std::size_t index, std::size_t found) const {
  require(vectors_.is_read_back(),
          "appearance stays on the device unless the result was allocated with read_back_appearance");
  require(index < found, "there is no detection {}: the frame has {}", index, found);
  return vectors_.host().subspan(index * channels_, channels_);
}

TokenPooling::TokenPooling(const Stream& stream, const Grids& grids, std::int32_t most)
    : stream_(stream),
      grids_(grids),
      most_(static_cast<std::uint32_t>(most)),
      weights_(DeviceBuffer<float>::uninitialized(stream,
                                                  product(most, 1) * product(grids.token_width, grids.token_height))),
      sums_(DeviceBuffer<float>::uninitialized(stream, product(most, grids.channels))),
      weigh_(KernelModule::load(stream.device(), kernels::rfdetr_appearance_cu).get<Weigh>("rfdetr_token_weights")),
      pool_(KernelModule::load(stream.device(), kernels::rfdetr_appearance_cu).get<Pool>("rfdetr_pool_tokens")),
      normalise_(
          KernelModule::load(stream.device(), kernels::rfdetr_appearance_cu).get<Normalise>("rfdetr_normalise")) {}

void TokenPooling::submit(DeviceSpan<const float> masks, DeviceSpan<const float> tokens, const FoundSpans& found,
                          AppearanceBuffers& appearance) {
  if (!appearance.wanted()) return;
  const auto channels = static_cast<std::size_t>(grids_.channels);
  weigh_.launch(stream_, per_instance(product(grids_.token_width, grids_.token_height), most_), masks, found.indices,
                found.count, grids_, weights_.span());
  pool_.launch(stream_, per_instance(channels, most_), tokens, weights_.span(), found.count, grids_, sums_.span());
  normalise_.launch(stream_, per_instance(channels, most_), sums_.span(), found.count, grids_.channels,
                    appearance.vectors());
}

}  // namespace vrt
