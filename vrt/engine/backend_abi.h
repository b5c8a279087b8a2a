/* The bridge between vrt and an inference backend: pure C, versioned, no allocation crosses it.
 *
 * A backend is a shared object that exports one function, `vrt_backend_v1`, which returns its table. Modules are loaded
 * with RTLD_LOCAL; C++ exceptions, vendor types and headers stay inside. Rules that every module keeps:
 *   - Structs begin with their size in bytes; a reader ignores fields beyond the size it was given.
 *   - Calls return VRT_BACKEND_OK or an error code and then leave a zero-terminated message in the caller's buffer.
 *   - Handles are opaque. Destruction order is session, engine, backend; vrt holds it by ownership.
 *   - `session_enqueue` never waits where native_stream is not NULL; with NULL (CPU) it runs to completion.
 *   - Strings that are handed out live as long as the handle they were asked of.
 */
#ifndef VRT_ENGINE_BACKEND_ABI_H
#define VRT_ENGINE_BACKEND_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VRT_BACKEND_ABI_VERSION 1
#define VRT_BACKEND_MAX_RANK 8

/** What a call comes to; each but OK becomes the vrt::ErrorCode of that name (FAILED: kBackend). */
/* NOLINTBEGIN(readability-identifier-naming): constants named as C does */
enum VrtBackendStatus {
  VRT_BACKEND_OK = 0,
  VRT_BACKEND_INVALID_ARGUMENT = 1,
  VRT_BACKEND_NOT_FOUND = 2,
  VRT_BACKEND_UNSUPPORTED = 3,
  VRT_BACKEND_UNAVAILABLE = 4,
  VRT_BACKEND_CORRUPT = 5,
  VRT_BACKEND_OUT_OF_MEMORY = 6,
  VRT_BACKEND_FAILED = 7
};
/* NOLINTEND(readability-identifier-naming) */

/** Log levels: 0 debug, 1 info, 2 warning, 3 error. May be called from any thread; never throws into the module. */
typedef void (*VrtBackendLog)(void* user, int32_t level, const char* message);

/** Where a call that fails puts its reason. */
typedef struct VrtBackendError {
  uint64_t struct_bytes;
  char* text;          /* the caller's buffer */
  uint64_t text_bytes; /* its capacity, the final zero included */
} VrtBackendError;

/** What a module is started with. */
typedef struct VrtBackendContextOptions {
  uint64_t struct_bytes;
  VrtBackendLog log;
  void* log_user;
} VrtBackendContextOptions;

/** A static shape for an input, in place of the declared one. */
typedef struct VrtBackendInputShape {
  const char* name; /* "" is the only input */
  uint64_t rank;
  int64_t extents[VRT_BACKEND_MAX_RANK];
} VrtBackendInputShape;

/** vrt::EngineOptions, the model's file and the device. */
typedef struct VrtBackendEngineOptions {
  uint64_t struct_bytes;
  const char* model_path;
  int32_t device_kind; /* 0 CPU, 1 CUDA */
  int32_t device_ordinal;
  const VrtBackendInputShape* input_shapes;
  uint64_t input_shape_count;
  int32_t throughput; /* 0 latency, 1 throughput */
  int32_t concurrent_sessions;
  int32_t threads;
} VrtBackendEngineOptions;

/** One input or output of an engine. */
typedef struct VrtBackendTensor {
  uint64_t struct_bytes;
  const char* name;
  int32_t dtype; /* vrt::DType */
  uint64_t rank;
  int64_t extents[VRT_BACKEND_MAX_RANK]; /* -1: not known */
} VrtBackendTensor;

typedef struct VrtBackendContext VrtBackendContext;
typedef struct VrtBackendEngine VrtBackendEngine;
typedef struct VrtBackendSession VrtBackendSession;

/** The functions of a module; all of them are there. Those that return int32_t return a VrtBackendStatus. */
typedef struct VrtBackendTable {
  uint64_t struct_bytes;
  uint32_t abi_version;
  const char* name;
  /** Opens the vendor's library. */
  int32_t (*context_create)(const VrtBackendContextOptions*, VrtBackendContext** out, VrtBackendError*);
  void (*context_destroy)(VrtBackendContext*);
  const char* (*context_version)(const VrtBackendContext*);
  /** The path of the vendor's library that was loaded; "" if there is none. */
  const char* (*context_library)(const VrtBackendContext*);

  int32_t (*engine_create)(VrtBackendContext*, const VrtBackendEngineOptions*, VrtBackendEngine** out,
                           VrtBackendError*);
  void (*engine_destroy)(VrtBackendEngine*);
  uint64_t (*engine_input_count)(const VrtBackendEngine*);
  uint64_t (*engine_output_count)(const VrtBackendEngine*);
  int32_t (*engine_input)(const VrtBackendEngine*, uint64_t index, VrtBackendTensor* out, VrtBackendError*);
  int32_t (*engine_output)(const VrtBackendEngine*, uint64_t index, VrtBackendTensor* out, VrtBackendError*);

  int32_t (*session_create)(VrtBackendEngine*, VrtBackendSession** out, VrtBackendError*);
  void (*session_destroy)(VrtBackendSession*);
  /** Memory of the engine's device, owned by the caller, alive and in place as long as the session. */
  int32_t (*session_bind_input)(VrtBackendSession*, uint64_t index, void* data, uint64_t bytes, VrtBackendError*);
  int32_t (*session_bind_output)(VrtBackendSession*, uint64_t index, void* data, uint64_t bytes, VrtBackendError*);
  int32_t (*session_enqueue)(VrtBackendSession*, void* native_stream, VrtBackendError*);
} VrtBackendTable;

/** The one exported function. Returns NULL if the module cannot serve `abi_version`. */
typedef const VrtBackendTable* (*VrtBackendEntry)(uint32_t abi_version);
#define VRT_BACKEND_ENTRY_NAME "vrt_backend_v1"

#ifdef __cplusplus
}
#endif

#endif
