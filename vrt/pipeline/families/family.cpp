#include "vrt/pipeline/families/family.h"

#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt {

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
