#include "vrt/engine/tensorrt/timing_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace vrt::tensorrt {
namespace {

constexpr std::int32_t kInfo = 1;
constexpr std::int32_t kWarning = 2;

/// Empty where there is none or, with a warning, where it cannot be read.
std::string read_file(const std::string& path, const backend::Logger& logger) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const std::uintmax_t size = std::filesystem::file_size(path, error);  // Fails for a folder.
  std::string bytes(error ? 0 : size, '\0');
  if (!error && std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return bytes;
  logger(kWarning, ("the timing cache '" + path + "' cannot be read; layers are measured anew").c_str());
  return {};
}

std::unique_ptr<nvinfer1::ITimingCache> give_cache(nvinfer1::IBuilderConfig& config, const std::string& bytes) {
  std::unique_ptr<nvinfer1::ITimingCache> cache(config.createTimingCache(bytes.data(), bytes.size()));
  // Not true: a cache of another GPU or version is refused, not used.
  if (cache != nullptr && config.setTimingCache(*cache, false)) return cache;
  return nullptr;
}

bool write_whole(int file, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(file, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

/// Empty if it worked, else the reason. A module links nothing of vrt, so vrt's own atomic writing is out of reach.
std::string replace_file(const std::string& path, const char* data, std::size_t bytes) {
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return std::strerror(errno);
  const bool written = write_whole(file, data, bytes);
  const bool closed = close(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  std::string reason = std::strerror(errno);
  unlink(temporary.c_str());
  return reason;
}

}  // namespace

std::unique_ptr<nvinfer1::ITimingCache> open_timing_cache(nvinfer1::IBuilderConfig& config, const std::string& path,
                                                          const backend::Logger& logger) {
  const std::string bytes = read_file(path, logger);
  if (!bytes.empty()) {
    if (auto cache = give_cache(config, bytes)) return cache;
    logger(
        kInfo,
        ("the timing cache '" + path + "' is of another GPU or version, or damaged; layers are measured anew").c_str());
  }
  auto cache = give_cache(config, {});
  if (cache == nullptr) logger(kWarning, "there is no timing cache for this build");
  return cache;
}

void save_timing_cache(const nvinfer1::ITimingCache& cache, const std::string& path, const backend::Logger& logger) {
  const std::unique_ptr<nvinfer1::IHostMemory> bytes(cache.serialize());
  const std::string reason = bytes == nullptr
                                 ? "it cannot be serialised"
                                 : replace_file(path, static_cast<const char*>(bytes->data()), bytes->size());
  if (reason.empty()) return;
  logger(kWarning,
         ("the timing cache '" + path + "' is not kept (" + reason + "); the next build measures layers anew").c_str());
}

}  // namespace vrt::tensorrt
