#include "vrt/engine/tensor_view.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

using test::error_of;

TEST(TensorViewTest, AsGivesAllElements) {
  std::array<float, 6> memory{};
  const TensorInfo info{"dets", DType::kFloat32, {1, 2, 3}};
  const TensorView view(&info, memory.data());
  const DeviceSpan<float> span = view.as<float>();
  EXPECT_EQ(span.data(), memory.data());
  EXPECT_EQ(span.size(), 6U);
  EXPECT_EQ(view.as<const float>().size(), 6U);
}

TEST(TensorViewTest, AnotherTypeIsRefusedNamingBoth) {
  std::array<std::int64_t, 2> memory{};
  const TensorInfo info{"labels", DType::kInt64, {2}};
  const Error error = error_of([&] { static_cast<void>(TensorView(&info, memory.data()).as<float>()); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("labels"), ::testing::HasSubstr("int64"),
                                             ::testing::HasSubstr("float32"), ::testing::HasSubstr("[2]")));
}

}  // namespace
}  // namespace vrt
