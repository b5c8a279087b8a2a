// Files in, files out: what is refused, and what is where afterwards.
#include "vrt/engine/model_preparation.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/engine/onnx/model_file.h"
#include "vrt/engine/testing/onnx_builder.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OnnxBuilder;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// y = x + w, of three floats.
OnnxBuilder adder() {
  OnnxBuilder builder;
  builder.input("x", {3});
  builder.floats("w", {1, 2, 3});
  builder.node("Add", {"x", "w"}, {"y"});
  builder.output("y", {3});
  return builder;
}

void set_entry(onnx::Tensor& tensor, const std::string& key, const std::string& value) {
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

class ModelPreparationTest : public ::testing::Test {
 protected:
  PreparationReport prepare(const OnnxBuilder& builder, const EngineOptions& options = {}) const {
    return prepare_model(builder.write(folder_.path() / "model.onnx"), options, {}, target_);
  }
  Error refusal_of(const OnnxBuilder& builder, const EngineOptions& options = {}) const {
    Error error = error_of([&] { prepare(builder, options); });
    EXPECT_THAT(error.what(), HasSubstr("model.onnx"));
    EXPECT_FALSE(fs::exists(target_));
    return error;
  }
  Error refusal_of_bytes(const std::string& bytes) const {
    const fs::path file = folder_.write("model.onnx", bytes);
    return error_of([&] { prepare_model(file, {}, {}, target_); });
  }
  /// The adder with its weights in "weights", at `offset`.
  OnnxBuilder external(const std::string& offset = "4", const std::string& length = "12",
                       const std::string& location = "weights") const {
    folder_.write("weights", std::string("\0\0\0\0\0\0\x80\x3F\0\0\0\x40\0\0\x40\x40", 16));
    OnnxBuilder builder = adder();
    onnx::Tensor& tensor = *builder.graph().mutable_initializer(0);
    tensor.clear_float_data();
    tensor.set_data_location(onnx::Tensor::EXTERNAL);
    set_entry(tensor, "location", location);
    set_entry(tensor, "offset", offset);
    set_entry(tensor, "length", length);
    return builder;
  }

  testing::ScopedFolder folder_;
  fs::path target_ = folder_.path() / "prepared.onnx";
};

TEST_F(ModelPreparationTest, InitialisersAreNoInputsAfterwards) {
  OnnxBuilder builder = adder();
  builder.model().set_ir_version(3);
  builder.input("w", {3});
  const PreparationReport report = prepare(builder);
  EXPECT_EQ(report.converted_nodes, 0);
  EXPECT_THAT(report.kept, IsEmpty());
  const onnx::Model prepared = onnx::parse_model(target_);
  EXPECT_EQ(prepared.graph().input_size(), 1);
  EXPECT_EQ(prepared.ir_version(), 4);
  EXPECT_EQ(onnx::operator_set(prepared), 17);
  EXPECT_EQ(read_signature(folder_.path() / "model.onnx").inputs.size(), 1U);
}

TEST_F(ModelPreparationTest, ExternalDataIsTakenIn) {
  const OnnxBuilder builder = external();
  prepare(builder);
  fs::remove(folder_.path() / "weights");
  const onnx::Model prepared = onnx::read_model(target_);
  EXPECT_EQ(prepared.graph().initializer(0).raw_data(), std::string("\0\0\x80\x3F\0\0\0\x40\0\0\x40\x40", 12));
  EXPECT_FALSE(prepared.graph().initializer(0).has_data_location());
}

TEST_F(ModelPreparationTest, ExternalFilesAreListedWhetherTheyAreThereOrNot) {
  const fs::path model = external().write(folder_.path() / "model.onnx");
  EXPECT_THAT(external_files(model), ElementsAre(folder_.path() / "weights"));
  fs::remove(folder_.path() / "weights");
  EXPECT_THAT(external_files(model), ElementsAre(folder_.path() / "weights"));
  EXPECT_THAT(external_files(adder().write(model)), IsEmpty());
  EXPECT_EQ(error_of([&] { prepare(external("4", "12", "elsewhere")); }).code(), ErrorCode::kNotFound);
}

TEST_F(ModelPreparationTest, ExternalDataOutsideTheFolderIsRefused) {
  EXPECT_THAT(refusal_of(external("4", "12", std::string("we\0ights", 8))).what(), HasSubstr("not UTF-8 text"));
  for (const std::string place : {"/etc/passwd", "../weights", "a/../../weights", ""}) {
    const Error error = refusal_of(external("4", "12", place));
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << place;
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'w'"), HasSubstr("expected a file in the model's folder")));
    EXPECT_EQ(error_of([&] { static_cast<void>(external_files(folder_.path() / "model.onnx")); }).code(),
              ErrorCode::kCorrupt);
  }
}

TEST_F(ModelPreparationTest, ExternalDataPastTheFilesEndOrOfAnotherSizeIsRefused) {
  EXPECT_THAT(refusal_of(external("5")).what(), HasSubstr("at 5 with 12 bytes"));
  EXPECT_THAT(refusal_of(external("4", "11")).what(), HasSubstr("has 11 bytes, its extents say 12"));
  EXPECT_THAT(refusal_of(external("9223372036854775807")).what(), HasSubstr("has only 16"));
  for (const char* offset : {"-4", "four", "4x", "", "99999999999999999999"}) {
    EXPECT_THAT(refusal_of(external(offset)).what(), HasSubstr("expected a count of bytes")) << offset;
  }
}

TEST_F(ModelPreparationTest, ASmallModelThatNamesALargeFileOverAndOverIsRefused) {
  OnnxBuilder builder = external();
  for (int copy = 0; copy < 3; ++copy) {
    onnx::Tensor& tensor = *builder.graph().add_initializer();
    tensor = builder.graph().initializer(0);
    tensor.set_name("w" + std::to_string(copy));
  }
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("more than twice"));
}

