// Engine::open with its cache, over the stand-in backend: when it builds, when it does not, and what trouble does.
#include "vrt/engine/engine_cache.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/memory.h"
#include "vrt/engine/engine_identity.h"
#include "vrt/engine/testing/fake_world.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using detail::EngineCache;
using test::error_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDoubler;
using testing::ScopedVariable;

constexpr std::uint64_t kRoom = std::uint64_t{1} << 30;

std::vector<float> run(const Engine& engine) {
  const Stream stream(engine.device());
  Session session(engine, stream);
  session.submit();
  stream.synchronize();
  return read_back_blocking(stream, session.output(0).as<float>());
}

/// Waits for something that another thread or process does. However slow the machine is, it comes within a minute.
void wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class EngineCacheTest : public testing::FakeWorld {
 protected:
  [[nodiscard]] std::ptrdiff_t builds() const { return log_.count("fake: build"); }
  [[nodiscard]] std::ptrdiff_t loads() const { return log_.count("fake: load"); }
  [[nodiscard]] EngineCache all() const { return {cache(), kRoom}; }
  [[nodiscard]] fs::path only_entry() const {
    const auto entries = all().entries();
    EXPECT_EQ(entries.size(), 1U);
    return entries.at(0).path;
  }
  /// Everything in the cache's folder but sound entries and remembered digests.
  [[nodiscard]] std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    std::error_code absent;
    for (const auto& item : fs::directory_iterator(cache(), absent)) {
      const std::string name = item.path().filename().string();
      if (name.front() == '.') names.push_back(name);
    }
    return names;
  }
  /// Builds once, then loads: what was stored is sound.
  void expect_one_build(const std::function<void()>& open_it) const {
    const auto built = builds();
    const auto loaded = loads();
    open_it();
    EXPECT_EQ(builds(), built + 1);
    open_it();
    EXPECT_EQ(builds(), built + 1);
    EXPECT_EQ(loads(), loaded + 1);
  }
  void open_doubler(const EngineOptions& options = {}) const {
    static_cast<void>(open(std::string(kDoubler), options));
  }
};

TEST_F(EngineCacheTest, ASecondStartBuildsNothingAndComputesTheSame) {
  const std::string model = std::string(kDoubler) + "layer conv Convolution asked\n";
  const std::vector<float> first = run(open(model));
  const Engine engine = open(model);
  EXPECT_EQ(builds(), 1);
  EXPECT_EQ(loads(), 1);
  EXPECT_EQ(run(engine), first);
  EXPECT_EQ(engine.inputs()[0].shape, Shape({1, 2, 3}));
  EXPECT_EQ(engine.details().layers.size(), 1U);
  EXPECT_EQ(engine.model(), folder_.path() / "doubler.model");
  EXPECT_FALSE(engine.accuracy().has_value());
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(EngineCacheTest, EachChangeOfWhatDecidesTheResultBuildsOnce) {
  expect_one_build([&] { open_doubler(); });
  const std::pair<const char*, std::function<void(EngineOptions&)>> changes[] = {
      {"shape", [](EngineOptions& o) { o.input_shapes = {{"image", {7, 1}}}; }},
      {"shape's extent", [](EngineOptions& o) { o.input_shapes = {{"image", {7, 2}}}; }},
      {"hint", [](EngineOptions& o) { o.hint = PerformanceHint::kThroughput; }},
      {"sessions", [](EngineOptions& o) { o.concurrent_sessions = 2; }},
      {"threads", [](EngineOptions& o) { o.threads = 1; }},
      {"batch", [](EngineOptions& o) { o.batch = {1, 2, 4}; }},
      {"typical batch", [](EngineOptions& o) { o.batch = {1, 3, 4}; }},
      {"workspace", [](EngineOptions& o) { o.workspace_bytes = 1 << 20; }},
      {"level", [](EngineOptions& o) { o.optimization_level = 2; }},
      {"hardware", [](EngineOptions& o) { o.hardware_compatible = true; }},
  };
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    EngineOptions options;
    change(options);
    expect_one_build([&, chosen = options] { open_doubler(chosen); });
  }
  const auto built = builds();
  open_doubler();
  EXPECT_EQ(builds(), built) << "the first one was lost";
}

