// Which NVRTC is taken, and what is said where none can be, or where one misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/cuda/nvrtc.h"

namespace vrt::cuda {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vrt::testing::ScopedFolder;
using vrt::testing::ScopedVariable;

/// Everything that the search asks the environment for points into a folder of the test's own.
class NvrtcSearchTest : public ::testing::Test {
 protected:
  void add(const std::string& name) const {
    fs::create_directories((folder_.path() / name).parent_path());
    folder_.write(name, "");
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_directories((folder_.path() / name).parent_path());
    fs::create_symlink(target, folder_.path() / name);
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const { return (folder_.path() / name).string(); }

  /// The libraries of the folder; the machine's own, wherever they are, are left out.
  [[nodiscard]] std::vector<std::string> found(int driver_major) const {
    std::vector<std::string> names;
    const fs::path own = fs::canonical(folder_.path());
    for (const fs::path& path : find_nvrtc(driver_major).candidates) {
      const std::string name = path.lexically_relative(own).string();
      if (name.rfind("..", 0) != 0) names.push_back(name);
    }
    return names;
  }

  ScopedFolder folder_;
  ScopedVariable chosen_{"VRT_NVRTC", ""};
  ScopedVariable home_{"HOME", in_folder("home")};
  ScopedVariable toolkit_{"CUDA_HOME", in_folder("toolkit")};
  ScopedVariable second_toolkit_{"CUDA_PATH", ""};
  ScopedVariable list_{"LD_LIBRARY_PATH", ""};
  ScopedVariable environment_{"VIRTUAL_ENV", in_folder("venv")};
  ScopedVariable conda_{"CONDA_PREFIX", ""};
};

TEST_F(NvrtcSearchTest, TheNewestThatTheDriverRunsIsFirst) {
  add("toolkit/lib64/libnvrtc.so.11.8.89");
  add("toolkit/lib64/libnvrtc.so.12.6.85");
  add("toolkit/lib64/libnvrtc.so.12.10.1");
  add("toolkit/lib64/libnvrtc.so.13.0.88");
  EXPECT_THAT(found(13), ElementsAre("toolkit/lib64/libnvrtc.so.13.0.88", "toolkit/lib64/libnvrtc.so.12.10.1",
                                     "toolkit/lib64/libnvrtc.so.12.6.85", "toolkit/lib64/libnvrtc.so.11.8.89"));
  EXPECT_THAT(found(12), ElementsAre("toolkit/lib64/libnvrtc.so.12.10.1", "toolkit/lib64/libnvrtc.so.12.6.85",
                                     "toolkit/lib64/libnvrtc.so.11.8.89"));
}

TEST_F(NvrtcSearchTest, ALinkIsTheLibraryThatItNamesAndIsFoundOnce) {
  add("toolkit/lib64/libnvrtc.so.12.6.85");
  link("toolkit/lib64/libnvrtc.so.12", "libnvrtc.so.12.6.85");
  link("toolkit/lib64/libnvrtc.so.11", "nothing");
  add("elsewhere/libnvrtc.so.13.0.88");
  link("toolkit/lib64/libnvrtc.so.12.9", in_folder("elsewhere/libnvrtc.so.13.0.88"));  // Not what its name says.
  EXPECT_THAT(found(12), ElementsAre("toolkit/lib64/libnvrtc.so.12.6.85"));
  EXPECT_THAT(found(13), ElementsAre("elsewhere/libnvrtc.so.13.0.88", "toolkit/lib64/libnvrtc.so.12.6.85"));
}

TEST_F(NvrtcSearchTest, OtherNamesAreNoLibraries) {
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.", "libnvrtc.so.x", "libnvrtc.so.12x", "libnvrtc.so.12.6.85.alt",
                           "libnvrtc-builtins.so.12.6", "xlibnvrtc.so.12", "libnvrtc.so.1.2.3.4.5"})
    add(std::string("toolkit/lib64/") + name);
  EXPECT_THAT(found(13), ElementsAre());
}

TEST_F(NvrtcSearchTest, WheelsAndLibraryPathsAreLookedThrough) {
  const std::string wheel = "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  const std::string new_wheel = "lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13";
  add("venv/" + wheel);
  add("venv/" + new_wheel);
  add("home/.local/" + wheel);
  add("one/libnvrtc.so.12.4.1");
  add("two/libnvrtc.so.12.5.1");
  const ScopedVariable list("LD_LIBRARY_PATH", ":" + in_folder("one") + "::" + in_folder("two"));
  EXPECT_THAT(found(13), ElementsAre("venv/" + new_wheel, "two/libnvrtc.so.12.5.1", "one/libnvrtc.so.12.4.1",
                                     "venv/" + wheel, "home/.local/" + wheel));
}

