#include "vrt/engine/onnx/tensor.h"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"

namespace vrt::onnx {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor tensor_of(std::int32_t type, std::initializer_list<std::int64_t> extents) {
  Tensor tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (const std::int64_t extent : extents) tensor.add_dims(extent);
  return tensor;
}

TEST(TensorTest, BytesAreThoseOfTheElementsTypesBelowAByteShareOne) {
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::FLOAT, {2, 3})), 24);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::FLOAT16, {2, 3})), 12);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::COMPLEX128, {3})), 48);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::INT4, {3})), 2);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::UINT2, {5})), 2);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::FLOAT, {})), 4);
  EXPECT_EQ(packed_bytes(tensor_of(Tensor::FLOAT, {0, 7})), 0);
}

TEST(TensorTest, ExtentsThatNoTensorHasAreRefusedByName) {
  EXPECT_THAT(error_of([] { static_cast<void>(element_count(tensor_of(Tensor::FLOAT, {2, -1}))); }).what(),
              AllOf(HasSubstr("'w'"), HasSubstr("the extent -1")));
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(error_of([&] { static_cast<void>(element_count(tensor_of(Tensor::UINT8, {huge, huge}))); }).code(),
            ErrorCode::kCorrupt);
  EXPECT_EQ(error_of([&] { static_cast<void>(packed_bytes(tensor_of(Tensor::FLOAT, {huge, 1 << 21}))); }).code(),
            ErrorCode::kCorrupt);
}

TEST(TensorTest, ValuesHaveToBeAsManyAsTheExtentsSay) {
  Tensor raw = tensor_of(Tensor::FLOAT, {3});
  raw.set_raw_data(std::string(8, '\0'));
  EXPECT_THAT(error_of([&] { check_tensor(raw); }).what(), HasSubstr("'w' holds 8 bytes, its extents say 12"));
  Tensor typed = tensor_of(Tensor::FLOAT, {1 << 30});
  typed.add_float_data(1);
  EXPECT_THAT(error_of([&] { check_tensor(typed); }).what(),
              HasSubstr("'w' holds 1 values, its extents say 1073741824"));
  EXPECT_THAT(error_of([&] { check_tensor(tensor_of(99, {1})); }).what(), HasSubstr("element type 99"));
  EXPECT_EQ(error_of([&] { check_tensor(tensor_of(Tensor::UNDEFINED, {1})); }).code(), ErrorCode::kCorrupt);
}

TEST(TensorTest, EveryTypeHasItsField) {
  const auto holds_two = [](std::int32_t type, auto add) {
    Tensor tensor = tensor_of(type, {2});
    add(tensor);
    add(tensor);
    check_tensor(tensor);
  };
  for (const std::int32_t type : {Tensor::INT32, Tensor::INT8, Tensor::BOOL, Tensor::FLOAT16, Tensor::BFLOAT16}) {
    holds_two(type, [](Tensor& tensor) { tensor.add_int32_data(1); });
  }
  holds_two(Tensor::INT64, [](Tensor& tensor) { tensor.add_int64_data(1); });
  holds_two(Tensor::DOUBLE, [](Tensor& tensor) { tensor.add_double_data(1); });
  holds_two(Tensor::UINT32, [](Tensor& tensor) { tensor.add_uint64_data(1); });
  holds_two(Tensor::STRING, [](Tensor& tensor) { tensor.add_string_data("text"); });
  Tensor nibbles = tensor_of(Tensor::INT4, {3});
  nibbles.add_int32_data(0x21);
  nibbles.add_int32_data(0x03);
  check_tensor(nibbles);
}

TEST(TensorTest, FloatsComeFromEitherField) {
  Tensor tensor = tensor_of(Tensor::FLOAT, {2});
  tensor.add_float_data(1.5F);
  tensor.add_float_data(-2);
  EXPECT_THAT(float_values(tensor), ElementsAre(1.5F, -2));
  tensor.clear_float_data();
  tensor.set_raw_data(std::string("\0\0\xC0\x3F\0\0\0\xC0", 8));
  EXPECT_THAT(float_values(tensor), ElementsAre(1.5F, -2));
}

}  // namespace
}  // namespace vrt::onnx
