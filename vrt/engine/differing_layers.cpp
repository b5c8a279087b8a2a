#include "vrt/engine/differing_layers.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/engine/accuracy.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/engine/onnx/exposed_values.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;
using onnx::NodeValue;

/// Values looked at in one go: each stays in memory, and holds the backend back from fusing.
constexpr std::size_t kAtOnce = 48;
constexpr std::size_t kNamed = 3;

class LayerSearch {
 public:
  LayerSearch(const std::shared_ptr<BackendContext>& backend, const BuildRequest& request)
      : backend_(backend), request_(request), folder_(fs::temp_directory_path() / "vrt-layers-") {
    std::set<std::string> converted;
    for (const NodeValue& value : onnx::list_node_values(request.file)) converted.insert(value.value);
    for (NodeValue& value : onnx::list_node_values(request.model)) {
      if (converted.count(value.value) > 0) values_.push_back(std::move(value));
    }
  }

  std::string find() {
    std::size_t first = 0;
    std::size_t end = values_.size();
    // What is before `first` is within bounds, what is at `end - 1` is not, once one was found.
    while (end - first > kAtOnce) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 1; i <= kAtOnce; ++i) chosen.push_back(first + (end - first) * i / kAtOnce - 1);
      const std::vector<OutputAccuracy> accuracies = measure(chosen);
      std::size_t bad = 0;
      while (bad < chosen.size() && is_within(accuracies[bad])) ++bad;
      if (bad == chosen.size()) return "";
      end = chosen[bad] + 1;
      if (bad > 0) first = chosen[bad - 1] + 1;
    }
    std::vector<std::size_t> rest;
    for (std::size_t i = first; i < end; ++i) rest.push_back(i);
    return rest.empty() ? "" : name_first(rest, measure(rest));
  }

 private:
  [[nodiscard]] bool is_within(const OutputAccuracy& accuracy) const {
    const AccuracyReport one{"", 1, true, {accuracy}};
    return find_worst(one, request_.options->accuracy) == nullptr;
  }

  [[nodiscard]] std::string name_first(const std::vector<std::size_t>& indices,
                                       const std::vector<OutputAccuracy>& accuracies) const {
    std::string text;
    std::size_t named = 0;
    for (std::size_t i = 0; i < indices.size() && named < kNamed; ++i) {
      if (is_within(accuracies[i])) continue;
      const NodeValue& value = values_[indices[i]];
      text += fmt::format("{} node '{}' ({}): {:.4g} %", text.empty() ? "; first in" : ",", value.node, value.type,
                          100 * accuracies[i].share_of_range);
      ++named;
    }
    return text;
  }

  [[nodiscard]] std::vector<OutputAccuracy> measure(const std::vector<std::size_t>& indices) const {
    std::vector<std::string> names;
    for (const std::size_t index : indices)
      if (values_[index].output < 0) names.push_back(values_[index].value);
    BuildRequest request = request_;
    request.file = folder_.path() / "reduced.onnx";
    const fs::path exact = folder_.path() / "exact.onnx";
    onnx::expose_values(request_.file, names, request.file);
    onnx::expose_values(request_.model, names, exact);
    const auto state = std::make_shared<EngineState>(backend_, request.model, request.options->batch,
                                                     build_engine(*backend_, request));
    const Engine reduced = EngineMaker::make(state);
    const Engine reference = open_reference(exact, *request.options, std::string(backend_->name()));
    const auto go_on = [&](std::int32_t run, std::int32_t runs) {
      const auto& progress = request.options->progress;
      return !progress || progress({"looking for the first layers that differ", run, runs});
    };
    const AccuracyReport report = compare(reduced, reference, request.options->accuracy.samples, go_on);
    return in_order_of(indices, report, names.size());
  }

  /// The network's own outputs come first in the report, then the exposed values.
  [[nodiscard]] std::vector<OutputAccuracy> in_order_of(const std::vector<std::size_t>& indices,
                                                        const AccuracyReport& report, std::size_t exposed) const {
    std::vector<OutputAccuracy> accuracies;
    std::size_t next = report.outputs.size() - exposed;
    for (const std::size_t index : indices) {
      const int output = values_[index].output;
      accuracies.push_back(report.outputs.at(output < 0 ? next++ : static_cast<std::size_t>(output)));
    }
    return accuracies;
  }

  const std::shared_ptr<BackendContext>& backend_;
  const BuildRequest& request_;
  TemporaryFolder folder_;
  std::vector<NodeValue> values_;
};

}  // namespace

std::string describe_differing_layers(const std::shared_ptr<BackendContext>& backend, const BuildRequest& request) {
  if (request.file == request.model) return "";
  try {
    return LayerSearch(backend, request).find();
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::kCancelled) throw;
    log(LogLevel::kInfo, fmt::format("which layers differ first cannot be told: {}", problem.what()));
    return "";
  }
}

}  // namespace vrt::detail
