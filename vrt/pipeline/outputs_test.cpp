#include "vrt/pipeline/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/models/testing/onnx_graph.h"

namespace vrt {
namespace {

using test::error_of;

namespace fs = std::filesystem;

SourceInfo info_of(SourceKind kind) {
  SourceInfo info;
  info.kind = kind;
  info.frame_rate = kind == SourceKind::kVideo ? 25 : 0;
  return info;
}

class OutputsTest : public ::testing::Test {
 protected:
  /// What is in the folder, temporary files included.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      found.push_back(fs::relative(entry.path(), folder_).string());
    }
    return found;
  }
  [[nodiscard]] ErrorCode refusal(const fs::path& target, SourceKind kind) const {
    try {
      PictureOutput output(target, info_of(kind));
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kInternal;
  }

  testing::ScopedFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  std::vector<std::uint8_t> pixels_ = std::vector<std::uint8_t>(64 * 48 * 3, 100);
  ImageView picture_ = ImageView::packed(Device::cpu(), pixels_.data(), {64, 48}, PixelFormat::kRgb8);
};

TEST_F(OutputsTest, TargetsThatDoNotSuitTheSourceAreRefused) {
  std::ofstream(folder_ / "source.mp4") << "x";
  EXPECT_EQ(refusal(folder_ / "out.avi", SourceKind::kVideo), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(folder_ / "out.mp4", SourceKind::kPicture), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(folder_ / "source.mp4", SourceKind::kFolder), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(folder_ / "out.MP4", SourceKind::kVideo), ErrorCode::kInternal) << "accepted";
  EXPECT_THAT(names(), ::testing::ElementsAre("source.mp4"));
}

TEST_F(OutputsTest, NothingIsWrittenOverWhatIsReadNorTwiceToOnePlace) {
  const fs::path source = folder_ / "source.mp4";
  std::ofstream(source) << "x";
  fs::create_hard_link(source, folder_ / "hard.mp4");
  fs::create_symlink(source, folder_ / "soft.mp4");
  const auto refused = [&](const fs::path& save, const fs::path& json) {
    try {
      require_places_of_their_own({{"the source", source}}, {{"the video", save}, {"the lines", json}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return true;
    }
    return false;
  };
  for (const fs::path& name : {source, folder_ / "." / "source.mp4", folder_ / "hard.mp4", folder_ / "soft.mp4"}) {
    EXPECT_TRUE(refused(name, {})) << name;
    EXPECT_TRUE(refused({}, name)) << name;
  }
  EXPECT_TRUE(refused(folder_ / "new.mp4", folder_ / "x" / ".." / "new.mp4"));
  EXPECT_FALSE(refused(folder_ / "new.mp4", folder_ / "new.jsonl"));
  EXPECT_FALSE(refused({}, {}));
  EXPECT_FALSE(refused({}, folder_ / std::string(300, 'x'))) << "a name that no file can have is another's to refuse";
}

TEST_F(OutputsTest, TheFilesOfAModelAreItsOwnAndThoseOfItsWeights) {
  testing::OnnxGraph graph;
  graph.input("image", {1, 4});
  graph.external_constant("a", {4}, "net.onnx.data");
  graph.external_constant("b", {4}, "more/weights");
  graph.node("Add", {"image", "a"}, "sum");
  graph.output("sum", {1, 4});
  const auto files_of = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    std::vector<Place> places;
    add_places_of({.file = folder_ / name}, places);
    std::vector<std::string> files;
    for (const Place& place : places) files.push_back(fs::relative(place.path, folder_).string());
    return files;
  };
  EXPECT_THAT(files_of("net.onnx", graph.bytes()), ::testing::ElementsAre("net.onnx", "more/weights", "net.onnx.data"));
  EXPECT_THAT(files_of("net.xml", "<net/>"), ::testing::ElementsAre("net.xml"));
  std::ofstream(folder_ / "net.bin") << "x";
  EXPECT_THAT(files_of("net.xml", "<net/>"), ::testing::ElementsAre("net.xml", "net.bin"));
}

TEST_F(OutputsTest, TwoPicturesThatWouldBeSavedUnderOneNameAreRefused) {
  const auto refusal = [&](const std::vector<std::string>& pictures, const std::vector<Place>& read = {}) {
    try {
      require_names_of_their_own(pictures, folder_ / "out", read);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"a.webp", "a.png", "a.jpg", "a.webp.jpg", "A.webp.png", "a.bmp"}), "");
  for (const char* name : {"a.webp", "a.bmp", "a.tiff"}) {
    const std::string saved = std::string(name) + ".png";
    EXPECT_THAT(refusal({"0.png", name, saved}),
                ::testing::AllOf(::testing::HasSubstr(std::string(name) + " and " + saved),
                                 ::testing::HasSubstr((folder_ / "out" / saved).string())));
  }
  const Place model{"the model", folder_ / "out" / "a.webp.png"};
  EXPECT_EQ(refusal({"b.webp"}, {model}), "");
  EXPECT_THAT(refusal({"a.webp"}, {model}), ::testing::HasSubstr("written over the model"));
}

TEST_F(OutputsTest, AVideoOfAnotherSizeIsRefusedByTheSourcesName) {
  PictureOutput output(folder_ / "out.mp4", info_of(SourceKind::kVideo));
  output.write(picture_, "in.mp4", 0);
  const ImageView smaller = ImageView::packed(Device::cpu(), pixels_.data(), {32, 48}, PixelFormat::kRgb8);
  const Error error = error_of([&] { output.write(smaller, "in.mp4", 0.04); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("in.mp4"));
}

TEST_F(OutputsTest, PicturesOfAFolderKeepTheirNamesAndNoTwoBecomeOne) {
  PictureOutput output(folder_ / "out", info_of(SourceKind::kFolder));
  for (const char* source : {"in/a.jpg", "in/a.png", "in/a.bmp", "in/B.JPEG"}) output.write(picture_, source, 0);
  output.finish();
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre("out", "out/a.jpg", "out/a.png", "out/a.bmp.png", "out/B.JPEG"));
}

TEST_F(OutputsTest, AVideoAppearsOnlyWhenItIsFinished) {
  {
    PictureOutput output(folder_ / "left.mp4", info_of(SourceKind::kVideo));
    output.write(picture_, "in.mp4", 0);
    EXPECT_FALSE(fs::exists(folder_ / "left.mp4"));
  }
  EXPECT_TRUE(names().empty()) << "something was left behind";
  PictureOutput output(folder_ / "done.mp4", info_of(SourceKind::kVideo));
  output.write(picture_, "in.mp4", 0);
  output.finish();
  EXPECT_THAT(names(), ::testing::ElementsAre("done.mp4"));
}

TEST_F(OutputsTest, JsonLinesAppearOnlyWhenTheyAreComplete) {
  const fs::path file = folder_ / "lines.jsonl";
  {
    JsonOutput output(file.string());
    output.write({"a", 0, 0, {1, 1}, {}});
  }
  EXPECT_TRUE(names().empty());
  JsonOutput output(file.string());
  output.write({"a", 0, 0, {1, 1}, {}});
  output.write({"a", 1, 0, {1, 1}, {}});
  EXPECT_FALSE(fs::exists(file));
  output.finish();
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(OutputsTest, CocoResultsAreOneArrayThatAppearsWhenItIsComplete) {
  const Detection detections[] = {{{0, 0, 1, 1}, 0.5F, 0, "", {}}};
  ModelFindings findings;
  findings.detections = detections;
  const fs::path file = folder_ / "results.json";
  {
    JsonOutput output(file.string(), JsonFormat::kCoco);
    output.write({"a", 0, 0, {1, 1}, {&findings, 1}});
  }
  EXPECT_TRUE(names().empty());
  const std::pair<std::vector<std::string>, std::vector<int>> cases[] = {
      {{}, {0, 1}}, {{"5.png", "0004.png"}, {5, 4}}, {{"5.png", "x.png"}, {0, 1}}};
  for (const auto& [pictures, ids] : cases) {
    JsonOutput output(file.string(), JsonFormat::kCoco, pictures);
    output.write({"in/5.png", 0, 0, {1, 1}, {&findings, 1}});
    output.write({"in/0004.png", 1, 0, {1, 1}, {&findings, 1}});
    output.finish();
    std::ifstream stream(file);
    const nlohmann::json results = nlohmann::json::parse(stream);
    ASSERT_EQ(results.size(), 2);
    EXPECT_EQ((std::vector<int>{results[0]["image_id"], results[1]["image_id"]}), ids);
  }
}

TEST_F(OutputsTest, FilesOfASource) {
  for (const char* name : {"2.png", "10.jpg", "notes.txt"}) std::ofstream(folder_ / name) << "x";
  EXPECT_THAT(picture_files(folder_.string(), SourceKind::kFolder), ::testing::ElementsAre("2.png", "10.jpg"));
  EXPECT_THAT(picture_files("in/7.png", SourceKind::kPicture), ::testing::ElementsAre("in/7.png"));
  EXPECT_TRUE(picture_files("7.mp4", SourceKind::kVideo).empty());
}

}  // namespace
}  // namespace vrt
