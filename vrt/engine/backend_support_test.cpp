#include "vrt/engine/backend_support.h"

#include <array>
#include <new>
#include <string>

#include <gtest/gtest.h>

namespace vrt::backend {
namespace {

/// A caller's buffer of N bytes, with a guard behind it.
template <std::size_t N>
struct Buffer {
  std::array<char, N + 1> bytes{};
  VrtBackendError error{sizeof(VrtBackendError), bytes.data(), N};
  Buffer() { bytes.fill('#'); }
};

TEST(BackendSupportTest, TextBecomesOneLine) {
  Buffer<64> buffer;
  write_text(&buffer.error, "\n first line\n\n\tsecond   line \r\n");
  EXPECT_STREQ(buffer.bytes.data(), "first line second line");
}

TEST(BackendSupportTest, TextIsCutAtTheBufferAndTerminated) {
  Buffer<8> buffer;
  write_text(&buffer.error, "abcdefghijklmnop");
  EXPECT_STREQ(buffer.bytes.data(), "abcdefg");
  EXPECT_EQ(buffer.bytes[8], '#');
}

TEST(BackendSupportTest, EveryBufferSizeHoldsAPrefix) {
  constexpr std::string_view kText = "one  two three";
  for (std::size_t size = 1; size <= 20; ++size) {
    std::array<char, 24> bytes{};
    bytes.fill('#');
    VrtBackendError error{sizeof(VrtBackendError), bytes.data(), size};
    write_text(&error, kText);
    const std::string written(bytes.data());
    EXPECT_LT(written.size(), size);
    EXPECT_EQ(std::string("one two three").rfind(written, 0), 0U) << written;
    EXPECT_EQ(bytes[size], '#');
  }
}

TEST(BackendSupportTest, AMissingOrForeignBufferIsLeftAlone) {
  write_text(nullptr, "text");
  Buffer<8> buffer;
  buffer.error.struct_bytes = 8;
  write_text(&buffer.error, "text");
  EXPECT_EQ(buffer.bytes[0], '#');
  VrtBackendError without_text{sizeof(VrtBackendError), nullptr, 0};
  write_text(&without_text, "text");
}

TEST(BackendSupportTest, EveryExceptionBecomesAStatus) {
  Buffer<64> buffer;
  EXPECT_EQ(guarded(&buffer.error, [] {}), VRT_BACKEND_OK);
  EXPECT_EQ(guarded(&buffer.error, [] { throw Failure(VRT_BACKEND_CORRUPT, "bad file"); }), VRT_BACKEND_CORRUPT);
  EXPECT_STREQ(buffer.bytes.data(), "bad file");
  EXPECT_EQ(guarded(&buffer.error, [] { throw std::bad_alloc(); }), VRT_BACKEND_OUT_OF_MEMORY);
  EXPECT_EQ(guarded(&buffer.error, [] { throw std::runtime_error("vendor's words"); }), VRT_BACKEND_FAILED);
  EXPECT_STREQ(buffer.bytes.data(), "vendor's words");
  EXPECT_EQ(guarded(&buffer.error, [] { throw 42; }), VRT_BACKEND_FAILED);
  EXPECT_STREQ(buffer.bytes.data(), "an exception of an unknown type");
}

TEST(BackendSupportTest, ADestructorThatThrowsIsCaught) {
  struct Thrower {
    ~Thrower() noexcept(false) { throw 42; }
  };
  EXPECT_NO_THROW(destroy(new Thrower));
}

TEST(BackendSupportTest, StructsThatAreTooSmallAreRefused) {
  VrtBackendContextOptions options{};
  options.struct_bytes = sizeof(options) - 1;
  EXPECT_THROW(checked(&options, "options"), Failure);
  options.struct_bytes = sizeof(options) + 8;  // A newer host's, with fields that this module does not know.
  EXPECT_NO_THROW(checked(&options, "options"));
  EXPECT_THROW(checked(static_cast<const VrtBackendContextOptions*>(nullptr), "options"), Failure);
}

TEST(BackendSupportTest, ALogCallbackThatThrowsIsCaught) {
  int calls = 0;
  VrtBackendContextOptions options{};
  options.struct_bytes = sizeof(options);
  options.log_user = &calls;
  options.log = [](void* user, std::int32_t, const char*) {
    ++*static_cast<int*>(user);
    throw std::runtime_error("from the host");
  };
  const Logger logger(options);
  EXPECT_NO_THROW(logger(0, "text"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace vrt::backend
