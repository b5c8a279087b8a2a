// Every call of the driver made to fail with every kind of answer, on the fake driver. Each run is a process of its own, forked before the
// driver is opened, so that the opening is among what fails; this process itself never opens it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/fail.h"
#include "vrt/base/log.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/testing/fake_control.h"
#include "vrt/device/cuda/testing/scale_kernel.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {
namespace {

namespace fake = cuda::testing;

// ---- What an application does.

void launch_scale(const Kernel<fake::Scale>& scale, const Stream& stream, DeviceBuffer<float>& memory,
                  std::uint32_t shared_bytes = 0) {
  LaunchShape shape = grid_1d(32);
  shape.shared_bytes = shared_bytes;
  scale.launch(stream, shape, memory.span().subspan(0, 32), memory.span().subspan(32, 32), 2.0F, std::int32_t{32});
}

void use_memory(const Stream& stream, DeviceBuffer<float>& memory) {
  PinnedBuffer<float> pinned(stream.device(), 64);
  upload(stream, pinned.span(), memory.span());
  copy(stream, memory.span().subspan(0, 32), memory.span().subspan(32, 32));
  read_back(stream, memory.span(), pinned.span());
  // Waited for on every way out, as PinnedBuffer asks of its users.
  static_cast<void>(read_back_blocking(stream, memory.span()));
}

void use_events(const Stream& stream) {
  TimedEvent start(stream.device());
  TimedEvent end(stream.device());
  start.record(stream);
  stream.enqueue_host("nothing", [] {});
  end.record(stream);
  const Stream second(stream.device());
  second.order_after(end);
  second.synchronize();
  end.synchronize();
  static_cast<void>(elapsed(start, end));
  static_cast<void>(stream.is_idle());
}

void use_graph(const Kernel<fake::Scale>& scale, const Stream& stream, DeviceBuffer<float>& memory) {
  GraphNode node;
  Graph graph = Graph::capture(stream, [&] {
    launch_scale(scale, stream, memory);
    if (Graph::is_capturing(stream)) node = Graph::last_node(stream);
    stream.enqueue_host("nothing", [] {});
  });
  scale.update(graph, node, grid_1d(32), memory.span().subspan(32, 32), memory.span().subspan(0, 32), 3.0F,
               std::int32_t{32});
  graph.launch(stream);
  stream.synchronize();
}

void use_everything() {
  const Device device = Device::cuda(0);
  static_cast<void>(describe(device));
  const Reading<std::string> address = cuda::CudaDevice::open(0).pci_bus_id();
  if (!address.value && address.problem.find("has no") == std::string::npos)
    throw Error(ErrorCode::kBackend, address.problem);
  const Stream stream(device);
  const Stream adopted = Stream::adopt(device, stream.native_handle());
  auto memory = DeviceBuffer<float>::zeros(adopted, 64);
  const auto scale = fake::scale_on(device);
  launch_scale(scale, stream, memory);
  launch_scale(scale, stream, memory, 60 * 1024);
  use_memory(stream, memory);
  use_events(stream);
  use_graph(scale, stream, memory);
}

// ---- A process that does it.

/// What a process sees, and one failure in it.
struct Setting {
  const char* name;
  const char* driver;
  std::vector<std::pair<const char*, const char*>> variables;
};

std::ostream& operator<<(std::ostream& out, const Setting& setting) { return out << setting.name; }

const std::array<Setting, 4>& settings() {
  static const std::array<Setting, 4> all{{{"pools", VRT_FAKE_DRIVER_PATH, {}},
                                           {"no_pools", VRT_FAKE_DRIVER_PATH, {{"VRT_FAKE_POOLS", "0"}}},
                                           {"integrated", VRT_FAKE_DRIVER_PATH, {{"VRT_FAKE_INTEGRATED", "1"}}},
                                           {"old_driver", VRT_FAKE_OLD_DRIVER_PATH, {}}}};
  return all;
}

/// What `body` returns in a child with this setting; a line more if it does not end well.
std::string in_child(const Setting& setting, const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : setting.variables) setenv(name, value, 1);
    fake::use_fake_driver(setting.driver);
    const std::string said = body();
    std::size_t written = 0;
    while (written < said.size())
      written += static_cast<std::size_t>(write(ends[1], said.data() + written, said.size() - written));
    std::_Exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) said += fmt::format("the process ended with status {}\n", status);
  return said;
}

