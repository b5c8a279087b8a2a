// Float16 end to end on the CPU: CenterFace converted, compiled by OpenVINO, compared, kept and loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_cache.h"

namespace vrt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Float16GateTest : public ::testing::Test {
 protected:
  Float16GateTest() {
    options_.backend = "openvino";
    options_.input_shapes = {{"", {1, 3, 64, 96}}};
    options_.precision = Precision::kFloat16;
  }
  [[nodiscard]] Engine open() const { return Engine::open(model_, Device::cpu(), options_); }
  /// OpenVINO computes in float16 only where the processor does; on others the request is refused by name.
  [[nodiscard]] bool cpu_computes_in_float16() const {
    static const bool computes = try_float16();
    return computes;
  }

 private:
  [[nodiscard]] bool try_float16() const {
    EngineOptions lax = options_;
    lax.use_cache = false;
    lax.accuracy = {{}, -1, 100};
    try {
      static_cast<void>(Engine::open(model_, Device::cpu(), lax));
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("f16"));
      return false;
    }
  }

 protected:
  testing::ScopedFolder folder_;
  testing::ScopedVariable cache_{"VRT_CACHE", folder_.path().string()};
  testing::ScopedVariable on_{"VRT_ENGINE_CACHE", "on"};
  std::string model_ = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);
  EngineOptions options_;
};

TEST_F(Float16GateTest, AnEngineWithinItsBoundsIsKeptWithWhatWasMeasured) {
  if (!cpu_computes_in_float16()) GTEST_SKIP() << "this processor has no float16";
  options_.accuracy.largest_difference = 0.5;
  options_.accuracy.least_cosine = 0.99;
  static_cast<void>(open());
  const Engine engine = open();
  ASSERT_TRUE(engine.accuracy().has_value());
  EXPECT_EQ(engine.accuracy()->outputs.size(), 4U);
  for (const OutputAccuracy& output : engine.accuracy()->outputs) {
    EXPECT_GT(output.largest_difference, 0) << "it computed in float32";
    EXPECT_GT(output.cosine, 0.99);
  }
  const auto entries = detail::EngineCache::from_environment().entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_GT(entries[0].manifest->layers.at("float16"), 50U);
  EXPECT_GT(entries[0].manifest->converted_nodes, 100);
  EXPECT_EQ(entries[0].manifest->files.size(), 1U) << "the prepared model has served";
}

TEST_F(Float16GateTest, OneThatIsTooFarOffFailsWithTheFirstLayersThatDiffer) {
  if (!cpu_computes_in_float16()) GTEST_SKIP() << "this processor has no float16";
  options_.accuracy.largest_difference = 1e-4;
  const Error error = test::error_of([&] { static_cast<void>(open()); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("centerface.onnx"), HasSubstr("% of its range"),
                                  HasSubstr("; first in node '"), HasSubstr("(Conv)")));
  EXPECT_TRUE(detail::EngineCache::from_environment().entries().empty());
}

}  // namespace
}  // namespace vrt
