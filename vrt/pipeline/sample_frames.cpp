#include "vrt/pipeline/sample_frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "vrt/base/fail.h"
#include "vrt/device/memory.h"
#include "vrt/media/source.h"

namespace vrt {
namespace {

/// Frame number `index` of `total` is one of `count` that are spread evenly: each in the middle of its share.
bool is_chosen(std::int64_t index, std::int64_t total, std::int64_t count) {
  if (total <= count) return true;
  const std::int64_t share = index * count / total;
  return index == (2 * share + 1) * total / (2 * count);
}

std::vector<std::byte> bytes_of(const std::vector<float>& values, std::int64_t times) {
  const std::size_t bytes = values.size() * sizeof(float);
  std::vector<std::byte> copies(bytes * static_cast<std::size_t>(times));
  for (std::size_t at = 0; at < copies.size(); at += bytes) std::memcpy(copies.data() + at, values.data(), bytes);
  return copies;
}

std::size_t value_count(Size target) {
  return 3 * static_cast<std::size_t>(target.width) * static_cast<std::size_t>(target.height);
}

/// As many as fit into memory.
std::int64_t sample_count(const SampleChoice& choice, Size target) {
  const std::size_t bytes = value_count(target) * sizeof(float) * static_cast<std::size_t>(choice.pictures);
  return static_cast<std::int64_t>(
      std::min<std::size_t>(choice.count, std::max<std::uint64_t>(SampleChoice::kMostBytes / bytes, 1)));
}

/// The frames that samples are taken from.
std::int64_t frame_count(const SourceInfo& source, const SampleChoice& choice, std::int64_t samples) {
  const std::int64_t frames = source.frame_count.value_or(samples);
  return choice.most_frames > 0 ? std::min(frames, choice.most_frames) : frames;
}

}  // namespace

std::vector<SampleInputs> sample_frames(const std::string& location, const SampleChoice& choice,
                                        const PreprocessOptions& preprocessing, const std::string& input) {
  const Stream stream(Device::cpu());
  Source source(location, Device::cpu());
  Preprocessor preprocessor(stream, preprocessing);
  auto values = DeviceBuffer<float>::zeros(stream, value_count(preprocessing.target));
  const std::int64_t most = sample_count(choice, preprocessing.target);
  const std::int64_t total = frame_count(source.info(), choice, most);
  std::vector<SampleInputs> samples;
  while (std::ssize(samples) < most) {
    if (choice.stop != nullptr && choice.stop->load())
      fail(ErrorCode::kCancelled, "stopped while samples were taken of '{}'", location);
    const auto frame = source.next(stream);
    if (!frame || frame->index() >= total) break;
    if (!is_chosen(frame->index(), total, most)) continue;
    static_cast<void>(preprocessor.submit(frame->image(), values.span()));
    samples.push_back({{input, bytes_of(read_back_blocking(stream, values.span()), choice.pictures)}});
  }
  require(!samples.empty(), "{}: there is no frame to take samples of", location);
  return samples;
}

}  // namespace vrt
