// For tests: what the preludes must make of CUDA's functions, and shapes of source that the generator must understand.

#define PROBE_COLUMNS 24

// A comment with words that must not count: extern "C" __global__ void ghost(int32_t) { __syncthreads(); }
static __device__ __forceinline__ float probe_round_trip(float x) { return __int_as_float(__float_as_int(x)); }

template <typename T>
__device__ T probe_twice(T value) {
  return value + value;
}

__constant__ float probe_table[2] = {0.25f, 4.0f};

extern "C" __global__ void __launch_bounds__(256)
    prelude_floats(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float x = __ldg(a + i);
  const float y = __ldg(b + i);
  float* row = out + i * PROBE_COLUMNS;
  row[0] = fminf(x, y);
  row[1] = fmaxf(x, y);
  row[2] = fmaf(x, y, 1.0f);
  row[3] = x * y + 1.0f;
  row[4] = sqrtf(fabsf(x));
  row[5] = floorf(x);
  row[6] = ceilf(x);
  row[7] = rintf(x);
  row[8] = truncf(x);
  row[9] = x / y;
  row[10] = __fmaf_rn(x, x, y);
  row[11] = probe_round_trip(x);
  row[12] = probe_twice(x);
  row[13] = probe_table[i & 1] * x;
  row[14] = __saturatef(x);
  row[15] = __uint_as_float(__float_as_uint(y));
}

extern "C" __global__ void prelude_integers(const float* __restrict__ a, const int32_t* __restrict__ b,
                                            int32_t* __restrict__ out, int32_t count) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float x = __ldg(a + i);
  const int32_t k = __ldg(b + i);
  int32_t* row = out + i * PROBE_COLUMNS;
  row[0] = __float2int_rn(x);
  row[1] = __float2int_rd(x);
  row[2] = __float2int_ru(x);
  row[3] = __float2int_rz(x);
  row[4] = static_cast<int32_t>(__float2uint_rn(x));
  row[5] = min(k, 7);
  row[6] = max(k, -7);
  row[7] = __clz(k);
  row[8] = __popc(static_cast<unsigned>(k));
  row[9] = __ffs(k);
  row[10] = static_cast<int32_t>(__umulhi(static_cast<unsigned>(k), 0x9E3779B9u));
  row[11] = static_cast<int32_t>(min(threadIdx.x, 3u) + gridDim.x);
}

// Threads of a three-dimensional launch; each writes where it stands.
extern "C" __global__ void prelude_indices(int4* __restrict__ out) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
  const uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
  const uint32_t i = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;
  out[i] = make_int4(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), static_cast<int>(i));
}

extern "C" __global__ void prelude_atomics(int32_t* __restrict__ totals, uint64_t* __restrict__ largest,
                                           float* __restrict__ sum) {
  const int32_t i = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(totals, 1);
  atomicMax(totals + 1, i);
  atomicMin(totals + 2, -i);
  atomicOr(totals + 3, 1 << (i & 15));
  atomicExch(totals + 4, 5);
  atomicCAS(totals + 5, 0, i + 1);
  atomicMax(reinterpret_cast<unsigned long long*>(largest), static_cast<unsigned long long>(i) << 32);
  atomicAdd(sum, 0.5f);
}

extern "C" __global__ void prelude_nothing() {}
