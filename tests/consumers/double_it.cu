// Doubles numbers in place.
extern "C" __global__ void double_it(int32_t* __restrict__ values, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] *= 2;
}