TEST_F(ModelPreparationTest, WeightsThatDoNotFitIntoTheFileLieBesideIt) {
  OnnxBuilder builder = adder();
  onnx::Tensor& large = builder.floats("large", std::vector<float>(1000, 2.5F));
  large.clear_float_data();
  large.set_raw_data(std::string(4000, 'w'));
  onnx::write_model(builder.model(), target_, 3000);
  EXPECT_EQ(fs::file_size(folder_.path() / "prepared.onnx.data"), 4000U);
  const onnx::Model parsed = onnx::parse_model(target_);
  EXPECT_EQ(parsed.graph().initializer(0).data_location(), onnx::Tensor::DEFAULT);
  EXPECT_EQ(parsed.graph().initializer(1).data_location(), onnx::Tensor::EXTERNAL);
  EXPECT_EQ(onnx::read_model(target_).graph().initializer(1).raw_data(), std::string(4000, 'w'));
}

TEST_F(ModelPreparationTest, WhatIsNoModelIsCorrupt) {
  EXPECT_THAT(refusal_of_bytes("").what(), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal_of_bytes("no model at all").what(), HasSubstr("not an ONNX model"));
  EXPECT_THAT(refusal_of_bytes(std::string("\x08\x08", 2)).what(), HasSubstr("it has no graph"));
  EXPECT_EQ(error_of([&] { prepare_model(folder_.path() / "none.onnx", {}, {}, target_); }).code(),
            ErrorCode::kNotFound);
  EXPECT_EQ(error_of([&] { prepare_model(folder_.path(), {}, {}, target_); }).code(), ErrorCode::kCorrupt);
}

TEST_F(ModelPreparationTest, AModelCutOffAnywhereIsRefusedOrWhole) {
  const std::string whole = adder().model().SerializeAsString();
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    try {
      prepare_model(folder_.write("model.onnx", whole.substr(0, bytes)), {}, {}, target_);
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kInvalidArgument) << error.what();
    }
  }
}

TEST_F(ModelPreparationTest, DeeplyNestedGraphsAreRefused) {
  onnx::Graph graph;
  for (int depth = 0; depth < 200; ++depth) {
    onnx::Graph outer;
    outer.add_node()->add_attribute()->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  OnnxBuilder builder;
  builder.graph().Swap(&graph);
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("nested too deeply"));
}

TEST_F(ModelPreparationTest, WeightsThatAreNotThereAreRefused) {
  OnnxBuilder builder = adder();
  builder.graph().mutable_initializer(0)->set_dims(0, std::int64_t{1} << 50);
  EXPECT_EQ(refusal_of(builder).code(), ErrorCode::kCorrupt);
  builder.graph().mutable_initializer(0)->set_dims(0, -3);
  EXPECT_EQ(refusal_of(builder).code(), ErrorCode::kCorrupt);
}

TEST_F(ModelPreparationTest, AConstantsValuesAreLookedAtToo) {
  OnnxBuilder builder = adder();
  onnx::Attribute& value = *builder.node("Constant", {}, {"c"}).add_attribute();
  value.set_name("value");
  value.mutable_t()->set_data_type(onnx::Tensor::FLOAT);
  value.mutable_t()->add_dims(5);
  EXPECT_THAT(refusal_of(builder).what(), HasSubstr("holds 0 values, its extents say 5"));
}

TEST_F(ModelPreparationTest, ASignatureTellsNamesTypesAndOpenExtents) {
  OnnxBuilder builder = adder();
  builder.input("image", {-1, 3, 8, 8}, onnx::Tensor::UINT8);
  builder.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const ModelSignature signature = read_signature(builder.write(folder_.path() / "model.onnx"));
  ASSERT_EQ(signature.inputs.size(), 2U);
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[0].shape, Shape({3}));
  EXPECT_EQ(signature.inputs[1].type, DType::kUInt8);
  EXPECT_EQ(signature.inputs[1].shape, Shape({Shape::kDynamic, 3, 8, 8}));
  EXPECT_EQ(signature.outputs[0].shape.rank(), 0U);
}

TEST_F(ModelPreparationTest, ProgressMayCancelAConversion) {
  EngineOptions options;
  options.precision = Precision::kFloat16;
  std::string phase;
  options.progress = [&](const BuildProgress& progress) {
    phase = progress.phase;
    return false;
  };
  EXPECT_EQ(refusal_of(adder(), options).code(), ErrorCode::kCancelled);
  EXPECT_EQ(phase, "converting to float16");
}

TEST_F(ModelPreparationTest, ASampleHasToHoldEveryInputInItsSize) {
  EngineOptions options;
  options.precision = Precision::kFloat16;
  const fs::path model = adder().write(folder_.path() / "model.onnx");
  const SampleInputs nothing;
  const SampleInputs two{{"x", std::vector<std::byte>(8)}};
  Error error = error_of([&] { prepare_model(model, options, {&nothing, 1}, target_); });
  EXPECT_THAT(error.what(), HasSubstr("no values for input 'x'"));
  error = error_of([&] { prepare_model(model, options, {&two, 1}, target_); });
  EXPECT_THAT(error.what(), HasSubstr("8 bytes for input 'x' [3]: expected 12"));
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
}

TEST_F(ModelPreparationTest, PreparingWhatIsPreparedChangesNothing) {
  prepare(adder());
  const std::string once = content(target_);
  prepare_model(target_, {}, {}, folder_.path() / "again.onnx");
  EXPECT_EQ(content(folder_.path() / "again.onnx"), once);
}

}  // namespace
}  // namespace vrt::detail
