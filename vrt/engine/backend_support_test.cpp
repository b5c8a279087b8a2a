#include "vrt/engine/backend_support.h"

#include <array>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
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

TEST(BackendSupportTest, ANullEndsNoReason) {
  Buffer<64> buffer;
  guarded(&buffer.error, [] { throw Failure(VRT_BACKEND_CORRUPT, std::string("tensor 'a\0b' is wrong", 21)); });
  EXPECT_STREQ(buffer.bytes.data(), "tensor 'a b' is wrong");
}

/// The reason of what is thrown.
template <typename Function>
std::string reason_of(const Function& function) {
  Buffer<128> buffer;
  EXPECT_NE(guarded(&buffer.error, function), VRT_BACKEND_OK);
  return buffer.bytes.data();
}

TEST(BackendSupportTest, WhatIsHandedOutArrivesOrTheCallFails) {
  std::string taken;
  const VrtBackendWrite append = [](void* user, const void* data, std::uint64_t bytes) -> std::int32_t {
    static_cast<std::string*>(user)->append(static_cast<const char*>(data), bytes);
    return 0;
  };
  hand_out(append, &taken, "one");
  hand_out(append, &taken, std::string_view("\0two", 4));
  EXPECT_EQ(taken, std::string("one\0two", 7));
  const VrtBackendWrite refuse = [](void*, const void*, std::uint64_t) -> std::int32_t { return 1; };
  EXPECT_EQ(reason_of([&] { hand_out(refuse, nullptr, "one"); }), "the bytes were not taken");
}

TEST(BackendSupportTest, ATensorIsThereAndItsMemoryFits) {
  const std::vector<std::string> tensors{"a", "b"};
  EXPECT_EQ(&tensor_at(tensors, 1), &tensors[1]);
  EXPECT_EQ(reason_of([&] { static_cast<void>(tensor_at(tensors, 2)); }), "there is no tensor 2 of 2");
  require_bytes("a", 8, 8);
  EXPECT_EQ(reason_of([] { require_bytes("a", 8, 4); }), "tensor 'a' has 8 bytes, the memory for it 4");
}

TEST(BackendSupportTest, ATensorIsDescribedFieldByField) {
  const std::string name = "image";
  VrtBackendTensor tensor{};
  tensor.struct_bytes = sizeof(tensor);
  describe_tensor(name, 3, std::vector<std::size_t>{4, 5}, true, &tensor);
  EXPECT_EQ(tensor.name, name.c_str());
  EXPECT_EQ(tensor.dtype, 3);
  ASSERT_EQ(tensor.rank, 2U);
  EXPECT_EQ(tensor.extents[0], 4);
  EXPECT_EQ(tensor.extents[1], 5);
  EXPECT_EQ(tensor.batched, 1);
  tensor.struct_bytes = 8;
  EXPECT_THAT(reason_of([&] { describe_tensor(name, 3, std::vector<std::int64_t>{}, false, &tensor); }),
              ::testing::HasSubstr("the tensor description has 8 bytes"));
}

TEST(BackendSupportTest, LayersAreAListOfJson) {
  std::string list;
  add_layer_json(list, "a\"b\\c\n", "Conv", "float16");
  add_layer_json(list, "", "Cast", "");
  EXPECT_EQ(list,
            "{\"name\": \"a\\\"b\\\\c \", \"type\": \"Conv\", \"precision\": \"float16\"}, "
            "{\"name\": \"\", \"type\": \"Cast\", \"precision\": \"\"}");
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

TEST(BackendSupportTest, ALineGoesToEveryLoggerOfAListUntilItIsRemoved) {
  int calls[2] = {0, 0};
  VrtBackendContextOptions options{};
  options.log = [](void* user, std::int32_t level, const char*) { *static_cast<int*>(user) += level; };
  options.log_user = &calls[0];
  const Logger first(options);
  options.log_user = &calls[1];
  const Logger second(options);
  LoggerList list;
  list.add(&first);
  list.add(&second);
  list.send(3, "text");
  list.remove(&first);
  list.send(2, "text");
  EXPECT_EQ(calls[0], 3);
  EXPECT_EQ(calls[1], 5);
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
