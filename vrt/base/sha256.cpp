#include "vrt/base/sha256.h"

#include <fmt/ranges.h>
#include <openssl/evp.h>

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
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  bool finished = false;

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(handle); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr), "EVP_DigestInit_ex");
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(!context_->finished, "SHA-256: update after finish; use a new Sha256 for new data");
  check(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()), "EVP_DigestUpdate");
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }

std::string Sha256::finish() {
  require(!context_->finished, "SHA-256: finish was called before");
  context_->finished = true;
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(context_->handle, digest.data(), nullptr), "EVP_DigestFinal_ex");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 hash;
  const bool is_there = detail::for_each_part(path, [&](std::span<const std::byte> part) { hash.update(part); });
  if (!is_there) fail(ErrorCode::kNotFound, "cannot read {}: no such file", path.string());
  return hash.finish();
}

}  // namespace vrt
