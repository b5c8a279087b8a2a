#include "apps/vrt/media_module.h"

#include "vrt/base/export.h"

extern "C" VRT_API const vrt::cli::MediaCommands vrt_media_commands = {vrt::cli::run_command, vrt::cli::doctor_command};
