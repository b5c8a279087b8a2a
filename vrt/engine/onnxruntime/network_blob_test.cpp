#include "vrt/engine/onnxruntime/network_blob.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/engine/backend_support.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;
using ::testing::HasSubstr;

const BlobTarget kTarget{"1.32.0", true};
constexpr std::int64_t kBatch = 4;

Signature signature() {
  Tensor image{"image", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {kBatch, 3, 8}, 1, true};
  Tensor count{"c\"\xc3\xb6unt", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {}, 7, false};
  Tensor none{"none", ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, {0, 5}, 8, false};
  return {{image}, {count, none}};
}

std::string blob(const Signature& of = signature(), const std::string& model = "the model\nof two lines") {
  return blob_header(of, {{"conv", "Conv", "float16"}, {"", "Cast", ""}}, kTarget, model) + model;
}

/// What is said of bytes that are not taken; empty where they are.
std::string refusal_of(const std::string& bytes, const BlobTarget& target = kTarget, std::int64_t batch = kBatch) {
  try {
    static_cast<void>(parse_blob(bytes, target, batch));
    return "";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), VRT_BACKEND_CORRUPT) << failure.what();
    return failure.what();
  }
}

TEST(NetworkBlobTest, WhatWasWrittenIsRead) {
  const std::string bytes = blob();
  const ParsedBlob parsed = parse_blob(bytes, kTarget, kBatch);
  EXPECT_EQ(parsed.model, "the model\nof two lines");
  const Signature expected = signature();
  for (const auto& [found, written] :
       {std::pair(parsed.signature.inputs, expected.inputs), std::pair(parsed.signature.outputs, expected.outputs)}) {
    ASSERT_EQ(found.size(), written.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].name, written[i].name);
      EXPECT_EQ(found[i].type, written[i].type);
      EXPECT_EQ(found[i].shape, written[i].shape);
      EXPECT_EQ(found[i].dtype, written[i].dtype);
      EXPECT_EQ(found[i].batched, written[i].batched);
    }
  }
  ASSERT_EQ(parsed.layers.size(), 2U);
  EXPECT_EQ(parsed.layers[0].name, "conv");
  EXPECT_EQ(parsed.layers[0].type, "Conv");
  EXPECT_EQ(parsed.layers[0].precision, "float16");
}

TEST(NetworkBlobTest, EveryChangedByteAndEveryCutIsRefused) {
  const std::string bytes = blob();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_THAT(refusal_of(bytes.substr(0, at)), HasSubstr("cannot be taken")) << "cut at " << at;
    for (const int change : {1, 0x20, 0x80}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      EXPECT_THAT(refusal_of(damaged), HasSubstr("cannot be taken")) << at << " changed by " << change;
    }
  }
  EXPECT_THAT(refusal_of(bytes + "x"), HasSubstr("its checksum is another one"));
  EXPECT_THAT(refusal_of("hello world, no network"), HasSubstr("not what vrt's module for ONNX Runtime wrote"));
}

TEST(NetworkBlobTest, AnotherVersionOrDeviceIsRefusedNamingBoth) {
  EXPECT_THAT(refusal_of(blob(), {"1.33.0", true}), HasSubstr("by ONNX Runtime 1.32.0, this is 1.33.0"));
  EXPECT_THAT(refusal_of(blob(), {"1.32.0", false}), HasSubstr("for 'cuda', this is 'cpu'"));
}

/// A blob of that description with the checksum that belongs to it: damage is not all that can be wrong.
std::string sealed(const std::string& description) {
  const std::string model = "the model\nof two lines";
  return first_line(description + "\n", model) + description + "\n" + model;
}

