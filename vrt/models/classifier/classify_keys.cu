// A classifier's output as keys to be ranked. No barriers.

// One thread a class. Appends a key for each finite value, in any order; `keys` has room for all and `count` is 0 before. A greater key is a
// greater value, or an equal one of a lower class: the upper half orders values as integers do, -0 as 0, the lower half is the
// complement of the class.
extern "C" __global__ void classify_keys(const float* __restrict__ values, int32_t classes, uint64_t* __restrict__ keys,
                                         int32_t* __restrict__ count) {
  const int32_t index = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= classes) return;
  const float value = __ldg(values + index);
  if (!(value - value == 0.0f)) return;
  const uint32_t bits = __float_as_uint(value + 0.0f);
  const uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  keys[atomicAdd(count, 1)] = (static_cast<uint64_t>(ordered) << 32) | ~static_cast<uint32_t>(index);
}