TEST(EngineTargetTest, AnEngineThatMovesIsFoundOnAnotherGpuOfItsGeneration) {
  const DeviceInfo ampere{.name = "NVIDIA A100", .architecture = "sm_80"};
  const DeviceInfo hopper{.name = "NVIDIA H200", .architecture = "sm_90"};
  const DeviceInfo turing{.name = "NVIDIA T4", .architecture = "sm_75"};
  const auto key = [](const DeviceInfo& gpu, bool moves, const std::string& driver = "") {
    detail::EngineIdentity identity;
    identity.settings.hardware_compatible = moves;
    identity.target = detail::target_of(gpu, moves, driver);
    return detail::key_of(identity);
  };
  EXPECT_EQ(key(ampere, true), key(hopper, true));
  EXPECT_NE(key(ampere, false), key(hopper, false));
  EXPECT_NE(key(ampere, true), key(ampere, false));
  EXPECT_NE(key(turing, true), key(ampere, true)) << "TensorRT's hardware compatibility begins with Ampere";
  EXPECT_NE(key(ampere, true, "580.65"), key(ampere, true, "581.00")) << "TensorRT-RTX's hold for one driver";
  EXPECT_EQ(detail::target_of(hopper, false, "").name, "NVIDIA H200");
}

TEST_F(EngineCacheTest, PrecisionIsPartOfTheKey) {
  const std::string model = std::string(kDoubler) + "layer conv Convolution asked\n";
  expect_one_build([&] { static_cast<void>(open(model)); });
  EngineOptions options;
  options.precision = Precision::kFloat16;
  const auto before = builds();
  static_cast<void>(open(model, options));
  EXPECT_EQ(builds(), before + 2) << "the engine and its float32 reference";
  static_cast<void>(open(model, options));
  EXPECT_EQ(builds(), before + 2);
}

TEST_F(EngineCacheTest, WhatDecidesNothingBuildsNothing) {
  open_doubler();
  EngineOptions options;
  options.batch.smallest = 3;  // Without a largest there is no changing batch.
  options.accuracy.least_cosine = 0.5;
  options.progress = [](const BuildProgress&) { return true; };
  open_doubler(options);
  const ScopedVariable limit("VRT_ENGINE_CACHE_MB", "100");
  open_doubler();
  EXPECT_EQ(builds(), 1);
}

TEST_F(EngineCacheTest, AnUpgradeOfTheLibraryBuildsOnceAndTheOldOneIsNotLost) {
  expect_one_build([&] { open_doubler(); });
  {
    const ScopedVariable version("VRT_FAKE_VERSION", "1.2.4");
    expect_one_build([&] { open_doubler(); });
  }
  open_doubler();
  EXPECT_EQ(builds(), 2);
}

TEST_F(EngineCacheTest, AChangedModelBuildsOnceAndATouchedOrCopiedOneDoesNot) {
  open_doubler();
  open_doubler();  // `open` writes the file again: the same bytes with another time.
  const auto copy = folder_.write("copy.model", kDoubler);
  static_cast<void>(Engine::open(copy, Device::cpu(), {.backend = "fake"}));
  EXPECT_EQ(builds(), 1);
  expect_one_build([&] { static_cast<void>(open("input image 1 1 2 3\noutput result 1 1 3 2\n")); });
}

