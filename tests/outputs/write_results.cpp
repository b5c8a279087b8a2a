// Findings from a JSON file, written as a run writes them: write_results FINDINGS.json TARGET lines|coco
#include <nlohmann/json.hpp>
#include <cstdio>
#include <deque>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "vrt/pipeline/outputs.h"

namespace vrt {
namespace {

using Json = nlohmann::json;

/// What the views of findings refer to; nothing in it moves.
struct Memory {
  std::deque<std::string> texts;
  std::deque<std::vector<float>> floats;
  std::deque<std::vector<Keypoint>> keypoints;
  std::deque<std::vector<Detection>> detections;
  std::deque<std::vector<Classification>> classes;
  std::deque<std::vector<std::uint32_t>> words;
  std::deque<std::vector<MaskView>> masks;
  std::deque<ClassNames> names;

  std::string_view text(const Json& value) { return texts.emplace_back(value.get<std::string>()); }

  /// null stands for NaN.
  std::span<const float> numbers(const Json& values) {
    std::vector<float>& kept = floats.emplace_back();
    for (const Json& value : values)
      kept.push_back(value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>());
    return kept;
  }

  std::span<const Keypoint> points(const Json& values) {
    std::vector<Keypoint>& kept = keypoints.emplace_back();
    for (const Json& point : values) kept.push_back({point[0], point[1], point[2]});
    return kept;
  }

  /// Rows of "0" and "1".
  MaskView mask(const Json& rows) {
    const auto width = static_cast<std::int32_t>(rows[0].get<std::string>().size());
    const Size size{width, static_cast<std::int32_t>(rows.size())};
    std::vector<std::uint32_t>& kept = words.emplace_back(mask_words(size), 0);
    for (std::size_t y = 0; y < rows.size(); ++y) {
      const auto row = rows[y].get<std::string>();
      for (std::size_t x = 0; x < row.size(); ++x)
        if (row[x] == '1') kept[y * mask_words_per_row(width) + x / 32] |= 1U << (x % 32);
    }
    return {size, kept};
  }
};

void take_detections(const Json& values, Memory& memory, ModelFindings& findings) {
  std::vector<Detection>& detections = memory.detections.emplace_back();
  std::vector<MaskView>& masks = memory.masks.emplace_back();
  for (const Json& value : values) {
    const Json& box = value["box"];
    detections.push_back({{box[0], box[1], box[2], box[3]},
                          value["score"],
                          value["class"],
                          memory.text(value["label"]),
                          memory.points(value["keypoints"])});
    if (value.contains("mask")) masks.push_back(memory.mask(value["mask"]));
  }
  findings.detections = detections;
  findings.masks = masks;
}

void take_classes(const Json& values, Memory& memory, ModelFindings& findings) {
  std::vector<Classification>& classes = memory.classes.emplace_back();
  for (const Json& value : values) classes.push_back({value["class"], value["score"], memory.text(value["label"])});
  findings.classes = classes;
}

ModelFindings findings_of(const Json& value, Memory& memory) {
  ModelFindings findings;
  findings.model = memory.text(value["model"]);
  if (value.contains("names"))
    findings.names = &memory.names.emplace_back(value["names"].get<std::vector<std::string>>());
  if (value.contains("detections")) take_detections(value["detections"], memory, findings);
  if (value.contains("classes")) take_classes(value["classes"], memory, findings);
  if (value.contains("features")) findings.features = memory.points(value["features"]);
  const auto map_size = [&] { return Size{value["width"], value["height"]}; };
  if (value.contains("metres")) findings.depth = DepthMapView{map_size(), memory.numbers(value["metres"])};
  if (value.contains("nearness"))
    findings.nearness = RelativeDepthMapView{map_size(), memory.numbers(value["nearness"])};
  if (value.contains("embeddings")) {
    const Json& embeddings = value["embeddings"];
    findings.embeddings = EmbeddingFindings{embeddings["of"], embeddings["size"], memory.numbers(embeddings["values"])};
  }
  return findings;
}

void write(const Json& frames, JsonOutput& output) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Json& frame = frames[i];
    Memory memory;
    std::vector<ModelFindings> models;
    for (const Json& model : frame["models"]) models.push_back(findings_of(model, memory));
    output.write(
        {memory.text(frame["source"]), static_cast<std::int64_t>(i), 0, {frame["width"], frame["height"]}, models});
  }
  output.finish();
}

}  // namespace
}  // namespace vrt

int main(int, char** argv) try {
  std::ifstream file(argv[1]);
  const vrt::Json frames = vrt::Json::parse(file);
  std::vector<std::string> pictures;
  for (const auto& frame : frames) pictures.push_back(frame["source"]);
  const auto format = std::string(argv[3]) == "coco" ? vrt::JsonFormat::kCoco : vrt::JsonFormat::kLines;
  vrt::JsonOutput output(argv[2], format, pictures);
  vrt::write(frames, output);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
