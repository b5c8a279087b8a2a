#include "vrt/device/dlpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/dlpack_abi.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using dlpack::DataType;
using dlpack::DeviceType;
using dlpack::Managed;
using dlpack::ManagedVersioned;
using dlpack::TypeCode;
using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DataType kFloat32{TypeCode::kFloat, 32, 1};

const ManagedVersioned& seen(const DLManagedTensorVersioned* tensor) {
  return *reinterpret_cast<const ManagedVersioned*>(tensor);
}
void release(DLManagedTensorVersioned* tensor) {
  auto* const managed = reinterpret_cast<ManagedVersioned*>(tensor);
  managed->deleter(managed);
}

/// A producer's tensor: host memory that counts how often it was given back.
struct Producer {
  explicit Producer(std::vector<std::int64_t> shape = {2, 3}) : extents(std::move(shape)) {
    values.resize(64);
    std::iota(values.begin(), values.end(), 0.0F);
    const dlpack::Tensor described{values.data(),
                                   {DeviceType::kCpu, 0},
                                   static_cast<std::int32_t>(extents.size()),
                                   kFloat32,
                                   extents.data(),
                                   nullptr,
                                   0};
    versioned = {dlpack::kVersion, this,
                 [](ManagedVersioned* self) { ++static_cast<Producer*>(self->context)->deletions; }, 0, described};
    plain = {described, this, [](Managed* self) { ++static_cast<Producer*>(self->context)->deletions; }};
  }

  [[nodiscard]] DLManagedTensorVersioned* tensor() { return reinterpret_cast<DLManagedTensorVersioned*>(&versioned); }
  [[nodiscard]] DLManagedTensor* plain_tensor() { return reinterpret_cast<DLManagedTensor*>(&plain); }

  std::vector<float> values;
  std::vector<std::int64_t> extents;
  ManagedVersioned versioned;
  Managed plain;
  std::atomic<int> deletions{0};
};

// ---- Out, on every device.

class DlpackExportTest : public ::testing::TestWithParam<Device> {
 protected:
  Stream stream_{GetParam()};
};

TEST_P(DlpackExportTest, SaysWhatTheMemoryIs) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 24);
  DLManagedTensorVersioned* const lent = to_dlpack(stream_, buffer.span(), {2, 3, 4});
  const ManagedVersioned& managed = seen(lent);
  EXPECT_EQ(managed.version.major, 1U);
  EXPECT_EQ(managed.flags, 0U);
  EXPECT_EQ(managed.tensor.data, buffer.span().data());
  EXPECT_EQ(managed.tensor.byte_offset, 0U);
  EXPECT_EQ(managed.tensor.device.type, GetParam().is_cpu() ? DeviceType::kCpu : DeviceType::kCuda);
  EXPECT_EQ(managed.tensor.device.index, GetParam().ordinal());
  EXPECT_EQ(managed.tensor.type.code, TypeCode::kFloat);
  EXPECT_EQ(managed.tensor.type.bits, 32);
  EXPECT_EQ(managed.tensor.type.lanes, 1);
  ASSERT_EQ(managed.tensor.rank, 3);
  EXPECT_THAT(std::vector(managed.tensor.extents, managed.tensor.extents + 3), ElementsAre(2, 3, 4));
  EXPECT_THAT(std::vector(managed.tensor.strides, managed.tensor.strides + 3), ElementsAre(12, 4, 1));
  release(lent);
}

TEST_P(DlpackExportTest, ConstElementsAreReadOnly) {
  const auto buffer = DeviceBuffer<std::int64_t>::zeros(stream_, 4);
  DLManagedTensorVersioned* const lent = to_dlpack(stream_, buffer.span(), {4});
  EXPECT_EQ(seen(lent).flags, dlpack::kFlagReadOnly);
  EXPECT_EQ(seen(lent).tensor.type.code, TypeCode::kInt);
  EXPECT_EQ(seen(lent).tensor.type.bits, 64);
  release(lent);
}

