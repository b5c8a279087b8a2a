#include "vrt/pipeline/families/recognition.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/engine/onnx_metadata.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/pipeline/families/network_input.h"

namespace vrt {
namespace {

using Metadata = std::map<std::string, std::string>;

std::string value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

bool has_task(const ModelFamily& family, std::string_view task) {
  return std::find(family.tasks.begin(), family.tasks.end(), task) != family.tasks.end();
}

/// The families that the metadata leaves: those of its task; all, where it has none or one that nobody here knows.
std::vector<const ModelFamily*> families_by_metadata(const std::filesystem::path& model, const Metadata& metadata) {
  const std::string task = value_of(metadata, "task");
  // Ultralytics' package exports other networks than YOLO's, too; it alone writes down strides.
  if (!task.empty() && metadata.contains("stride")) {
    if (has_task(yolo_family(), task)) return {&yolo_family()};
    fail(ErrorCode::kUnsupported,
         "{}: its metadata calls its task '{}', as Ultralytics' export does; of that package vrt runs detect, segment "
         "and pose",
         model.string(), task);
  }
  const auto all = model_families();
  std::vector<const ModelFamily*> left;
  if (!task.empty())
    std::copy_if(all.begin(), all.end(), std::back_inserter(left), [&](auto* each) { return has_task(*each, task); });
  return left.empty() ? std::vector(all.begin(), all.end()) : left;
}

std::string names_of(std::span<const ModelFamily* const> families) {
  std::vector<std::string_view> names;
  for (const ModelFamily* family : families) names.push_back(family->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const ModelFacts& facts) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : facts.metadata) keys.push_back(key);
  return fmt::format("inputs {}; outputs {}; metadata {}", describe_tensors(facts.inputs),
                     describe_tensors(facts.outputs), keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
}

bool fits(const ModelFamily& family, const std::filesystem::path& model, const ModelFacts& facts) {
  try {
    return family.fits(facts);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", model.string(), error.what());
  }
}

std::vector<const ModelFamily*> fitting_families(const std::filesystem::path& model, const ModelFacts& facts,
                                                 const std::vector<const ModelFamily*>& candidates) {
  std::vector<const ModelFamily*> fitting;
  for (const ModelFamily* family : candidates)
    if (fits(*family, model, facts)) fitting.push_back(family);
  return fitting;
}

const ModelFamily& family_by_shapes(const std::filesystem::path& model, const ModelFacts& facts,
                                    const std::vector<const ModelFamily*>& candidates) {
  const std::vector<const ModelFamily*> fitting = fitting_families(model, facts, candidates);
  if (fitting.size() == 1) return *fitting.front();
  if (fitting.empty()) {
    fail(ErrorCode::kInvalidArgument,
         "{0}: a network of no family that vrt knows ({1}); found {2}; if it is one of them, say which in front of its "
         "name: FAMILY:{0}",
         model.string(), names_of(model_families()), describe(facts));
  }
  fail(ErrorCode::kInvalidArgument,
       "{0}: a network that could be of several families ({1}); found {2}; say which, as in {3}:{0}", model.string(),
       names_of(fitting), describe(facts), fitting.front()->name);
}

}  // namespace

const ModelFamily& recognise_family(const std::filesystem::path& model) {
  Metadata metadata = read_onnx_metadata(model);
  const std::vector<const ModelFamily*> candidates = families_by_metadata(model, metadata);
  if (candidates.size() == 1) return *candidates.front();
  try {
    return family_by_shapes(model, read_facts(model, std::move(metadata)), candidates);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnavailable) throw;
    throw Error(
        ErrorCode::kUnavailable,
        fmt::format(
            "the family of {0} cannot be told from its file; say which it is ({1}) in front of its name: FAMILY:{0}",
            model.string(), names_of(candidates)),
        error.what());
  }
}

bool has_family(const std::filesystem::path& model) {
  try {
    Metadata metadata = read_onnx_metadata(model);
    const std::vector<const ModelFamily*> candidates = families_by_metadata(model, metadata);
    return candidates.size() == 1 ||
           !fitting_families(model, read_facts(model, std::move(metadata)), candidates).empty();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return false;
  }
}

}  // namespace vrt
