// Which networks a run or a benchmark takes.
#pragma once

#include <filesystem>
#include <string>

#include "vrt/image/image.h"

namespace vrt {

/// A network, and what its file does not say.
struct ModelChoice {
  std::filesystem::path file;  ///< ONNX.
  std::string family = {};     ///< "yolo", "depth", … (docs/running-models.md); empty: as the file says.
  std::string name = {};       ///< In results; empty: the file's name without its ending.
  Size input =
      {};  ///< Of the network. Empty: what the picture's size asks for (CenterFace, XFeat), or the file's, or, where that
           ///< leaves it open, the family's default.
  std::filesystem::path class_names =
      {};  ///< A file with them, as ClassNames::read takes it; empty: what the model's says.
};

}  // namespace vrt
