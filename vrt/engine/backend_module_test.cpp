#include "vrt/engine/backend_module.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/testing/fake_world.h"

namespace vrt::detail {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScopedFolder;
using testing::ScopedVariable;

std::filesystem::path fake_module(const std::string& variant) {
  return testing::fake_backends() / module_file_name(variant);
}

TEST(BackendModuleTest, AWholeModuleLoads) {
  const BackendModule module(fake_module("fake"));
  EXPECT_STREQ(module.table().name, "fake");
  EXPECT_EQ(module.table().abi_version, VRT_BACKEND_ABI_VERSION);
}

TEST(BackendModuleTest, ALogCallbackThatThrowsDoesNotStopAModule) {
  const BackendModule module(fake_module("fake"));
  VrtBackendContextOptions options{};
  options.struct_bytes = sizeof(options);
  options.log = [](void*, std::int32_t, const char*) { throw 42; };
  VrtBackendContext* context = nullptr;
  ASSERT_EQ(module.table().context_create(&options, &context, nullptr), VRT_BACKEND_OK);
  module.table().context_destroy(context);
}

TEST(BackendModuleTest, AModuleRefusesOptionsOfAnotherSize) {
  const BackendModule module(fake_module("fake"));
  VrtBackendContextOptions options{};
  options.struct_bytes = 8;
  VrtBackendContext* context = nullptr;
  EXPECT_EQ(module.table().context_create(&options, &context, nullptr), VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_EQ(context, nullptr);
}

struct Faulty {
  const char* variant;
  const char* words;
};

class FaultyModuleTest : public ::testing::TestWithParam<Faulty> {};

TEST_P(FaultyModuleTest, IsRefusedNamingFileAndFault) {
  const std::filesystem::path path = fake_module(GetParam().variant);
  const Error error = error_of([&] { const BackendModule module(path); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(Variants, FaultyModuleTest,
                         ::testing::Values(Faulty{"fake_other_bridge", "does not speak version 2"},
                                           Faulty{"fake_other_version", "speaks version 3"},
                                           Faulty{"fake_short_table", "its function table has"},
                                           Faulty{"fake_table_with_hole", "a function is missing"},
                                           Faulty{"fake_without_entry", "exports no 'vrt_backend_entry'"}),
                         [](const auto& instance) { return std::string(instance.param.variant); });

TEST(BackendModuleTest, AFileThatIsNoLibraryIsRefusedInTheLoadersWords) {
  const ScopedFolder folder;
  const auto path = folder.write("libvrt_backend_text.so", "not a library");
  const Error error = error_of([&] { const BackendModule module(path); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr("file too short")));
}

TEST(BackendModuleTest, TheVariablesFoldersAreSearchedFirstInOrderEachOnce) {
  const ScopedVariable variable("VRT_BACKEND_PATH", "/one::/two:/one");
  const auto folders = module_search_folders();
  ASSERT_EQ(folders.size(), 4U);  // The third belongs to this program, the fourth to the build's install prefix.
  EXPECT_EQ(folders[0], "/one");
  EXPECT_EQ(folders[1], "/two");
  EXPECT_EQ(std::count(folders.begin(), folders.end(), "/one"), 1);
  EXPECT_THAT(folders.back().string(), HasSubstr("/vrt"));
}

TEST(BackendModuleTest, TheFirstFolderThatHasAModuleWins) {
  const ScopedFolder first;
  const auto shadow = first.write(module_file_name("fake"), "");
  const ScopedVariable variable("VRT_BACKEND_PATH", first.path().string() + ":" + testing::fake_backends().string());
  EXPECT_EQ(find_module("fake"), shadow);
  EXPECT_EQ(find_module("nothing"), "");
}

}  // namespace
}  // namespace vrt::detail
