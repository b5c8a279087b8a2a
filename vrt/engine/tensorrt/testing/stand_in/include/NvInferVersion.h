// Part of the stand-in for TensorRT's headers (NvInfer.h): the version, as TensorRT and as TensorRT-RTX count it.
#pragma once

#if VRT_TENSORRT_IS_RTX
#define TRT_MAJOR_RTX 1
#define NV_TENSORRT_MAJOR 1
#define NV_TENSORRT_MINOR 7
#define NV_TENSORRT_PATCH 1
#else
#define NV_TENSORRT_MAJOR 10
#define NV_TENSORRT_MINOR 4
#define NV_TENSORRT_PATCH 2
#endif
#define NV_TENSORRT_VERSION (NV_TENSORRT_MAJOR * 10000 + NV_TENSORRT_MINOR * 100 + NV_TENSORRT_PATCH)
