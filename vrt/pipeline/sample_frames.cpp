#include "vrt/pipeline/sample_frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

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

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

std::vector<SampleInputs> sample_frames(const std::string& location, std::size_t count,
                                        const PreprocessOptions& preprocessing, const std::string& input) {
  const Stream stream(Device::cpu());
  Source source(location, Device::cpu());
  Preprocessor preprocessor(stream, preprocessing);
  const auto pixels =
      static_cast<std::size_t>(preprocessing.target.width) * static_cast<std::size_t>(preprocessing.target.height);
  auto values = DeviceBuffer<float>::zeros(stream, 3 * pixels);
  const auto most = static_cast<std::int64_t>(count);
  const std::int64_t total = source.info().frame_count.value_or(most);
  std::vector<SampleInputs> samples;
  while (samples.size() < count) {
    const auto frame = source.next(stream);
    if (!frame) break;
    if (!is_chosen(frame->index(), total, most)) continue;
    static_cast<void>(preprocessor.submit(frame->image(), values.span()));
    samples.push_back({{input, bytes_of(read_back_blocking(stream, values.span()))}});
  }
  require(!samples.empty(), "{}: there is no frame to take samples of", location);
  return samples;
}

}  // namespace vrt
