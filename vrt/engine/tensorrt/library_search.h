// Internal: where TensorRT's libraries may be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vrt::tensorrt {

/// The file of a library in a folder: `<stem>.so.<major>`, else the newest `<stem>.so.<major>.<…>`, which is all that wheels have; empty
/// if there is neither.
[[nodiscard]] std::filesystem::path find_in_folder(const std::filesystem::path& folder, const std::string& stem,
                                                   int major);

/// Any version of it in that folder, the newest; empty if there is none.
[[nodiscard]] std::filesystem::path find_any_in_folder(const std::filesystem::path& folder, const std::string& stem);

/// The folders of wheels in this environment's Pythons, as nvrtc_search.cpp looks for them.
[[nodiscard]] std::vector<std::filesystem::path> wheel_folders();

}  // namespace vrt::tensorrt
