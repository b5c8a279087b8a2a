#include "apps/vrt/model_arguments.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/engine/engine.h"
#include "vrt/hub/registry.h"
#include "vrt/pipeline/families/family.h"

namespace vrt::cli {

bool is_model_path(const std::string& model) {
  const std::filesystem::path path(model);
  return path.has_parent_path() || path.extension() == ".onnx";
}

void require_model_name_or_path(const std::string& model) {
  if (is_model_path(model)) return;
  const auto known = known_models();
  const bool is_known =
      std::any_of(known.begin(), known.end(), [&](const ModelEntry& entry) { return entry.name == model; });
  require(is_known, "--model {}: neither a file (….onnx) nor a model that `vrt models` lists", model);
}

std::filesystem::path resolve_model(const std::string& model) {
  require_model_name_or_path(model);
  return is_model_path(model) ? std::filesystem::path(model) : locate_model(find_model(model));
}

namespace {

/// What stands before the first colon, if it is a family's name and not a part of a path that is there.
std::string family_in(const std::string& model) {
  const std::size_t colon = model.find(':');
  std::error_code ignored;
  if (colon == std::string::npos || std::filesystem::exists(model, ignored)) return {};
  const std::string before = model.substr(0, colon);
  if (before.find('/') != std::string::npos) return {};
  return std::string(find_family(before).name);
}

const ModelEntry* entry_of(const std::string& model) { return is_model_path(model) ? nullptr : &find_model(model); }

}  // namespace

ModelChoice model_choice(const std::string& model) {
  ModelChoice choice;
  choice.family = family_in(model);
  const std::string rest = choice.family.empty() ? model : model.substr(choice.family.size() + 1);
  choice.file = resolve_model(rest);
  if (const ModelEntry* entry = entry_of(rest)) {
    choice.name = entry->name;
    if (choice.family.empty()) choice.family = entry->family;
    choice.input = {entry->input_width, entry->input_height};
  }
  return choice;
}

std::vector<ModelChoice> model_choices(const std::vector<std::string>& models, const std::vector<std::string>& names) {
  std::vector<ModelChoice> choices;
  for (std::size_t i = 0; i < models.size(); ++i) {
    choices.push_back(model_choice(models[i]));
    choices.back().class_names = names.at(i);
  }
  return choices;
}

std::string checked_engine(const std::string& engine) {
  const std::vector<std::string> known = backend_names();
  require(engine == "auto" || std::ranges::find(known, engine) != known.end(), "--engine {}: not one of auto, {}",
          engine, fmt::join(known, ", "));
  return engine;
}

Device device_for_models(const std::string& device, const std::string& engine) {
  return device == "auto" ? Engine::best_device(engine) : Device::parse(device);
}

}  // namespace vrt::cli
