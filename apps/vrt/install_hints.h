// What to install for something that is missing, on the distribution at hand.
#pragma once

#include <string>
#include <string_view>

namespace vrt::cli {

/// What `vrt doctor` can find missing and a package manager can bring.
enum class Missing { kNvidiaDriver, kNvrtc, kFfmpeg, kTensorRt, kOpenVino, kOnnxRuntime, kModel };

/// True for Debian, Ubuntu and what calls itself like them, by the text of an os-release file (its ID and ID_LIKE).
bool uses_apt(std::string_view os_release);

/// The text of /etc/os-release, or of the file that VRT_OS_RELEASE names (the root of a container or an image, say); empty where
/// there is none. Throws kIo, naming the file, where it cannot be read.
std::string read_os_release();

/// The value of a key in the text of an os-release file, without quotes; empty if there is none.
std::string os_release_value(std::string_view os_release, std::string_view key);

/// One line: the command to type, or what to look for where the distribution is not known.
std::string install_hint(Missing what, std::string_view os_release);

}  // namespace vrt::cli
