// The part of CUDA's device library that host builds of kernels use, with CUDA's results: included inside the namespace of
// a host build (see prelude_host.h), so that no two instruction sets share a function. Not for any other use.
// NOLINTBEGIN: names and shapes are CUDA's.

#define VRT_PRELUDE [[maybe_unused]] static inline __attribute__((always_inline))

template <typename To, typename From>
VRT_PRELUDE To vrt_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

VRT_PRELUDE int __float_as_int(float x) { return vrt_bits<int>(x); }
VRT_PRELUDE unsigned __float_as_uint(float x) { return vrt_bits<unsigned>(x); }
VRT_PRELUDE float __int_as_float(int x) { return vrt_bits<float>(x); }
VRT_PRELUDE float __uint_as_float(unsigned x) { return vrt_bits<float>(x); }

// minNum and maxNum: a NaN loses against a number, and -0 is less than +0 (equal numbers differ in the sign bit at most).
VRT_PRELUDE float fminf(float a, float b) {
  const float equal = __uint_as_float(__float_as_uint(a) | __float_as_uint(b));
  return a == b ? equal : (a < b || b != b) ? a : b;
}
VRT_PRELUDE float fmaxf(float a, float b) {
  const float equal = __uint_as_float(__float_as_uint(a) & __float_as_uint(b));
  return a == b ? equal : (a > b || b != b) ? a : b;
}
VRT_PRELUDE float min(float a, float b) { return fminf(a, b); }
VRT_PRELUDE float max(float a, float b) { return fmaxf(a, b); }
VRT_PRELUDE int min(int a, int b) { return a < b ? a : b; }
VRT_PRELUDE int max(int a, int b) { return a > b ? a : b; }
VRT_PRELUDE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
VRT_PRELUDE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
VRT_PRELUDE unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
VRT_PRELUDE unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
VRT_PRELUDE unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
VRT_PRELUDE unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
VRT_PRELUDE long min(long a, long b) { return a < b ? a : b; }
VRT_PRELUDE long max(long a, long b) { return a > b ? a : b; }
VRT_PRELUDE unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
VRT_PRELUDE unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
VRT_PRELUDE long long min(long long a, long long b) { return a < b ? a : b; }
VRT_PRELUDE long long max(long long a, long long b) { return a > b ? a : b; }
VRT_PRELUDE unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
VRT_PRELUDE unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

VRT_PRELUDE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
VRT_PRELUDE float rsqrtf(float x) { return 1.0F / __builtin_sqrtf(x); }
VRT_PRELUDE float __saturatef(float x) { return fminf(fmaxf(x, 0.0F), 1.0F); }
VRT_PRELUDE float __fadd_rn(float a, float b) { return a + b; }
VRT_PRELUDE float __fsub_rn(float a, float b) { return a - b; }
VRT_PRELUDE float __fmul_rn(float a, float b) { return a * b; }
VRT_PRELUDE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
VRT_PRELUDE float __fdiv_rn(float a, float b) { return a / b; }
VRT_PRELUDE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
VRT_PRELUDE float __frcp_rn(float x) { return 1.0F / x; }

// Conversions saturate, and NaN becomes 0, as on the device; a plain cast is undefined there.
VRT_PRELUDE int vrt_saturated_int(float x) {
  const bool low = x < -2147483648.0F;
  const bool high = x >= 2147483648.0F;
  const float inside = (low || high || x != x) ? 0.0F : x;
  const int value = static_cast<int>(inside);
  return low ? INT32_MIN : high ? INT32_MAX : value;
}
VRT_PRELUDE unsigned vrt_saturated_uint(float x) {
  const bool high = x >= 4294967296.0F;
  const float inside = (high || !(x > 0.0F)) ? 0.0F : x;
  const unsigned value = static_cast<unsigned>(inside);
  return high ? UINT32_MAX : value;
}
VRT_PRELUDE int __float2int_rn(float x) { return vrt_saturated_int(__builtin_rintf(x)); }
VRT_PRELUDE int __float2int_rd(float x) { return vrt_saturated_int(__builtin_floorf(x)); }
VRT_PRELUDE int __float2int_ru(float x) { return vrt_saturated_int(__builtin_ceilf(x)); }
VRT_PRELUDE int __float2int_rz(float x) { return vrt_saturated_int(x); }
VRT_PRELUDE unsigned __float2uint_rn(float x) { return vrt_saturated_uint(__builtin_rintf(x)); }
VRT_PRELUDE unsigned __float2uint_rz(float x) { return vrt_saturated_uint(x); }
VRT_PRELUDE float __int2float_rn(int x) { return static_cast<float>(x); }
VRT_PRELUDE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }

VRT_PRELUDE int __popc(unsigned x) { return __builtin_popcount(x); }
VRT_PRELUDE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
VRT_PRELUDE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
VRT_PRELUDE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
VRT_PRELUDE int __ffs(int x) { return __builtin_ffs(x); }
VRT_PRELUDE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32U);
}

VRT_PRELUDE char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }
VRT_PRELUDE uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
VRT_PRELUDE uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
VRT_PRELUDE uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
  return {x, y, z, w};
}
VRT_PRELUDE short2 make_short2(short x, short y) { return {x, y}; }
VRT_PRELUDE ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
VRT_PRELUDE int2 make_int2(int x, int y) { return {x, y}; }
VRT_PRELUDE int3 make_int3(int x, int y, int z) { return {x, y, z}; }
VRT_PRELUDE int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
VRT_PRELUDE uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
VRT_PRELUDE uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
VRT_PRELUDE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
VRT_PRELUDE float2 make_float2(float x, float y) { return {x, y}; }
VRT_PRELUDE float3 make_float3(float x, float y, float z) { return {x, y, z}; }
VRT_PRELUDE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

// Atomics: relaxed, as on the device. On types that CUDA has them for, each returns the old value.
template <typename T>
struct VrtSame {
  using Type = T;  // Keeps an argument out of deduction.
};
template <typename T>
using VrtValue = typename VrtSame<T>::Type;

template <typename T, typename Change>
VRT_PRELUDE T vrt_atomic_update(T* address, const Change& change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T wanted = change(old);
  while (!__atomic_compare_exchange(address, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    wanted = change(old);
  }
  return old;
}
template <typename T>
VRT_PRELUDE T atomicAdd(T* address, VrtValue<T> value) {
  return vrt_atomic_update(address, [value](T old) { return static_cast<T>(old + value); });
}
template <typename T>
VRT_PRELUDE T atomicSub(T* address, VrtValue<T> value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
VRT_PRELUDE int atomicAdd(int* address, int value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }
VRT_PRELUDE unsigned atomicAdd(unsigned* address, unsigned value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <typename T>
VRT_PRELUDE T atomicMin(T* address, VrtValue<T> value) {
  return vrt_atomic_update(address, [value](T old) { return value < old ? value : old; });
}
template <typename T>
VRT_PRELUDE T atomicMax(T* address, VrtValue<T> value) {
  return vrt_atomic_update(address, [value](T old) { return value > old ? value : old; });
}
template <typename T>
VRT_PRELUDE T atomicAnd(T* address, VrtValue<T> value) {
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <typename T>
VRT_PRELUDE T atomicOr(T* address, VrtValue<T> value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <typename T>
VRT_PRELUDE T atomicXor(T* address, VrtValue<T> value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <typename T>
VRT_PRELUDE T atomicExch(T* address, VrtValue<T> value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <typename T>
VRT_PRELUDE T atomicCAS(T* address, VrtValue<T> compare, VrtValue<T> value) {
  __atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}
// NOLINTEND
