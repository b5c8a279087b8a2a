// OpenSSL's own digest functions, which its newer interface EVP replaces: EVP's first use reads configuration files and loads
// providers, 1 to 2 milliseconds, a third of what all kernels take from their cache.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "vrt/base/sha256.h"

#include <fmt/ranges.h>
#include <openssl/sha.h>

#include <array>

#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"

namespace vrt {
namespace {

void check(int status, const char* call) {
  if (status != 1) fail(ErrorCode::kInternal, "SHA-256: OpenSSL's {} failed", call);
}

}  // namespace

struct Sha256::Context {
  SHA256_CTX state{};
  bool finished = false;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { check(SHA256_Init(&context_->state), "SHA256_Init"); }

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(!context_->finished, "SHA-256: update after finish; use a new Sha256 for new data");
  check(SHA256_Update(&context_->state, bytes.data(), bytes.size()), "SHA256_Update");
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }

std::string Sha256::finish() {
  require(!context_->finished, "SHA-256: finish was called before");
  context_->finished = true;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  check(SHA256_Final(digest.data(), &context_->state), "SHA256_Final");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 hash;
  const bool is_there = detail::for_each_part(path, [&](std::span<const std::byte> part) { hash.update(part); });
  if (!is_there) fail(ErrorCode::kNotFound, "cannot read {}: no such file", path.string());
  return hash.finish();
}

}  // namespace vrt
