#include "vrt/pipeline/json_line.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "vrt/base/fail.h"
#include "vrt/pipeline/depth_summary.h"
#include "vrt/pipeline/json_text.h"

namespace vrt {
namespace {

using detail::append_json_mask;
using detail::append_json_number;
using detail::append_json_string;

/// `", "` before every item of a list but its first.
class Separator {
 public:
  void append(std::string& out) {
    if (!is_first_) out += ", ";
    is_first_ = false;
  }

 private:
  bool is_first_ = true;
};

template <std::size_t kCount>
void append_numbers(std::string& out, const std::array<const char*, kCount>& fields,
                    const std::array<float, kCount>& values) {
  out += '[';
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i > 0) out += ", ";
    append_json_number(out, fields[i], values[i]);
  }
  out += ']';
}

void append_keypoints(std::string& out, std::span<const Keypoint> keypoints) {
  out += "\"keypoints\": [";
  Separator separator;
  for (const Keypoint& point : keypoints) {
    separator.append(out);
    append_numbers<3>(out, {"keypoint", "keypoint", "keypoint's confidence"}, {point.x, point.y, point.confidence});
  }
  out += ']';
}

void append_model(std::string& out, const ModelFindings& findings) {
  out += "\"model\": ";
  append_json_string(out, findings.model);
}

void append_class(std::string& out, std::int32_t class_id, std::string_view label) {
  fmt::format_to(std::back_inserter(out), "\"class\": {}, \"label\": ", class_id);
  append_json_string(out, label);
}

/// The one network that embeds the boxes of the network at `position`, or nullptr.
const EmbeddingFindings* embeddings_of(std::span<const ModelFindings> models, std::size_t position) {
  const EmbeddingFindings* found = nullptr;
  for (const ModelFindings& findings : models) {
    if (!findings.embeddings || findings.embeddings->of != position) continue;
    require(found == nullptr, "several networks embed the boxes of '{}', and a line of JSON has room for one",
            models[position].model);
    found = &*findings.embeddings;
  }
  return found;
}

/// Boxes beyond those that were embedded have no vector.
void append_embedding(std::string& out, const EmbeddingFindings& embeddings, std::size_t index) {
  if (index >= count_of(embeddings)) return;
  out += ", \"embedding\": [";
  Separator separator;
  for (const float value : embeddings.values.subspan(index * embeddings.size, embeddings.size)) {
    separator.append(out);
    append_json_number(out, "embedding", value);
  }
  out += ']';
}

void append_detection(std::string& out, const ModelFindings& findings, const EmbeddingFindings* embeddings,
                      std::size_t index) {
  const Detection& detection = findings.detections[index];
  const Box& box = detection.box;
  out += "{\"box\": ";
  append_numbers<4>(out, {"box", "box", "box", "box"}, {box.x1, box.y1, box.x2, box.y2});
  out += ", \"score\": ";
  append_json_number(out, "score", detection.score);
  out += ", ";
  append_class(out, detection.class_id, detection.label);
  out += ", ";
  append_keypoints(out, detection.keypoints);
  out += ", ";
  append_model(out, findings);
  if (index < findings.masks.size()) {
    out += ", \"mask\": ";
    append_json_mask(out, findings.masks[index]);
  }
  if (embeddings != nullptr) append_embedding(out, *embeddings, index);
  out += '}';
}

void append_detections(std::string& out, std::span<const ModelFindings> models) {
  out += ", \"detections\": [";
  Separator separator;
  for (std::size_t position = 0; position < models.size(); ++position) {
    const EmbeddingFindings* embeddings = embeddings_of(models, position);
    for (std::size_t i = 0; i < models[position].detections.size(); ++i) {
      separator.append(out);
      append_detection(out, models[position], embeddings, i);
    }
  }
  out += ']';
}

