#include "vrt/pipeline/draw_findings.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace vrt {
namespace {

void write_classes(Canvas& canvas, std::span<const Classification> classes) {
  if (classes.empty()) return;
  std::vector<std::string> lines;
  for (const Classification& found : classes) {
    lines.push_back(found.label.empty() ? fmt::format("class {} {:.2f}", found.class_id, found.score)
                                        : fmt::format("{} {:.2f}", found.label, found.score));
  }
  canvas.write(lines);
}

}  // namespace

void draw_findings(Canvas& canvas, std::span<const ModelFindings> models) {
  for (const ModelFindings& found : models) canvas.draw_features(found.features);
  for (const ModelFindings& found : models) canvas.draw(found.detections, found.masks);
  for (const ModelFindings& found : models) {
    write_classes(canvas, found.classes);
    if (found.depth) canvas.add_depth(*found.depth);
    if (found.nearness) canvas.add_depth(*found.nearness);
  }
}

}  // namespace vrt
