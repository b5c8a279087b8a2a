#include "vrt/device/dlpack.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/base/format_shape.h"
#include "vrt/base/log.h"
#include "vrt/device/allocation_registry.h"
#include "vrt/device/backend.h"
#include "vrt/device/dlpack_abi.h"
#include "vrt/device/event.h"
#include "vrt/device/format_device.h"

namespace vrt {
namespace {

using dlpack::DataType;
using dlpack::DeviceType;
using dlpack::TypeCode;
using Extents = std::array<std::int64_t, Shape::kMaxRank>;

struct TypePair {
  DType ours;
  DataType theirs;
};
constexpr std::array kTypes{
    TypePair{DType::kFloat32, {TypeCode::kFloat, 32, 1}},   TypePair{DType::kFloat16, {TypeCode::kFloat, 16, 1}},
    TypePair{DType::kBFloat16, {TypeCode::kBFloat, 16, 1}}, TypePair{DType::kInt8, {TypeCode::kInt, 8, 1}},
    TypePair{DType::kUInt8, {TypeCode::kUInt, 8, 1}},       TypePair{DType::kInt32, {TypeCode::kInt, 32, 1}},
    TypePair{DType::kInt64, {TypeCode::kInt, 64, 1}},       TypePair{DType::kBool, {TypeCode::kBool, 8, 1}}};

bool same(const DataType& a, const DataType& b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

DataType exported_type(DType type) {
  return std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& pair) { return pair.ours == type; })->theirs;
}

std::string name_of(const DataType& type) {
  constexpr std::array<std::string_view, 7> kNames{"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const auto code = static_cast<std::size_t>(type.code);
  const std::string_view name = code < kNames.size() ? kNames[code] : "type code ";
  std::string text = code < kNames.size() ? fmt::format("{}{}", name, type.bits) : fmt::format("{}{}", name, code);
  return type.lanes == 1 ? text : fmt::format("{} in vectors of {}", text, type.lanes);
}

DType imported_type(const DataType& type) {
  const auto* const known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& pair) { return same(pair.theirs, type); });
  if (known == kTypes.end()) {
    fail(ErrorCode::kUnsupported,
         "a DLPack tensor has elements of {}; vrt takes float32, float16, bfloat16, int8, uint8, int32, int64 and bool",
         name_of(type));
  }
  return known->ours;
}

Extents row_major(std::span<const std::int64_t> extents) {
  Extents strides{};
  std::uint64_t step = 1;  // May wrap where another extent is 0; nobody steps then.
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(extents[axis], 1));
  }
  return strides;
}

// Failures of what only orders work, where nothing can be thrown. Silent when the driver has gone at the end of the process.
void log_failure(const char* doing, const Error& error) noexcept {
  if (error.code() == ErrorCode::kUnavailable) return;
  try {
    log(LogLevel::kError, fmt::format("{}: {}", doing, error.what()));
  } catch (...) {  // Out of memory while formatting: there is nobody left to tell.
  }
}

// ---- Out.

// What a loan keeps: the memory, the arrays that the tensor points to, and the streams to order when it ends.
template <typename Managed>
struct Loan {
  Managed managed{};
  Extents extents{};
  Extents strides{};
  std::shared_ptr<const void> owner;
  Stream stream;
  Event event;
  std::optional<Stream> consumer;

  explicit Loan(const Stream& lender) : stream(lender), event(lender.device()) {}

  void end() noexcept {
    if (!consumer) return;
    try {
      event.record(*consumer);
      stream.order_after(event);
    } catch (const Error& error) {
      log_failure("taking back memory lent through DLPack", error);
    }
  }
};

template <typename Managed>
void end_loan(Managed* managed) noexcept {
  const std::unique_ptr<Loan<Managed>> loan(static_cast<Loan<Managed>*>(managed->context));
  loan->end();
}

std::optional<Stream> consumer_stream(Device device, DlpackStream number) {
  constexpr std::int64_t kOrderNothing = -1;
  constexpr std::int64_t kLegacyDefault = 1;
  if (device.is_cpu()) {
    require(!number, "a DLPack consumer of CPU memory has no stream, {} was given; pass None", number.value_or(0));
    return std::nullopt;
  }
  const std::int64_t handle = number.value_or(kLegacyDefault);
  require(handle != 0 && handle >= kOrderNothing,
          "{} is not a DLPack consumer's stream; pass 1 for the legacy default stream, 2 for the thread's, -1 to order "
          "nothing, or a CUstream",
          handle);
  if (handle == kOrderNothing) return std::nullopt;
  return Stream::adopt(device, reinterpret_cast<void*>(handle));
}

