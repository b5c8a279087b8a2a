// JSON lines and COCO results of hostile texts and numbers, read back by another library.
#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/pipeline/coco_results.h"
#include "vrt/pipeline/json_line.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

vrt::Detection take_detection(FuzzedDataProvider& data, const std::string& label, std::vector<vrt::Keypoint>& points) {
  points.resize(data.ConsumeIntegralInRange<std::size_t>(0, 3));
  for (vrt::Keypoint& point : points) {
    point = {data.ConsumeFloatingPoint<float>(), data.ConsumeFloatingPoint<float>(),
             data.ConsumeFloatingPoint<float>()};
  }
  vrt::Detection detection;
  detection.box = {data.ConsumeFloatingPoint<float>(), data.ConsumeFloatingPoint<float>(),
                   data.ConsumeFloatingPoint<float>(), data.ConsumeFloatingPoint<float>()};
  detection.score = data.ConsumeBool() ? data.ConsumeFloatingPoint<float>() : std::nanf("");
  detection.class_id = data.ConsumeIntegral<std::int32_t>();
  detection.label = label;
  detection.keypoints = points;
  return detection;
}

void compare(const nlohmann::json& read, const vrt::Detection& written) {
  const float box[] = {written.box.x1, written.box.y1, written.box.x2, written.box.y2};
  for (std::size_t i = 0; i < 4; ++i) check(read["box"][i].get<float>() == box[i]);
  check(read["score"].get<float>() == written.score);
  check(read["class"].get<std::int64_t>() == written.class_id);
  check(read["keypoints"].size() == written.keypoints.size());
}

/// The same detection as a COCO result, whose width and height may be beyond what JSON can hold where its corners are not.
void compare_coco(const vrt::FrameRecord& record) {
  std::string text;
  vrt::CocoResults results(vrt::CocoImageId::kFrame);
  try {
    results.append(text, record);
  } catch (const vrt::Error&) {
    check(text.empty());
  }
  results.append_end(text);
  const nlohmann::json read = nlohmann::json::parse(text);
  if (read.empty()) return;
  check(read[0]["image_id"].get<std::int64_t>() == record.frame);
  check(read[0]["score"].get<float>() == record.models[0].detections[0].score);
  check(read[0].value("keypoints", nlohmann::json::array()).size() ==
        3 * record.models[0].detections[0].keypoints.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  FuzzedDataProvider data(bytes, count);
  const std::string source = data.ConsumeRandomLengthString();
  const std::string label = data.ConsumeRandomLengthString();
  std::vector<vrt::Keypoint> points;
  const vrt::Detection detection = take_detection(data, label, points);
  vrt::ModelFindings findings;
  findings.model = label;
  findings.detections = {&detection, 1};
  const vrt::FrameRecord record{source,
                                data.ConsumeIntegral<std::int64_t>(),
                                data.ConsumeFloatingPoint<double>(),
                                {data.ConsumeIntegral<std::int32_t>(), data.ConsumeIntegral<std::int32_t>()},
                                {&findings, 1}};
  compare_coco(record);
  std::string line = "before\n";
  try {
    append_json_line(line, record);
  } catch (const vrt::Error&) {
    check(line == "before\n");  // A number that JSON has no way to write.
    return 0;
  }
  check(line.find('\n', 7) == line.size() - 1);
  const nlohmann::json read = nlohmann::json::parse(line.substr(7));  // Throws for what is no JSON or no UTF-8.
  check(read["frame"].get<std::int64_t>() == record.frame && read["time"].get<double>() == record.time);
  compare(read["detections"][0], detection);
  // A text that is UTF-8 comes back as it was; the other library tells whether it is.
  const auto as_written = nlohmann::json(source).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (as_written.find("\xEF\xBF\xBD") == std::string::npos) check(read["source"].get<std::string>() == source);
  return 0;
}
