// Linked into test programs whose tests compile networks: they neither use what an earlier run kept nor leave anything to the user's
// cache, however they are started. A test of the cache switches it on for its own scope, with a folder of its own.
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX's

namespace {

class WithoutEngineCache final : public ::testing::Environment {
  void SetUp() override { setenv("VRT_ENGINE_CACHE", "off", 1); }
};

[[maybe_unused]] const ::testing::Environment* const kAdded =
    ::testing::AddGlobalTestEnvironment(new WithoutEngineCache);

}  // namespace
