#include "vrt/device/cuda/build_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace vrt::cuda {
namespace {

namespace fs = std::filesystem;

// What testing/CMakeLists.txt tells the linker.
constexpr const char* kOldDriversId = "00c0ffee5eed";

class BuildIdTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path write(const std::string& content) const {
    const fs::path path = folder_ / "library.so";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  fs::path folder_ = fs::temp_directory_path() / ("vrt_build_id" + std::to_string(getpid()));
};

TEST_F(BuildIdTest, IsTheLinkersWhereverTheFileLies) {
  EXPECT_EQ(build_id_of(VRT_FAKE_OLD_DRIVER_PATH), kOldDriversId);
  fs::copy_file(VRT_FAKE_OLD_DRIVER_PATH, folder_ / "renamed");
  EXPECT_EQ(build_id_of(folder_ / "renamed"), kOldDriversId);
}

TEST_F(BuildIdTest, WithoutOneNameSizeAndTimeStandForIt) {
  const std::string first = build_id_of(write("no library"));
  EXPECT_THAT(first, ::testing::StartsWith("library.so 10 "));
  EXPECT_NE(build_id_of(write("no library, longer")), first);
}

TEST_F(BuildIdTest, CutAndDamagedFilesAreNoFailure) {
  std::ifstream file(VRT_FAKE_OLD_DRIVER_PATH, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  for (std::size_t bytes = 0; bytes < 2048; bytes += 7) {
    EXPECT_NO_THROW(static_cast<void>(build_id_of(write(whole.substr(0, bytes)))));
  }
  for (std::size_t at = 0; at < 2048; ++at) {
    std::string damaged = whole.substr(0, 8192);
    damaged[at] = static_cast<char>(0xFF);
    EXPECT_NO_THROW(static_cast<void>(build_id_of(write(damaged)))) << at;
  }
  EXPECT_NO_THROW(static_cast<void>(build_id_of(folder_ / "not there")));
}

}  // namespace
}  // namespace vrt::cuda
