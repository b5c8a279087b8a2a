// The cache for a backend that neither reshapes nor serialises: what is kept is the prepared ONNX file.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/engine/onnxruntime/testing/onnx_file.h"
#include "vrt/engine/testing/fake_world.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using detail::EngineCache;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProtoMessage;

/// An addition whose input is open, its constant in a file beside it; the stand-in backend finds its own model in the documentation.
std::string model_file() {
  const testing::OnnxTensor input{"image", testing::OnnxType::kFloat, {1, -1, 3}};
  const testing::OnnxTensor output{"result", testing::OnnxType::kFloat, {1, -1, 3}};
  const testing::OnnxConstant weight{"weight", testing::OnnxType::kFloat, {3}, "", "weights.bin"};
  // Of a message that is written in two parts protobuf takes both.
  return testing::OnnxFile{{input}, {{"Add", {"image", "weight"}, {"result"}}}, {output}, {weight}}.bytes() +
         ProtoMessage().text(6, "fake-model:input image 1 1 2 3\noutput result 1 1 2 3\nfake-end").bytes();
}

class KeptModelTest : public testing::FakeWorld {
 protected:
  KeptModelTest() {
    options_.backend = "fake_plain";
    options_.input_shapes = {{"image", {1, 2, 3}}};
    options_.progress = [this](const BuildProgress& progress) {
      phases_.emplace(progress.phase);
      return true;
    };
  }
  void open() {
    phases_.clear();
    static_cast<void>(Engine::open(model_, Device::cpu(), options_));
  }
  [[nodiscard]] std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& item : fs::directory_iterator(folder)) names.push_back(item.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path model_ = folder_.write("net.onnx", model_file());
  fs::path weights_ = folder_.write("weights.bin", "123456789012");
  EngineOptions options_;
  std::set<std::string> phases_;
};

TEST_F(KeptModelTest, ASecondStartPreparesNothing) {
  open();
  EXPECT_THAT(phases_, AllOf(Contains("preparing"), Contains("storing")));
  const auto entries = EngineCache(cache(), 1 << 30).entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_THAT(names_in(entries[0].path), ElementsAre("manifest.json", "model.onnx"));
  EXPECT_EQ(detail::read_signature(entries[0].path / "model.onnx").inputs[0].shape, Shape({1, 2, 3}));
  open();
  EXPECT_THAT(phases_, Not(Contains("preparing")));
  EXPECT_EQ(log_.count("fake: build"), 2) << "it compiles the kept model";
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(KeptModelTest, AChangedFileOfWeightsBuildsOnce) {
  options_.backend = "fake";  // Which serialises.
  for (int i = 0; i < 2; ++i) open();
  EXPECT_EQ(log_.count("fake: build"), 1);
  folder_.write("weights.bin", "1234567890ab");  // Of the same size.
  for (int i = 0; i < 2; ++i) open();
  EXPECT_EQ(log_.count("fake: build"), 2);
  folder_.write("weights.bin", "123456789012");
  open();
  EXPECT_EQ(log_.count("fake: build"), 2);
  EXPECT_EQ(EngineCache(cache(), 1 << 30).entries().at(0).manifest->sources.size(), 2U);
}

TEST_F(KeptModelTest, ADamagedModelIsPreparedAgain) {
  open();
  fs::resize_file(EngineCache(cache(), 1 << 30).entries().at(0).path / "model.onnx", 50);
  open();
  EXPECT_THAT(phases_, Contains("preparing"));
  EXPECT_EQ(log_.warnings().size(), 1U);
  open();
  EXPECT_THAT(phases_, Not(Contains("preparing")));
}

TEST_F(KeptModelTest, WithoutACacheThePreparedModelHasAPlaceThatGoes) {
  const testing::ScopedFolder temporary;
  const testing::ScopedVariable place("TMPDIR", temporary.path().string());
  options_.use_cache = false;
  open();
  EXPECT_THAT(phases_, Contains("preparing"));
  EXPECT_TRUE(fs::is_empty(temporary.path()));
  EXPECT_FALSE(fs::exists(cache()));
}

TEST_F(KeptModelTest, AFileThatStaysOpenIsRefusedByItsInputsName) {
  options_.input_shapes.clear();
  const Error error = test::error_of([&] { open(); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("image"));
}

}  // namespace
}  // namespace vrt
