#include "apps/vrt/printable.h"

#include <algorithm>

namespace vrt::cli {

std::string printable(std::string text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace vrt::cli