TEST_P(DlpackExportTest, MemoryOutlivesItsBufferUntilItIsGivenBackFromAnyThread) {
  auto buffer = DeviceBuffer<std::uint8_t>::uninitialized(stream_, 1 << 20);
  fill_bytes(stream_, buffer.span(), 7);
  const DeviceSpan<std::uint8_t> memory = buffer.span();
  DLManagedTensorVersioned* const lent = to_dlpack(stream_, memory, {1 << 10, 1 << 10});
  buffer = {};
  // Would take the block over if it were free.
  auto other = DeviceBuffer<std::uint8_t>::uninitialized(stream_, 1 << 20);
  fill_bytes(stream_, other.span(), 1);
  const std::vector<std::uint8_t> bytes = read_back_blocking(stream_, memory);
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0), 7 << 20);
  std::thread([lent] { release(lent); }).join();
  stream_.synchronize();
}

TEST_P(DlpackExportTest, APartOfABufferAndNothingCanBeLent) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 10);
  DLManagedTensorVersioned* const part = to_dlpack(stream_, buffer.span().subspan(4, 6), {2, 3});
  EXPECT_EQ(seen(part).tensor.data, buffer.span().data() + 4);
  release(part);
  auto none = DeviceBuffer<float>::zeros(stream_, 0);
  DLManagedTensorVersioned* const empty = to_dlpack(stream_, none.span(), {0, 3});
  EXPECT_EQ(seen(empty).tensor.rank, 2);
  release(empty);
  DLManagedTensorVersioned* const scalar = to_dlpack(stream_, buffer.span().subspan(0, 1), {});
  EXPECT_EQ(seen(scalar).tensor.rank, 0);
  release(scalar);
}

// 2^62 floats are 2^64 bytes, which as a number of 64 bits are none at all.
TEST_P(DlpackExportTest, ASpanWhoseBytesCannotBeCountedIsRefused) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 6);
  const auto vast = DeviceSpan<float>::from_raw(buffer.span().data(), std::size_t{1} << 62);
  EXPECT_THAT(error_of([&] {
                static_cast<void>(to_dlpack(stream_, vast, {std::int64_t{1} << 31, std::int64_t{1} << 31}));
              }).what(),
              HasSubstr("more than memory can hold"));
}

TEST_P(DlpackExportTest, WhatCannotBeLentIsRefused) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 6);
  float foreign = 0;
  const auto refusal = [&](DeviceSpan<float> span, const Shape& shape) {
    return error_of([&] { static_cast<void>(to_dlpack(stream_, span, shape)); });
  };
  EXPECT_THAT(refusal(buffer.span(), {2, 4}).what(),
              HasSubstr("6 elements was to be lent as a tensor of shape [2, 4]"));
  EXPECT_THAT(refusal(buffer.span(), {2, -1}).what(), HasSubstr("every extent must be known"));
  EXPECT_THAT(refusal(DeviceSpan<float>::from_raw(&foreign, 1), {1}).what(), HasSubstr("no vrt buffer owns"));
  const auto capture = [&] {
    static_cast<void>(Graph::capture(stream_, [&] { static_cast<void>(to_dlpack(stream_, buffer.span(), {6})); },
                                     {.warm_up = false, .foreign = {}}));
  };
  EXPECT_EQ(error_of(capture).code(), ErrorCode::kUnsupported);
}

TEST_P(DlpackExportTest, ConsumersOnlyNameStreamsThatThereAre) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 6);
  const auto lend_to = [&](std::int64_t consumer) {
    return error_of([&] { static_cast<void>(to_dlpack(stream_, buffer.span(), {6}, consumer)); });
  };
  EXPECT_EQ(lend_to(0).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(lend_to(-2).code(), ErrorCode::kInvalidArgument);
  if (GetParam().is_cpu()) {
    EXPECT_THAT(lend_to(1).what(), HasSubstr("has no stream, 1 was given"));
  } else {
    for (const std::int64_t consumer : {1, 2, -1}) release(to_dlpack(stream_, buffer.span(), {6}, consumer));
  }
}

