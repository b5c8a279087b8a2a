#include "vrt/base/dtype.h"

#include <gtest/gtest.h>

#include <set>

#include "vrt/base/error.h"

namespace vrt {
namespace {

TEST(DTypeTest, SizeIsThatOfTheCppType) {
  EXPECT_EQ(size_bytes(dtype_of<float>()), sizeof(float));
  EXPECT_EQ(size_bytes(dtype_of<const std::uint16_t>()), sizeof(std::uint16_t));
  EXPECT_EQ(size_bytes(dtype_of<std::int8_t>()), sizeof(std::int8_t));
  EXPECT_EQ(size_bytes(dtype_of<std::uint8_t>()), sizeof(std::uint8_t));
  EXPECT_EQ(size_bytes(dtype_of<std::int32_t>()), sizeof(std::int32_t));
  EXPECT_EQ(size_bytes(dtype_of<std::int64_t>()), sizeof(std::int64_t));
  EXPECT_EQ(size_bytes(dtype_of<bool>()), sizeof(bool));
  EXPECT_EQ(size_bytes(DType::kBFloat16), 2U);
}

TEST(DTypeTest, NamesAreDistinctAndUsual) {
  std::set<std::string_view> names;
  for (std::int32_t number = 1; number <= 8; ++number) names.insert(to_string(static_cast<DType>(number)));
  const std::set<std::string_view> expected = {"float32", "float16", "bfloat16", "int8",
                                               "uint8",   "int32",   "int64",    "bool"};
  EXPECT_EQ(names, expected);
}

TEST(DTypeTest, NumbersOfTheBridgeAreFixed) {
  EXPECT_EQ(static_cast<int>(DType::kFloat32), 1);
  EXPECT_EQ(static_cast<int>(DType::kBFloat16), 3);
  EXPECT_EQ(static_cast<int>(DType::kBool), 8);
}

TEST(DTypeTest, AnUnknownNumberIsRefused) {
  EXPECT_THROW((void)size_bytes(static_cast<DType>(0)), Error);
  EXPECT_THROW((void)to_string(static_cast<DType>(9)), Error);
}

}  // namespace
}  // namespace vrt
