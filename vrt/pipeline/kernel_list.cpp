#include "vrt/pipeline/kernel_list.h"

#include <span>

#include "vrt/image/kernel_sources.h"
#include "vrt/models/kernel_sources.h"

namespace vrt {

// A layer that gets its first kernel is added here; a test compares the list with the .cu files of the repository.
std::vector<const KernelSource*> all_kernel_sources() {
  std::vector<const KernelSource*> all;
  for (const auto layer : {kernels::image_sources(), kernels::models_sources()}) {
    all.insert(all.end(), layer.begin(), layer.end());
  }
  return all;
}

}  // namespace vrt
