#include "vrt/device/cpu/counted.h"

namespace vrt::cpu {

namespace {
constinit detail::Counters process_counters;
}

detail::Counters& counted() noexcept { return process_counters; }

}  // namespace vrt::cpu