// Makes the memory ready for the consumer.
template <typename Managed>
void hand_over(Loan<Managed>& loan, DlpackStream consumer) {
  loan.consumer = consumer_stream(loan.stream.device(), consumer);
  if (loan.stream.device().is_cpu()) return loan.stream.synchronize();
  if (!loan.consumer) return;
  loan.event.record(loan.stream);
  loan.consumer->order_after(loan.event);
}

// Beyond this neither a size in bytes nor a distance between elements is a number.
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::ptrdiff_t>::max();

std::shared_ptr<const void> owner_of(const detail::ExportedSpan& span) {
  require(span.count <= kMostBytes / size_bytes(span.type),
          "{} elements of {} were to be lent, more than memory can hold", span.count, to_string(span.type));
  const std::size_t bytes = span.count * size_bytes(span.type);
  std::shared_ptr<const void> owner = detail::AllocationRegistry::instance().owner_of(span.data, bytes);
  require(owner != nullptr || span.count == 0,
          "no vrt buffer owns the memory at {} ({} bytes), so it cannot be lent through DLPack; copy it into a "
          "DeviceBuffer",
          fmt::ptr(span.data), bytes);
  return owner;
}

void require_shape(const detail::ExportedSpan& span, const Shape& shape) {
  require(shape.is_static(), "a tensor of shape {} cannot be lent: every extent must be known", shape);
  require(static_cast<std::size_t>(shape.element_count()) == span.count,
          "a span of {} elements was to be lent as a tensor of shape {}, which has {}", span.count, shape,
          shape.element_count());
}

template <typename Managed>
std::unique_ptr<Loan<Managed>> lend(const Stream& stream, const detail::ExportedSpan& span, const Shape& shape,
                                    DlpackStream consumer) {
  require_shape(span, shape);
  if (stream.backend().is_capturing())
    fail(ErrorCode::kUnsupported, "memory cannot be lent while its stream is captured; do it before Graph::capture");
  auto loan = std::make_unique<Loan<Managed>>(stream);
  loan->owner = owner_of(span);
  std::copy(shape.extents().begin(), shape.extents().end(), loan->extents.begin());
  loan->strides = row_major(shape.extents());
  const Device device = stream.device();
  loan->managed.tensor = {span.data,
                          {device.is_cpu() ? DeviceType::kCpu : DeviceType::kCuda, device.ordinal()},
                          static_cast<std::int32_t>(shape.rank()),
                          exported_type(span.type),
                          loan->extents.data(),
                          loan->strides.data(),
                          0};
  loan->managed.context = loan.get();
  loan->managed.deleter = end_loan<Managed>;
  hand_over(*loan, consumer);
  return loan;
}

// ---- In.

// A producer's tensor, given back exactly once.
class Borrowed {
 public:
  using Deleter = void (*)(void*);
  Borrowed(void* managed, Deleter deleter) noexcept : managed_(managed), deleter_(deleter) {}
  Borrowed(Borrowed&& other) noexcept
      : managed_(std::exchange(other.managed_, nullptr)), deleter_(std::exchange(other.deleter_, nullptr)) {}
  Borrowed& operator=(Borrowed&&) = delete;
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (deleter_ != nullptr) deleter_(managed_);
  }

 private:
  void* managed_;
  Deleter deleter_;
};

// A null deleter means that there is nothing to do.
template <typename Managed>
Borrowed borrow(Managed* managed) {
  require(managed != nullptr, "the DLPack tensor is null");
  if (managed->deleter == nullptr) return {managed, nullptr};
  return {managed, [](void* tensor) { static_cast<Managed*>(tensor)->deleter(static_cast<Managed*>(tensor)); }};
}

// The device whose streams may use the tensor. Managed memory is every GPU's.
Device device_of(const dlpack::Tensor& tensor, Device wanted) {
  switch (tensor.device.type) {
    case DeviceType::kCpu:
    case DeviceType::kCudaHost: return Device::cpu();
    case DeviceType::kCuda: return Device::cuda(tensor.device.index);
    case DeviceType::kCudaManaged: return wanted.is_cuda() ? wanted : Device::cuda(tensor.device.index);
  }
  fail(ErrorCode::kUnsupported, "a DLPack tensor is on a device of type {}; vrt takes memory of the CPU and of CUDA",
       static_cast<int>(tensor.device.type));
}

