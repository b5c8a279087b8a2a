#include "vrt/engine/manifest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "vrt/base/testing/error_of.h"

namespace vrt::detail {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::string kDigest(64, 'a');

Manifest full_manifest() {
  Manifest manifest;
  manifest.identity.sources = {kDigest, std::string(64, 'b')};
  manifest.identity.settings.input_shapes = {
      {"", Shape{1, 3, 480, 640}}, {"mask \"2\"", Shape{}}, {"open", Shape{Shape::kDynamic, 3}}};
  manifest.identity.settings.precision = "float16";
  manifest.identity.settings.batch_largest = 8;
  manifest.identity.settings.workspace_bytes = std::numeric_limits<std::uint64_t>::max();
  manifest.identity.builder = {"openvino", "2026.4.1", "0123", "0.1.0"};
  manifest.identity.target = {"A processor", "x86-64-v3", "580.65"};
  manifest.sources = {{"/models/a.onnx", 12, kDigest}, {"/models/a.data", 0, std::string(64, 'b')}};
  manifest.library = "/lib/x.so";
  manifest.device = "cuda:1";
  manifest.driver_version = "580.65";
  manifest.created = "2026-11-30T12:53:30Z";
  manifest.build_seconds = 12.25;
  manifest.files = {{"engine.bin", 7, kDigest}};
  manifest.layers = {{"float16", 10}, {"", 2}};
  manifest.weights_bytes = 5;
  manifest.converted_nodes = 9;
  manifest.kept_count = 1;
  manifest.kept = {{"softmax", "Softmax", "sums of exponentials"}};
  manifest.accuracy = AccuracyReport{"openvino 2026.4.1", 8, false, {{"out", 0.5, 0.01, 0.9995}}};
  manifest.samples = std::string(64, 'c');
  return manifest;
}

Error error_of_parsing(const std::string& text) {
  return test::error_of([&] { static_cast<void>(parse_manifest(text)); });
}

TEST(ManifestTest, WhatIsWrittenIsReadBack) {
  const Manifest manifest = full_manifest();
  const Manifest read = parse_manifest(to_json(manifest));
  EXPECT_EQ(to_json(read), to_json(manifest));
  EXPECT_EQ(read.identity, manifest.identity);
  EXPECT_EQ(read.sources, manifest.sources);
  EXPECT_EQ(read.files, manifest.files);
  EXPECT_EQ(key_of(read.identity), key_of(manifest.identity));
  EXPECT_FALSE(read.accuracy->on_noise);
  EXPECT_EQ(read.activation_bytes, std::nullopt);
}

TEST(ManifestTest, EveryMemberIsNeededAndNoOtherIsTaken) {
  const Json whole = Json::parse(to_json(full_manifest()));
  const std::string optional[] = {"weights_bytes", "activation_bytes", "accuracy"};
  int tried = 0;
  // Removes and renames each member, however deep.
  const Json flat = whole.flatten();
  for (const auto& [path, value] : flat.items()) {
    for (Json::json_pointer pointer(path); !pointer.empty(); pointer.pop_back()) {
      const std::string key = pointer.back();
      const Json::json_pointer parent = pointer.parent_pointer();
      const bool is_free = !whole.at(parent).is_object() || parent.to_string().ends_with("input_shapes") ||
                           parent.to_string().ends_with("precisions");
      if (is_free || std::find(std::begin(optional), std::end(optional), key) != std::end(optional)) continue;
      Json without = whole;
      without.at(parent).erase(key);
      EXPECT_EQ(error_of_parsing(without.dump()).code(), ErrorCode::kCorrupt) << pointer.to_string();
      Json more = whole;
      more.at(parent)["unheard of"] = 1;
      EXPECT_THAT(error_of_parsing(more.dump()).what(), HasSubstr("unheard of"));
      ++tried;
    }
  }
  EXPECT_GT(tried, 40);
}

TEST(ManifestTest, AMemberOfAnotherTypeIsRefusedByName) {
  const Json whole = Json::parse(to_json(full_manifest()));
  const Json flat = whole.flatten();
  for (const auto& [path, value] : flat.items()) {
    for (const Json& other :
         {Json("text"), Json(-1), Json(1.5), Json(true), Json(nullptr), Json(Json::object()), Json({1})}) {
      if (other.type() == value.type() || value.is_null())
        continue;  // null: what is empty has no type in a flat object
      if (value.is_number_float() && other.is_number()) continue;
      if (value.is_number() && !value.is_number_float() && other.is_number_integer() && value.is_number_integer())
        continue;
      Json changed = whole;
      changed[Json::json_pointer(path)] = other;
      EXPECT_EQ(error_of_parsing(changed.dump()).code(), ErrorCode::kCorrupt) << path << " = " << other.dump();
    }
  }
}

TEST(ManifestTest, AFileOfAnEntryLeadsNowhereElse) {
  for (const char* path : {"../engine.bin", "/etc/passwd", "a/b", "", ".hidden", "manifest.json"}) {
    Manifest manifest = full_manifest();
    manifest.files[0].path = path;
    EXPECT_EQ(error_of_parsing(to_json(manifest)).code(), ErrorCode::kCorrupt) << path;
  }
}

TEST(ManifestTest, EveryCutIsRefused) {
  const std::string text = to_json(full_manifest());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_EQ(error_of_parsing(text.substr(0, length)).code(), ErrorCode::kCorrupt) << length;
}

TEST(ManifestTest, WhatIsNoManifestIsRefused) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string huge = std::string(std::size_t{1} << 25, ' ');
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"), std::string("null"), deep, huge,
                                  std::string("{\"schema\":\"vrt-engine-0\"}"), std::string("\xff\xfe")})
    EXPECT_EQ(error_of_parsing(text).code(), ErrorCode::kCorrupt);
}

