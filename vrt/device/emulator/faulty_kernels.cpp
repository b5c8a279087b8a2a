// Kernels that are wrong, each in one way, as the generator would present them to the emulator.
#define VRT_HOST_NAMESPACE vrt_host_faulty_kernels
#include "vrt/device/emulator/faulty_kernels.h"

#include "vrt/device/emulator/prelude_emulator.h"

namespace VRT_HOST_NAMESPACE {
namespace {

// The barrier between writing and reading is missing.
void missing_barrier(const int32_t* in, int32_t* out) {
  __shared__ int32_t tile[1024];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// As above where only a warp barrier is missing.
void missing_warp_barrier(const int32_t* in, int32_t* out) {
  __shared__ int32_t tile[1024];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[threadIdx.x ^ 1U];
}

// A shuffle moves registers; it does not publish shared memory.
void shuffle_as_barrier(const int32_t* in, int32_t* out) {
  __shared__ int32_t tile[1024];
  tile[threadIdx.x] = in[threadIdx.x];
  const int32_t first = __shfl_sync(0xFFFFFFFFU, in[threadIdx.x], 0);
  out[threadIdx.x] = tile[threadIdx.x ^ 1U] + first;
}

void divergent_barrier() {
  if (threadIdx.x < blockDim.x / 2) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

// Some wait for the block, the others for their warp.
void mixed_barriers() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

void partial_mask(int32_t* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000FFFFU, static_cast<int32_t>(threadIdx.x), 0);
  __syncthreads();
}

void different_masks(int32_t* out) {
  const unsigned mask = threadIdx.x == 5 ? 0xFFFFFFFFU : 0x7FFFFFFFU;
  out[threadIdx.x] = __shfl_sync(mask, 1, 0);
}

void mask_without_self(int32_t* out) { out[threadIdx.x] = __any_sync(~(1U << threadIdx.x), 1); }

void writes_past_end(int32_t* out, int32_t count) { out[threadIdx.x == 0 ? count : 0] = 1; }

void overruns_shared(int32_t* out) {
  VRT_DYNAMIC_SHARED(int32_t, tile);
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

void misaligned_load(const float* in, float4* out) { out[0] = __ldg(reinterpret_cast<const float4*>(in + 1)); }

void reads_unwritten_shared(float* out) {
  __shared__ float tile[64];
  out[threadIdx.x] = tile[threadIdx.x];
}

void endless() {
  volatile bool is_first = threadIdx.x == 0;
  while (is_first) {
  }
  __syncthreads();
}

// What block 0 leaves behind decides what the others do.
void depends_on_block_order(int32_t* state, int32_t* out) { out[blockIdx.x] = atomicAdd(state, 1); }

template <auto kKernel, typename... Parameters>
constexpr vrt::EmulatedKernel entry(const char* name, void (*kernel)(Parameters...)) {
  return vrt_emulated_kernel<kKernel>(name, kernel);
}
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define VRT_ENTRY(name) entry<&name>(#name, &name)
constexpr vrt::EmulatedKernel kKernels[] = {
    VRT_ENTRY(missing_barrier),        VRT_ENTRY(missing_warp_barrier),   VRT_ENTRY(divergent_barrier),
    VRT_ENTRY(mixed_barriers),         VRT_ENTRY(partial_mask),           VRT_ENTRY(different_masks),
    VRT_ENTRY(mask_without_self),      VRT_ENTRY(writes_past_end),        VRT_ENTRY(overruns_shared),
    VRT_ENTRY(misaligned_load),        VRT_ENTRY(reads_unwritten_shared), VRT_ENTRY(endless),
    VRT_ENTRY(depends_on_block_order), VRT_ENTRY(shuffle_as_barrier),
};

}  // namespace
}  // namespace VRT_HOST_NAMESPACE

namespace vrt::test {
const EmulatedSource& faulty_kernels() {
  static const EmulatedSource source{"faulty_kernels", VRT_HOST_NAMESPACE::kKernels};
  return source;
}
}  // namespace vrt::test
