// Functions of C that Python tests call through ctypes: vrt on the other side of DLPack from NumPy and PyTorch.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/dlpack.h"
#include "vrt/device/memory.h"
#include "vrt/image/preprocessor.h"
#include "vrt/image/tensor_image.h"

namespace {

thread_local std::string problem;

// What `action` returns; on an error, `otherwise`, with the text for vrt_test_problem.
template <typename Action, typename Result>
Result guarded(const Action& action, Result otherwise) {
  problem.clear();
  try {
    return action();
  } catch (const vrt::Error& error) {
    problem = error.what();
    return otherwise;
  }
}

// A capsule holds one of the two formats.
vrt::DlpackTensor borrow(const vrt::Stream& stream, void* managed, bool versioned) {
  if (versioned) return vrt::from_dlpack(stream, static_cast<DLManagedTensorVersioned*>(managed));
  return vrt::from_dlpack(stream, static_cast<DLManagedTensor*>(managed));
}

}  // namespace

#define VRT_EXPORTED extern "C" __attribute__((visibility("default")))

VRT_EXPORTED const char* vrt_test_problem() { return problem.c_str(); }

VRT_EXPORTED vrt::Stream* vrt_test_open(const char* device) {
  return guarded([&] { return new vrt::Stream(vrt::Device::parse(device)); }, static_cast<vrt::Stream*>(nullptr));
}
// A stream that somebody else owns.
VRT_EXPORTED vrt::Stream* vrt_test_adopt(const char* device, void* native) {
  const auto adopt = [&] { return new vrt::Stream(vrt::Stream::adopt(vrt::Device::parse(device), native)); };
  return guarded(adopt, static_cast<vrt::Stream*>(nullptr));
}
VRT_EXPORTED void vrt_test_close(vrt::Stream* stream) { delete stream; }

// False for None.
VRT_EXPORTED bool vrt_test_stream_number(const vrt::Stream* stream, std::int64_t* number) {
  const vrt::DlpackStream found = vrt::dlpack_stream(*stream);
  *number = found.value_or(0);
  return found.has_value();
}

// 0, 1, 2, … as float32 in rows and columns; read-only if asked for.
VRT_EXPORTED void* vrt_test_lend(const vrt::Stream* stream, std::int64_t rows, std::int64_t columns, bool read_only,
                                 const std::int64_t* consumer) {
  const auto lend = [&]() -> void* {
    const vrt::DlpackStream number = consumer == nullptr ? vrt::DlpackStream() : vrt::DlpackStream(*consumer);
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), 0.0F);
    auto buffer = vrt::DeviceBuffer<float>::uninitialized(*stream, values.size());
    vrt::upload_blocking<float>(*stream, values, buffer.span());
    const vrt::DeviceSpan<const float> constant = buffer.span();
    return read_only ? vrt::to_dlpack(*stream, constant, {rows, columns}, number)
                     : vrt::to_dlpack(*stream, buffer.span(), {rows, columns}, number);
  };
  return guarded(lend, static_cast<void*>(nullptr));
}

// The sum of a float32 tensor; -1 with a problem.
VRT_EXPORTED double vrt_test_sum(const vrt::Stream* stream, void* managed, bool versioned) {
  const auto sum = [&] {
    const vrt::DlpackTensor tensor = borrow(*stream, managed, versioned);
    const std::vector<float> values = vrt::read_back_blocking(*stream, tensor.as<float>());
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  return guarded(sum, -1.0);
}

// Zeroes a float32 tensor in place, without waiting.
VRT_EXPORTED bool vrt_test_clear(const vrt::Stream* stream, void* managed, bool versioned) {
  const auto clear = [&] {
    vrt::DlpackTensor tensor = borrow(*stream, managed, versioned);
    vrt::fill_bytes(*stream, tensor.as_mutable<float>(), 0);
    return true;
  };
  return guarded(clear, false);
}

// A picture [rows, columns, 3] as the tensor [1, 3, height, width] of a network, values 0 to 1.
VRT_EXPORTED void* vrt_test_preprocess(const vrt::Stream* stream, void* managed, bool versioned, std::int32_t width,
                                       std::int32_t height, const std::int64_t* consumer) {
  const auto preprocess = [&]() -> void* {
    const vrt::DlpackTensor picture = borrow(*stream, managed, versioned);
    vrt::Preprocessor preprocessor(*stream, {.target = {width, height}});
    auto output = vrt::DeviceBuffer<float>::uninitialized(*stream, 3 * static_cast<std::size_t>(width * height));
    preprocessor.submit(vrt::image_of(picture, vrt::PixelFormat::kRgb8), output.span());
    const vrt::DlpackStream number = consumer == nullptr ? vrt::DlpackStream() : vrt::DlpackStream(*consumer);
    return vrt::to_dlpack(*stream, output.span(), {1, 3, height, width}, number);
  };
  return guarded(preprocess, static_cast<void*>(nullptr));
}
