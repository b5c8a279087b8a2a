#include "apps/vrt/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>

#include "apps/vrt/install_hints.h"
#include "vrt/device/device.h"

namespace vrt::cli {

Machine this_machine() {
  Machine machine;
  const DeviceInfo cpu = describe(Device::cpu());
  machine.cpu = cpu.name;
  machine.threads = cpu.parallel_units;
  machine.system = os_release_value(read_os_release(), "PRETTY_NAME");
  utsname kernel{};
  if (uname(&kernel) == 0) machine.kernel = fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine);
  return machine;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace vrt::cli
