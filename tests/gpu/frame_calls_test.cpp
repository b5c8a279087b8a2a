// What a frame of CenterFace, all but its network, asks of the CUDA driver, seen by the forwarding library: the calls of every library
// count. On the fake driver in `make test`; on a GPU with
//   tools/driver_calls.py -- build/release/bin/vrt_frame_calls_test
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vrt/device/cuda/testing/forward/forward.h"
#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/centerface/face_decoder.h"

namespace vrt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Size kPicture{1280, 720};
constexpr Size kInput{640, 480};
constexpr Size kGrid{kInput.width / 4, kInput.height / 4};
constexpr auto kMaxFaces = static_cast<std::size_t>(CenterFace::kMaxFaces);
constexpr std::size_t kCells = std::size_t{kGrid.width} * std::size_t{kGrid.height};

template <typename T>
DeviceSpan<const T> readable(const DeviceBuffer<T>& buffer) {
  return buffer.span();
}

/// Everything a frame needs, made once.
struct FrameLoop {
  Stream stream{Device::cuda(0)};
  PinnedBuffer<std::uint8_t> decoded{stream.device(), packed_bytes(kPicture, PixelFormat::kNv12)};
  DeviceBuffer<std::uint8_t> picture = DeviceBuffer<std::uint8_t>::uninitialized(stream, decoded.size());
  Preprocessor preprocessor{stream, {.target = kInput, .mode = ResizeMode::kLetterbox}};
  DeviceBuffer<float> input = DeviceBuffer<float>::uninitialized(stream, kCells * 16 * 3);
  DeviceBuffer<float> heatmap = DeviceBuffer<float>::zeros(stream, kCells);
  DeviceBuffer<float> scale = DeviceBuffer<float>::zeros(stream, kCells * 2);
  DeviceBuffer<float> offset = DeviceBuffer<float>::zeros(stream, kCells * 2);
  DeviceBuffer<float> landmarks = DeviceBuffer<float>::zeros(stream, kCells * 10);
  FaceDecoder decoder{stream, kGrid, {}};
  DeviceBuffer<std::int32_t> counts = DeviceBuffer<std::int32_t>::uninitialized(stream, FaceDecoder::kCounts);
  DeviceBuffer<kernels::float4> boxes = DeviceBuffer<kernels::float4>::uninitialized(stream, kMaxFaces);
  DeviceBuffer<float> scores = DeviceBuffer<float>::uninitialized(stream, kMaxFaces);
  DeviceBuffer<kernels::float2> points = DeviceBuffer<kernels::float2>::uninitialized(stream, kMaxFaces * 5);
  PinnedBuffer<std::int32_t> answer{stream.device(), FaceDecoder::kCounts};
  Event done{stream.device()};

  void run() {
    upload(stream, decoded.span(), picture.span());
    const ImageView image = ImageView::packed(stream.device(), picture.span().data(), kPicture, PixelFormat::kNv12);
    const ResizeMapping mapping = preprocessor.submit(image, input.span());
    decoder.submit({kGrid, readable(heatmap), readable(scale), readable(offset), readable(landmarks)}, mapping,
                   {counts.span(), boxes.span(), scores.span(), points.span()});
    read_back(stream, counts.span(), answer.span());
    done.record(stream);
    done.synchronize();
  }
};

std::vector<std::string> calls_of(FrameLoop& loop) {
  vrt_forward_reset();
  loop.run();
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < vrt_forward_count(); ++i) names.emplace_back(vrt_forward_call(i, nullptr));
  return names;
}

bool waits(const std::string& name) { return name.find("Synchronize") != std::string::npos; }
bool copies_blocking(const std::string& name) {
  return name.rfind("cuMemcpy", 0) == 0 && name.find("Async") == std::string::npos;
}

class FrameCallsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(vrt_forward_problem(), nullptr) << vrt_forward_problem();
    loop_ = std::make_unique<FrameLoop>();
    loop_->run();
  }
  std::unique_ptr<FrameLoop> loop_;
};

TEST_F(FrameCallsTest, AWarmFrameWaitsOnceAllocatesNothingAndCopiesNothingBlocking) {
  const std::vector<std::string> calls = calls_of(*loop_);
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(), waits), 1);
  EXPECT_TRUE(waits(calls.back()));
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(), copies_blocking), 0);
  EXPECT_THAT(calls, Each(Not(HasSubstr("Alloc"))));
  EXPECT_THAT(calls, Each(Not(HasSubstr("Free"))));
  EXPECT_THAT(calls, Each(Not(HasSubstr("Create"))));
  EXPECT_GE(std::count(calls.begin(), calls.end(), "cuLaunchKernel"), 5);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuMemcpyHtoDAsync_v2"), 1);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuMemcpyDtoHAsync_v2"), 1);
  std::map<std::string, int> counted;
  for (const std::string& name : calls) ++counted[name];
  for (const auto& [name, count] : counted) std::printf("%6d %s\n", count, name.c_str());
}

TEST_F(FrameCallsTest, EveryFrameIsTheSame) {
  const std::vector<std::string> first = calls_of(*loop_);
  for (int frame = 0; frame < 100; ++frame) ASSERT_EQ(calls_of(*loop_), first) << "frame " << frame;
}

}  // namespace
}  // namespace vrt
