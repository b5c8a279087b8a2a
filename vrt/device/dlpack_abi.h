// Internal: The binary interface of DLPack, declared by vrt itself: version 1 and the unversioned one before it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrt::dlpack {

enum class DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

struct DeviceId {
  DeviceType type;
  std::int32_t index;
};

enum class TypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaque = 3,
  kBFloat = 4,
  kComplex = 5,
  kBool = 6
};

struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  DeviceId device;
  std::int32_t rank;
  DataType type;
  std::int64_t* extents;
  std::int64_t* strides;  // In elements; nullptr for row-major without gaps.
  std::uint64_t byte_offset;
};

/// DLManagedTensor.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Version {
  std::uint32_t major, minor;
};
inline constexpr Version kVersion{1, 0};

inline constexpr std::uint64_t kFlagReadOnly = 1;

/// DLManagedTensorVersioned. Of another major version only the first three members may be used.
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

static_assert(sizeof(void*) != 8 || (sizeof(DataType) == 4 && sizeof(Tensor) == 48 && sizeof(Managed) == 64 &&
                                     sizeof(ManagedVersioned) == 80));

}  // namespace vrt::dlpack
