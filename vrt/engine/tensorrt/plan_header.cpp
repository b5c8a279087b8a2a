#include "vrt/engine/tensorrt/plan_header.h"

#include <charconv>

#include "vrt/engine/backend_support.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;

constexpr std::string_view kFirstLine = "vrt TensorRT plan 1\n";
constexpr std::size_t kLargestHeader = 512;

[[noreturn]] void refuse(const std::string& text) {
  throw Failure(VRT_BACKEND_CORRUPT, "the engine cannot be taken: " + text);
}

std::string text_of(const ComputeCapability& capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

/// The header's lines, one field after the other.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  void skip(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) refuse("its header is damaged, or of another version of vrt");
    rest_.remove_prefix(expected.size());
  }
  std::string_view word() {
    const std::size_t end = rest_.find_first_of("\n .");
    if (end == std::string_view::npos || end > kLargestHeader) refuse("its header is damaged");
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  template <typename Number>
  Number number() {
    const std::string_view text = word();
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("its header is damaged");
    return value;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string read_fields(Reader& reader, PlanHeader& header) {
  reader.skip("flavor ");
  std::string flavor(reader.word());
  reader.skip("\nversion ");
  header.library.major = reader.number<int>();
  reader.skip(".");
  header.library.minor = reader.number<int>();
  reader.skip(".");
  header.library.patch = reader.number<int>();
  reader.skip("\narchitecture ");
  header.architecture.major = reader.number<int>();
  reader.skip(".");
  header.architecture.minor = reader.number<int>();
  reader.skip("\nhardware_compatible ");
  header.hardware_compatible = reader.number<int>() != 0;
  reader.skip("\nbytes ");
  header.plan_bytes = reader.number<std::uint64_t>();
  reader.skip("\n\n");
  return flavor;
}

bool runs_on(const PlanHeader& header, const ComputeCapability& gpu) {
  if (kIsRtx) return true;  // It compiles for the GPU when it loads.
  const auto& built = header.architecture;
  if (built.major == gpu.major && built.minor == gpu.minor) return true;
  return header.hardware_compatible &&
         (gpu.major > built.major || (gpu.major == built.major && gpu.minor > built.minor));
}

}  // namespace

std::string to_text(const PlanHeader& header) {
  return std::string(kFirstLine) + "flavor " + kBackendName + "\nversion " + to_text(header.library) +
         "\narchitecture " + text_of(header.architecture) + "\nhardware_compatible " +
         (header.hardware_compatible ? "1" : "0") + "\nbytes " + std::to_string(header.plan_bytes) + "\n\n";
}

CheckedPlan check_plan(std::string_view bytes, const Version& library, const ComputeCapability& gpu) {
  if (bytes.substr(0, kFirstLine.size()) != kFirstLine)
    refuse("it is not what vrt's module for " + std::string(kProduct) + " wrote");
  Reader reader(bytes);
  reader.skip(kFirstLine);
  CheckedPlan checked;
  const std::string flavor = read_fields(reader, checked.header);
  checked.plan = reader.rest();
  if (flavor != kBackendName) refuse("it is of backend '" + flavor + "', this is '" + kBackendName + "'");
  if (checked.header.library != library)
    refuse("it was built by " + std::string(kProduct) + " " + to_text(checked.header.library) + ", this is " +
           to_text(library));
  if (!runs_on(checked.header, gpu))
    refuse("it was built for compute capability " + text_of(checked.header.architecture) + ", this GPU has " +
           text_of(gpu));
  if (checked.plan.size() != checked.header.plan_bytes)
    refuse("it has " + std::to_string(checked.plan.size()) + " bytes of plan, " +
           std::to_string(checked.header.plan_bytes) + " were written");
  return checked;
}

}  // namespace vrt::tensorrt