TEST(ManifestTest, SourcesHaveToBeThoseOfTheKey) {
  Manifest manifest = full_manifest();
  std::swap(manifest.sources[0], manifest.sources[1]);
  EXPECT_THAT(error_of_parsing(to_json(manifest)).what(), HasSubstr("those of the key"));
}

TEST(ManifestTest, EachPartOfTheIdentityChangesTheKey) {
  const EngineIdentity identity = full_manifest().identity;
  std::set<std::string> keys = {key_of(identity)};
  const auto change = [&](auto apply) {
    EngineIdentity other = identity;
    apply(other);
    EXPECT_TRUE(keys.insert(key_of(other)).second);
  };
  change([](auto& i) { std::swap(i.sources[0], i.sources[1]); });
  change([](auto& i) { i.sources.pop_back(); });
  change([](auto& i) { i.settings.input_shapes = {{"x", Shape{1, 3, 480, 640}}}; });
  change([](auto& i) { i.settings.input_shapes[""] = Shape{1, 3, 48, 640}; });
  change([](auto& i) { i.settings.precision = "float32"; });
  change([](auto& i) { i.settings.batch_smallest = 2; });
  change([](auto& i) { i.builder.version = "2026.4.2"; });
  change([](auto& i) { i.builder.module = "4567"; });
  change([](auto& i) { i.builder.vrt = "0.2.0"; });
  change([](auto& i) { i.target.name = "Another"; });
  change([](auto& i) { i.target.architecture = "x86-64"; });
  change([](auto& i) { i.target.driver = ""; });
  EXPECT_EQ(key_of(identity), key_of(full_manifest().identity));
}

TEST(ManifestTest, TextsThatAreNoUtf8AreStillWritten) {
  Manifest manifest = full_manifest();
  manifest.sources[0].path = "/caf\xe9.onnx";
  EXPECT_THAT(parse_manifest(to_json(manifest)).sources[0].path, HasSubstr("/caf"));
}

}  // namespace
}  // namespace vrt::detail
