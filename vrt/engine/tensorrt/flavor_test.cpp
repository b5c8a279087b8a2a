#include "vrt/engine/tensorrt/flavor.h"

#include <gtest/gtest.h>

namespace vrt::tensorrt {
namespace {

bool tensorrt_fits(const Version& headers, const Version& library) { return fits(headers, false, false, library); }
bool rtx_fits_own(const Version& headers, const Version& library) { return fits(headers, true, true, library); }
bool rtx_fits_tensorrts(const Version& headers, const Version& library) { return fits(headers, false, true, library); }

TEST(TensorRtFlavorTest, ALibraryOfAnotherMajorDoesNotFit) {
  EXPECT_TRUE(tensorrt_fits({10, 3, 0}, {10, 3, 0}));
  EXPECT_FALSE(tensorrt_fits({10, 3, 0}, {11, 1, 0}));
  EXPECT_FALSE(tensorrt_fits({11, 1, 0}, {10, 16, 0}));
}

TEST(TensorRtFlavorTest, ALibraryOlderThanTheHeadersDoesNotFit) {
  EXPECT_TRUE(tensorrt_fits({10, 3, 0}, {10, 16, 1}));
  EXPECT_TRUE(tensorrt_fits({10, 3, 5}, {10, 3, 0}));
  EXPECT_FALSE(tensorrt_fits({10, 16, 0}, {10, 3, 0}));
}

TEST(TensorRtFlavorTest, RtxFitsItsOwnHeadersMinorByMinor) {
  EXPECT_TRUE(rtx_fits_own({1, 7, 1}, {1, 7, 3}));
  EXPECT_FALSE(rtx_fits_own({1, 3, 0}, {1, 7, 1}));
  EXPECT_FALSE(rtx_fits_own({1, 7, 1}, {2, 7, 1}));
  EXPECT_FALSE(fits({1, 7, 1}, true, false, {1, 7, 1}));
}

TEST(TensorRtFlavorTest, RtxFitsTensorRts11HeadersFromSevenOn) {
  EXPECT_TRUE(rtx_fits_tensorrts({11, 1, 0}, {1, 7, 1}));
  EXPECT_FALSE(rtx_fits_tensorrts({11, 1, 0}, {1, 6, 0}));
  EXPECT_FALSE(rtx_fits_tensorrts({10, 16, 0}, {1, 7, 1}));
  EXPECT_FALSE(rtx_fits_tensorrts({11, 1, 0}, {2, 0, 0}));
}

}  // namespace
}  // namespace vrt::tensorrt
