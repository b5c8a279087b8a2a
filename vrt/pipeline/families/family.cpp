#include "vrt/pipeline/families/family.h"

#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

void set_first_extent(Shape& shape, std::int64_t extent) {
  std::vector<std::int64_t> extents(shape.extents().begin(), shape.extents().end());
  extents.front() = extent;
  shape = Shape(extents);
}

}  // namespace

ModelFacts facts_of_a_picture(const ModelFacts& facts) {
  ModelFacts one = facts;
  if (facts.inputs.size() != 1 || facts.inputs[0].shape.rank() == 0 || facts.inputs[0].shape[0] <= 1) return one;
  const std::int64_t batch = facts.inputs[0].shape[0];
  set_first_extent(one.inputs[0].shape, 1);
  for (TensorInfo& output : one.outputs)
    if (output.shape.rank() > 0 && output.shape[0] == batch) set_first_extent(output.shape, 1);
  return one;
}

std::span<const ModelFamily* const> model_families() noexcept {
  static const std::array<const ModelFamily*, 10> families{&centerface_family(),
                                                           &yolo_family(),
                                                           &rfdetr_family(),
                                                           &rfdetr_seg_family(),
                                                           &rfdetr_keypoints_family(),
                                                           &depth_family(),
                                                           &relative_depth_family(),
                                                           &xfeat_family(),
                                                           &osnet_family(),
                                                           &classifier_family()};
  return families;
}

const ModelFamily& find_family(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ModelFamily* family : model_families()) {
    if (family->name == name) return *family;
    names.push_back(family->name);
  }
  fail(ErrorCode::kInvalidArgument, "no family of networks is called '{}'; there are {}", name, fmt::join(names, ", "));
}

}  // namespace vrt
