#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/testing/fake_world.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDoubler;

class SessionTest : public testing::FakeWorld {
 protected:
  /// Puts `value` into every element of the first input.
  static void fill(const Session& session, float value) {
    const auto input = session.input(0).as<float>();
    const std::vector<float> values(input.size(), value);
    upload_blocking<float>(session.stream(), values, input);
  }
  [[nodiscard]] static std::vector<float> result(const Session& session) {
    return read_back_blocking(session.stream(), session.output(0).as<float>());
  }
  void expect_all_destroyed_in_order() const {
    for (const char* what : {"context", "engine", "session"}) {
      EXPECT_EQ(log_.count(std::string("fake: + ") + what), 1) << what;
      EXPECT_EQ(log_.count(std::string("fake: - ") + what), 1) << what;
    }
    EXPECT_THAT(log_.errors(), IsEmpty());
  }

  Stream stream_{Device::cpu()};
};

TEST_F(SessionTest, ReadsItsInputAndWritesItsOutput) {
  Session session(open(std::string(kDoubler)), stream_);
  fill(session, 3);
  session.submit();
  stream_.synchronize();
  EXPECT_THAT(result(session), ElementsAre(7, 7, 7, 7, 7, 7));
}

TEST_F(SessionTest, InputsStartAsZeros) {
  Session session(open(std::string(kDoubler)), stream_);
  session.submit();
  EXPECT_THAT(result(session), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST_F(SessionTest, RunsInStreamOrderWithWhatSurroundsIt) {
  Session session(open(std::string(kDoubler) + "milliseconds 20\n"), stream_);
  const auto input = session.input("image").as<float>();
  auto first = DeviceBuffer<float>::uninitialized(stream_, input.size());
  fill(session, 1);
  session.submit();
  copy<float>(stream_, session.output("result").as<float>(), first.span());
  copy<float>(stream_, first.span(), input);  // The second run's input is the first one's output.
  session.submit();
  EXPECT_THAT(result(session), ElementsAre(7, 7, 7, 7, 7, 7));
}

TEST_F(SessionTest, AnInputThatAnotherStreamWritesSlowlyIsWaitedForInOrder) {
  const Stream producer(Device::cpu());
  Session session(open(std::string(kDoubler)), stream_);
  fill(session, 1);
  const auto input = session.input(0).as<float>();
  const std::vector<float> late(input.size(), 5);
  PinnedBuffer<float> written(Device::cpu(), input.size());
  std::copy(late.begin(), late.end(), written.data());
  producer.enqueue_host("a slow producer", [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
  upload(producer, written.span(), input);
  Event produced(Device::cpu());
  produced.record(producer);
  stream_.order_after(produced);
  session.submit();
  EXPECT_THAT(result(session), ElementsAre(11, 11, 11, 11, 11, 11));
}

TEST_F(SessionTest, SubmitEnqueuesOneTaskAndAllocatesNothing) {
  Session session(open(std::string(kDoubler)), stream_);
  stream_.synchronize();
  const DeviceCounters before = counters(Device::cpu());
  session.submit();
  const DeviceCounters cost = counters(Device::cpu()) - before;
  DeviceCounters expected;
  expected.host_tasks = 1;
  EXPECT_EQ(cost, expected);
  stream_.synchronize();
}

TEST_F(SessionTest, TensorsAreFoundByNameAndPosition) {
  const Session session(open("input a 1 2\ninput b 7 3\noutput c 1 4\n"), stream_);
  EXPECT_EQ(session.input("b").data(), session.input(1).data());
  EXPECT_EQ(session.input(1).type(), DType::kInt64);
  EXPECT_EQ(session.output("c").shape(), Shape({4}));
  for (const Error& error : {error_of([&] { static_cast<void>(session.input("x")); }),
                             error_of([&] { static_cast<void>(session.input(2)); })}) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("doubler.model"), HasSubstr("'a' [2], 'b' [3]")));
  }
  EXPECT_EQ(error_of([&] { static_cast<void>(session.output("a")); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error_of([&] { static_cast<void>(session.output(1)); }).code(), ErrorCode::kNotFound);
}

TEST_F(SessionTest, AFailedRunIsThrownByTheWaitAndNamesNetworkAndCause) {
  Session session(open(std::string(kDoubler) + "fail session_enqueue 7 the vendor's words\n"), stream_);
  session.submit();
  const Error error = error_of([&] { stream_.synchronize(); });
  EXPECT_EQ(error.code(), ErrorCode::kBackend);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("network 'doubler'"), HasSubstr("the vendor's words")));
  EXPECT_NO_THROW(stream_.synchronize());
}

TEST_F(SessionTest, AnExceptionInsideTheModuleIsAFailedRun) {
  Session session(open(std::string(kDoubler) + "throw session_enqueue\n"), stream_);
  session.submit();
  EXPECT_EQ(error_of([&] { stream_.synchronize(); }).code(), ErrorCode::kBackend);
}

TEST_F(SessionTest, AFailureWhileItIsMadeDestroysWhatWasMade) {
  for (const char* call : {"session_create", "session_bind_input", "session_bind_output"}) {
    const Engine engine = open(std::string(kDoubler) + "fail " + call + " 6 no memory\n");
    const Error error = error_of([&] { const Session session(engine, stream_); });
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory) << call;
    EXPECT_THAT(error.what(), HasSubstr("no memory"));
  }
  EXPECT_EQ(log_.count("fake: + session"), 2);
  EXPECT_EQ(log_.count("fake: - session"), 2);
  EXPECT_THAT(log_.errors(), IsEmpty());
}

