// The kernel cache among processes: several at once, killed ones, disks that are full, folders that refuse. The fake driver,
// the real NVRTC.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/device/cuda/kernel_cache.h"
#include "vrt/device/kernel.h"

extern char** environ;  // NOLINT(*-redundant-declaration): POSIX leaves it to the program

namespace vrt::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCuda = R"(
extern "C" __global__ void cached(const float* __restrict__ in, float* __restrict__ out, float factor, int32_t n) {
  const int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(__ldg(in + i) * factor);
}
)";
const KernelSource kSource{"cached.cu", kCuda, {}, {}};

/// Warnings while it lives.
class WarningCount {
 public:
  WarningCount()
      : before_(
            set_log_sink([this](LogLevel level, std::string_view) { count_ += level == LogLevel::kWarning ? 1 : 0; })) {
  }
  ~WarningCount() { set_log_sink(before_); }
  WarningCount(const WarningCount&) = delete;
  WarningCount& operator=(const WarningCount&) = delete;
  [[nodiscard]] int value() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
  LogSink before_;
};

// What a child process does: a program that needs one kernel. Passes by itself, too.
TEST(KernelCacheChildTest, FindsItsKernel) {
  if (const char* limit = std::getenv("VRT_TEST_FILE_LIMIT"); limit != nullptr) {
    const rlimit bytes{std::strtoull(limit, nullptr, 10), std::strtoull(limit, nullptr, 10)};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &bytes), 0);
  }
  const bool survives = std::getenv("VRT_TEST_SURVIVE_THE_LIMIT") != nullptr;
  if (survives) std::signal(SIGXFSZ, SIG_IGN);
  const WarningCount warnings;
  using Cached = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);
  const auto kernel = KernelModule::load(Device::cuda(0), kSource).get<Cached>("cached");
  const Stream stream(Device::cuda(0));
  auto data = DeviceBuffer<float>::zeros(stream, 64);
  auto out = DeviceBuffer<float>::zeros(stream, 64);
  kernel.launch(stream, grid_1d(64), data.span(), out.span(), 2.0F, std::int32_t{64});
  stream.synchronize();
  EXPECT_TRUE(!survives || warnings.value() == 1) << warnings.value();
}

// Another child, of a user without rights: what it finds in a folder that may only be read. In a process of its own, as there is one
// warning a process. By itself it does nothing.
TEST(KernelCacheReadOnlyChildTest, ReadsWhatIsThereAndWarnsOnce) {
  const char* given = std::getenv("VRT_TEST_READ_ONLY_FOLDER");
  if (given == nullptr) return;
  const fs::path folder = given;
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(geteuid() != 0 || setresuid(kNobody, kNobody, kNobody) == 0);
  const WarningCount warnings;
  const KernelCache cache(folder, {}, 1U << 30U);
  cache.store("other", {"image", "sm_90", {}});
  cache.store("another", {"image", "sm_90", {}});
  EXPECT_EQ(warnings.value(), 1);
  try {
    cache.write("other", {"image", "sm_90", {}});
    ADD_FAILURE() << "it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(error.what()).find(folder.string()), std::string::npos);
  }
  EXPECT_TRUE(cache.find("known").has_value()) << "root's entry is read";
}

class KernelCacheProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / ("vrt_" + std::string(test->name()) + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] fs::path folder() const { return root_ / "kernels"; }

  // Starts a test of a child with its cache in `root_`.
  [[nodiscard]] pid_t start(const std::vector<std::string>& variables = {},
                            const std::string& test = "KernelCacheChildTest.*") const {
    std::vector<std::string> words{"vrt_cuda_test", "--gtest_filter=" + test, "--gtest_brief=1"};
    std::vector<std::string> environment{"VRT_CACHE=" + root_.string(), "VRT_KERNEL_CACHE=on"};
    environment.insert(environment.end(), variables.begin(), variables.end());
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text(*variable);
      if (text.rfind("VRT_CACHE=", 0) != 0 && text.rfind("VRT_KERNEL_CACHE=", 0) != 0) environment.push_back(text);
    }
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    pid_t child = 0;
    EXPECT_EQ(
        posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers(words).data(), pointers(environment).data()),
        0);
    return child;
  }
  static int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  static bool succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

  // Every file there is, hidden ones too.
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (!fs::exists(folder())) return all;
    for (const auto& entry : fs::directory_iterator(folder())) all.push_back(entry.path());
    return all;
  }
  void expect_one_sound_entry() const {
    ASSERT_EQ(files().size(), 1U);
    EXPECT_TRUE(KernelCache(folder(), {}, 1U << 30U).find(files().front().stem().string()).has_value());
  }

  fs::path root_;
};

