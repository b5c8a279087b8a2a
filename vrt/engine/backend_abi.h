/* The bridge between vrt and an inference backend: pure C, versioned, no allocation crosses it.
 *
 * A backend is a shared object that exports one function, `vrt_backend_entry`, which returns its table. Modules are
 * loaded with RTLD_LOCAL; C++ exceptions, vendor types and headers stay inside. Rules that every module keeps:
 *   - Structs begin with their size in bytes; a reader ignores fields beyond the size it was given.
 *   - Calls return VRT_BACKEND_OK or an error code and then leave a zero-terminated message in the caller's buffer.
 *   - Handles are opaque. Destruction order is session, engine, backend; vrt holds it by ownership.
 *   - `session_enqueue` on a GPU only enqueues on the native stream; on the CPU it runs to completion.
 *   - On a GPU the calls of engines and sessions come with the device's primary context current; a module leaves it so.
 *   - Strings that are handed out live as long as the handle they were asked of.
 */
#ifndef VRT_ENGINE_BACKEND_ABI_H
#define VRT_ENGINE_BACKEND_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VRT_BACKEND_ABI_VERSION 2
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
  VRT_BACKEND_FAILED = 7,
  VRT_BACKEND_CANCELLED = 8 /* the progress callback asked for it */
};

/** What a module can do: bits of VrtBackendTable::capabilities. */
enum VrtBackendCapability {
  /** It gives inputs other shapes itself. Without it vrt writes the shapes into the ONNX file before it hands it over. */
  VRT_BACKEND_RESHAPES = 1,
  /** engine_serialize and engine_load work. Without it a second start compiles again. */
  VRT_BACKEND_SERIALIZES = 2,
  /** What engine_serialize gives holds for one version of the GPU's driver alone. */
  VRT_BACKEND_BOUND_TO_DRIVER = 4,
  /** With hardware_compatible, what engine_serialize gives is for GPUs of other models, too; engine_load refuses it where it is not. */
  VRT_BACKEND_MOVES_TO_OTHER_GPUS = 8
};
/* NOLINTEND(readability-identifier-naming) */

/** Log levels: 0 debug, 1 info, 2 warning, 3 error. May be called from any thread; never throws into the module. */
typedef void (*VrtBackendLog)(void* user, int32_t level, const char* message);

/** Takes bytes that a call hands out piece by piece, in order. Returns 0 to go on; else the call fails. Never throws. */
typedef int32_t (*VrtBackendWrite)(void* user, const void* data, uint64_t bytes);

/** Told how far a build is: step `step` of `steps` (0: not known) of a phase. Any thread; never throws. Returns 0 to go
 * on; else the build ends soon with VRT_BACKEND_CANCELLED. */
typedef int32_t (*VrtBackendProgress)(void* user, const char* phase, int32_t step, int32_t steps);

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

/** vrt::EngineOptions, the model's file and the device. With engine_load the model's path only names it in messages, and
 * the rest is what the engine was built with. */
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
  int32_t
      precision; /* vrt::DType, FLOAT32 or FLOAT16: what layers compute in. The model is already in mixed precision */
  /* The first extent of each input whose first dimension the model leaves open; all 0: no input may have an open one. */
  int64_t batch_smallest;
  int64_t batch_typical; /* what it is tuned for */
  int64_t batch_largest;
  uint64_t workspace_bytes;      /* 0: the backend's choice */
  int32_t optimization_level;    /* -1: the backend's choice; else 0 (fast build) to 5 (fast engine) */
  int32_t hardware_compatible;   /* 1: the engine runs on other GPUs of the same or a newer generation, too */
  const char* timing_cache_path; /* "": none. Read where it is there, written back after a build */
  VrtBackendProgress progress;   /* NULL: nobody listens */
  void* progress_user;
} VrtBackendEngineOptions;

/** One input or output of an engine. */
typedef struct VrtBackendTensor {
  uint64_t struct_bytes;
  const char* name;
  int32_t dtype; /* vrt::DType */
  uint64_t rank;
  int64_t extents[VRT_BACKEND_MAX_RANK]; /* with a changing batch: at the largest */
  int32_t batched;                       /* 1: extents[0] follows the batch of the run */
} VrtBackendTensor;

