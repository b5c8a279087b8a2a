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

TEST_F(KeptModelTest, AFolderThatGoesBeforeThePreparedModelIsReadIsNoFailure) {
  const auto remember = options_.progress;
  bool is_gone = false;
  options_.progress = [&](const BuildProgress& progress) {
    if (progress.phase == "building" && !is_gone) is_gone = fs::remove_all(cache()) > 0;
    return remember(progress);
  };
  open();
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(log_.warnings().size(), 1U);
  EXPECT_FALSE(fs::exists(cache())) << "nothing is kept of such a build";
  open();
  EXPECT_THAT(phases_, Contains("storing"));
  open();
  EXPECT_THAT(phases_, Not(Contains("storing")));
  EXPECT_EQ(log_.warnings().size(), 1U);
}

// --- What the engine computes in, beside what the conversion made of its model.

/// A chain of additions, and what the stand-in says of its layers: so many in float16, the others in float32.
std::string chain(int nodes, int half_layers, int layers) {
  const std::vector<std::int64_t> extents{1, 2, 3};
  std::vector<testing::OnnxNode> chain;
  for (int i = 0; i < nodes; ++i) {
    const auto name = [&](int at) { return at == 0 ? "image" : at == nodes ? "result" : "v" + std::to_string(at); };
    chain.push_back({"Add", {name(i), "image"}, {name(i + 1)}, "node " + std::to_string(i)});
  }
  std::string told = "fake-model:input image 1 1 2 3\noutput result 1 1 2 3\n";
  for (int i = 0; i < layers; ++i)
    told += "layer l" + std::to_string(i) + " Add " + (i < half_layers ? "asked" : "float32") + "\n";
  return testing::OnnxFile{
             {{"image", testing::OnnxType::kFloat, extents}}, chain, {{"result", testing::OnnxType::kFloat, extents}}}
             .bytes() +
         ProtoMessage().text(6, told + "fake-end").bytes();
}

class LayerPrecisionTest : public testing::FakeWorld {
 protected:
  void open(const std::string& network) const {
    EngineOptions options{.backend = "fake", .precision = Precision::kFloat16};
    options.accuracy = {.samples = {}, .least_cosine = -1, .largest_difference = 1e9};
    static_cast<void>(Engine::open(folder_.write("chain.onnx", network), Device::cpu(), options));
  }
};

TEST_F(LayerPrecisionTest, AnEngineThatWentBackToFloat32IsRefusedWithBothNumbers) {
  const Error error = test::error_of([&] { open(chain(20, 1, 20)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(::testing::HasSubstr("20 of the network's 20 nodes"),
                                  ::testing::HasSubstr("1 of the engine's 20")));
  EXPECT_THAT(EngineCache(cache(), 1 << 30).entries(), IsEmpty());
  EXPECT_THROW(open(chain(20, 4, 20)), Error);
}

TEST_F(LayerPrecisionTest, OneThatMergedItsNodesOrKeepsSomeIsTaken) {
  open(chain(20, 20, 20));
  open(chain(20, 6, 20));
  open(chain(20, 1, 2));  // All in one layer, and one that brings its input.
  open(chain(4, 1, 20));  // Of few nodes nothing can be said.
}

TEST_F(KeptModelTest, AFileThatStaysOpenIsRefusedByItsInputsName) {
  options_.input_shapes.clear();
  const Error error = test::error_of([&] { open(); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("image"));
}

}  // namespace
}  // namespace vrt
