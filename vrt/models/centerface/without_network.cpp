#include "vrt/models/centerface/without_network.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vrt/models/centerface/centerface_input.h"

namespace vrt {
namespace {

// The planes before each output, in the order of CenterFaceOutputs.
constexpr std::size_t kScalePlane = 1;
constexpr std::size_t kOffsetPlane = 3;
constexpr std::size_t kLandmarkPlane = 5;
constexpr std::size_t kPlanes = 15;

std::size_t cells_of(Size grid) { return static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height); }

// Faces in a square pattern, each half as wide and high as its share of the picture, best score first.
std::vector<float> planted_maps(Size grid) {
  constexpr int kAcross = CenterFaceWithoutNetwork::kFacesAcross;
  const std::size_t cells = cells_of(grid);
  std::vector<float> maps(kPlanes * cells, 0.0F);
  std::fill(maps.begin() + static_cast<std::ptrdiff_t>(kLandmarkPlane * cells), maps.end(), 0.5F);
  for (int face = 0; face < CenterFaceWithoutNetwork::kPlantedFaces; ++face) {
    const auto row = static_cast<std::size_t>(grid.height * (2 * (face / kAcross) + 1) / (2 * kAcross));
    const auto column = static_cast<std::size_t>(grid.width * (2 * (face % kAcross) + 1) / (2 * kAcross));
    const std::size_t cell = row * static_cast<std::size_t>(grid.width) + column;
    maps[cell] = 0.95F - 0.01F * static_cast<float>(face);
    maps[kScalePlane * cells + cell] = std::log(static_cast<float>(grid.height) / (2 * kAcross));
    maps[(kScalePlane + 1) * cells + cell] = std::log(static_cast<float>(grid.width) / (2 * kAcross));
  }
  return maps;
}

}  // namespace

CenterFaceWithoutNetwork::CenterFaceWithoutNetwork(const Stream& stream, Size input, const CenterFaceOptions& options)
    : stream_(stream),
      preprocessor_(stream, centerface_preprocessing(input)),
      grid_(centerface_grid(input)),
      input_(DeviceBuffer<float>::uninitialized(stream, 3 * cells_of(input))),
      maps_(DeviceBuffer<float>::uninitialized(stream, kPlanes * cells_of(grid_))),
      decoder_(stream, grid_, options),
      faces_(stream) {
  upload_blocking(stream, planted_maps(grid_), maps_.span());
}

CenterFaceOutputs CenterFaceWithoutNetwork::outputs() const {
  const std::size_t cells = cells_of(grid_);
  const auto planes = [&](std::size_t first, std::size_t end) {
    return maps_.span().subspan(first * cells, (end - first) * cells);
  };
  return {grid_, planes(0, kScalePlane), planes(kScalePlane, kOffsetPlane), planes(kOffsetPlane, kLandmarkPlane),
          planes(kLandmarkPlane, kPlanes)};
}

void CenterFaceWithoutNetwork::submit(const ImageView& image) {
  const ResizeMapping mapping = preprocessor_.submit(image, input_.span());
  decoder_.submit(outputs(), mapping, faces_.device_spans());
  faces_.enqueue_read_back(stream_);
}

}  // namespace vrt