TEST_F(EngineCacheTest, AChangedFileBesideTheModelBuildsOnce) {
  const auto model = folder_.write("net.xml", kDoubler);
  const auto open_it = [&] { static_cast<void>(Engine::open(model, Device::cpu(), {.backend = "fake"})); };
  expect_one_build(open_it);
  folder_.write("net.bin", "weights 1");
  expect_one_build(open_it);
  folder_.write("net.bin", "weights 2");
  expect_one_build(open_it);
  folder_.write("net.bin", "weights 1");
  open_it();
  EXPECT_EQ(builds(), 3);
}

TEST_F(EngineCacheTest, WhatIsDamagedIsWarnedOfAndBuiltAgain) {
  const auto file = [&](const char* name) { return only_entry() / name; };
  const auto overwrite = [](const fs::path& path, std::size_t at) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put('!');
  };
  const std::pair<const char*, std::function<void()>> damages[] = {
      {"byte", [&] { overwrite(file("engine.bin"), 20); }},
      {"cut", [&] { fs::resize_file(file("engine.bin"), 10); }},
      {"longer", [&] { std::ofstream(file("engine.bin"), std::ios::app) << "more"; }},
      {"empty", [&] { fs::resize_file(file("engine.bin"), 0); }},
      {"no blob", [&] { fs::remove(file("engine.bin")); }},
      {"no manifest", [&] { fs::remove(file("manifest.json")); }},
      {"cut manifest", [&] { fs::resize_file(file("manifest.json"), 100); }},
      {"empty manifest", [&] { fs::resize_file(file("manifest.json"), 0); }},
      {"pipe", [&] {
         fs::remove(file("engine.bin"));
         ASSERT_EQ(mkfifo(file("engine.bin").c_str(), 0600), 0);
       }}};
  open_doubler();
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    damage();
    const std::size_t warned = log_.warnings().size();
    expect_one_build([&] { open_doubler(); });
    ASSERT_EQ(log_.warnings().size(), warned + 1);
    EXPECT_THAT(log_.warnings().back(), HasSubstr("built again"));
  }
}

TEST_F(EngineCacheTest, AManifestOfAnotherKeyIsNotTaken) {
  open_doubler();
  const fs::path first = only_entry();
  EngineOptions options;
  options.threads = 1;
  open_doubler(options);
  for (const auto& entry : all().entries()) {
    if (entry.path == first) continue;
    fs::remove_all(first);
    fs::copy(entry.path, first);  // What somebody may do who thinks that it fits.
    fs::permissions(first, fs::perms::owner_all);
  }
  expect_one_build([&] { open_doubler(); });
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("another key")));
}

TEST_F(EngineCacheTest, WhatTheBackendRefusesIsBuiltAgainOrThrown) {
  const std::string model = std::string(kDoubler) + "fail engine_load 5 of another world\n";
  static_cast<void>(open(model));
  EXPECT_EQ(builds(), 1);
  static_cast<void>(open(model));
  EXPECT_EQ(builds(), 2);
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("of another world")));
  const std::string full = std::string(kDoubler) + "fail engine_load 6 no memory\n";
  static_cast<void>(open(full));
  EXPECT_EQ(error_of([&] { static_cast<void>(open(full)); }).code(), ErrorCode::kOutOfMemory);
}

TEST_F(EngineCacheTest, FilesThatOthersMayHaveWrittenAreNotTaken) {
  open_doubler();
  const fs::path entry = only_entry();
  for (const fs::path& path : {entry, entry / "engine.bin", entry / "manifest.json"}) {
    SCOPED_TRACE(path);
    ASSERT_EQ(chmod(path.c_str(), 0777), 0);
    const std::size_t warned = log_.warnings().size();
    expect_one_build([&] { open_doubler(); });
    ASSERT_EQ(log_.warnings().size(), warned + 1);
    EXPECT_THAT(log_.warnings().back(), HasSubstr("can be written by other users"));
    if (geteuid() != 0) continue;
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    expect_one_build([&] { open_doubler(); });
    EXPECT_THAT(log_.warnings().back(), HasSubstr("belongs to another user"));
  }
}