/// A reader need not compare boxes with embeddings to see that there was no room for all.
void append_not_embedded(std::string& out, std::span<const ModelFindings> models) {
  std::size_t missing = 0;
  for (const ModelFindings& findings : models) {
    if (!findings.embeddings) continue;
    const std::size_t found = models[findings.embeddings->of].detections.size();
    missing += found - std::min(found, count_of(*findings.embeddings));
  }
  if (missing > 0) fmt::format_to(std::back_inserter(out), ", \"not_embedded\": {}", missing);
}

void append_classification(std::string& out, const ModelFindings& findings, const Classification& classification) {
  out += '{';
  append_model(out, findings);
  out += ", ";
  append_class(out, classification.class_id, classification.label);
  out += ", \"score\": ";
  append_json_number(out, "class's score", classification.score);
  out += '}';
}

void append_features(std::string& out, const ModelFindings& findings) {
  out += '{';
  append_model(out, findings);
  out += ", ";
  append_keypoints(out, findings.features);
  out += '}';
}

void append_number_or_null(std::string& out, const char* field, const std::optional<float>& value) {
  fmt::format_to(std::back_inserter(out), ", \"{}\": ", field);
  if (!value) {
    out += "null";
  } else {
    append_json_number(out, field, *value);
  }
}

void append_depth(std::string& out, const ModelFindings& findings, std::string_view unit, Size size,
                  const DepthSummary& summary) {
  out += '{';
  append_model(out, findings);
  fmt::format_to(std::back_inserter(out), ", \"unit\": \"{}\", \"width\": {}, \"height\": {}, \"known\": {}", unit,
                 size.width, size.height, summary.known);
  append_number_or_null(out, "min", summary.least);
  append_number_or_null(out, "median", summary.median);
  append_number_or_null(out, "max", summary.greatest);
  out += '}';
}

/// A field that is a list with items of some networks; left out where no network has one.
class OptionalList {
 public:
  OptionalList(std::string& out, std::string_view field) : out_(out), field_(field) {}

  void begin_item() {
    if (is_empty_) fmt::format_to(std::back_inserter(out_), ", \"{}\": [", field_);
    is_empty_ = false;
    separator_.append(out_);
  }
  void end() {
    if (!is_empty_) out_ += ']';
  }

 private:
  std::string& out_;
  std::string_view field_;
  bool is_empty_ = true;
  Separator separator_;
};

void append_all_classes(std::string& out, std::span<const ModelFindings> models) {
  OptionalList list(out, "classes");
  for (const ModelFindings& findings : models) {
    for (const Classification& classification : findings.classes) {
      list.begin_item();
      append_classification(out, findings, classification);
    }
  }
  list.end();
}

void append_all_features(std::string& out, std::span<const ModelFindings> models) {
  OptionalList list(out, "features");
  for (const ModelFindings& findings : models) {
    if (findings.features.empty()) continue;
    list.begin_item();
    append_features(out, findings);
  }
  list.end();
}

void append_all_depth(std::string& out, std::span<const ModelFindings> models) {
  OptionalList list(out, "depth");
  for (const ModelFindings& findings : models) {
    if (findings.depth) {
      list.begin_item();
      append_depth(out, findings, "metre", findings.depth->size, summarize(*findings.depth));
    }
    if (findings.nearness) {
      list.begin_item();
      append_depth(out, findings, "relative", findings.nearness->size, summarize(*findings.nearness));
    }
  }
  list.end();
}

void append_record(std::string& out, const FrameRecord& record) {
  out += "{\"source\": ";
  append_json_string(out, record.source);
  fmt::format_to(std::back_inserter(out), ", \"frame\": {}, \"time\": ", record.frame);
  append_json_number(out, "time", record.time);
  fmt::format_to(std::back_inserter(out), ", \"width\": {}, \"height\": {}", record.size.width, record.size.height);
  append_detections(out, record.models);
  append_not_embedded(out, record.models);
  append_all_classes(out, record.models);
  append_all_features(out, record.models);
  append_all_depth(out, record.models);
  out += "}\n";
}

}  // namespace

void append_json_line(std::string& out, const FrameRecord& record) {
  const std::size_t before = out.size();
  try {
    append_record(out, record);
  } catch (...) {
    out.resize(before);
    throw;
  }
}

}  // namespace vrt
