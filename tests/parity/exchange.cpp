#include "tests/parity/exchange.h"

#include <fstream>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt::parity {

Picture::Picture(const std::filesystem::path& file, const Stream& stream) : device_(stream.device()) {
  std::ifstream input(file, std::ios::binary);
  if (!input) fail(ErrorCode::kNotFound, "cannot open the picture '{}'", file.string());
  std::string magic;
  int most = 0;
  input >> magic >> size_.width >> size_.height >> most;
  input.get();
  if (!input) size_ = {};  // Not numbers: nothing is read, and the check below says so.
  std::vector<std::uint8_t> pixels(packed_bytes(size_, PixelFormat::kRgb8));
  input.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
  if (magic != "P6" || most != 255 || !input) {
    fail(ErrorCode::kCorrupt, "'{}' is no whole binary PPM of 8 bits", file.string());
  }
  pixels_ = DeviceBuffer<std::uint8_t>::uninitialized(stream, pixels.size());
  upload_blocking(stream, pixels, pixels_.span());
}

ImageView Picture::view() const {
  return ImageView::packed(device_, pixels_.span().data(), size_, PixelFormat::kRgb8);
}

Results::Results(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  json_["arrays"] = nlohmann::json::object();
}

void Results::detections(std::span<const Detection> found) {
  nlohmann::json list = nlohmann::json::array();
  for (const Detection& object : found) {
    nlohmann::json points = nlohmann::json::array();
    for (const Keypoint& point : object.keypoints) points.push_back({point.x, point.y, point.confidence});
    list.push_back({{"class", object.class_id},
                    {"label", object.label},
                    {"score", object.score},
                    {"box", {object.box.x1, object.box.y1, object.box.x2, object.box.y2}},
                    {"keypoints", std::move(points)}});
  }
  json_["detections"] = std::move(list);
}

void Results::array(const std::string& name, std::span<const float> values, const std::vector<std::size_t>& shape) {
  write(name, std::as_bytes(values), "float32", shape);
}

void Results::array(const std::string& name, std::span<const std::uint8_t> values,
                    const std::vector<std::size_t>& shape) {
  write(name, std::as_bytes(values), "uint8", shape);
}

void Results::write(const std::string& name, std::span<const std::byte> bytes, const char* type,
                    const std::vector<std::size_t>& shape) {
  std::ofstream output(folder_ / (name + ".bin"), std::ios::binary);
  output.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  output.close();
  if (!output) fail(ErrorCode::kIo, "cannot write '{}'", (folder_ / (name + ".bin")).string());
  json_["arrays"][name] = {{"type", type}, {"shape", shape}};
}

void Results::finish() const {
  std::ofstream output(folder_ / "result.json");
  output << json_.dump(1) << "\n";
  output.close();
  if (!output) fail(ErrorCode::kIo, "cannot write '{}'", (folder_ / "result.json").string());
}

}  // namespace vrt::parity
