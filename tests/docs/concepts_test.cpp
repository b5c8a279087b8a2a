// The code that docs/concepts.md shows, run.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/resize.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"

namespace vrt {
namespace {

TEST(ConceptsTest, ADeviceIsAValue) {
  const Device device = Engine::best_device();  // or Device::parse("cpu"), Device::parse("cuda:1")
  const DeviceInfo info = describe(device);     // name, architecture, memory

  EXPECT_EQ(Device::parse(to_string(device)), device);
  EXPECT_FALSE(info.name.empty());
}

TEST(ConceptsTest, WorkOfAStreamRunsInOrder) {
  const Stream stream(Device::cpu());
  auto numbers = DeviceBuffer<std::uint8_t>::uninitialized(stream, 4);
  PinnedBuffer<std::uint8_t> answer(stream.device(), 4);

  fill_bytes(stream, numbers.span(), 7);             // enqueued
  read_back(stream, numbers.span(), answer.span());  // enqueued, runs after the fill
  stream.synchronize();                              // the wait: now, and not before, `answer` may be read

  EXPECT_EQ(answer[3], 7);
}

TEST(ConceptsTest, AFailureIsThrownByTheNextWait) {
  const Stream stream(Device::cpu());
  bool opened = false;

  stream.enqueue_host("unlock", [] { throw std::runtime_error("the key is missing"); });
  stream.enqueue_host("open", [flag = &opened] { *flag = true; });  // queued behind it: skipped
  std::string reason;
  try {
    stream.synchronize();
  } catch (const Error& error) {
    reason = error.what();
  }

  EXPECT_NE(reason.find("unlock"), std::string::npos) << reason;
  EXPECT_NE(reason.find("the key is missing"), std::string::npos) << reason;
  EXPECT_FALSE(opened);
}

TEST(ConceptsTest, AnEventOrdersTwoStreams) {
  const Device device = Device::cpu();
  const Stream copies(device);
  const Stream work(device);
  auto picture = DeviceBuffer<std::uint8_t>::uninitialized(copies, 1024);

  fill_bytes(copies, picture.span(), 9);
  Event filled(device);
  filled.record(copies);     // a point in the one stream
  work.order_after(filled);  // that the other one does not pass; nobody waits here
  const std::vector<std::uint8_t> seen = read_back_blocking(work, picture.span());

  EXPECT_EQ(seen.back(), 9);
}

TEST(ConceptsTest, ATimedEventMeasures) {
  const Stream stream(Device::cpu());
  auto memory = DeviceBuffer<std::uint8_t>::uninitialized(stream, 1 << 20);

  TimedEvent start(stream.device());
  TimedEvent end(stream.device());
  start.record(stream);
  fill_bytes(stream, memory.span(), 1);
  end.record(stream);
  end.synchronize();
  const std::chrono::duration<double, std::milli> taken = elapsed(start, end);

  EXPECT_GT(taken.count(), 0);
}

TEST(ConceptsTest, TwoSlotsKeepTwoFramesInFlight) {
  const Stream stream(Device::cpu());
  Source source(VRT_TEST_CLIP, stream.device());
  const Size input = CenterFace::input_size_for(source.info().size);
  CenterFace detector(CenterFace::open_engine(VRT_TEST_CENTERFACE, stream.device(), input), stream);
  std::int64_t found = 0;
  std::vector<std::int64_t> order;

  struct Slot {
    CenterFaceResult faces;
    Event done;
    std::optional<Frame> frame;
  };
  std::array<Slot, 2> slots{Slot{detector.allocate_result(), Event(stream.device()), {}},
                            Slot{detector.allocate_result(), Event(stream.device()), {}}};

  const auto finish = [&](Slot& slot) {
    if (!slot.frame) return;
    slot.done.synchronize();  // waits for this frame alone; the next one goes on
    found += static_cast<std::int64_t>(slot.faces.detections().size());
    order.push_back(slot.frame->index());
    slot.frame.reset();  // gives the frame's memory back to the source
  };

  std::size_t turn = 0;
  for (;; turn = 1 - turn) {
    Slot& slot = slots[turn];
    finish(slot);  // a slot is used again only after its event
    slot.frame = source.next(stream);
    if (!slot.frame) break;
    detector.submit(slot.frame->image(), slot.faces);
    slot.done.record(stream);
  }
  finish(slots[1 - turn]);

  EXPECT_EQ(found, 120);
  ASSERT_EQ(order.size(), 120U);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<std::int64_t>(i));
}

TEST(ConceptsTest, ASessionBindsAnEngineToAStream) {
  const Stream stream(Device::cpu());

  const EngineOptions options{.input_shapes = {{"", {1, 3, 288, 320}}}};
  const Engine engine = Engine::open(VRT_TEST_CENTERFACE, stream.device(), options);  // slow: compiles the network
  Session session(engine, stream);
  const DeviceSpan<float> image = session.input(0).as<float>();  // 3 x 288 x 320 floats
  fill_bytes(stream, image, 0);
  session.submit();  // enqueued
  const std::vector<float> heatmap = read_back_blocking(stream, session.output(0).as<float>());

  EXPECT_EQ(image.size(), 3U * 288 * 320);
  EXPECT_EQ(static_cast<std::int64_t>(heatmap.size()), session.output(0).shape().element_count());
}

TEST(ConceptsTest, AFrameIsAPictureInTheMemoryOfTheDevice) {
  const Stream stream(Device::cpu());

  Source source(VRT_TEST_CLIP, stream.device());
  const std::optional<Frame> frame = source.next(stream);  // waits for the decoder, enqueues the upload
  const ImageView& picture = frame->image();               // for kernels and models, in stream order
  const ImageView& visible = frame->host_image();          // the same pixels for the CPU, at once

  EXPECT_EQ(picture.size, (Size{176, 144}));
  EXPECT_TRUE(visible.device.is_cpu());
  EXPECT_EQ(frame->index(), 0);
}

TEST(ConceptsTest, OneMappingGoesBothWays) {
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kLetterbox, {176, 144}, {320, 288});
  const PointF there = mapping.to_target({176, 144});  // 320, 275: 13 rows of padding above, 13 below
  const PointF back = mapping.to_source(there);        // 176, 144 again

  EXPECT_FLOAT_EQ(there.x, 320);
  EXPECT_FLOAT_EQ(there.y, 275);
  EXPECT_NEAR(back.x, 176, 1e-3);
  EXPECT_NEAR(back.y, 144, 1e-3);
}

}  // namespace
}  // namespace vrt
