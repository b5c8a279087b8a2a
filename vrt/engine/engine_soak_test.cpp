// Many runs: memory does not grow, whatever the backend. Some thousands in `make test`, many more in `make soak`.
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/memory.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/onnxruntime/testing/onnx_file.h"

namespace vrt {
namespace {

const std::filesystem::path kNetworks = testing::location("VRT_TEST_NETWORKS", VRT_TEST_NETWORKS);

constexpr std::int64_t kRuns = 100'000;
constexpr std::int64_t kShortRuns = 3000;
constexpr std::int64_t kWarmUp = 100;
constexpr std::int64_t kLargestBatch = 8;
constexpr std::int64_t kMostGrowth = std::int64_t{2} << 20;

/// Sanitizers keep what was freed: memory grows whatever the engines do.
constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

/// Bytes of this process's memory that are in use.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void run(Session& session, std::int64_t runs) {
  for (std::int64_t i = 0; i < runs; ++i) {
    session.submit();
    session.stream().synchronize();
  }
}

/// Each run with another batch than the one before.
void run_batches(Session& session, std::int64_t runs) {
  for (std::int64_t i = 0; i < runs; ++i) {
    session.set_batch(1 + i % kLargestBatch);
    run(session, 1);
  }
}

/// `run_times` runs something so many times.
void expect_no_growth(const std::function<void(std::int64_t)>& run_times, std::int64_t runs) {
  run_times(kWarmUp);
  const std::int64_t before = resident_bytes();
  run_times(runs);
  EXPECT_LT(resident_bytes() - before, kMostGrowth);
}

/// A multiplication by a matrix whose batch is open.
std::string open_batch_network() {
  using testing::OnnxType;
  constexpr std::int64_t kSide = 64;
  const std::vector<std::int64_t> extents{-1, kSide};
  const std::string weights(kSide * kSide * sizeof(float), '\0');
  return testing::OnnxFile{{{"image", OnnxType::kFloat, extents}},
                           {{"MatMul", {"image", "matrix"}, {"product"}}, {"Relu", {"product"}, {"result"}}},
                           {{"result", OnnxType::kFloat, extents}},
                           {{"matrix", OnnxType::kFloat, {kSide, kSide}, weights}}}
      .bytes();
}

std::vector<std::string> cpu_backends() {
  std::vector<std::string> names;
  for (const BackendInfo& info : list_backends()) {
    if (info.available && info.name.rfind("tensorrt", 0) != 0) names.push_back(info.name);
  }
  return names;
}

class EngineSoakTest : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] Engine open() const {
    EngineOptions options{.backend = GetParam()};
    options.hint = PerformanceHint::kThroughput;
    options.concurrent_sessions = 4;
    return Engine::open(kNetworks / "convolution" / "model.onnx", Device::cpu(), options);
  }
};

TEST_P(EngineSoakTest, ThousandsOfRunsDoNotGrow) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer keeps what was freed";
  Session session(open(), Stream(Device::cpu()));
  expect_no_growth([&](std::int64_t runs) { run(session, runs); }, kShortRuns);
}

TEST_P(EngineSoakTest, ThousandsOfRunsOfAChangingBatchDoNotGrow) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer keeps what was freed";
  const testing::ScopedFolder folder;
  EngineOptions options{.backend = GetParam(), .batch = {1, 0, kLargestBatch}, .use_cache = false};
  Session session(Engine::open(folder.write("net.onnx", open_batch_network()), Device::cpu(), options),
                  Stream(Device::cpu()));
  expect_no_growth([&](std::int64_t runs) { run_batches(session, runs); }, kShortRuns);
}

TEST_P(EngineSoakTest, DISABLED_ManyRunsDoNotGrow) {
  Session session(open(), Stream(Device::cpu()));
  expect_no_growth([&](std::int64_t runs) { run(session, runs); }, kRuns);
}

TEST_P(EngineSoakTest, DISABLED_SessionsOnFourThreadsDoNotGrowAndOutliveTheirEngine) {
  std::vector<Session> sessions;
  {
    const Engine engine = open();
    for (int i = 0; i < 4; ++i) sessions.emplace_back(engine, Stream(Device::cpu()));
  }
  const auto run_all = [&](std::int64_t runs) {
    std::vector<std::thread> threads;
    for (Session& session : sessions) threads.emplace_back([&session, runs] { run(session, runs); });
    for (std::thread& thread : threads) thread.join();
  };
  expect_no_growth(run_all, kRuns / 4);
}

TEST_P(EngineSoakTest, DISABLED_OpeningAgainAndAgainDoesNotGrow) {
  const auto open_many = [&](int times) {
    for (int i = 0; i < times; ++i) Session(open(), Stream(Device::cpu())).submit();
  };
  open_many(50);
  const std::int64_t before = resident_bytes();
  open_many(300);
  EXPECT_LT(resident_bytes() - before, 8 * kMostGrowth);  // Allocators keep some of what engines gave back.
}

INSTANTIATE_TEST_SUITE_P(Backends, EngineSoakTest, ::testing::ValuesIn(cpu_backends()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace vrt
