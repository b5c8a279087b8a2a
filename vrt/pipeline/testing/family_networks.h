// For tests: a small network of each family, whose outputs are chosen: they are the same for every bright picture, and 0 for dark ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vrt/models/testing/constant_network.h"
#include "vrt/models/testing/onnx_graph.h"

namespace vrt::testing {

using Metadata = std::map<std::string, std::string>;

/// `count` values, of which those at some places are others than 0.
inline std::vector<float> values_at(std::int64_t count, const std::map<std::int64_t, float>& places) {
  std::vector<float> values(static_cast<std::size_t>(count), 0.0F);
  for (const auto& [place, value] : places) values[static_cast<std::size_t>(place)] = value;
  return values;
}

/// As Ultralytics' export writes it.
inline Metadata ultralytics(const std::string& task) {
  return {{"task", task}, {"names", "{0: 'cat', 1: 'dog'}"}, {"stride", "32"}};
}

/// Input 64×64. A dog, 0.875, over the middle half of the picture, and a cat, 0.75, over its upper left quarter; in square pictures.
inline std::string yolo_network(const Metadata& metadata = ultralytics("detect")) {
  constexpr std::int64_t kCells = 84;
  std::map<std::int64_t, float> places;
  const auto set = [&](std::int64_t cell, const std::vector<float>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) places[static_cast<std::int64_t>(i) * kCells + cell] = numbers[i];
  };
  set(5, {32, 32, 32, 32, 0, 0.875F});
  set(20, {16, 16, 32, 32, 0.75F, 0});
  return lit_network(64, 64, {{"output0", {1, 6, kCells}, values_at(6 * kCells, places)}}, metadata);
}

/// Input 64×64, one prototype that is positive in its left half. A dog, 0.875, over the middle half of the picture.
inline std::string yolo_seg_network() {
  constexpr std::int64_t kCells = 84;
  const std::vector<float> dog{32, 32, 32, 32, 0, 0.875F, 1};
  std::map<std::int64_t, float> places;
  for (std::size_t i = 0; i < dog.size(); ++i) places[static_cast<std::int64_t>(i) * kCells + 5] = dog[i];
  std::vector<float> prototype(256);
  for (std::size_t i = 0; i < prototype.size(); ++i) prototype[i] = i % 16 < 8 ? 4.0F : -4.0F;
  return lit_network(
      64, 64, {{"output0", {1, 7, kCells}, values_at(7 * kCells, places)}, {"output1", {1, 1, 16, 16}, prototype}},
      ultralytics("segment"));
}

/// Input 64×64, end to end. `count` objects of class 1 and 8×8 pixels, in rows of eight (in a network of 64×64 pixels, so that those
/// behind the 64th lie on others), best first.
inline std::string yolo_crowd_network(std::int64_t count) {
  std::vector<float> objects;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(i % 8 * 8);
    const auto y = static_cast<float>(i / 8 % 8 * 8);
    const float score = 0.9F - 0.5F * static_cast<float>(i) / static_cast<float>(count);
    for (const float value : {x, y, x + 8, y + 8, score, 1.0F}) objects.push_back(value);
  }
  Metadata metadata = ultralytics("detect");
  metadata["end2end"] = "True";
  return lit_network(64, 64, {{"output0", {1, count, 6}, objects}}, metadata);
}

/// The same with a prototype that is positive in its left half, and masks.
inline std::string yolo_crowd_seg_network(std::int64_t count) {
  std::vector<float> objects;
  for (std::int64_t i = 0; i < count; ++i) {
    const float score = 0.9F - 0.5F * static_cast<float>(i) / static_cast<float>(count);
    for (const float value : {16.0F, 16.0F, 48.0F, 48.0F, score, 1.0F, 1.0F}) objects.push_back(value);
  }
  std::vector<float> prototype(256);
  for (std::size_t i = 0; i < prototype.size(); ++i) prototype[i] = i % 16 < 8 ? 4.0F : -4.0F;
  Metadata metadata = ultralytics("segment");
  metadata["end2end"] = "True";
  return lit_network(64, 64, {{"output0", {1, count, 7}, objects}, {"output1", {1, 1, 16, 16}, prototype}}, metadata);
}

/// Logits [1, 10, columns] of one object, in the last column of query 3, and its box: the middle half of the picture.
inline std::vector<ConstantOutput> rfdetr_outputs(std::int64_t columns) {
  std::vector<float> logits(static_cast<std::size_t>(10 * columns), -9.0F);
  logits[static_cast<std::size_t>(3 * columns + columns - 1)] = 2;
  return {{"dets", {1, 10, 4}, values_at(40, {{12, 0.5F}, {13, 0.5F}, {14, 0.5F}, {15, 0.5F}})},
          {"labels", {1, 10, columns}, logits}};
}

/// Input 64×64. Class 90 over the middle half of the picture.
inline std::string rfdetr_network(const Metadata& metadata = {}) {
  return lit_network(64, 64, rfdetr_outputs(91), metadata);
}

/// With masks of 16×16 cells, positive in their left halves.
inline std::string rfdetr_seg_network(const Metadata& metadata = {}) {
  std::vector<float> masks(10 * 256);
  for (std::size_t i = 0; i < masks.size(); ++i) masks[i] = i % 16 < 8 ? 4.0F : -4.0F;
  auto outputs = rfdetr_outputs(91);
  outputs.push_back({"masks", {1, 10, 16, 16}, masks});
  return lit_network(64, 64, outputs, metadata);
}

/// With 17 keypoints, all in the picture's middle.
inline std::string rfdetr_keypoints_network(const Metadata& metadata = {}) {
  std::vector<float> slots(10 * 34 * 8, 0.0F);
  for (std::size_t i = 0; i < slots.size(); i += 8) {
    slots[i] = slots[i + 1] = 0.5F;
    slots[i + 2] = 5;                 // Visible.
    slots[i + 4] = slots[i + 6] = 6;  // Known to less than a hundredth.
  }
  auto outputs = rfdetr_outputs(2);
  outputs.push_back({"keypoints", {1, 10, 34, 8}, slots});
  return lit_network(64, 64, outputs, metadata);
}

/// Input 28×28. 2 everywhere.
inline std::string depth_network(const Metadata& metadata) {
  return lit_network(28, 28, {{"depth", {1, 28, 28}, std::vector<float>(28 * 28, 2.0F)}}, metadata);
}

/// Input 64×64. One keypoint, of score 0.5, in the pixel at column 40 of row 24.
inline std::string xfeat_network(const Metadata& metadata = {}) {
  return lit_network(64, 64,
                     {{"descriptors", {1, 64, 8, 8}, std::vector<float>(4096, 1.0F)},
                      {"heatmap", {1, 1, 64, 64}, values_at(4096, {{24 * 64 + 40, 1.0F}})},
                      {"reliability", {1, 1, 64, 64}, std::vector<float>(4096, 0.5F)}},
                     metadata);
}

/// Input 32×32. Class 2 of five.
inline std::string classifier_network(const Metadata& metadata = {}) {
  return lit_network(32, 32, {{"scores", {1, 5}, {0, 1, 3, 2, 0}}}, metadata);
}

/// Takes crops; each one's embedding is the mean of its channels, taken to length 1.
inline std::string osnet_network(std::int64_t batch) {
  OnnxGraph graph;
  graph.input("crops", {batch, 3, 256, 128});
  graph.node("ReduceMean", {"crops"}, "embeddings", {{"axes", {2, 3}}, OnnxGraph::integer("keepdims", 0)});
  graph.output("embeddings", {batch, 3});
  return graph.bytes();
}

}  // namespace vrt::testing
