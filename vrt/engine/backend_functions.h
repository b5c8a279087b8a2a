// Internal (not installed): the functions that every backend module defines, and the table of them. backend_abi.h says what
// each does. A module has them for itself alone: the version script of modules exports its entry and nothing else.
#pragma once

#include <cstdint>

#include "vrt/engine/backend_abi.h"

// C's linkage also holds a definition to its declaration: another signature does not compile.
extern "C" {

std::int32_t context_create(const VrtBackendContextOptions* options, VrtBackendContext** out, VrtBackendError* error);
void context_destroy(VrtBackendContext* context);
const char* context_version(const VrtBackendContext* context);
const char* context_library(const VrtBackendContext* context);
std::int32_t context_supports(VrtBackendContext* context, std::int32_t device_kind, std::int32_t device_ordinal,
                              VrtBackendError* error);

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error);
std::int32_t engine_load(VrtBackendContext* context, const VrtBackendEngineOptions* options, const void* data,
                         std::uint64_t bytes, VrtBackendEngine** out, VrtBackendError* error);
std::int32_t engine_serialize(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error);
std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error);
void engine_destroy(VrtBackendEngine* engine);
std::uint64_t engine_input_count(const VrtBackendEngine* engine);
std::uint64_t engine_output_count(const VrtBackendEngine* engine);
std::int32_t engine_input(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                          VrtBackendError* error);
std::int32_t engine_output(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                           VrtBackendError* error);

std::int32_t session_create(VrtBackendEngine* engine, const VrtBackendSessionOptions* options, VrtBackendSession** out,
                            VrtBackendError* error);
void session_destroy(VrtBackendSession* session);
std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error);
std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error);
std::int32_t session_enqueue(VrtBackendSession* session, std::int64_t batch, VrtBackendError* error);

}  // extern "C"

namespace vrt::backend {

/// The table of those functions. `name` has static storage; `capabilities` are bits of VrtBackendCapability.
constexpr VrtBackendTable make_table(const char* name, std::uint32_t capabilities) {
  VrtBackendTable table{};
  table.struct_bytes = sizeof(table);
  table.abi_version = VRT_BACKEND_ABI_VERSION;
  table.name = name;
  table.capabilities = capabilities;
  table.context_create = context_create;
  table.context_destroy = context_destroy;
  table.context_version = context_version;
  table.context_library = context_library;
  table.context_supports = context_supports;
  table.engine_create = engine_create;
  table.engine_load = engine_load;
  table.engine_serialize = engine_serialize;
  table.engine_describe = engine_describe;
  table.engine_destroy = engine_destroy;
  table.engine_input_count = engine_input_count;
  table.engine_output_count = engine_output_count;
  table.engine_input = engine_input;
  table.engine_output = engine_output;
  table.session_create = session_create;
  table.session_destroy = session_destroy;
  table.session_bind_input = session_bind_input;
  table.session_bind_output = session_bind_output;
  table.session_enqueue = session_enqueue;
  return table;
}

}  // namespace vrt::backend