/// The calls of a run in which nothing fails.
std::vector<std::string> script_of(const Setting& setting) {
  std::istringstream lines(in_child(setting, [] {
    use_everything();
    return fmt::format("{}\n", fmt::join(fake::calls(), "\n"));
  }));
  std::vector<std::string> script;
  for (std::string line; std::getline(lines, line);) script.push_back(line);
  return script;
}

struct PlannedFailure {
  std::string symbol;
  std::uint64_t nth;
  int result;
};

// Destructors cannot throw: what fails in them is reported, and the object lives on in the driver.
bool is_of_a_destructor(const std::string& symbol) {
  return symbol.find("Destroy") != std::string::npos || symbol.find("Free") != std::string::npos ||
         symbol.find("Unload") != std::string::npos;
}

ErrorCode expected_code(const PlannedFailure& planned) {
  static const std::set<std::string> opening{"cuInit", "cuDriverGetVersion", "cuDeviceGetCount"};
  if (planned.symbol == "cuDeviceGetPCIBusId") return ErrorCode::kBackend;  // A reading: any reason will do.
  if (opening.count(planned.symbol) != 0 || planned.result == cuda::kErrorDeinitialized) return ErrorCode::kUnavailable;
  if (planned.symbol == "cuFuncGetParamInfo" && planned.result == cuda::kErrorInvalidValue)
    return ErrorCode::kInvalidArgument;  // There are no more parameters.
  if (planned.result == cuda::kErrorOutOfMemory) return ErrorCode::kOutOfMemory;
  return cuda::is_sticky(planned.result) ? ErrorCode::kDeviceLost : ErrorCode::kBackend;
}

/// Ends of destructors are not told where the driver has ended; a parameter behind the last one is expected not to be there.
bool may_vanish(const PlannedFailure& planned) {
  return (planned.result == cuda::kErrorDeinitialized && is_of_a_destructor(planned.symbol)) ||
         (!cuda::is_sticky(planned.result) && planned.symbol == "cuFuncGetParamInfo");
}

struct Outcome {
  std::string thrown;
  ErrorCode code = ErrorCode::kInternal;
  std::string reports;
};

Outcome run_with(const PlannedFailure& planned) {
  Outcome outcome;
  const LogSink before = set_log_sink([&](LogLevel level, std::string_view text) {
    if (level == LogLevel::kError) outcome.reports += std::string(text) + "\n";
  });
  fake::fail(planned.symbol.c_str(), planned.nth, planned.result);
  try {
    use_everything();
  } catch (const Error& error) {
    outcome.thrown = error.what();
    outcome.code = error.code();
  }
  set_log_sink(before);
  return outcome;
}

/// What is wrong with how a failure was met; nothing if it was met well.
std::string complaints(const PlannedFailure& planned, const Outcome& outcome) {
  std::string said;
  const auto complain = [&](const std::string& what) {
    said += fmt::format("{} call {} answering {}: {}\n", planned.symbol, planned.nth, planned.result, what);
  };
  const bool names_it = (outcome.thrown + outcome.reports).find(planned.symbol) != std::string::npos;
  const bool is_wrong_signature = outcome.code == ErrorCode::kInvalidArgument && planned.symbol == "cuFuncGetParamInfo";
  if (!names_it && !is_wrong_signature && !may_vanish(planned))
    complain("neither thrown nor reported by its name; thrown '" + outcome.thrown + "', reported '" + outcome.reports +
             "'");
  if (!outcome.thrown.empty() && outcome.code != expected_code(planned) && !is_of_a_destructor(planned.symbol))
    complain(fmt::format("the code {}: {}", to_string(outcome.code), outcome.thrown));
  // The context stays; a sticky fault and an ended driver refuse every destruction that follows.
  const bool destroys = !cuda::is_sticky(planned.result) && planned.result != cuda::kErrorDeinitialized;
  const std::int64_t kept = fake::calls_of("cuDeviceGetName") > 0 ? 1 : 0;  // The first call behind the opening.
  const std::int64_t refused = is_of_a_destructor(planned.symbol) || planned.symbol == "cuStreamEndCapture" ? 1 : 0;
  if (destroys && fake::live_objects() > kept + refused)
    complain(fmt::format("{} objects are left, at most {} may be", fake::live_objects(), kept + refused));
  return said;
}

