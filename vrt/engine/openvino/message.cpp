#include "vrt/engine/openvino/message.h"

#include <algorithm>
#include <array>

namespace vrt::openvino {
namespace {

/// Lines that begin so speak of OpenVINO's sources, not of the user's model.
bool is_noise(std::string_view line) {
  constexpr std::array<std::string_view, 3> kBeginnings = {"Exception from ", "Check '", "FrontEnd API failed with"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return line.substr(0, beginning.size()) == beginning; });
}

/// "at node '518'" for a line that describes a node at length.
std::string shorten(std::string_view line) {
  constexpr std::string_view kBeginning = "While validating node";
  constexpr std::string_view kName = "with friendly_name ";
  const std::size_t name = line.find(kName);
  if (line.substr(0, kBeginning.size()) != kBeginning || name == std::string_view::npos) return std::string(line);
  return "at node " + std::string(line.substr(name + kName.size()));
}

}  // namespace

std::string essence(std::string_view message) {
  std::string result;
  std::string_view rest = message;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank && !is_noise(line)) result += (result.empty() ? "" : " ") + shorten(line);
  }
  return result.empty() ? std::string(message) : result;
}

}  // namespace vrt::openvino
