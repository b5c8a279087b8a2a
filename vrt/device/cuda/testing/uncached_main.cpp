// main() of test programs that compile kernels: anew each time, for what one run leaves must not be what the next one finds.
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("VRT_KERNEL_CACHE", "off", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