class CudaFailuresTest : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] std::string complaints_of(const PlannedFailure& planned) const {
    return in_child(GetParam(), [&] { return complaints(planned, run_with(planned)); });
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, CudaFailuresTest, ::testing::ValuesIn(settings()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(CudaFailuresTest, EachCallsFailureIsToldByItsNameAndNothingElseLeaks) {
  std::map<std::string, std::uint64_t> seen;
  std::string said;
  for (const std::string& symbol : script_of(GetParam())) {
    const std::uint64_t nth = seen[symbol]++;
    for (const int result : {cuda::kErrorInvalidValue, cuda::kErrorOutOfMemory})
      said += complaints_of({symbol, nth, result});
  }
  EXPECT_EQ(said, "");
}

TEST_P(CudaFailuresTest, EveryKindOfAnswerOfEveryFunctionHasItsCode) {
  const std::vector<std::string> script = script_of(GetParam());
  std::string said;
  for (const std::string& symbol : std::set<std::string>(script.begin(), script.end())) {
    for (const int result : {cuda::kErrorDeinitialized, cuda::kErrorEccUncorrectable, cuda::kErrorIllegalAddress,
                             cuda::kErrorLaunchTimeout, cuda::kErrorAssert, cuda::kErrorHardwareStack,
                             cuda::kErrorIllegalInstruction, cuda::kErrorMisalignedAddress,
                             cuda::kErrorInvalidAddressSpace, cuda::kErrorInvalidPc, cuda::kErrorLaunchFailed})
      said += complaints_of({symbol, 0, result});
  }
  EXPECT_EQ(said, "");
}

// Which context is current is asked before every other call, and not reported by name: the call that follows is refused.
TEST_P(CudaFailuresTest, WhereNoContextCanBeMadeCurrentTheProcessStillEndsWell) {
  for (const char* symbol : {"cuCtxGetCurrent", "cuCtxSetCurrent"}) {
    for (std::uint64_t nth = 0; nth < 4; ++nth) {
      EXPECT_EQ(in_child(GetParam(),
                         [&] {
                           const Outcome outcome = run_with({symbol, nth, cuda::kErrorInvalidValue});
                           return fake::live_objects() > 1 ? outcome.thrown + outcome.reports + " and leaks\n" : "";
                         }),
                "")
          << symbol << nth;
    }
  }
}

TEST(CudaFailuresListTest, EveryFunctionThatVrtCallsIsMadeToFail) {
  std::set<std::string> failed{"cuCtxGetCurrent", "cuCtxSetCurrent"};
  for (const Setting& setting : settings()) {
    for (const std::string& symbol : script_of(setting)) failed.insert(symbol);
  }
  // These tell of failures, and undo half of an opening that failed.
  const std::set<std::string> aside{"cuGetErrorName", "cuGetErrorString", "cuDevicePrimaryCtxRelease_v2"};
  const cuda::DriverApi api(nullptr, "");
  for (const cuda::EntryPointInfo& entry : api.entries()) {
    EXPECT_EQ(failed.count(entry.symbol) + aside.count(entry.symbol), 1U) << entry.symbol;
  }
}

// A failure of the opening is no loss: the next attempt opens the device, with one context.
TEST(CudaFailuresListTest, ADeviceWhoseOpeningFailedIsOpenedByTheNextAttempt) {
  for (const char* symbol : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDeviceGetAttribute",
                             "cuDeviceGetDefaultMemPool", "cuMemPoolSetAttribute"}) {
    EXPECT_EQ(in_child(settings()[0],
                       [&] {
                         const Outcome first = run_with({symbol, 0, cuda::kErrorInvalidValue});
                         const std::int64_t left = fake::live_objects();
                         use_everything();
                         return first.thrown.empty() || left != 0 || fake::live_objects() != 1
                                    ? fmt::format("'{}', {} and {} objects", first.thrown, left, fake::live_objects())
                                    : std::string();
                       }),
              "")
        << symbol;
  }
}

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) {
  setenv("VRT_CACHE", VRT_TEST_CACHE, 1);  // Thousands of processes compile once.
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
