// Pictures and videos of any bytes, as files in memory: frames, or an error that names the file.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/media/source.h"

namespace {

namespace fs = std::filesystem;

void check(bool holds) {
  if (!holds) std::abort();
}

/// One file for the process; the first byte of an input chooses the name, because some readers go by it.
struct MemoryFile {
  MemoryFile() : folder(fs::path("/dev/shm") / ("vrt_fuzz_" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~MemoryFile() { fs::remove_all(folder); }
  fs::path folder;
};

/// Every byte of the picture is readable and the frames' order is kept.
void read_frame(const vrt::Frame& frame, std::int64_t index) {
  const vrt::ImageView& picture = frame.host_image();
  picture.validate();
  check(frame.index() == index && frame.time() >= 0);
  const std::size_t bytes = vrt::packed_bytes(picture.size, picture.format);
  volatile std::uint8_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += std::max<std::size_t>(1, bytes / 5000)) sum = sum + picture.planes[0].data[i];
  sum = sum + picture.planes[0].data[bytes - 1];
}

void read_all(const std::string& file) {
  static const vrt::Stream stream(vrt::Device::cpu());
  constexpr std::int64_t kMostFrames = 20;
  vrt::Source source(file, vrt::Device::cpu());
  for (std::int64_t index = 0; index < kMostFrames; ++index) {
    const auto frame = source.next(stream);
    if (!frame) return;
    read_frame(*frame, index);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const MemoryFile memory;
  static const bool quiet = (vrt::set_log_sink([](vrt::LogLevel, std::string_view) {}), true);
  if (bytes < 1 || !quiet) return 0;
  constexpr const char* kNames[] = {"a.mp4", "a.png", "a.mjpeg", "a.mkv"};
  const fs::path file = memory.folder / kNames[data[0] % 4];
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(bytes - 1));
  try {
    read_all(file.string());
  } catch (const vrt::Error& error) {
    check(std::string(error.what()).size() > 0);
  }
  return 0;
}