TEST(NetworkBlobTest, WhatHasAChecksumAndNoSenseIsRefused) {
  const std::string whole = blob();
  const std::size_t begin = whole.find('\n') + 1;
  const std::string description = whole.substr(begin, whole.find('\n', begin) - begin);
  ASSERT_EQ(refusal_of(sealed(description)), "");
  for (const char* text : {"", "{}", "[]", "null", "3", "{\"library\": 3}", "\"text\""})
    EXPECT_NE(refusal_of(sealed(text)), "");
  EXPECT_NE(refusal_of(sealed(std::string(100'000, '['))), "");
  const auto refusal = [&](const std::string& old, const std::string& now) {
    std::string changed = description;
    changed.replace(changed.find(old), old.size(), now);
    return refusal_of(sealed(changed));
  };
  EXPECT_THAT(refusal("\"model_bytes\":22", "\"model_bytes\":21"), HasSubstr("22 bytes of model, 21 were written"));
  EXPECT_THAT(refusal("\"model_bytes\":22", "\"model_bytes\":-22"), HasSubstr("-22 were written"));
  EXPECT_THAT(refusal("\"model_bytes\":22", "\"model_bytes\":22.0"), HasSubstr("no whole one"));
  EXPECT_THAT(refusal("[4,3,8]", "[4,3,8.5]"), HasSubstr("no whole one"));
  EXPECT_THAT(refusal("[4,3,8]", "[4,3,\"8\"]"), HasSubstr("no whole one"));
  EXPECT_THAT(refusal("[4,3,8]", "7"), HasSubstr("a list of its description is none"));
  EXPECT_THAT(refusal("true", "1"), HasSubstr("damaged"));
  for (const char* type : {"-1", "1000", "5000000000"})
    EXPECT_THAT(refusal("\"type\":1", std::string("\"type\":") + type),
                HasSubstr("an element type " + std::string(type)));
  EXPECT_THAT(refusal("\"layers\"", "\"LAYERS\""), HasSubstr("'layers' not found"));
}

TEST(NetworkBlobTest, WhateverADescriptionHoldsItIsReadOrRefused) {
  const std::string whole = blob();
  const std::size_t begin = whole.find('\n') + 1;
  const std::string description = whole.substr(begin, whole.find('\n', begin) - begin);
  std::mt19937 random(7);
  const std::string pool = "[]{}\",:.0123456789-truefalsnE\\ \xff";
  const auto pick = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  std::size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = description;
    for (std::size_t edits = 1 + pick(3); edits > 0; --edits) {
      const std::size_t at = pick(changed.size());
      if (pick(2) == 0)
        changed.insert(at, 1, pool[pick(pool.size())]);
      else
        changed[at] = pool[pick(pool.size())];
    }
    taken += refusal_of(sealed(changed)).empty() ? 1 : 0;
  }
  EXPECT_GT(taken, 0U) << "a changed name is a name";
  EXPECT_LT(taken, 15'000U);
}

TEST(NetworkBlobTest, TensorsThatCannotBeAreRefused) {
  const auto refusal = [](std::int64_t extent, bool batched, ONNXTensorElementDataType type) {
    Signature wrong = signature();
    wrong.inputs[0].shape = {extent, 1 << 20, 1 << 20};
    wrong.inputs[0].batched = batched;
    wrong.inputs[0].type = type;
    return refusal_of(blob(wrong));
  };
  constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  EXPECT_EQ(refusal(kBatch, true, kFloat), "");
  EXPECT_THAT(refusal(-1, false, kFloat), HasSubstr("a tensor 'image' that it cannot have"));
  EXPECT_THAT(refusal(1 << 20, false, kFloat), HasSubstr("cannot have"));
  EXPECT_THAT(refusal(std::numeric_limits<std::int64_t>::max(), false, kFloat), HasSubstr("cannot have"));
  EXPECT_THAT(refusal(kBatch + 1, true, kFloat), HasSubstr("cannot have")) << "not the batch of the options";
  EXPECT_THAT(refusal(kBatch, true, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING), HasSubstr("cannot have"));
  Signature twice = signature();
  twice.outputs[1].name = twice.outputs[0].name;
  EXPECT_THAT(refusal_of(blob(twice)), HasSubstr("two tensors"));
  Signature many = signature();
  many.inputs[0].shape.assign(9, kBatch);
  EXPECT_THAT(refusal_of(blob(many)), HasSubstr("cannot have"));
}

TEST(NetworkBlobTest, ANameThatIsNoTextIsNotWritten) {
  Signature wrong = signature();
  wrong.inputs[0].name = "\xff";
  try {
    static_cast<void>(blob(wrong));
    FAIL() << "it was written";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), VRT_BACKEND_UNSUPPORTED);
  }
}

}  // namespace
}  // namespace vrt::onnxruntime
