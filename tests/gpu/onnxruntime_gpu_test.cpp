// ONNX Runtime on a GPU, against its CPU. Run by hand on a machine with a GPU, with the wheel onnxruntime-gpu and what it needs:
//
//   VRT_ONNXRUNTIME=…/site-packages/onnxruntime/capi build/release/bin/vrt_onnxruntime_gpu_test
//
// It prints how long it takes to open an engine and a session, and what a run costs host and GPU.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/onnxruntime/testing/onnx_file.h"
#include "vrt/engine/testing/session_values.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::OnnxFile;
using testing::OnnxType;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using testing::fill_with_pattern;
using testing::outputs_of;

const std::filesystem::path kCenterFace = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);
const Device kGpu = Device::cuda(0);

EngineOptions on_onnxruntime(EngineOptions options = {}) {
  options.backend = "onnxruntime";
  return options;
}

/// Reports how long `action` takes; returns what it returns.
template <typename Action>
auto timed(const char* what, const Action& action) {
  const auto start = Clock::now();
  auto result = action();
  std::printf("%-28s %9.3f ms\n", what, Milliseconds(Clock::now() - start).count());
  return result;
}

std::vector<float> outputs_for(Session& session, std::size_t offset) {
  fill_with_pattern(session, offset);
  session.submit();
  return outputs_of(session);
}

class OnnxRuntimeGpuTest : public ::testing::Test {
 protected:
  Engine open(const OnnxFile& file, const EngineOptions& options = {}) const {
    return Engine::open(folder_.write("small.onnx", file.bytes()), kGpu, on_onnxruntime(options));
  }

  testing::ScopedFolder folder_;
  const Stream stream_{kGpu};
};

TEST_F(OnnxRuntimeGpuTest, CenterFaceGivesWhatTheCpuGives) {
  const Engine engine = timed("open on the GPU", [] { return Engine::open(kCenterFace, kGpu, on_onnxruntime()); });
  Session session = timed("session on the GPU", [&] { return Session(engine, stream_); });
  const Stream host(Device::cpu());
  Session reference(Engine::open(kCenterFace, Device::cpu(), on_onnxruntime()), host);
  const std::vector<float> found = outputs_for(session, 0);
  const std::vector<float> expected = outputs_for(reference, 0);
  ASSERT_EQ(found.size(), expected.size());
  float worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
  std::printf("%-28s %9.2e\n", "worst difference", static_cast<double>(worst));
  EXPECT_LT(worst, 1e-3F);
  EXPECT_THAT(engine.details().layers, Each(Field(&EngineLayer::precision, "float32")));
}

TEST_F(OnnxRuntimeGpuTest, ACapturedRunGivesTheBitsOfAnEnqueuedOne) {
  Session session(Engine::open(kCenterFace, kGpu, on_onnxruntime()), stream_);
  std::vector<std::vector<float>> expected;
  for (std::size_t offset = 0; offset < 3; ++offset) expected.push_back(outputs_for(session, offset));
  EXPECT_NE(expected[0], expected[1]);
  const Graph graph = Graph::capture(stream_, [&] { session.submit(); });
  std::printf("%-28s %9zu\n", "nodes of the graph", graph.node_count());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t offset = 0; offset < expected.size(); ++offset) {
      fill_with_pattern(session, offset);
      graph.launch(stream_);
      EXPECT_EQ(outputs_of(session), expected[offset]) << round;
    }
    // Runs between replays must not disturb them.
    EXPECT_EQ(outputs_for(session, 0), expected[0]);
  }
}

/// result = 2 · image, of four numbers.
/// Of more numbers than those that could be read on the host, which are refused.
OnnxFile doubler() {
  return {{{"image", OnnxType::kFloat, {64}}},
          {{"Add", {"image", "image"}, {"result"}}},
          {{"result", OnnxType::kFloat, {64}}}};
}

