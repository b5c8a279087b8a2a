#include "vrt/base/sha256.h"

#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

void check(int status, const char* call) {
  if (status != 1) fail(ErrorCode::kInternal, "SHA-256: OpenSSL's {} failed", call);
}

struct FileCloser {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }  // NOLINT(cert-err33-c): only read from
};

[[noreturn]] void fail_reading(const std::filesystem::path& path, int error) {
  throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot read " + path.string(),
              std::generic_category().message(error));
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
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rbe"));
  if (!file) fail_reading(path, errno);
  Sha256 hash;
  std::vector<std::byte> chunk(std::size_t{1} << 18);
  const auto read_chunk = [&] { return std::fread(chunk.data(), 1, chunk.size(), file.get()); };
  for (std::size_t count = read_chunk(); count > 0; count = read_chunk()) {
    hash.update(std::span(chunk).first(count));
  }
  if (std::ferror(file.get()) != 0) fail_reading(path, errno);
  return hash.finish();
}

}  // namespace vrt
