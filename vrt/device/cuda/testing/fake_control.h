// Internal: For tests: the controls of the fake driver that this process has loaded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vrt::cuda::testing {

/// Loads the fake driver as the process's CUDA driver; before any other use of CUDA. `path` of the shared object.
void use_fake_driver(const char* path);
/// Controls the fake driver that the process uses by another way, such as the forwarding library.
void control_fake_driver(const char* path);

/// Forgets calls and planned failures.
void reset();
/// The nth call of `symbol` from now answers `result`.
void fail(const char* symbol, std::uint64_t nth, int result);
/// The calls since the last reset, in order.
[[nodiscard]] std::vector<std::string> calls();
/// How many of them were of `symbol`.
[[nodiscard]] std::size_t calls_of(const std::string& symbol);
/// The flags that each call of `symbol` since the last reset was given; of cuMemHostAlloc, cuStreamCreate and cuEventCreate.
[[nodiscard]] std::vector<unsigned> flags_of(const std::string& symbol);
[[nodiscard]] std::int64_t live_objects();
/// Waits of one stream for another since the last reset, in order: the stream that an event was recorded on, then the one that
/// waits for it.
[[nodiscard]] std::vector<std::pair<void*, void*>> ordered();

}  // namespace vrt::cuda::testing