TEST_P(DlpackExportTest, TheOldFormatSaysTheSame) {
  auto buffer = DeviceBuffer<std::int32_t>::zeros(stream_, 6);
  auto* const managed = reinterpret_cast<Managed*>(to_dlpack_unversioned(stream_, buffer.span(), {3, 2}));
  EXPECT_EQ(managed->tensor.data, buffer.span().data());
  EXPECT_EQ(managed->tensor.type.bits, 32);
  EXPECT_THAT(std::vector(managed->tensor.strides, managed->tensor.strides + 2), ElementsAre(2, 1));
  managed->deleter(managed);
}

TEST_P(DlpackExportTest, WhatIsLentComesBackIn) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 6);
  upload_blocking<float>(stream_, std::vector<float>{1, 2, 3, 4, 5, 6}, buffer.span());
  const Stream user(GetParam());
  DlpackTensor tensor = from_dlpack(user, to_dlpack(stream_, buffer.span(), {2, 3}, dlpack_stream(user)));
  buffer = {};
  EXPECT_EQ(tensor.device(), GetParam());
  EXPECT_EQ(tensor.shape(), Shape({2, 3}));
  EXPECT_EQ(read_back_blocking(user, tensor.as<float>()), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  fill_bytes(user, tensor.as_mutable<float>(), 0);
  EXPECT_EQ(read_back_blocking(user, tensor.as<float>()), std::vector<float>(6, 0.0F));
}