TEST_F(KernelCacheProcessTest, SeveralProcessesOnAnEmptyCacheAllWorkAndLeaveOneEntry) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start());
  for (const pid_t child : children) EXPECT_TRUE(succeeded(end_of(child)));
  expect_one_sound_entry();
}

TEST_F(KernelCacheProcessTest, AnEntryIsUsedByTheNextProcess) {
  ASSERT_TRUE(succeeded(end_of(start())));
  expect_one_sound_entry();
  const auto written = fs::last_write_time(files().front());
  ASSERT_TRUE(succeeded(end_of(start())));
  EXPECT_EQ(fs::last_write_time(files().front()), written) << "it was compiled again";
}

TEST_F(KernelCacheProcessTest, AProcessThatDiesWhileItWritesLeavesNothing) {
  // The limit on a file's size ends it by a signal in the midst of write().
  const int status = end_of(start({"VRT_TEST_FILE_LIMIT=1000"}));
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) << status;
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(succeeded(end_of(start())));
  expect_one_sound_entry();
}

TEST_F(KernelCacheProcessTest, AProcessThatIsKilledAnywhereDoesNoHarm) {
  for (int milliseconds = 0; milliseconds < 120; milliseconds += 6) {
    const pid_t child = start();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    static_cast<void>(end_of(child));
    if (!files().empty()) expect_one_sound_entry();
  }
  EXPECT_TRUE(succeeded(end_of(start())));
  expect_one_sound_entry();
}

TEST_F(KernelCacheProcessTest, AFullDiskIsOneWarningAndLeavesNothing) {
  EXPECT_TRUE(succeeded(end_of(start({"VRT_TEST_FILE_LIMIT=1000", "VRT_TEST_SURVIVE_THE_LIMIT=1"}))));
  EXPECT_TRUE(files().empty());
}

TEST_F(KernelCacheProcessTest, ADamagedEntryIsReplaced) {
  ASSERT_TRUE(succeeded(end_of(start())));
  const fs::path entry = files().front();
  for (const auto& damage : std::vector<std::function<void()>>{
           [&] { fs::resize_file(entry, fs::file_size(entry) / 2); }, [&] { fs::resize_file(entry, 0); },
           [&] { std::fstream(entry, std::ios::in | std::ios::out).seekp(200).put('!'); }}) {
    damage();
    EXPECT_FALSE(KernelCache(folder(), {}, 1U << 30U).find(entry.stem().string()).has_value());
    EXPECT_TRUE(succeeded(end_of(start())));
    expect_one_sound_entry();
  }
}

TEST_F(KernelCacheProcessTest, AnEntryOfAnotherUserIsNotRunButReplaced) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file away";
  ASSERT_TRUE(succeeded(end_of(start())));
  const fs::path entry = files().front();
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(chown(entry.c_str(), kNobody, kNobody), 0);
  EXPECT_FALSE(KernelCache(folder(), {}, 1U << 30U).find(entry.stem().string()).has_value());
  // A seed folder is its owner's.
  EXPECT_TRUE(KernelCache({}, folder(), 0).find(entry.stem().string()).has_value());
  EXPECT_TRUE(succeeded(end_of(start())));
  struct stat status {};
  ASSERT_EQ(stat(entry.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, geteuid());
}

TEST_F(KernelCacheProcessTest, AReadOnlyFolderIsReadAndNoFailure) {
  KernelCache(folder(), {}, 1U << 30U).store("known", {"image", "sm_90", {}});
  fs::permissions(folder(), fs::perms(0555));
  EXPECT_TRUE(
      succeeded(end_of(start({"VRT_TEST_READ_ONLY_FOLDER=" + folder().string()}, "KernelCacheReadOnlyChildTest.*"))));
  fs::permissions(folder(), fs::perms::owner_all);
}

TEST_F(KernelCacheProcessTest, WhatAKilledWriterLeftIsClearedAwayAfterAnHour) {
  const KernelCache cache(folder(), {}, 1U << 30U);
  cache.store("first", {"image", "sm_90", {}});
  const fs::path old_one = folder() / ".first.0123456789abcdef.kernels";
  const fs::path fresh = folder() / ".second.0123456789abcdef.kernels";
  const fs::path foreign = folder() / "notes.txt";
  for (const fs::path& path : {old_one, fresh, foreign}) std::ofstream(path) << "half";
  fs::last_write_time(old_one, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store("second", {"image", "sm_90", {}});
  EXPECT_FALSE(fs::exists(old_one));
  EXPECT_TRUE(fs::exists(fresh)) << "its writer may be at work";
  EXPECT_EQ(cache.clear().entry_count, 3U);
  EXPECT_TRUE(fs::exists(foreign)) << "not the cache's";
}

}  // namespace
}  // namespace vrt::cuda
