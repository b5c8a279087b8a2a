// SHA-256 digests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vrt/base/export.h"

namespace vrt {

/// Digests data that arrives in pieces.
class VRT_API Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// The digest of all that was added, as 64 lower-case hexadecimal digits. Call once; update after it is an error.
  [[nodiscard]] std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The digest of a whole file. Throws kNotFound or kIo naming the path.
[[nodiscard]] VRT_API std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace vrt
