// VRT_API marks what the library exports; everything else is hidden.
#pragma once

#if defined(__GNUC__)
#define VRT_API __attribute__((visibility("default")))
#else
#define VRT_API
#endif
