// Internal: whether what a run put into a graph that is being captured can be replayed.
#pragma once

#include <cstddef>

namespace vrt::onnxruntime {

/// Whether what is enqueued on the stream becomes a graph. False where there is no driver to ask. Neither waits nor allocates.
[[nodiscard]] bool is_captured(void* native_stream);

/// Counts the host functions in the graph that a stream is being captured into. 0 where it is not being captured, or there is
/// no driver to ask. Does not wait; allocates only under a capture.
[[nodiscard]] std::size_t host_functions_captured(void* native_stream);

}  // namespace vrt::onnxruntime