TEST_F(OnnxRuntimeGpuTest, RunsInStreamOrderWithWhatSurroundsIt) {
  Session session(open(doubler()), stream_);
  const auto input = session.input(0).as<float>();
  const std::vector<float> ones(input.size(), 1);
  upload_blocking<float>(stream_, ones, input);
  for (int round = 0; round < 3; ++round) {  // Each run's input is the output of the one before.
    session.submit();
    copy<float>(stream_, session.output(0).as<float>(), input);
  }
  EXPECT_THAT(outputs_of(session), Each(8.0F));
}

TEST_F(OnnxRuntimeGpuTest, AnInputThatAnotherStreamWritesSlowlyIsWaitedForInOrder) {
  const Stream producer(kGpu);
  Session session(open(doubler()), stream_);
  const auto input = session.input(0).as<float>();
  PinnedBuffer<float> written(kGpu, input.size());
  Event produced(kGpu);
  for (int round = 1; round <= 5; ++round) {
    std::fill(written.data(), written.data() + written.size(), static_cast<float>(round));
    producer.enqueue_host("a slow producer", [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
    upload(producer, written.span(), input);
    produced.record(producer);
    stream_.order_after(produced);
    session.submit();
    EXPECT_THAT(outputs_of(session), Each(2.0F * static_cast<float>(round)));
  }
}

TEST_F(OnnxRuntimeGpuTest, TwoSessionsGiveTheSameBitsOnTwoStreamsAtOnce) {
  const Engine engine = Engine::open(kCenterFace, kGpu, on_onnxruntime());
  const std::vector<float> expected = [&] {
    Session session(engine, stream_);
    return outputs_for(session, 0);
  }();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const Stream stream(kGpu);
      Session session(engine, stream);
      fill_with_pattern(session);
      for (int run = 0; run < 50; ++run) session.submit();
      EXPECT_EQ(outputs_of(session), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Reports host and GPU time of `enqueue`, and requires that it neither waits nor allocates.
template <typename Enqueue>
void expect_no_waits(const char* what, const Stream& stream, const Enqueue& enqueue) {
  constexpr int kRuns = 200;
  TimedEvent start(stream.device());
  TimedEvent end(stream.device());
  for (int run = 0; run < 10; ++run) enqueue();
  stream.synchronize();
  const DeviceCounters before = counters(stream.device());
  start.record(stream);
  const auto begin = Clock::now();
  for (int run = 0; run < kRuns; ++run) enqueue();
  const Milliseconds host = Clock::now() - begin;
  end.record(stream);
  const DeviceCounters spent = counters(stream.device()) - before;
  stream.synchronize();
  std::printf("%-28s %9.3f ms of the host, %9.3f ms of the GPU\n", what, host.count() / kRuns,
              elapsed(start, end).count() / kRuns);
  EXPECT_EQ(spent.waits, 0U);
  EXPECT_EQ(spent.device_allocations, 0U);
  EXPECT_EQ(spent.pinned_allocations, 0U);
  EXPECT_EQ(spent.blocking_copies, 0U);
}

TEST_F(OnnxRuntimeGpuTest, ARunWaitsForNothingAndAllocatesNothing) {
  Session session(Engine::open(kCenterFace, kGpu, on_onnxruntime()), stream_);
  expect_no_waits("a run, enqueued", stream_, [&] { session.submit(); });
  const Graph graph = Graph::capture(stream_, [&] { session.submit(); });
  expect_no_waits("a run, replayed", stream_, [&] { graph.launch(stream_); });
}

TEST_F(OnnxRuntimeGpuTest, EachBatchRunsAndOneIsCaptured) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {-1, 3, 8, 8}}},
                      {{"Relu", {"x"}, {"r"}}, {"GlobalAveragePool", {"r"}, {"p"}}, {"Flatten", {"p"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {-1, 3}}}};
  EngineOptions options;
  options.batch.largest = 4;
  const Engine engine = open(file, options);
  for (const std::int64_t batch : {1, 4, 2, 3}) {
    Session session(engine, stream_);
    fill_bytes(stream_, session.output(0).as<float>(), 0);
    const std::vector<float> ones(session.input(0).as<float>().size(), 1.F);
    upload_blocking<float>(stream_, ones, session.input(0).as<float>());
    const std::int64_t other = batch % 4 + 1;
    session.set_batch(other);
    session.submit();
    session.set_batch(batch);
    const Graph graph = Graph::capture(stream_, [&] { session.submit(); });
    session.set_batch(other);  // It would take apart what the graph replays.
    EXPECT_THAT(error_of([&] { session.submit(); }).what(), ::testing::HasSubstr("use another session"));
    fill_bytes(stream_, session.output(0).as<float>(), 0);
    graph.launch(stream_);
    std::vector<float> expected(4 * 3, 0.F);
    std::fill_n(expected.begin(), batch * 3, 1.F);
    EXPECT_EQ(read_back_blocking(stream_, session.output(0).as<float>()), expected) << batch;
  }
}

TEST_F(OnnxRuntimeGpuTest, ALayerWithoutACudaKernelIsRefusedByName) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {2, 3, 3}}},
                      {{"Relu", {"x"}, {"r"}, "first"}, {"Det", {"r"}, {"d"}, "determinant"}, {"Neg", {"d"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {2}}}};
  const Error error = error_of([&] { static_cast<void>(open(file)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("no CUDA kernel"), HasSubstr("'determinant' (Det)")));
}