void require_device(const dlpack::Tensor& tensor, const Stream& stream, const std::optional<Stream>& producer) {
  const Device device = device_of(tensor, stream.device());
  require(device == stream.device(),
          "a DLPack tensor is on {}, the stream that is to use it on {}; move it there first, or use a stream of {}",
          device, stream.device(), device);
  require(!producer || producer->device() == device, "a DLPack tensor is on {}, its producer's stream on {}", device,
          producer ? producer->device() : device);
}

Shape shape_of(const dlpack::Tensor& tensor) {
  require(tensor.rank >= 0 && (tensor.rank == 0 || tensor.extents != nullptr),
          "a DLPack tensor has {} axes and {} extents", tensor.rank, tensor.extents == nullptr ? "no" : "some");
  const auto rank = static_cast<std::size_t>(tensor.rank);
  if (rank > Shape::kMaxRank) {
    fail(ErrorCode::kUnsupported, "a DLPack tensor has {} axes; vrt takes at most {}", rank, Shape::kMaxRank);
  }
  const std::span<const std::int64_t> extents(tensor.extents, rank);
  for (const std::int64_t extent : extents) require(extent >= 0, "a DLPack tensor has an extent of {}", extent);
  return Shape(extents);
}

}  // namespace

struct detail::ImportedTensor {
  Borrowed borrowed;
  Stream stream;
  std::optional<Stream> producer;
  Event done;
  void* data = nullptr;
  DType type = DType::kFloat32;
  Shape shape;
  Extents strides{};
  bool read_only = false;
  bool in_use = false;  // Once the caller has it.

  ImportedTensor(Borrowed taken, const Stream& user, const std::optional<Stream>& maker)
      : borrowed(std::move(taken)), stream(user), producer(maker), done(user.device()) {}
  ~ImportedTensor() { finish(); }
  ImportedTensor(const ImportedTensor&) = delete;
  ImportedTensor& operator=(const ImportedTensor&) = delete;

  void fill(const dlpack::Tensor& tensor);
  void finish() noexcept;
};

// Before anything of the tensor is given back: the stream is done with it, or what happens to it next is ordered behind.
void detail::ImportedTensor::finish() noexcept {
  if (!in_use) return;
  try {
    done.record(stream);
    if (producer && stream.device().is_cuda()) return producer->order_after(done);
    done.backend().wait_leaving_failures();
  } catch (const Error& error) {
    log_failure("giving a DLPack tensor back", error);
  }
}

void detail::ImportedTensor::fill(const dlpack::Tensor& tensor) {
  type = imported_type(tensor.type);
  shape = shape_of(tensor);
  const auto count = static_cast<std::uint64_t>(shape.element_count());
  const bool empty = count == 0;
  require(count <= kMostBytes / size_bytes(type) && tensor.byte_offset <= kMostBytes,
          "a DLPack tensor of shape {} begins {} bytes behind its memory; no memory holds that much", shape,
          tensor.byte_offset);
  strides = row_major(shape.extents());
  if (tensor.strides != nullptr) std::copy_n(tensor.strides, shape.rank(), strides.begin());
  require(empty || tensor.data != nullptr, "a DLPack tensor of shape {} has no memory", shape);
  if (tensor.data == nullptr) return;
  data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  if (!empty && reinterpret_cast<std::uintptr_t>(data) % size_bytes(type) != 0) {
    fail(ErrorCode::kUnsupported, "a DLPack tensor of {} begins at {}, which is not a multiple of {} bytes; copy it",
         to_string(type), fmt::ptr(data), size_bytes(type));
  }
}

namespace {

std::unique_ptr<detail::ImportedTensor> import(Borrowed borrowed, const dlpack::Tensor& tensor, const Stream& stream,
                                               const std::optional<Stream>& producer) {
  require_device(tensor, stream, producer);
  auto imported = std::make_unique<detail::ImportedTensor>(std::move(borrowed), stream, producer);
  imported->fill(tensor);
  if (producer) {
    imported->done.record(*producer);
    stream.order_after(imported->done);
  }
  imported->in_use = true;
  return imported;
}

}  // namespace

