// Internal: what a compiled network consists of, by the record that ONNX Runtime writes of a run. It names the kernel that
// ran for each node, where, and the types that went in and came out: what was compiled, not what the file says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/onnxruntime/signature.h"
#include "vrt/engine/onnxruntime/temporary_folder.h"

namespace vrt::onnxruntime {

struct Layer {
  std::string name;
  std::string type;
  std::string precision;                  ///< What it computes in, as vrt::DType is named.
  bool on_host = false;                   ///< Ran on the CPU.
  bool only_counts = false;               ///< Nothing but a few integers goes in and comes out: arithmetic of shapes.
  std::vector<std::string> results = {};  ///< "int64[1,2]" for each output.
};

/// Reads ONNX Runtime's profile, a JSON array of events. Throws backend::Failure FAILED where it has another form.
[[nodiscard]] std::vector<Layer> parse_profile(std::string_view json);

/// Whether two networks run the same layers in the same places: by types, precisions and results, in whatever order. Names do not
/// count, as ONNX Runtime makes some up.
[[nodiscard]] bool are_same(const std::vector<Layer>& some, const std::vector<Layer>& others);

/// ONNX Runtime's record of a session's first runs, in a file of a folder that goes with it.
class Recording {
 public:
  /// For SessionPlan::profile_prefix.
  [[nodiscard]] std::filesystem::path prefix() const { return folder_.path() / "profile"; }
  /// Ends the record of a session that was made with it: its layers in the order in which they ran first.
  [[nodiscard]] std::vector<Layer> finish(const OrtApi& api, OrtSession& session) const;

 private:
  TemporaryFolder folder_;
};

/// The JSON of engine_describe.
[[nodiscard]] std::string describe(const std::vector<Layer>& layers);

/// Throws backend::Failure UNSUPPORTED, by name, for layers that would make a run on the GPU wait for the CPU, and for inputs
/// and outputs that ONNX Runtime would keep on the host. `batch` is that of the run whose layers these are.
void require_on_gpu(const std::vector<Layer>& layers, const Signature& signature, std::int64_t batch);

}  // namespace vrt::onnxruntime
