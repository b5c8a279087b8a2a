#pragma once

#include "apps/vrt/media_module.h"

namespace vrt::cli {

/// Loads the module with the media commands, once. Throws kUnavailable naming the paths and the loader's reason.
const MediaCommands& load_media_module();

}  // namespace vrt::cli
