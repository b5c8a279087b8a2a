// Internal: what TensorRT's headers need of the CUDA toolkit's: the names of two handles. With it the modules are built where no
// toolkit is.
#pragma once

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