/** What a session is made for. */
typedef struct VrtBackendSessionOptions {
  uint64_t struct_bytes;
  void* native_stream; /* of all runs: a CUstream; NULL on the CPU */
} VrtBackendSessionOptions;

typedef struct VrtBackendContext VrtBackendContext;
typedef struct VrtBackendEngine VrtBackendEngine;
typedef struct VrtBackendSession VrtBackendSession;

/** The functions of a module; all of them are there. Those that return int32_t return a VrtBackendStatus. */
typedef struct VrtBackendTable {
  uint64_t struct_bytes;
  uint32_t abi_version;
  const char* name;
  uint32_t capabilities; /* bits of VrtBackendCapability */
  /** Opens the vendor's library. */
  int32_t (*context_create)(const VrtBackendContextOptions*, VrtBackendContext** out, VrtBackendError*);
  void (*context_destroy)(VrtBackendContext*);
  const char* (*context_version)(const VrtBackendContext*);
  /** The path of the vendor's library that was loaded; "" if there is none. */
  const char* (*context_library)(const VrtBackendContext*);
  /** OK if networks run on that device; else UNSUPPORTED or UNAVAILABLE with the reason and what to do. */
  int32_t (*context_supports)(VrtBackendContext*, int32_t device_kind, int32_t device_ordinal, VrtBackendError*);

  /** Compiles a model file. */
  int32_t (*engine_create)(VrtBackendContext*, const VrtBackendEngineOptions*, VrtBackendEngine** out,
                           VrtBackendError*);
  /** Takes what engine_serialize gave. CORRUPT where it is not that or of another version or device: then it is built
   * again. The bytes are the caller's and need not stay. */
  int32_t (*engine_load)(VrtBackendContext*, const VrtBackendEngineOptions*, const void* data, uint64_t bytes,
                         VrtBackendEngine** out, VrtBackendError*);
  /** UNSUPPORTED without VRT_BACKEND_SERIALIZES, and for an engine that cannot be: then a second start compiles it again. */
  int32_t (*engine_serialize)(VrtBackendEngine*, VrtBackendWrite, void* user, VrtBackendError*);
  /** What was compiled, read back from the engine, as JSON:
   *   {"layers": [{"name": "conv1", "type": "Convolution", "precision": "float16"}, …],
   *    "weights_bytes": 123, "activation_bytes": 456}
   * A layer's precision is what it computes in, as vrt::DType names it; "" where the backend does not tell. The sizes are
   * absent where it does not tell. */
  int32_t (*engine_describe)(VrtBackendEngine*, VrtBackendWrite, void* user, VrtBackendError*);
  void (*engine_destroy)(VrtBackendEngine*);
  uint64_t (*engine_input_count)(const VrtBackendEngine*);
  uint64_t (*engine_output_count)(const VrtBackendEngine*);
  int32_t (*engine_input)(const VrtBackendEngine*, uint64_t index, VrtBackendTensor* out, VrtBackendError*);
  int32_t (*engine_output)(const VrtBackendEngine*, uint64_t index, VrtBackendTensor* out, VrtBackendError*);

  int32_t (*session_create)(VrtBackendEngine*, const VrtBackendSessionOptions*, VrtBackendSession** out,
                            VrtBackendError*);
  void (*session_destroy)(VrtBackendSession*);
  /** Memory of the engine's device, owned by the caller, alive and in place as long as the session; room for the largest
   * batch. */
  int32_t (*session_bind_input)(VrtBackendSession*, uint64_t index, void* data, uint64_t bytes, VrtBackendError*);
  int32_t (*session_bind_output)(VrtBackendSession*, uint64_t index, void* data, uint64_t bytes, VrtBackendError*);
  /** One run on the session's stream. `batch` is within the engine's range, or 0 where every extent is static. May come
   * under a capture of the stream, once a run with that batch has been. */
  int32_t (*session_enqueue)(VrtBackendSession*, int64_t batch, VrtBackendError*);
} VrtBackendTable;

/** The one exported function. Returns NULL if the module cannot serve `abi_version`. */
typedef const VrtBackendTable* (*VrtBackendEntry)(uint32_t abi_version);
#define VRT_BACKEND_ENTRY_NAME "vrt_backend_entry"

#ifdef __cplusplus
}
#endif

#endif