TEST_F(SessionTest, DestroyingItWaitsForItsRuns) {
  std::optional<Session> session(std::in_place, open(std::string(kDoubler) + "milliseconds 50\n"), stream_);
  session->submit();
  session->submit();
  session.reset();
  expect_all_destroyed_in_order();
}

TEST_F(SessionTest, AFailureNobodyWaitedForIsLoggedWhenItsSessionGoes) {
  {
    Session session(open(std::string(kDoubler) + "fail session_enqueue 7 the vendor's words\n"), stream_);
    session.submit();
  }
  ASSERT_EQ(log_.errors().size(), 1U);
  EXPECT_THAT(log_.errors()[0], AllOf(HasSubstr("doubler.model"), HasSubstr("the vendor's words")));
}

TEST_F(SessionTest, MovingKeepsTheRunAndItsMemory) {
  Session first(open(std::string(kDoubler) + "milliseconds 20\n"), stream_);
  fill(first, 2);
  void* const data = first.output(0).data();
  first.submit();
  Session second = std::move(first);
  EXPECT_EQ(second.output(0).data(), data);
  EXPECT_THAT(result(second), ElementsAre(5, 5, 5, 5, 5, 5));
}

TEST_F(SessionTest, DestructionOrderHoldsWhateverOrderTheCallerLetsGo) {
  std::vector<int> order = {0, 1, 2};
  do {
    const testing::ScopedLog log;
    std::optional<Engine> engine(open(std::string(kDoubler)));
    std::optional<Stream> stream(Device::cpu());
    std::optional<Session> session(std::in_place, *engine, *stream);
    session->submit();
    for (const int which : order) {
      if (which == 0) engine.reset();
      if (which == 1) stream.reset();
      if (which == 2) session.reset();
    }
    EXPECT_THAT(log.errors(), IsEmpty());
    const std::vector<std::string> lines = log.lines();
    ASSERT_GE(lines.size(), 3U);
    EXPECT_THAT(std::vector(lines.end() - 3, lines.end()),
                ElementsAre("fake: - session", "fake: - engine", "fake: - context"));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(SessionTest, FourSessionsRunOnFourThreads) {
  const Engine engine = open(std::string(kDoubler) + "milliseconds 1\n");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&engine, i] {
      const Stream stream(Device::cpu());
      Session session(engine, stream);
      for (int run = 0; run < 10; ++run) {
        const auto value = static_cast<float>(100 * i + run);
        fill(session, value);
        session.submit();
        EXPECT_THAT(result(session), ::testing::Each(2 * value + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(log_.errors(), IsEmpty());
}

constexpr std::string_view kBatched = "input image 1 -1 2\noutput result 1 -1 2\nbatched image\nbatched result\n";

TEST_F(SessionTest, AChangingBatchComputesThatManyItems) {
  const Engine engine = open(std::string(kBatched), {.batch = {.largest = 3}});
  EXPECT_EQ(engine.inputs()[0].shape, Shape({3, 2}));
  EXPECT_TRUE(engine.outputs()[0].batched);
  Session session(engine, stream_);
  fill(session, 3);
  for (const int batch : {2, 0, 3, 1}) {
    fill_bytes(stream_, session.output(0).as<float>(), 0);
    session.set_batch(batch);
    session.submit();
    std::vector<float> values(6, 0);
    std::fill_n(values.begin(), 2 * batch, 7);
    EXPECT_EQ(result(session), values) << batch;
  }
}

TEST_F(SessionTest, ABatchOutsideTheRangeIsRefusedNamingIt) {
  Session session(open(std::string(kBatched), {.batch = {.smallest = 2, .largest = 3}}), stream_);
  for (const std::int64_t batch : {-1, 1, 4}) {
    const Error error = error_of([&] { session.set_batch(batch); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(batch)), HasSubstr("2 to 3")));
  }
  Session fixed(open(std::string(kDoubler)), stream_);
  EXPECT_THAT(error_of([&] { fixed.set_batch(1); }).what(), HasSubstr("EngineOptions::batch"));
}

}  // namespace
}  // namespace vrt
