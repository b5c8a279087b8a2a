// Internal: The questions that tests and tools ask the forwarding library, by dlsym in "libcuda.so.1".
#pragma once

#include <cstdint>

extern "C" {

/// Why nothing is forwarded, with what to do; nullptr if the real driver was loaded. Static storage.
const char* vrt_forward_problem();
/// Forgets the calls so far. Not while other threads call the driver.
void vrt_forward_reset();
/// Calls since the start or the last reset, by every library of the process.
std::uint64_t vrt_forward_count();
/// Calls that found no room in the record (it holds 2^26): counted, but without name and thread.
std::uint64_t vrt_forward_unrecorded();
/// The `sequence`th call, counted from 0: its name (static storage) and, if `thread` is not null, the calling thread's system id. nullptr
/// outside the record.
const char* vrt_forward_call(std::uint64_t sequence, int* thread);

}  // extern "C"