TEST_F(EngineCacheTest, AFolderThatOthersMayWriteIsNotUsedWithOneWarning) {
  fs::create_directories(cache());
  ASSERT_EQ(chmod(cache().c_str(), 0777), 0);
  for (int i = 0; i < 3; ++i) open_doubler();
  EXPECT_EQ(builds(), 3);
  EXPECT_THAT(log_.warnings(), ElementsAre(AllOf(HasSubstr("cannot be used"), HasSubstr("can be written by other"))));
  EXPECT_TRUE(fs::is_empty(cache()));
}

TEST_F(EngineCacheTest, APlaceThatIsNoFolderIsOneWarning) {
  fs::create_directories(cache().parent_path());
  std::ofstream(cache()) << "a file";
  for (int i = 0; i < 3; ++i) open_doubler();
  EXPECT_EQ(builds(), 3);
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("engine cache cannot be used")));
}

TEST_F(EngineCacheTest, AFolderThatGoesDuringABuildIsNoFailure) {
  EngineOptions options;
  bool is_gone = false;
  options.progress = [&](const BuildProgress& progress) {
    if (progress.phase != "building" || is_gone) return true;
    is_gone = fs::remove_all(cache()) > 0;
    return true;
  };
  EXPECT_THAT(run(open(std::string(kDoubler), options)), ::testing::Each(1.0F));
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(builds(), 1) << "what was built is used";
  EXPECT_LE(log_.warnings().size(), 1U);
  expect_one_build([&] { open_doubler(); });
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(EngineCacheTest, AFolderThatGoesBetweenTwoStartsIsMadeAgain) {
  open_doubler();
  ASSERT_GT(fs::remove_all(cache()), 0U);
  expect_one_build([&] { EXPECT_THAT(run(open(std::string(kDoubler))), ::testing::Each(1.0F)); });
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(EngineCacheTest, SwitchedOffItWritesNothing) {
  EngineOptions options;
  options.use_cache = false;
  for (int i = 0; i < 2; ++i) open_doubler(options);
  const ScopedVariable off("VRT_ENGINE_CACHE", "off");
  open_doubler();
  EXPECT_EQ(builds(), 3);
  EXPECT_FALSE(fs::exists(cache().parent_path()));
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(EngineCacheTest, ALimitThatIsNoNumberIsRefused) {
  const ScopedVariable limit("VRT_ENGINE_CACHE_MB", "plenty");
  const Error error = error_of([&] { open_doubler(); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("VRT_ENGINE_CACHE_MB"));
}

TEST_F(EngineCacheTest, AboveTheLimitWhatWasUsedLongestAgoGoes) {
  EngineOptions options;
  for (std::int32_t threads : {1, 2, 3}) {
    options.threads = threads;
    open_doubler(options);
  }
  std::vector<EngineCache::Entry> entries = all().entries();
  ASSERT_EQ(entries.size(), 3U);
  for (const auto& entry : entries) {
    const auto age = std::chrono::hours(entry.manifest->identity.settings.threads);
    fs::last_write_time(entry.path / "manifest.json", fs::file_time_type::clock::now() - age);
  }
  options.threads = 3;
  open_doubler(options);  // Used last now.
  EXPECT_EQ(builds(), 3);
  const auto removed = all().prune(2 * entries[0].bytes + 10);
  EXPECT_EQ(removed.count, 1U);
  std::set<std::int64_t> left;
  for (const auto& entry : all().entries()) left.insert(entry.manifest->identity.settings.threads);
  EXPECT_THAT(left, ElementsAre(1, 3));
  EXPECT_EQ(all().prune(0).count, 2U);
  EXPECT_THAT(all().entries(), IsEmpty());
}

TEST_F(EngineCacheTest, AnEngineAboveTheLimitIsNotKeptAndSaysSo) {
  const ScopedVariable limit("VRT_ENGINE_CACHE_MB", "0");
  open_doubler();
  EXPECT_THAT(all().entries(), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("VRT_ENGINE_CACHE_MB")));
}

TEST_F(EngineCacheTest, ABuildThatIsStoppedLeavesNothing) {
  const std::string model = std::string(kDoubler) + "steps 5\n";
  for (const char* stop_at : {"hashing", "building", "storing"}) {
    EngineOptions options;
    options.progress = [&](const BuildProgress& progress) { return progress.phase != stop_at; };
    EXPECT_EQ(error_of([&] { static_cast<void>(open(model, options)); }).code(), ErrorCode::kCancelled) << stop_at;
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_THAT(all().entries(), IsEmpty());
  }
  EXPECT_EQ(log_.count("fake: + engine"), log_.count("fake: - engine"));
  expect_one_build([&] { static_cast<void>(open(model)); });
}

TEST_F(EngineCacheTest, AModelThatChangesWhileItIsBuiltIsNotKept) {
  EngineOptions options;
  options.progress = [&](const BuildProgress& progress) {
    if (progress.phase == "storing") folder_.write("doubler.model", "input image 1 1 2 3\n");
    return true;
  };
  open_doubler(options);
  EXPECT_THAT(all().entries(), IsEmpty());
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("changed while it was built")));
}

TEST_F(EngineCacheTest, ThreadsThatOpenTheSameAtOnceBuildItOnce) {
  const auto path = folder_.write("slow.model", std::string(kDoubler) + "steps 1\n");
  constexpr std::ptrdiff_t kOthers = 3;
  const auto all_others_wait = [this] {
    const auto lines = log_.lines();
    return std::count_if(lines.begin(), lines.end(),
                         [](const std::string& line) { return line.find("waiting for it") != line.npos; }) == kOthers;
  };
  EngineOptions options{.backend = "fake"};
  options.progress = [&](const BuildProgress& progress) {
    if (progress.phase == "building") wait_until(all_others_wait);
    return true;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i <= kOthers; ++i)
    threads.emplace_back([&] { static_cast<void>(Engine::open(path, Device::cpu(), options)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds(), 1);
  EXPECT_EQ(loads(), 3);
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("waiting for it")));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(EngineCacheTest, WhoWaitsCanBeStopped) {
  const auto path = folder_.write("slow.model", std::string(kDoubler) + "steps 1\n");
  std::atomic<bool> is_building = false;
  std::atomic<bool> goes_on = true;
  std::thread builder([&] {
    EngineOptions options{.backend = "fake"};
    options.progress = [&](const BuildProgress& progress) {
      if (progress.phase != "building") return true;
      is_building = true;
      wait_until([&] { return !goes_on.load(); });
      return false;
    };
    EXPECT_EQ(error_of([&] { static_cast<void>(Engine::open(path, Device::cpu(), options)); }).code(),
              ErrorCode::kCancelled);
  });
  wait_until([&] { return is_building.load(); });  // The lock is held then; its file alone is there before.
  EngineOptions options{.backend = "fake"};
  options.progress = [](const BuildProgress& progress) { return progress.phase != "waiting for another build"; };
  EXPECT_EQ(error_of([&] { static_cast<void>(Engine::open(path, Device::cpu(), options)); }).code(),
            ErrorCode::kCancelled);
  goes_on = false;
  builder.join();
  EXPECT_EQ(builds(), 0);
}

TEST_F(EngineCacheTest, AnEngineOfTheCacheMayGoBeforeItsSession) {
  open_doubler();
  const Stream stream(Device::cpu());
  std::optional<Engine> engine = open(std::string(kDoubler));
  Session session(*engine, stream);
  engine.reset();
  all().prune(0);
  session.submit();
  stream.synchronize();
  EXPECT_THAT(read_back_blocking(stream, session.output(0).as<float>()), ::testing::Each(1.0F));
  EXPECT_EQ(loads(), 1);
  EXPECT_THAT(log_.errors(), IsEmpty());
}

// --- Among processes. The child is forked, so that it has this very folder and model.

using Progress = std::function<bool(const BuildProgress&)>;

/// What a child does; its exit status is the number of builds and ten for each warning, or 100 where it failed.
[[noreturn]] void open_in_child(const fs::path& model, const Progress& progress) {
  int built = 0;
  set_log_sink([&](LogLevel level, std::string_view line) {
    built += line == "fake: build" ? 1 : 0;
    built += level == LogLevel::kWarning ? 10 : 0;
  });
  EngineOptions options{.backend = "fake"};
  options.progress = progress;
  try {
    static_cast<void>(Engine::open(model, Device::cpu(), options));
  } catch (const std::exception&) {
    _exit(100);
  }
  _exit(built);
}

pid_t start_child(const fs::path& model, const std::function<void()>& first = {}, const Progress& progress = {}) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (first) first();
  open_in_child(model, progress);
}

int end_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST_F(EngineCacheTest, ProcessesThatOpenTheSameAtOnceBuildItOnce) {
  const auto path = folder_.write("slow.model", std::string(kDoubler) + "steps 1\n");
  constexpr int kOthers = 2;
  // A byte for each that waits. The one that builds ends when all others do.
  int waiting[2] = {-1, -1};
  ASSERT_EQ(pipe(waiting), 0);
  bool has_told = false;
  int told = 0;
  const Progress progress = [&](const BuildProgress& now) {
    char bytes[1] = {};
    if (now.phase == "waiting for another build" && !has_told) has_told = write(waiting[1], bytes, 1) == 1;
    if (now.phase == "building") {
      for (; told < kOthers; ++told)
        EXPECT_EQ(read(waiting[0], bytes, 1), 1);  // A build tells of itself more than once.
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 0; i <= kOthers; ++i) children.push_back(start_child(path, {}, progress));
  int built = 0;
  for (const pid_t child : children) {
    const int status = end_of(child);
    ASSERT_TRUE(WIFEXITED(status));
    built += WEXITSTATUS(status);
  }
  for (const int end : waiting) close(end);
  EXPECT_EQ(built, 1);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(EngineCacheTest, ABuildThatIsKilledIsClearedAwayByTheNextOfAnyModel) {
  const auto slow = folder_.write("slow.model", std::string(kDoubler) + "steps 1\n");
  const pid_t child = start_child(slow, {}, [](const BuildProgress& progress) {
    while (progress.phase == "building") pause();  // Until it is killed.
    return true;
  });
  wait_until([this] { return leftovers().size() >= 2; });
  open_doubler();
  EXPECT_EQ(leftovers().size(), 2U) << "the lock and the folder of a build that is at work";
  kill(child, SIGKILL);
  static_cast<void>(end_of(child));
  EXPECT_EQ(leftovers().size(), 2U);
  EngineOptions options;
  options.threads = 1;
  open_doubler(options);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(EngineCacheTest, AProcessKilledAnywhereDoesNoHarm) {
  const auto path = folder_.write("slow.model", std::string(kDoubler) + "steps 4\nstep_milliseconds 4\n");
  for (int milliseconds = 0; milliseconds < 40; milliseconds += 4) {
    const pid_t child = start_child(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    static_cast<void>(end_of(child));
    for (const auto& entry : all().entries()) EXPECT_EQ(EngineCache::find_fault(entry), "");
  }
  static_cast<void>(Engine::open(path, Device::cpu(), {.backend = "fake"}));
  const auto built = builds();
  static_cast<void>(Engine::open(path, Device::cpu(), {.backend = "fake"}));
  EXPECT_EQ(builds(), built);
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(EngineCacheTest, AFullDiskIsOneWarningAndLeavesNothing) {
  const auto path = folder_.write("full.model", std::string(kDoubler) + std::string(5000, '\n'));
  const int status = end_of(start_child(path, [] {
    const rlimit bytes{2000, 2000};
    std::signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &bytes) != 0) _exit(99);
  }));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 11) << "one build, one warning, no failure";
  EXPECT_THAT(all().entries(), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(EngineCacheTest, AReadOnlyFolderIsReadAndIsOneWarning) {
  open_doubler();
  const auto other = folder_.write("other.model", std::string(kDoubler) + "milliseconds 1\n");
  const auto known = folder_.path() / "doubler.model";
  ASSERT_EQ(chmod(cache().c_str(), 0755), 0);
  for (const auto& item : fs::recursive_directory_iterator(folder_.path()))
    ASSERT_EQ(chmod(item.path().c_str(), item.is_directory() ? 0555 : 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(99);
    int built = 0;
    int warned = 0;
    set_log_sink([&](LogLevel level, std::string_view line) {
      built += line == "fake: build" ? 1 : 0;
      warned += level == LogLevel::kWarning ? 1 : 0;
    });
    const EngineOptions options{.backend = "fake"};
    static_cast<void>(Engine::open(known, Device::cpu(), options));
    if (built != 0 || warned != 0) _exit(10 + built);
    for (int i = 0; i < 2; ++i) static_cast<void>(Engine::open(other, Device::cpu(), options));
    _exit(built == 2 && warned == 1 ? 0 : 20 + warned);
  }
  EXPECT_EQ(end_of(child), 0);
  for (const auto& item : fs::recursive_directory_iterator(folder_.path()))
    if (item.is_directory()) chmod(item.path().c_str(), 0700);
  chmod(folder_.path().c_str(), 0700);
}

// --- Reduced precision.

class AccuracyGateTest : public EngineCacheTest {
 protected:
  static EngineOptions float16() {
    EngineOptions options;
    options.precision = Precision::kFloat16;
    return options;
  }
  static std::string model(const std::string& error) {
    return std::string(kDoubler) + "layer conv Convolution asked\nerror " + error + "\n";
  }
};

TEST_F(AccuracyGateTest, WhatIsCloseEnoughIsKeptWithItsMeasurement) {
  const Engine built = open(model("0.001"), float16());
  const Engine loaded = open(model("0.001"), float16());
  EXPECT_EQ(loads(), 1);
  for (const Engine& engine : {built, loaded}) {
    ASSERT_TRUE(engine.accuracy().has_value());
    EXPECT_EQ(engine.accuracy()->runs, 8);
    EXPECT_TRUE(engine.accuracy()->on_noise);
    EXPECT_THAT(engine.accuracy()->reference, HasSubstr("fake 1.2.3"));
    ASSERT_EQ(engine.accuracy()->outputs.size(), 1U);
    const OutputAccuracy& output = engine.accuracy()->outputs[0];
    EXPECT_EQ(output.name, "result");
    EXPECT_NEAR(output.largest_difference, 0.001, 1e-6);
    EXPECT_GT(output.share_of_range, 0);
    EXPECT_GT(output.cosine, 0.999);
  }
}

TEST_F(AccuracyGateTest, WhatIsTooFarOffFailsAndIsNotKept) {
  const Error error = error_of([&] { static_cast<void>(open(model("0.9"), float16())); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("doubler.model"), HasSubstr("'result'"), HasSubstr("2 % is allowed")));
  EXPECT_THAT(all().entries(), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_EQ(log_.count("fake: + engine"), log_.count("fake: - engine"));
}

TEST_F(AccuracyGateTest, NumbersThatAreNoneFail) {
  for (const char* error : {"inf", "nan"}) {
    EngineOptions options = float16();
    options.accuracy.least_cosine = -1;
    options.accuracy.largest_difference = 1e30;
    EXPECT_EQ(error_of([&] { static_cast<void>(open(model(error), options)); }).code(), ErrorCode::kUnsupported)
        << error;
  }
}

TEST_F(AccuracyGateTest, BoundsAreTheCallersAlsoForWhatIsKept) {
  EngineOptions lax = float16();
  lax.accuracy = {{}, -1, 10};
  static_cast<void>(open(model("0.9"), lax));
  ASSERT_EQ(all().entries().size(), 1U);
  EngineOptions strict = float16();
  strict.accuracy.largest_difference = 0.01;
  EXPECT_EQ(error_of([&] { static_cast<void>(open(model("0.9"), strict)); }).code(), ErrorCode::kUnsupported);
  EXPECT_THAT(log_.warnings(), IsEmpty());
  static_cast<void>(open(model("0.9"), float16()));
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("laxer bounds")));
  static_cast<void>(open(model("0.9"), lax));
  EXPECT_EQ(loads(), 2);
}

TEST_F(AccuracyGateTest, SamplesOfTheCallersAreComparedOnce) {
  static_cast<void>(open(model("0.001"), float16()));
  const auto before = builds();
  EngineOptions options = float16();
  options.accuracy.samples = {{{"image", std::vector<std::byte>(24)}}};
  options.accuracy.largest_difference = 1;  // The outputs of one input of zeros have no range.
  const Engine engine = open(model("0.001"), options);
  EXPECT_EQ(builds(), before + 2);
  EXPECT_FALSE(engine.accuracy()->on_noise);
  EXPECT_EQ(engine.accuracy()->runs, 1);
  static_cast<void>(open(model("0.001"), options));
  EXPECT_EQ(builds(), before + 2);
  EngineOptions without = float16();
  without.accuracy.largest_difference = 1;
  EXPECT_FALSE(open(model("0.001"), without).accuracy()->on_noise) << "what was compared on real inputs serves all";
  EXPECT_EQ(builds(), before + 2);
}

TEST_F(AccuracyGateTest, SamplesThatDoNotFitAreRefusedByName) {
  EngineOptions options = float16();
  options.accuracy.samples = {{{"image", std::vector<std::byte>(20)}}};
  EXPECT_THAT(error_of([&] { static_cast<void>(open(model("0"), options)); }).what(),
              AllOf(HasSubstr("'image'"), HasSubstr("20 bytes"), HasSubstr("takes 24")));
  options.accuracy.samples = {{{"picture", std::vector<std::byte>(24)}, {"image2", {}}}};
  EXPECT_THAT(error_of([&] { static_cast<void>(open(model("0"), options)); }).what(),
              HasSubstr("nothing for the input 'image'"));
}

TEST_F(AccuracyGateTest, WithoutAReferenceNothingIsBuiltInSilence) {
  const Error error = error_of([&] { static_cast<void>(open(model("0") + "float16_only\n", float16())); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("compared with float32"), HasSubstr("openvino"), HasSubstr("onnxruntime")));
  EXPECT_THAT(all().entries(), IsEmpty());
}

TEST_F(AccuracyGateTest, AnEngineThatStayedInFloat32IsRefused) {
  const std::string model = std::string(kDoubler) + "layer conv Convolution float32\n";
  EXPECT_EQ(error_of([&] { static_cast<void>(open(model, float16())); }).code(), ErrorCode::kUnsupported);
  EXPECT_THAT(all().entries(), IsEmpty());
}

TEST_F(AccuracyGateTest, AChangingBatchIsComparedWithinItsRange) {
  const std::string text = "input image 1 -1 3\noutput result 1 -1 3\nbatched image\nbatched result\nlayer a B asked\n";
  EngineOptions options = float16();
  options.batch = {1, 0, 2};
  EXPECT_EQ(open(text, options).accuracy()->runs, 8);
}

TEST_F(AccuracyGateTest, TheComparisonCanBeStopped) {
  EngineOptions options = float16();
  options.progress = [](const BuildProgress& progress) { return progress.phase != "comparing" || progress.step < 3; };
  EXPECT_EQ(error_of([&] { static_cast<void>(open(model("0"), options)); }).code(), ErrorCode::kCancelled);
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace vrt
