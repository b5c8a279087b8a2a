#include "vrt/base/cache_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using ::testing::HasSubstr;

// Starts each test without the three variables and puts them back afterwards.
class CachePathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"VRT_CACHE", "XDG_CACHE_HOME", "HOME"}) {
      const char* value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      unsetenv(name);
    }
    fs::remove_all(scratch_);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    fs::remove_all(scratch_);
  }
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  fs::path scratch_ = fs::path(testing::TempDir()) / ("vrt_cache_paths_test" + std::to_string(getpid()));

 private:
  std::map<const char*, std::optional<std::string>> before_;
};

TEST_F(CachePathsTest, TheMostSpecificVariableWins) {
  set("HOME", "/home/somebody");
  EXPECT_EQ(cache_root(), "/home/somebody/.cache/vrt");
  set("XDG_CACHE_HOME", "/var/cache/somebody");
  EXPECT_EQ(cache_root(), "/var/cache/somebody/vrt");
  set("VRT_CACHE", "/fast/disk");
  EXPECT_EQ(cache_root(), "/fast/disk");
}

TEST_F(CachePathsTest, RelativeAndEmptyValuesAreIgnored) {
  set("VRT_CACHE", "relative/folder");
  set("XDG_CACHE_HOME", "");
  set("HOME", "/home/somebody");
  EXPECT_EQ(cache_root(), "/home/somebody/.cache/vrt");
}

TEST_F(CachePathsTest, WithoutAnyVariableTheErrorSaysWhatToSet) {
  const Error error = error_of([&] { (void)cache_root(); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("VRT_CACHE"));
}

TEST_F(CachePathsTest, RootCreatesNothingAndFolderCreatesPrivateFolders) {
  set("VRT_CACHE", (scratch_ / "deep" / "root").string());
  (void)cache_root();
  EXPECT_FALSE(fs::exists(scratch_));
  const auto folder = cache_folder("engines");
  EXPECT_EQ(folder, scratch_ / "deep" / "root" / "engines");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder.parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(cache_folder("engines"), folder);
}

TEST_F(CachePathsTest, AFolderThatCannotBeMadeIsNamed) {
  fs::create_directories(scratch_);
  std::ofstream(scratch_ / "file") << "not a folder";
  set("VRT_CACHE", (scratch_ / "file").string());
  const Error error = error_of([&] { (void)cache_folder("engines"); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_THAT(error.what(), HasSubstr("file"));
}

TEST_F(CachePathsTest, ALimitIsANumberOfMegabytesOrRefusedByTheVariablesName) {
  set("VRT_CACHE_TEST_MB", "");
  EXPECT_EQ(cache_limit_bytes("VRT_CACHE_TEST_MB", 3), std::uint64_t{3} << 20);
  set("VRT_CACHE_TEST_MB", "17");
  EXPECT_EQ(cache_limit_bytes("VRT_CACHE_TEST_MB", 3), std::uint64_t{17} << 20);
  for (const char* text : {"many", "-1", "1e3", " 1", "99999999999999999999"}) {
    set("VRT_CACHE_TEST_MB", text);
    const Error error = error_of([] { (void)cache_limit_bytes("VRT_CACHE_TEST_MB", 3); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("VRT_CACHE_TEST_MB"));
  }
}

}  // namespace
}  // namespace vrt
