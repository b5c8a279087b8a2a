// The commands that need FFmpeg and OpenCV. These take 40 ms to load, so the commands live in a module of their own, which the
// tool loads when it is asked for one of them: help and wrong usage are answered at once.
#pragma once

#include "apps/vrt/arguments.h"

namespace vrt::cli {

/// What the module exports, under this name. Tool and module are of one build; the commands report failures themselves and
/// return exit codes.
struct MediaCommands {
  int (*run)(const RunArguments&);
  int (*doctor)();
};

inline constexpr const char* kMediaCommandsSymbol = "vrt_media_commands";

/// `vrt run`.
int run_command(const RunArguments& arguments);
/// `vrt doctor`.
int doctor_command();

}  // namespace vrt::cli
