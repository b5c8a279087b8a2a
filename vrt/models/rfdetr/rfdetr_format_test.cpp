#include "vrt/models/rfdetr/rfdetr_format.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TensorInfo output(const std::string& name, const Shape& shape) { return {name, DType::kFloat32, shape, false}; }

RfDetrFormat recognise(const std::vector<TensorInfo>& outputs, RfDetrExtra extra = RfDetrExtra::kNone,
                       const RfDetrOptions& options = {}, const std::map<std::string, std::string>& metadata = {}) {
  return recognise_rfdetr(outputs, extra, options, metadata);
}

std::string refusal(const std::vector<TensorInfo>& outputs, RfDetrExtra extra = RfDetrExtra::kNone) {
  const Error error = error_of([&] { (void)recognise(outputs, extra); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  return error.what();
}

TEST(RfDetrFormatTest, BoxesAndLogitsByShape) {
  const RfDetrFormat format = recognise({output("labels", {1, 300, 91}), output("dets", {1, 300, 4})});
  EXPECT_EQ(format.boxes, 1U);
  EXPECT_EQ(format.logits, 0U);
  EXPECT_EQ(format.queries, 300);
  EXPECT_EQ(format.columns, 91);
  EXPECT_EQ(format.names[84], "book");  // Ids and names are COCO's own, with their gaps.
  EXPECT_EQ(format.names[73], "laptop");
  EXPECT_FALSE(format.background_column);
  EXPECT_EQ(recognise({output("a", {1, 300, 4}), output("b", {1, 300, 7})}).names.size(), 0U);
}

TEST(RfDetrFormatTest, FourColumnsAreToldFromBoxesByName) {
  EXPECT_EQ(recognise({output("labels", {1, 300, 4}), output("dets", {1, 300, 4})}).boxes, 1U);
  EXPECT_EQ(recognise({output("pred_boxes", {1, 300, 4}), output("pred_logits", {1, 300, 4})}).boxes, 0U);
  EXPECT_THAT(refusal({output("a", {1, 300, 4}), output("b", {1, 300, 4})}), HasSubstr("do not tell them apart"));
}

TEST(RfDetrFormatTest, BackgroundIsAFactOfTheModel) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 300, 4}), output("labels", {1, 300, 3})};
  EXPECT_TRUE(recognise(outputs, RfDetrExtra::kNone, {}, {{"background", "0"}}).background_column);
  EXPECT_FALSE(recognise(outputs, RfDetrExtra::kNone, {}, {{"background", "none"}}).background_column);
  EXPECT_TRUE(recognise(outputs, RfDetrExtra::kNone, {.background_column = true}).background_column);
  EXPECT_FALSE(
      recognise(outputs, RfDetrExtra::kNone, {.background_column = false}, {{"background", "0"}}).background_column);
}

TEST(RfDetrFormatTest, NamesThatCannotBeThoseOfTheColumnsAreRefused) {
  const auto named = [](const std::string& dictionary, std::int64_t columns, const RfDetrOptions& options = {}) {
    return [=] {
      (void)recognise({output("dets", {1, 300, 4}), output("labels", {1, 300, columns})}, RfDetrExtra::kNone, options,
                      {{"names", dictionary}});
    };
  };
  EXPECT_THAT(error_of(named("{0: 'a', 1: 'b', 2: 'c'}", 2)).what(),
              HasSubstr("names\": expected a name for each of the 2 classes at most, found 3"));
  EXPECT_THAT(error_of(named("{}", 2, {.names = ClassNames({"a", "b", "c"})})).what(),
              HasSubstr("RfDetrOptions::names"));
  // COCO's names one behind the other would call a laptop (73) a book.
  std::string dense;
  for (std::int32_t i = 0; i < 80; ++i) dense += fmt::format("{}: '{}', ", i, ClassNames::coco80()[i]);
  EXPECT_THAT(error_of(named("{" + dense + "}", 91)).what(), HasSubstr("are COCO's ids"));
  EXPECT_THAT(error_of(named("{}", 91, {.names = ClassNames::coco80()})).what(), HasSubstr("are COCO's ids"));
  EXPECT_NO_THROW(named("{" + dense + "}", 80)());
  EXPECT_NO_THROW(named("{" + dense + "}", 81)());  // Fine-tuned on COCO, background last.
  EXPECT_NO_THROW(named("{}", 91, {.names = ClassNames::coco91()})());
}

TEST(RfDetrFormatTest, NamesOfTheMetadataOrTheCaller) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 300, 4}), output("labels", {1, 300, 2})};
  EXPECT_EQ(recognise(outputs, RfDetrExtra::kNone, {}, {{"names", "{0: 'a', 1: 'b'}"}}).names[1], "b");
  EXPECT_EQ(recognise(outputs, RfDetrExtra::kNone, {.names = ClassNames({"x", "y"})}, {{"names", "{0: 'a'}"}}).names[1],
            "y");
}

TEST(RfDetrFormatTest, MasksAndTokens) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 200, 4}), output("labels", {1, 200, 91}),
                                        output("masks", {1, 200, 108, 100}), output("tokens", {1, 384, 36, 30})};
  const RfDetrFormat format = recognise(outputs, RfDetrExtra::kMasks);
  EXPECT_EQ(format.masks, 2U);
  EXPECT_EQ(format.mask_grid, (Size{100, 108}));
  EXPECT_EQ(format.tokens, 3U);
  EXPECT_EQ(format.token_grid, (Size{30, 36}));
  EXPECT_EQ(format.token_channels, 384);
  EXPECT_FALSE(recognise(outputs).masks);  // Detection leaves them alone.
  EXPECT_THAT(refusal({outputs[0], outputs[1]}, RfDetrExtra::kMasks), HasSubstr("[1, 200, h, w]"));
  EXPECT_THAT(refusal({outputs[0], outputs[1], outputs[2], outputs[2]}, RfDetrExtra::kMasks), HasSubstr("two outputs"));
}

