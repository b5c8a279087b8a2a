// Internal: Thunks: functions that note a call and go on to the real one, whatever its parameters and result are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrt::cuda::forward {

/// The driver's known names; name i has thunk i. The last two are the wrapped functions, which have none.
extern const char* const kKnownNames[];
extern const std::size_t kKnownCount;
/// Thunks without an exported name, for functions met at run time: [kKnownCount, kThunkCount).
inline constexpr std::size_t kThunkCount = 2048;

/// The code of thunk `index`.
[[nodiscard]] void* thunk(std::size_t index);

/// Called by every thunk: notes the call and returns where it goes on.
extern "C" [[gnu::visibility("hidden")]] void* vrt_forward_enter(std::uint64_t index) noexcept;

}  // namespace vrt::cuda::forward
