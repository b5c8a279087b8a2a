#include "vrt/base/sha256.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

// The examples of FIPS 180-4 as NIST publishes them.
constexpr std::string_view kDigestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kDigestOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kDigestOfMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256Test, MatchesThePublishedExamples) {
  EXPECT_EQ(Sha256().finish(), kDigestOfNothing);
  Sha256 abc;
  abc.update("abc");
  EXPECT_EQ(abc.finish(), kDigestOfAbc);
}

TEST(Sha256Test, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  for (int i = 0; i < 1000; ++i) hash.update(std::string(1000, 'a'));
  EXPECT_EQ(hash.finish(), kDigestOfMillionA);
}

TEST(Sha256Test, FinishEndsIt) {
  Sha256 hash;
  (void)hash.finish();
  EXPECT_THROW(hash.update("more"), Error);
  EXPECT_THROW((void)hash.finish(), Error);
}

TEST(Sha256Test, DigestsAFileLongerThanOneRead) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("vrt_sha256_million_a" + std::to_string(getpid()));
  std::ofstream(path) << std::string(1000000, 'a');
  EXPECT_EQ(sha256_of_file(path), kDigestOfMillionA);
  std::filesystem::remove(path);
}

TEST(Sha256Test, AMissingFileAndAFolderAreToldApart) {
  const Error missing = error_of([] { (void)sha256_of_file("/nowhere/model.onnx"); });
  EXPECT_EQ(missing.code(), ErrorCode::kNotFound);
  EXPECT_THAT(missing.what(), HasSubstr("/nowhere/model.onnx"));
  EXPECT_EQ(error_of([] { (void)sha256_of_file(testing::TempDir()); }).code(), ErrorCode::kIo);
}

}  // namespace
}  // namespace vrt
