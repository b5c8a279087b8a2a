#include "vrt/pipeline/benchmark_frames.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

/// Reads a side from the front of `text` and takes it off; 0 for anything that is no side of a picture.
std::int32_t take_side(std::string_view& text) {
  constexpr std::int32_t kLargestSide = 16384;
  std::int32_t side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc() || side < 1 || side > kLargestSide) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return side;
}

std::optional<PixelFormat> format_named(std::string_view name) {
  for (const PixelFormat format : {PixelFormat::kI420, PixelFormat::kNv12, PixelFormat::kRgb8}) {
    if (name == to_string(format)) return format;
  }
  return std::nullopt;
}

/// Reads "WxH" from the front of `text` and takes it off.
std::optional<Size> take_size(std::string_view& text) {
  Size size;
  size.width = take_side(text);
  if (size.width == 0 || !text.starts_with('x')) return std::nullopt;
  text.remove_prefix(1);
  size.height = take_side(text);
  if (size.height == 0) return std::nullopt;
  return size;
}

/// A slope along the memory with noise on it, another for each seed.
std::vector<std::uint8_t> made_pixels(std::size_t count, std::uint32_t seed) {
  constexpr std::uint32_t kNoise = 48;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> pixels(count);
  for (std::size_t i = 0; i < count; ++i)
    pixels[i] = static_cast<std::uint8_t>((255 - kNoise) * i / count + random() % kNoise);
  return pixels;
}

}  // namespace

SyntheticFrames SyntheticFrames::parse(std::string_view text) {
  std::string_view rest = text;
  SyntheticFrames frames;
  const auto size = take_size(rest);
  const auto format = rest.empty() ? frames.format : format_named(rest.substr(rest.starts_with(':') ? 1 : 0));
  require(
      size && format && (rest.empty() || rest.starts_with(':')),
      "'{}' is no size of made frames; expected WIDTHxHEIGHT, each 1 to 16384, with :i420, :nv12 or :rgb8 behind it or "
      "nothing, as in 1920x1080:nv12",
      text);
  frames.size = *size;
  frames.format = *format;
  return frames;
}

SourceBenchmarkFrames::SourceBenchmarkFrames(std::string location, const Stream& stream)
    : location_(std::move(location)), device_(stream.device()) {
  source_.emplace(location_, device_);
  frame_ = source_->next(stream);
  first_ = frame_->image();
}

bool SourceBenchmarkFrames::next(const Stream& stream) {
  frame_.reset();
  frame_ = source_->next(stream);
  if (!frame_) return false;
  const Size size = frame_->image().size;
  if (size == first_.size) return true;
  fail(ErrorCode::kUnsupported, "the frames of '{}' change their size, from {}x{} to {}x{}; a benchmark is of one size",
       location_, first_.size.width, first_.size.height, size.width, size.height);
}

void SourceBenchmarkFrames::restart() {
  frame_.reset();
  source_.emplace(location_, device_);
}

SyntheticBenchmarkFrames::SyntheticBenchmarkFrames(const SyntheticFrames& frames, const Stream& stream) {
  const std::size_t bytes = packed_bytes(frames.size, frames.format);
  for (std::uint32_t i = 0; i < kRing; ++i) {
    auto& pixels = pixels_.emplace_back(DeviceBuffer<std::uint8_t>::uninitialized(stream, bytes));
    upload_blocking(stream, made_pixels(bytes, i), pixels.span());
    views_.push_back(ImageView::packed(stream.device(), pixels.span().data(), frames.size, frames.format));
  }
}

bool SyntheticBenchmarkFrames::next(const Stream& /*stream*/) {
  current_ = (current_ + 1) % kRing;
  return true;
}

}  // namespace vrt
