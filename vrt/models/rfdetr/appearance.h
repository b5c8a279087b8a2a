// Internal (not installed): appearance vectors of found instances, on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/models/common/ranked_suppression.h"
#include "vrt/models/common/result_buffer.h"
#include "vrt/models/rfdetr/rfdetr_appearance_types.h"

namespace vrt {

/// Room for a vector of each instance, allocated once.
class AppearanceBuffers {
 public:
  /// No room at all: nothing is pooled.
  AppearanceBuffers() = default;
  AppearanceBuffers(const Stream& stream, std::int32_t most, std::int32_t channels, bool read_back);

  [[nodiscard]] bool wanted() const noexcept { return !vectors_.empty(); }
  [[nodiscard]] std::size_t channels() const noexcept { return channels_; }
  [[nodiscard]] DeviceSpan<float> vectors() { return vectors_.span(); }
  [[nodiscard]] DeviceSpan<const float> vectors() const { return vectors_.span(); }
  void enqueue_read_back(const Stream& stream);
  /// Contract of RfDetrSegResult::appearance.
  [[nodiscard]] std::span<const float> host_vector(std::size_t index, std::size_t found) const;

 private:
  std::size_t channels_ = 0;
  ResultBuffer<float> vectors_;
};

/// Pools a token grid under masks. The rules: a token's weight is the number of the mask's foreground cells (logit above 0) whose
/// centre lies in it; an instance's vector is the sum of the tokens' vectors by weight, scaled to unit length. Scratch and kernels
/// for one stream.
class TokenPooling {
 public:
  TokenPooling(const Stream& stream, const kernels::rfdetr_appearance::AppearanceGrids& grids, std::int32_t most);

  /// Enqueues. `masks` [1, Q, h, w], `tokens` [1, D, gh, gw].
  void submit(DeviceSpan<const float> masks, DeviceSpan<const float> tokens, const FoundSpans& found,
              AppearanceBuffers& appearance);

 private:
  using Grids = kernels::rfdetr_appearance::AppearanceGrids;
  using Weigh = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>, Grids,
                     DeviceSpan<float>);
  using Pool = void(DeviceSpan<const float>, DeviceSpan<const float>, DeviceSpan<const std::int32_t>, Grids,
                    DeviceSpan<float>);
  using Normalise = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<float>);

  Stream stream_;
  Grids grids_;
  std::uint32_t most_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float> sums_;
  Kernel<Weigh> weigh_;
  Kernel<Pool> pool_;
  Kernel<Normalise> normalise_;
};

}  // namespace vrt