TEST_P(DlpackExportTest, ManyThreadsLendAndGiveBack) {
  auto buffer = DeviceBuffer<float>::zeros(stream_, 64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) release(to_dlpack(stream_, buffer.span(), {64}));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Devices, DlpackExportTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST(DlpackExportOnCpuTest, WaitsForTheLendersWorkAndThrowsItsFailure) {
  const Stream stream(Device::cpu());
  auto buffer = DeviceBuffer<std::uint8_t>::zeros(stream, 8);
  stream.enqueue_host("slow", [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  fill_bytes(stream, buffer.span(), 5);
  DLManagedTensorVersioned* const lent = to_dlpack(stream, buffer.span(), {8});
  EXPECT_EQ(*static_cast<const std::uint8_t*>(seen(lent).tensor.data), 5);
  release(lent);
  stream.enqueue_host("broken", [] { throw std::runtime_error("no"); });
  EXPECT_THAT(error_of([&] { static_cast<void>(to_dlpack(stream, buffer.span(), {8})); }).what(), HasSubstr("broken"));
}

// ---- In: producers in host memory.

class DlpackImportTest : public ::testing::Test {
 protected:
  std::string refusal(Producer& producer) {
    const Error error = error_of([&] { static_cast<void>(from_dlpack(stream_, producer.tensor())); });
    EXPECT_EQ(producer.deletions, 1) << "a refused tensor is given back";
    code_ = error.code();
    return error.what();
  }

  Stream stream_{Device::cpu()};
  ErrorCode code_ = ErrorCode::kInternal;
};

TEST_F(DlpackImportTest, IsReadInStreamOrderAndGivenBackOnce) {
  Producer producer;
  {
    const DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
    EXPECT_EQ(tensor.dtype(), DType::kFloat32);
    EXPECT_EQ(tensor.shape(), Shape({2, 3}));
    EXPECT_THAT(tensor.strides(), ElementsAre(3, 1));
    EXPECT_FALSE(tensor.is_read_only());
    EXPECT_EQ(read_back_blocking(stream_, tensor.as<float>()), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(producer.deletions, 0);
  }
  EXPECT_EQ(producer.deletions, 1);
}

TEST_F(DlpackImportTest, IsGivenBackAfterTheWorkThatUsesIt) {
  Producer producer;
  int deletions_seen = -1;
  {
    DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
    stream_.enqueue_host("slow", [counted = &producer.deletions, seen = &deletions_seen] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      *seen = *counted;
    });
    fill_bytes(stream_, tensor.as_mutable<float>(), 0);
  }
  EXPECT_EQ(deletions_seen, 0);
  EXPECT_EQ(producer.deletions, 1);
  EXPECT_EQ(producer.values[5], 0);
}

TEST_F(DlpackImportTest, AFailureBeforeItsEndStaysForTheStreamsWait) {
  Producer producer;
  {
    const DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
    stream_.enqueue_host("broken", [] { throw std::runtime_error("no"); });
  }
  EXPECT_EQ(producer.deletions, 1);
  EXPECT_THAT(error_of([&] { stream_.synchronize(); }).what(), HasSubstr("broken"));
}

TEST_F(DlpackImportTest, MovingKeepsOneOwner) {
  Producer first;
  Producer second;
  {
    DlpackTensor a = from_dlpack(stream_, first.tensor());
    DlpackTensor b = from_dlpack(stream_, second.tensor());
    a = std::move(b);
    EXPECT_EQ(first.deletions, 1);
    const DlpackTensor c = std::move(a);
    EXPECT_EQ(c.data(), second.values.data());
    EXPECT_EQ(second.deletions, 0);
  }
  EXPECT_EQ(second.deletions, 1);
}

TEST_F(DlpackImportTest, WaitsForTheProducersStream) {
  Producer producer;
  const Stream maker(Device::cpu());
  maker.enqueue_host("slow", [to = producer.values.data()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    *to = 42;
  });
  const DlpackTensor tensor = from_dlpack(stream_, producer.tensor(), maker);
  EXPECT_EQ(read_back_blocking(stream_, tensor.as<float>()).front(), 42);
}

TEST_F(DlpackImportTest, TheOldFormatWithoutDeleterAndWithOffsetWorks) {
  Producer producer;
  producer.plain.tensor.byte_offset = 8;
  producer.plain.deleter = nullptr;
  const DlpackTensor tensor = from_dlpack(stream_, producer.plain_tensor());
  EXPECT_EQ(read_back_blocking(stream_, tensor.as<float>()), (std::vector<float>{2, 3, 4, 5, 6, 7}));
}

TEST_F(DlpackImportTest, PageLockedMemoryIsTheCpus) {
  Producer producer;
  producer.versioned.tensor.device = {DeviceType::kCudaHost, 3};
  EXPECT_EQ(from_dlpack(stream_, producer.tensor()).device(), Device::cpu());
}

TEST_F(DlpackImportTest, EmptyAndScalarTensorsAreTensors) {
  Producer empty({4, 0, 2});
  empty.versioned.tensor.data = nullptr;
  const DlpackTensor nothing = from_dlpack(stream_, empty.tensor());
  EXPECT_TRUE(nothing.as<float>().empty());
  Producer scalar(std::vector<std::int64_t>{});
  scalar.versioned.tensor.extents = nullptr;
  EXPECT_EQ(from_dlpack(stream_, scalar.tensor()).as<float>().size(), 1U);
}

TEST_F(DlpackImportTest, StridesDecideWhetherElementsFollowEachOther) {
  struct Case {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    bool contiguous;
  };
  const std::vector<Case> cases{{{2, 3}, {3, 1}, true},  {{2, 3}, {1, 2}, false},      {{2, 3}, {4, 1}, false},
                                {{1, 3}, {77, 1}, true}, {{2, 1}, {1, 99}, true},      {{2, 0, 3}, {0, 5, 7}, true},
                                {{2, 3}, {0, 1}, false}, {{2, 2, 2}, {4, 2, 1}, true}, {{2, 2, 2}, {4, 2, -1}, false}};
  for (const Case& tested : cases) {
    Producer producer(tested.extents);
    std::vector<std::int64_t> strides = tested.strides;
    producer.versioned.tensor.strides = strides.data();
    const DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
    EXPECT_EQ(tensor.is_contiguous(), tested.contiguous) << to_string(tensor.shape());
    if (tested.contiguous) {
      EXPECT_NO_THROW(static_cast<void>(tensor.as<float>()));
    } else {
      const Error error = error_of([&] { static_cast<void>(tensor.as<float>()); });
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("make it contiguous"));
    }
  }
}

TEST_F(DlpackImportTest, ReadOnlyTensorsAreNotWrittenTo) {
  Producer producer;
  producer.versioned.flags = dlpack::kFlagReadOnly;
  DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
  EXPECT_TRUE(tensor.is_read_only());
  EXPECT_NO_THROW(static_cast<void>(tensor.as<float>()));
  EXPECT_THAT(error_of([&] { static_cast<void>(tensor.as_mutable<float>()); }).what(), HasSubstr("read-only"));
}

TEST_F(DlpackImportTest, AnotherElementTypeIsNamed) {
  Producer producer;
  const DlpackTensor tensor = from_dlpack(stream_, producer.tensor());
  EXPECT_THAT(error_of([&] { static_cast<void>(tensor.as<std::int32_t>()); }).what(),
              HasSubstr("elements of float32, int32 were asked for"));
}

TEST_F(DlpackImportTest, EachElementTypeOfVrtIsTaken) {
  const std::vector<std::pair<DataType, DType>> types{
      {{TypeCode::kFloat, 32, 1}, DType::kFloat32},   {{TypeCode::kFloat, 16, 1}, DType::kFloat16},
      {{TypeCode::kBFloat, 16, 1}, DType::kBFloat16}, {{TypeCode::kInt, 8, 1}, DType::kInt8},
      {{TypeCode::kUInt, 8, 1}, DType::kUInt8},       {{TypeCode::kInt, 32, 1}, DType::kInt32},
      {{TypeCode::kInt, 64, 1}, DType::kInt64},       {{TypeCode::kBool, 8, 1}, DType::kBool}};
  for (const auto& [theirs, ours] : types) {
    Producer producer;
    producer.versioned.tensor.type = theirs;
    EXPECT_EQ(from_dlpack(stream_, producer.tensor()).dtype(), ours);
  }
}

TEST_F(DlpackImportTest, OtherElementTypesAreNamedAndRefused) {
  const std::vector<std::pair<DataType, const char*>> types{{{TypeCode::kFloat, 64, 1}, "elements of float64;"},
                                                            {{TypeCode::kComplex, 64, 1}, "elements of complex64;"},
                                                            {{TypeCode::kUInt, 16, 1}, "elements of uint16;"},
                                                            {{TypeCode{9}, 8, 1}, "elements of type code 9;"},
                                                            {{TypeCode::kFloat, 32, 4}, "float32 in vectors of 4;"}};
  for (const auto& [type, text] : types) {
    Producer producer;
    producer.versioned.tensor.type = type;
    EXPECT_THAT(refusal(producer), HasSubstr(text));
    EXPECT_EQ(code_, ErrorCode::kUnsupported);
  }
}

TEST_F(DlpackImportTest, WhatContradictsItselfIsRefused) {
  const std::vector<std::pair<std::function<void(dlpack::Tensor&)>, const char*>> faults{
      {[](dlpack::Tensor& tensor) { tensor.data = nullptr; }, "[2, 3] has no memory"},
      {[](dlpack::Tensor& tensor) { tensor.rank = -1; }, "-1 axes"},
      {[](dlpack::Tensor& tensor) { tensor.extents = nullptr; }, "no extents"},
      {[](dlpack::Tensor& tensor) { tensor.extents[0] = -1; }, "an extent of -1"},
      {[](dlpack::Tensor& tensor) { tensor.extents[0] = tensor.extents[1] = INT64_MAX; }, "more elements than"},
      {[](dlpack::Tensor& tensor) { tensor.device = {DeviceType::kCuda, 3}; }, "is on cuda:3, the stream"},
      {[](dlpack::Tensor& tensor) { tensor.device = {DeviceType::kCudaManaged, 0}; }, "is on cuda:0, the stream"}};
  for (const auto& [damage, text] : faults) {
    Producer producer;
    damage(producer.versioned.tensor);
    EXPECT_THAT(refusal(producer), HasSubstr(text));
    EXPECT_EQ(code_, ErrorCode::kInvalidArgument);
  }
}

TEST_F(DlpackImportTest, WhatVrtCannotHoldIsRefused) {
  Producer deep(std::vector<std::int64_t>(9, 1));
  EXPECT_THAT(refusal(deep), HasSubstr("9 axes; vrt takes at most 8"));
  EXPECT_EQ(code_, ErrorCode::kUnsupported);
  Producer crooked;
  crooked.versioned.tensor.byte_offset = 2;
  EXPECT_THAT(refusal(crooked), HasSubstr("not a multiple of 4 bytes"));
  Producer elsewhere;
  elsewhere.versioned.tensor.device = {DeviceType{8}, 0};
  EXPECT_THAT(refusal(elsewhere), HasSubstr("device of type 8"));
  EXPECT_EQ(code_, ErrorCode::kUnsupported);
}

TEST_F(DlpackImportTest, SizesThatNoMemoryHoldsAreRefused) {
  Producer vast({std::int64_t{1} << 31, std::int64_t{1} << 31});  // 2^64 bytes
  EXPECT_THAT(refusal(vast), HasSubstr("no memory holds that much"));
  EXPECT_EQ(code_, ErrorCode::kInvalidArgument);
  Producer uncountable({std::int64_t{1} << 32, std::int64_t{1} << 32});
  EXPECT_THAT(refusal(uncountable), HasSubstr("more elements than 64 bits can count"));
  Producer far;
  far.versioned.tensor.byte_offset = ~std::uint64_t{0} - 3;
  EXPECT_THAT(refusal(far), HasSubstr("no memory holds that much"));
}

TEST_F(DlpackImportTest, AnotherMajorVersionIsGivenBackUnread) {
  Producer producer;
  producer.versioned.version = {2, 1};
  std::memset(static_cast<void*>(&producer.versioned.tensor), 0xFF, sizeof(dlpack::Tensor));
  EXPECT_THAT(refusal(producer), HasSubstr("DLPack 2.1"));
  EXPECT_EQ(code_, ErrorCode::kUnsupported);
  producer.deletions = 0;
  Producer minor;
  minor.versioned.version = {1, 7};
  EXPECT_NO_THROW(static_cast<void>(from_dlpack(stream_, minor.tensor())));
}

TEST_F(DlpackImportTest, NullIsRefused) {
  EXPECT_THAT(error_of([&] { static_cast<void>(from_dlpack(stream_, static_cast<DLManagedTensor*>(nullptr))); }).what(),
              HasSubstr("the DLPack tensor is null"));
  EXPECT_THAT(error_of([&] {
                static_cast<void>(from_dlpack(stream_, static_cast<DLManagedTensorVersioned*>(nullptr)));
              }).what(),
              HasSubstr("the DLPack tensor is null"));
}

TEST_F(DlpackImportTest, ThreadsImportSideBySide) {
  std::vector<std::thread> threads;
  std::atomic<int> deletions{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Stream own(Device::cpu());
      for (int turn = 0; turn < 200; ++turn) {
        Producer producer;
        { DlpackTensor tensor = from_dlpack(turn % 2 == 0 ? own : stream_, producer.tensor()); }
        deletions += producer.deletions;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(deletions, 800);
}

}  // namespace
}  // namespace vrt