TEST(RfDetrFormatTest, KeypointsOfPeople) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 100, 4}), output("labels", {1, 100, 2}),
                                        output("keypoints", {1, 100, 34, 8})};
  const RfDetrFormat format = recognise(outputs, RfDetrExtra::kKeypoints);
  EXPECT_EQ(format.points, 17);
  EXPECT_TRUE(format.background_column);
  EXPECT_EQ(format.names[1], "person");
  EXPECT_FALSE(recognise(outputs, RfDetrExtra::kKeypoints, {.background_column = false}).background_column);
  EXPECT_THAT(refusal({outputs[0], outputs[1], output("k", {1, 100, 33, 8})}, RfDetrExtra::kKeypoints),
              HasSubstr("'k'"));
}

TEST(RfDetrFormatTest, KeypointsOfTheNewerSchemaAreColumnZeros) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 100, 4}), output("labels", {1, 100, 91}),
                                        output("keypoints", {1, 100, 17, 8})};
  for (const std::map<std::string, std::string>& metadata :
       {std::map<std::string, std::string>{{"keypoints_per_class", "[17]"}, {"background", "none"}}, {}}) {
    const RfDetrFormat format = recognise(outputs, RfDetrExtra::kKeypoints, {}, metadata);
    EXPECT_EQ(format.points, 17);
    EXPECT_EQ(format.class_points, (std::vector<std::int32_t>{17}));
    EXPECT_FALSE(format.background_column);
    EXPECT_EQ(format.names[0], "person");
    EXPECT_EQ(format.names[1], "");
  }
  // After fine-tuning there are two columns, of which neither is the first schema's background.
  const RfDetrFormat tuned =
      recognise({outputs[0], output("labels", {1, 100, 2}), outputs[2]}, RfDetrExtra::kKeypoints);
  EXPECT_FALSE(tuned.background_column);
  EXPECT_EQ(tuned.names[0], "person");
}

TEST(RfDetrFormatTest, KeypointsOfEachClassAreWhatTheMetadataSays) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 100, 4}), output("labels", {1, 100, 4}),
                                        output("keypoints", {1, 100, 15, 8})};
  const auto with = [&](const std::string& schema) {
    return recognise(outputs, RfDetrExtra::kKeypoints, {}, {{"keypoints_per_class", schema}});
  };
  EXPECT_EQ(with("[5, 0, 2]").class_points, (std::vector<std::int32_t>{5, 0, 2}));
  EXPECT_EQ(with("[5, 0, 2]").points, 5);
}

TEST(RfDetrFormatTest, KeypointsThatDoNotGoWithTheClassesAreRefused) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 100, 4}), output("labels", {1, 100, 3}),
                                        output("keypoints", {1, 100, 20, 8})};
  EXPECT_THAT(refusal(outputs, RfDetrExtra::kKeypoints), HasSubstr("20 keypoints a query and 3 classes"));
  for (const std::string schema : {"[]", "[17]", "[0]", "[-20, 10]", "[5, 5, 5, 5]"}) {
    const Error error =
        error_of([&] { (void)recognise(outputs, RfDetrExtra::kKeypoints, {}, {{"keypoints_per_class", schema}}); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << schema;
    EXPECT_THAT(error.what(), HasSubstr(schema));
  }
  const Error error =
      error_of([&] { (void)recognise(outputs, RfDetrExtra::kKeypoints, {}, {{"keypoints_per_class", "17"}}); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
}

TEST(RfDetrFormatTest, TheFileSaysHowPicturesAreShrunkUnlessTheCallerDoes) {
  const std::vector<TensorInfo> outputs{output("dets", {1, 300, 4}), output("labels", {1, 300, 91})};
  const auto shrunk = [&](const std::map<std::string, std::string>& metadata, const RfDetrOptions& options = {}) {
    return recognise(outputs, RfDetrExtra::kNone, options, metadata).interpolation;
  };
  EXPECT_EQ(shrunk({}), Interpolation::kBilinearAntialiased);
  EXPECT_EQ(shrunk({{"antialias", "True"}}), Interpolation::kBilinearAntialiased);
  EXPECT_EQ(shrunk({{"antialias", "False"}}), Interpolation::kBilinear);
  EXPECT_EQ(shrunk({{"antialias", "False"}}, {.interpolation = Interpolation::kBilinearAntialiased}),
            Interpolation::kBilinearAntialiased);
  EXPECT_EQ(shrunk({}, {.interpolation = Interpolation::kBilinear}), Interpolation::kBilinear);
  EXPECT_EQ(error_of([&] { (void)shrunk({{"antialias", "perhaps"}}); }).code(), ErrorCode::kCorrupt);
}

TEST(RfDetrFormatTest, WhatIsNoneIsRefusedWithWhatWasMet) {
  EXPECT_THAT(refusal({output("output0", {1, 84, 8400})}), HasSubstr("[1, 84, 8400]"));
  EXPECT_THAT(refusal({output("a", {1, 300, 5}), output("b", {1, 300, 91})}), HasSubstr("[1, 300, 5]"));
  EXPECT_THAT(refusal({output("a", {1, 300, 4}), output("b", {1, 200, 91})}), HasSubstr("'b'"));
}

}  // namespace
}  // namespace vrt
