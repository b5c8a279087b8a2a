#pragma once

namespace vrt::cli {

/// `vrt models`: the models known by name and where their files are. Returns an exit code.
int models_command();

}  // namespace vrt::cli