TEST_F(NvrtcSearchTest, EveryFolderIsNamedAlsoWhereThereIsNone) {
  const std::vector<std::string> looked_in = find_nvrtc(13).looked_in;
  EXPECT_THAT(looked_in, Contains(in_folder("toolkit/lib64")));
  EXPECT_THAT(looked_in, Contains("/usr/lib64"));
}

TEST_F(NvrtcSearchTest, WhatTheUserChoosesIsTheOnlyOne) {
  add("toolkit/lib64/libnvrtc.so.12.6.85");
  const ScopedVariable chosen("VRT_NVRTC", "/mine/libnvrtc.so");
  const NvrtcSearch search = find_nvrtc(12);
  EXPECT_THAT(search.candidates, ElementsAre(fs::path("/mine/libnvrtc.so")));
  EXPECT_THAT(search.looked_in, ElementsAre("VRT_NVRTC=/mine/libnvrtc.so"));
}

// ---- Libraries that are no good.

TEST(NvrtcLibraryTest, AnotherLibraryIsNamedWithWhatItLacks) {
  const Error error = error_of([] { const Nvrtc compiler(VRT_FAKE_DRIVER_PATH); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(),
              HasSubstr(VRT_FAKE_DRIVER_PATH " has no nvrtcGetErrorString: it is not an NVRTC that vrt can use"));
}

TEST(NvrtcLibraryTest, WhatIsNotThereIsSaidInTheLoadersWords) {
  EXPECT_THAT(error_of([] { const Nvrtc compiler("/nowhere/libnvrtc.so.12"); }).what(),
              HasSubstr("NVRTC cannot be opened: /nowhere/libnvrtc.so.12"));
}

Error error_of_compiling(int architecture = 90) {
  return error_of(
      [&] { static_cast<void>(Nvrtc(VRT_FAKE_NVRTC_PATH).compile(production_build("k.cu", "source"), architecture)); });
}

TEST(NvrtcLibraryTest, ACompilationThatGivesNoBytesIsAFailureWithItsOptions) {
  for (const auto& [architecture, target] :
       {std::pair(90, "sm_90"), std::pair(120, "compute_90"), std::pair(75, "compute_75")}) {
    const Error error = error_of_compiling(architecture);
    EXPECT_EQ(error.code(), ErrorCode::kBackend);
    EXPECT_THAT(error.what(), HasSubstr(std::string("compiled k.cu for ") + target + " but returned no bytes"));
    EXPECT_THAT(error.what(), HasSubstr(std::string("--fmad=false --gpu-architecture=") + target));
    EXPECT_THAT(error.what(), HasSubstr("NVRTC CUDA 12.0 (" VRT_FAKE_NVRTC_PATH ")"));
  }
}

TEST(NvrtcLibraryTest, ARefusalOfTheOptionsOrOfTheSourceIsSaid) {
  {
    const ScopedVariable answer("VRT_FAKE_NVRTC_COMPILE", "5");
    EXPECT_THAT(error_of_compiling().what(),
                HasSubstr("refused to compile k.cu: a failure of the fake NVRTC; options: --std=c++17"));
  }
  const ScopedVariable answer("VRT_FAKE_NVRTC_CREATE", "1");
  EXPECT_THAT(error_of_compiling().what(), HasSubstr("NVRTC cannot take the source of k.cu"));
}

// The one of the process is opened once: each in a child.
void open_and_say(const char* library, const char* driver_version) {
  setenv("VRT_NVRTC", library, 1);
  setenv("VRT_FAKE_VERSION", driver_version, 1);
  std::fprintf(stderr, "%s", error_of([] { static_cast<void>(nvrtc()); }).what());
  std::exit(0);
}

TEST(NvrtcDeathTest, WhereNoneIsFoundEveryPlaceAndTheCureAreNamed) {
  EXPECT_EXIT(
      open_and_say("/nowhere/libnvrtc.so.12", "12060"), ::testing::ExitedWithCode(0),
      "no NVRTC that the driver \\(CUDA 12.6\\) can run was found; .*NVRTC cannot be opened: /nowhere/libnvrtc.so.12.*"
      "looked in VRT_NVRTC=/nowhere/libnvrtc.so.12; .*pip install nvidia-cuda-nvrtc-cu12.*set VRT_NVRTC");
}

TEST(NvrtcDeathTest, OneThatIsNewerThanTheDriverIsNotTakenAndSaidToBe) {
  setenv("VRT_FAKE_NVRTC_MAJOR", "13", 1);
  EXPECT_EXIT(open_and_say(VRT_FAKE_NVRTC_PATH, "12060"), ::testing::ExitedWithCode(0),
              "no NVRTC .* was found; .*libvrt_fake_nvrtc.so is CUDA 13.0, newer than the driver");
  unsetenv("VRT_FAKE_NVRTC_MAJOR");
}

}  // namespace
}  // namespace vrt::cuda