DlpackStream dlpack_stream(const Stream& stream) {
  if (stream.device().is_cpu()) return std::nullopt;
  return reinterpret_cast<std::int64_t>(stream.native_handle());
}

DLManagedTensorVersioned* detail::to_dlpack(const Stream& stream, const ExportedSpan& span, const Shape& shape,
                                            DlpackStream consumer) {
  auto loan = lend<dlpack::ManagedVersioned>(stream, span, shape, consumer);
  loan->managed.version = dlpack::kVersion;
  loan->managed.flags = span.read_only ? dlpack::kFlagReadOnly : 0;
  return reinterpret_cast<DLManagedTensorVersioned*>(&loan.release()->managed);
}

DLManagedTensor* detail::to_dlpack_unversioned(const Stream& stream, const ExportedSpan& span, const Shape& shape,
                                               DlpackStream consumer) {
  return reinterpret_cast<DLManagedTensor*>(&lend<dlpack::Managed>(stream, span, shape, consumer).release()->managed);
}

DlpackTensor from_dlpack(const Stream& stream, DLManagedTensorVersioned* tensor,
                         const std::optional<Stream>& producer) {
  auto* const managed = reinterpret_cast<dlpack::ManagedVersioned*>(tensor);
  Borrowed borrowed = borrow(managed);
  if (managed->version.major != dlpack::kVersion.major) {
    fail(ErrorCode::kUnsupported,
         "a tensor of DLPack {}.{} was given; vrt reads version {}: ask for max_version=({}, {})",
         managed->version.major, managed->version.minor, dlpack::kVersion.major, dlpack::kVersion.major,
         dlpack::kVersion.minor);
  }
  auto imported = import(std::move(borrowed), managed->tensor, stream, producer);
  imported->read_only = (managed->flags & dlpack::kFlagReadOnly) != 0;
  return DlpackTensor(std::move(imported));
}

DlpackTensor from_dlpack(const Stream& stream, DLManagedTensor* tensor, const std::optional<Stream>& producer) {
  auto* const managed = reinterpret_cast<dlpack::Managed*>(tensor);
  Borrowed borrowed = borrow(managed);  // Refuses null: before anything is read.
  return DlpackTensor(import(std::move(borrowed), managed->tensor, stream, producer));
}

DlpackTensor::DlpackTensor(std::unique_ptr<detail::ImportedTensor> imported) noexcept
    : imported_(std::move(imported)) {}
DlpackTensor::DlpackTensor(DlpackTensor&&) noexcept = default;
DlpackTensor& DlpackTensor::operator=(DlpackTensor&&) noexcept = default;
DlpackTensor::~DlpackTensor() = default;

Device DlpackTensor::device() const noexcept { return imported_->stream.device(); }
const Stream& DlpackTensor::stream() const noexcept { return imported_->stream; }
DType DlpackTensor::dtype() const noexcept { return imported_->type; }
const Shape& DlpackTensor::shape() const noexcept { return imported_->shape; }
std::span<const std::int64_t> DlpackTensor::strides() const noexcept {
  return {imported_->strides.data(), imported_->shape.rank()};
}
bool DlpackTensor::is_read_only() const noexcept { return imported_->read_only; }
const void* DlpackTensor::data() const noexcept { return imported_->data; }
std::size_t DlpackTensor::count() const { return static_cast<std::size_t>(imported_->shape.element_count()); }

// Axes with at most one element may have any stride.
bool DlpackTensor::is_contiguous() const noexcept {
  const std::span<const std::int64_t> extents = shape().extents();
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return true;
  const Extents expected = row_major(extents);
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] != 1 && imported_->strides[axis] != expected[axis]) return false;
  return true;
}

void* DlpackTensor::checked(DType type, Access access) const {
  require(type == dtype(), "a DLPack tensor has elements of {}, {} were asked for", to_string(dtype()),
          to_string(type));
  require(access == Access::kRead || !is_read_only(), "a read-only DLPack tensor was to be written to; copy it first");
  if (!is_contiguous()) {
    fail(ErrorCode::kUnsupported,
         "a DLPack tensor of shape {} has the strides [{}], not those of elements that follow each other; make it "
         "contiguous first",
         to_string(shape()), fmt::join(strides(), ", "));
  }
  return imported_->data;
}

}  // namespace vrt
