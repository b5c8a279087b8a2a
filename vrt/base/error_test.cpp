#include "vrt/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <type_traits>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

using ::testing::HasSubstr;

TEST(ErrorTest, MessageAndCauseAreSeparateAndWhatJoinsThem) {
  const Error error(ErrorCode::kIo, "cannot write out.mp4", "No space left on device");
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.message(), "cannot write out.mp4");
  EXPECT_EQ(error.cause(), "No space left on device");
  EXPECT_STREQ(error.what(), "cannot write out.mp4: No space left on device");
}

TEST(ErrorTest, WithoutACauseWhatIsTheMessage) {
  const Error error(ErrorCode::kNotFound, "no: such: file");
  EXPECT_STREQ(error.what(), "no: such: file");
  EXPECT_EQ(error.message(), "no: such: file");
  EXPECT_EQ(error.cause(), "");
}

TEST(ErrorTest, ANullEndsNoText) {
  const Error error(ErrorCode::kCorrupt, std::string("tensor 'a\0b' is wrong", 21), std::string("\0node\0", 6));
  EXPECT_EQ(error.message(), "tensor 'a b' is wrong");
  EXPECT_EQ(error.cause(), " node ");
  EXPECT_STREQ(error.what(), "tensor 'a b' is wrong:  node ");
}

TEST(ErrorTest, CopiesWithoutThrowingAndOutlivesTheOriginal) {
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
  auto original = std::make_unique<Error>(ErrorCode::kBackend, "engine failed", "code 7");
  const Error copy = *original;
  original.reset();
  EXPECT_EQ(copy.message(), "engine failed");
  EXPECT_EQ(copy.cause(), "code 7");
}

TEST(ErrorTest, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.insert(to_string(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::kInternal) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(FailTest, RequireThrowsTheFormattedMessageOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require(true, "never {}", 1));
  try {
    require(false, "expected {}, found {}", 3, "four");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("expected 3, found four"));
  }
}

}  // namespace
}  // namespace vrt
