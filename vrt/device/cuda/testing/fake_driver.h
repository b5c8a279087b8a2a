// Internal: Controls of the fake CUDA driver (fake_driver.cpp), looked up by tests with dlsym in the library that vrt
// has loaded.
#pragma once

#include <cstdint>

extern "C" {

/// Forgets the log and the planned failure. Live objects stay.
void vrt_fake_reset();
/// Makes the `nth` call of `symbol` from now (0: the next) answer `result` without doing anything.
void vrt_fake_fail(const char* symbol, std::uint64_t nth, int result);
/// Calls since the last reset, in order.
std::uint64_t vrt_fake_call_count();
const char* vrt_fake_call(std::uint64_t index);
/// The flags that it was given: of cuMemHostAlloc, cuStreamCreate and cuEventCreate.
unsigned vrt_fake_call_flags(std::uint64_t index);
/// Calls of cuStreamWaitEvent since the last reset: the stream of the event's record and the stream that waits.
std::uint64_t vrt_fake_wait_count();
void vrt_fake_wait(std::uint64_t index, void** recorded_on, void** waiting);
/// Streams, events, blocks of memory, modules and graphs that were created and not destroyed.
std::int64_t vrt_fake_live_objects();

}  // extern "C"