TEST_F(OnnxRuntimeGpuTest, AnInputOfTheHostIsRefusedByName) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {2, 3}}, {"s", OnnxType::kInt64, {2}}},
                      {{"Expand", {"x", "s"}, {"e"}}, {"ReduceSum", {"e"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {1, 1}}}};
  const Error error = error_of([&] { static_cast<void>(open(file)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("input 's' is [2]"));
}

TEST_F(OnnxRuntimeGpuTest, ElementTypesStayAsTheModelSays) {
  const OnnxFile file{{{"x", OnnxType::kFloat16, {64}}, {"i", OnnxType::kInt64, {64}}, {"b", OnnxType::kBool, {64}}},
                      {{"Add", {"x", "x"}, {"y"}}, {"Add", {"i", "i"}, {"j"}}, {"Not", {"b"}, {"c"}}},
                      {{"y", OnnxType::kFloat16, {64}}, {"j", OnnxType::kInt64, {64}}, {"c", OnnxType::kBool, {64}}}};
  EngineOptions options;
  options.precision = Precision::kFloat16;
  const Engine engine = open(file, options);
  EXPECT_THAT(engine.details().layers, ::testing::Contains(Field(&EngineLayer::precision, "float16")));
  Session session(engine, stream_);
  upload_blocking<std::uint16_t>(stream_, std::vector<std::uint16_t>(64, 0x3c00),
                                 session.input("x").as<std::uint16_t>());
  upload_blocking<std::int64_t>(stream_, std::vector<std::int64_t>(64, 1'000'000'000'000),
                                session.input("i").as<std::int64_t>());
  session.submit();
  EXPECT_THAT(read_back_blocking(stream_, session.output("y").as<std::uint16_t>()), Each(0x4000));
  EXPECT_THAT(read_back_blocking(stream_, session.output("j").as<std::int64_t>()), Each(2'000'000'000'000));
}

TEST_F(OnnxRuntimeGpuTest, SessionsAndEnginesMayGoInAnyOrder) {
  for (int round = 0; round < 3; ++round) {
    auto engine = std::make_unique<Engine>(Engine::open(kCenterFace, kGpu, on_onnxruntime()));
    auto stream = std::make_unique<Stream>(kGpu);
    auto session = std::make_unique<Session>(*engine, *stream);
    engine.reset();
    stream.reset();
    session->submit();
    if (round == 1) session->stream().synchronize();
    session.reset();
  }
}

}  // namespace
}  // namespace vrt
