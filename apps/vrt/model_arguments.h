// What --model and --engine name; the same for every command that runs a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vrt/device/device.h"
#include "vrt/engine/engine.h"
#include "vrt/pipeline/run.h"

namespace vrt::cli {

/// Whether that is a path: it has a separator or ends in .onnx.
[[nodiscard]] bool is_model_path(const std::string& model);

/// What --model names for a run: FILE or NAME as resolve_model takes them, or FAMILY:FILE and FAMILY:NAME, which say of what family the
/// network is. Throws as resolve_model, and kInvalidArgument for a text before a colon that is no family's name.
[[nodiscard]] ModelChoice model_choice(const std::string& model);

/// The same for each, with the file of its class names: `names` is as long, and empty where there is none.
[[nodiscard]] std::vector<ModelChoice> model_choices(const std::vector<std::string>& models,
                                                     const std::vector<std::string>& names);

/// A path is taken as it is, a name of the registry is found there. Throws kInvalidArgument
/// for another text, and as locate_model.
[[nodiscard]] std::filesystem::path resolve_model(const std::string& model);

/// Throws kInvalidArgument, as the first step of resolve_model does, without looking for the file.
void require_model_name_or_path(const std::string& model);

/// Throws kInvalidArgument unless it is "auto" or a backend that vrt knows.
[[nodiscard]] std::string checked_engine(const std::string& engine);

/// What --fp16 asks for.
[[nodiscard]] inline Precision precision_of(bool fp16) { return fp16 ? Precision::kFloat16 : Precision::kFloat32; }

/// What --max-difference says, in percent; -1 (not given) is the default.
[[nodiscard]] inline double largest_difference_of(double percent) {
  return percent >= 0 ? percent / 100 : AccuracyOptions{}.largest_difference;
}

/// What --device names: "auto" is the first GPU that `engine` runs on, else the CPU. Throws as Device::parse.
[[nodiscard]] Device device_for_models(const std::string& device, const std::string& engine);

}  // namespace vrt::cli
