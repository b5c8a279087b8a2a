// What is said of a GPU's state: with the fake NVML, without one, and from a Jetson's files.
#include "vrt/device/gpu_status.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/cuda/jetson.h"
#include "vrt/device/cuda/nvml.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Variables of the environment, put back at the end of a test.
class Environment {
 public:
  ~Environment() {
    for (const auto& name : names_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    names_.push_back(name);
    setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<std::string> names_;
};

class NvmlTest : public ::testing::Test {
 protected:
  NvmlTest() { environment_.set("VRT_NVML", VRT_FAKE_NVML_PATH); }
  Environment environment_;
};

std::vector<std::string> names_of(const Reading<std::vector<ClockLimit>>& limits, bool throttles) {
  std::vector<std::string> names;
  for (const ClockLimit& limit : limits.value.value()) {
    if (limit.throttles == throttles) names.push_back(limit.name);
  }
  return names;
}

TEST_F(NvmlTest, EverythingIsRead) {
  const auto monitor = GpuMonitor::open(Device::cuda(0));
  const GpuState state = monitor->sample();
  EXPECT_EQ(state.sm_clock_mhz.value, 1980);
  EXPECT_EQ(state.memory_clock_mhz.value, 3201);
  EXPECT_EQ(state.temperature_celsius.value, 41);
  EXPECT_DOUBLE_EQ(state.power_watts.value.value(), 123.5);
  EXPECT_THAT(state.limits.value.value(), IsEmpty());
  const GpuFacts facts = monitor->facts();
  EXPECT_EQ(facts.reader, "NVML");
  EXPECT_EQ(facts.driver_version.value, "580.65.06");
  EXPECT_EQ(facts.cuda_version.value, "CUDA 13.0");
  EXPECT_EQ(facts.power_mode.value, "700 W limit");
  EXPECT_EQ(facts.clock_lock.value, std::nullopt);
}

TEST_F(NvmlTest, TheGpuIsFoundByItsPciAddress) {
  EXPECT_EQ(cuda::NvmlMonitor({"0000:3C:00.0", {}}).sample().temperature_celsius.value, 83);
  const GpuState unknown = cuda::NvmlMonitor({"0000:99:00.0", {}}).sample();
  EXPECT_EQ(unknown.temperature_celsius.value, std::nullopt);
  EXPECT_THAT(unknown.temperature_celsius.problem, AllOf(HasSubstr("0000:99:00.0"), HasSubstr("(6)")));
}

TEST_F(NvmlTest, WithoutAnAddressOnlyTheDriverIsKnown) {
  cuda::NvmlMonitor monitor({std::nullopt, "no address"});
  EXPECT_EQ(monitor.sample().power_watts.problem, "no address");
  EXPECT_EQ(monitor.facts().driver_version.value, "580.65.06");
}

TEST_F(NvmlTest, EachBitOfTheMaskHasANameAndOnlyHeatPowerAndCurrentThrottle) {
  environment_.set("VRT_FAKE_NVML_REASONS", std::to_string(0x1FF));
  const auto limits = GpuMonitor::open(Device::cuda(0))->sample().limits;
  EXPECT_THAT(names_of(limits, true),
              ElementsAre("software power cap", "hardware slowdown", "software thermal slowdown",
                          "hardware thermal slowdown", "hardware power brake"));
  EXPECT_THAT(names_of(limits, false), ElementsAre("idle", "application clocks", "sync boost", "display clock"));
}

TEST_F(NvmlTest, ARefusedReadingIsAbsentWithTheLibrarysWords) {
  environment_.set("VRT_FAKE_NVML_POWER", "3");
  const GpuState state = GpuMonitor::open(Device::cuda(0))->sample();
  EXPECT_EQ(state.power_watts.value, std::nullopt);
  EXPECT_EQ(state.power_watts.problem, "nvmlDeviceGetPowerUsage answered Not Supported (3)");
  EXPECT_EQ(state.temperature_celsius.value, 41);
}

TEST_F(NvmlTest, WhatTheLibraryCallsNoValueIsNoNumber) {
  environment_.set("VRT_FAKE_NVML_CLOCKS", "-1");
  const GpuState state = GpuMonitor::open(Device::cuda(0))->sample();
  EXPECT_EQ(state.sm_clock_mhz.value, std::nullopt);
  EXPECT_EQ(state.sm_clock_mhz.problem, "nvmlDeviceGetClockInfo answered that there is no value");
}

TEST_F(NvmlTest, AVersionWithoutEndIsReadNoFurtherThanItsMemory) {
  environment_.set("VRT_FAKE_NVML_ENDLESS", "1");
  EXPECT_EQ(GpuMonitor::open(Device::cuda(0))->facts().driver_version.value, std::string(79, '5'));
}

TEST_F(NvmlTest, MissingFunctionsAreNamedAndTheOldNameOfTheMaskIsTried) {
  environment_.set("VRT_NVML", VRT_FAKE_BARE_NVML_PATH);
  environment_.set("VRT_FAKE_NVML_REASONS", "64");
  const auto monitor = GpuMonitor::open(Device::cuda(0));
  const GpuState state = monitor->sample();
  EXPECT_THAT(state.temperature_celsius.problem, HasSubstr("has no nvmlDeviceGetTemperature"));
  EXPECT_THAT(state.power_watts.problem, HasSubstr("has no nvmlDeviceGetPowerUsage"));
  EXPECT_EQ(state.sm_clock_mhz.value, 1980);
  EXPECT_THAT(names_of(state.limits, true), ElementsAre("hardware thermal slowdown"));
  EXPECT_THAT(monitor->facts().driver_version.problem, HasSubstr("has no nvmlSystemGetDriverVersion"));
}

TEST_F(NvmlTest, AMissingLibraryIsSaidByEveryReading) {
  environment_.set("VRT_NVML", "/nowhere/libnvidia-ml.so.1");
  const auto monitor = GpuMonitor::open(Device::cuda(0));
  const GpuState state = monitor->sample();
  for (const Reading<double>* reading :
       {&state.sm_clock_mhz, &state.memory_clock_mhz, &state.temperature_celsius, &state.power_watts}) {
    EXPECT_EQ(reading->value, std::nullopt);
    EXPECT_THAT(reading->problem, HasSubstr("/nowhere/libnvidia-ml.so.1"));
  }
  EXPECT_EQ(state.limits.value, std::nullopt);
  EXPECT_THAT(monitor->facts().driver_version.problem, HasSubstr("no NVML"));
  EXPECT_EQ(monitor->facts().cuda_version.value, "CUDA 13.0");
}

TEST_F(NvmlTest, ALibraryThatDoesNotStartIsSaid) {
  environment_.set("VRT_FAKE_NVML_INIT", "9");
  const auto monitor = GpuMonitor::open(Device::cuda(0));
  EXPECT_THAT(monitor->sample().power_watts.problem, HasSubstr("nvmlInit_v2 answered a failure of the fake NVML (9)"));
}

TEST_F(NvmlTest, WhatIsOpenedIsClosed) {
  void* library = dlopen(VRT_FAKE_NVML_PATH, RTLD_NOW | RTLD_LOCAL);
  auto* const users = reinterpret_cast<int (*)()>(dlsym(library, "vrt_fake_nvml_users"));
  ASSERT_NE(users, nullptr);
  const int before = users();
  {
    const auto monitor = GpuMonitor::open(Device::cuda(0));
    EXPECT_EQ(users(), before + 1);
  }
  EXPECT_EQ(users(), before);
}

TEST(GpuMonitorTest, TheCpuHasNone) { EXPECT_THROW((void)GpuMonitor::open(Device::cpu()), Error); }

GpuState state_with(std::optional<double> clock, std::optional<std::vector<ClockLimit>> limits) {
  GpuState state;
  state.sm_clock_mhz = {clock, clock ? "" : "no clock"};
  const std::string problem = limits ? "" : "no limits";
  state.limits = {std::move(limits), problem};
  return state;
}

TEST(ThrottlingTest, EveryThrottlingLimitIsNamedOnceAndIdlenessIsNone) {
  const std::vector<ClockLimit> cap{{"power", true}, {"idle", false}};
  const std::vector<GpuState> samples{state_with(1000, cap), state_with(1000, cap),
                                      state_with(1000, {{{"heat", true}}})};
  EXPECT_THAT(throttling_in(samples, samples).value.value(), ElementsAre("power", "heat"));
  const std::vector<GpuState> idle{state_with(300, {{{"idle", false}}})};
  EXPECT_THAT(throttling_in(idle, idle).value.value(), IsEmpty());
}

TEST(ThrottlingTest, AClockThatFellWithinTheRunIsADrop) {
  const std::vector<GpuState> steady{state_with(1980, std::nullopt), state_with(1800, std::nullopt)};
  EXPECT_THAT(throttling_in(steady, steady).value.value(), IsEmpty());
  const std::vector<GpuState> falling{state_with(1980, std::nullopt), state_with(1400, std::nullopt)};
  EXPECT_THAT(throttling_in(falling, falling).value.value(), ElementsAre("the SM clock fell from 1980 to 1400 MHz"));
  EXPECT_FALSE(throttling_in(falling, {}).value.has_value()) << "before and after say nothing of a drop";
}

TEST(ThrottlingTest, OneClockCannotHaveFallen) {
  const std::vector<GpuState> once{state_with(1980, std::nullopt)};
  EXPECT_EQ(throttling_in(once, once).value, std::nullopt);
}

TEST(ThrottlingTest, WhatNothingCouldTellIsUnknown) {
  const std::vector<GpuState> blind{state_with(std::nullopt, std::nullopt)};
  const auto told = throttling_in(blind, blind);
  EXPECT_EQ(told.value, std::nullopt);
  EXPECT_EQ(told.problem, "no limits");
}

/// An Orin Nano's files, as far as they are read.
class JetsonTest : public ::testing::Test {
 protected:
  JetsonTest() : root_(fs::path(::testing::TempDir()) / ("jetson" + std::to_string(::getpid()))) {
    write("var/lib/nvpmodel/status", "pmode:0002");
    write("etc/nvpmodel.conf",
          "< POWER_MODEL ID=1 NAME=25W >\n< POWER_MODEL ID=2 NAME=MAXN_SUPER >\nCPU_ONLINE CORE_0 1\n");
    for (const char* other : {"15340000.vic", "17000000.gpu"}) {
      const std::string folder = std::string("sys/class/devfreq/") + other;
      const bool is_gpu = std::string(other) == "17000000.gpu";
      write(folder + "/device/of_node/name", is_gpu ? std::string("gpu\0", 4) : std::string("vic\0", 4));
      write(folder + "/cur_freq", is_gpu ? "612000000\n" : "115200000\n");
      write(folder + "/min_freq", "306000000\n");
      write(folder + "/max_freq", "1020000000\n");
    }
    write("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
    write("sys/class/thermal/thermal_zone0/temp", "50500\n");
    write("sys/class/thermal/thermal_zone1/type", "gpu-thermal\n");
    write("sys/class/thermal/thermal_zone1/temp", "48250\n");
    write("sys/class/thermal/cooling_device0/type", "pwm-fan\n");
    write("sys/class/thermal/cooling_device0/cur_state", "3\n");
    write("sys/class/thermal/cooling_device1/type", "gpu-throttle-alert\n");
    write("sys/class/thermal/cooling_device1/cur_state", "0\n");
    write("sys/class/hwmon/hwmon0/name", "soctherm_oc\n");
    write("sys/class/hwmon/hwmon0/oc1_event_cnt", "0\n");
    write("sys/class/hwmon/hwmon0/oc3_event_cnt", "17\n");
    write("sys/class/hwmon/hwmon1/name", "ina3221\n");
    write_rail(1, "VDD_IN", 5000, 1856);
    write_rail(2, "VDD_CPU_GPU_CV", 5000, 640);
    write_rail(3, "NC", 5000, 9999);
  }
  ~JetsonTest() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void write_rail(int channel, const std::string& label, int millivolts, int milliamperes) const {
    const std::string folder = "sys/class/hwmon/hwmon1/";
    write(folder + "in" + std::to_string(channel) + "_label", label + "\n");
    write(folder + "in" + std::to_string(channel) + "_input", std::to_string(millivolts) + "\n");
    write(folder + "curr" + std::to_string(channel) + "_input", std::to_string(milliamperes) + "\n");
  }

  fs::path root_;
};

TEST_F(JetsonTest, EverythingIsRead) {
  cuda::JetsonMonitor monitor(root_);
  const GpuState state = monitor.sample();
  EXPECT_DOUBLE_EQ(state.sm_clock_mhz.value.value(), 612);
  EXPECT_DOUBLE_EQ(state.temperature_celsius.value.value(), 48.25);
  EXPECT_DOUBLE_EQ(state.power_watts.value.value(), 9.28);
  EXPECT_THAT(state.limits.value.value(), IsEmpty());
  EXPECT_THAT(state.memory_clock_mhz.problem, HasSubstr("emc/rate cannot be read"));
  const GpuFacts facts = monitor.facts();
  EXPECT_EQ(facts.reader, "sysfs");
  EXPECT_EQ(facts.power_mode.value, "mode 2 (MAXN_SUPER)");
  EXPECT_EQ(facts.clock_lock.value, "not held");
}

TEST_F(JetsonTest, AHeldClockIsNoticed) {
  write("sys/class/devfreq/17000000.gpu/min_freq", "1020000000\n");
  EXPECT_EQ(cuda::JetsonMonitor(root_).facts().clock_lock.value, "held, as jetson_clocks does");
}

TEST_F(JetsonTest, AlertsAndOverCurrentsSinceTheLastSampleThrottle) {
  cuda::JetsonMonitor monitor(root_);
  write("sys/class/thermal/cooling_device1/cur_state", "1\n");
  write("sys/class/hwmon/hwmon0/oc3_event_cnt", "18\n");
  EXPECT_THAT(names_of(monitor.sample().limits, true), ElementsAre("gpu-throttle-alert", "over-current event oc3"));
  write("sys/class/thermal/cooling_device1/cur_state", "0\n");
  EXPECT_THAT(monitor.sample().limits.value.value(), IsEmpty());
}

TEST_F(JetsonTest, RailsThatDoNotAddUpAreNamedAndNotAdded) {
  write_rail(1, "VIN_SYS_5V0", 5000, 1000);
  const auto power = cuda::JetsonMonitor(root_).sample().power_watts;
  EXPECT_EQ(power.value, std::nullopt);
  EXPECT_THAT(power.problem, AllOf(HasSubstr("VIN_SYS_5V0 5.00 W"), HasSubstr("VDD_CPU_GPU_CV 3.20 W")));
}

TEST_F(JetsonTest, ASensorThatRefusesToBeReadIsSaid) {
  fs::remove(root_ / "sys/class/thermal/thermal_zone1/temp");
  fs::create_directory(root_ / "sys/class/thermal/thermal_zone1/temp");  // Opens, and fails when it is read.
  const auto temperature = cuda::JetsonMonitor(root_).sample().temperature_celsius;
  EXPECT_EQ(temperature.value, std::nullopt);
  EXPECT_THAT(temperature.problem, HasSubstr("thermal_zone1/temp cannot be read"));
}

TEST_F(JetsonTest, AnEmptyTreeSaysWhatIsMissing) {
  fs::remove_all(root_);
  cuda::JetsonMonitor monitor(root_);
  const GpuState state = monitor.sample();
  for (const Reading<double>* reading :
       {&state.sm_clock_mhz, &state.memory_clock_mhz, &state.temperature_celsius, &state.power_watts}) {
    EXPECT_EQ(reading->value, std::nullopt);
    EXPECT_NE(reading->problem, "");
  }
  EXPECT_EQ(state.limits.value, std::nullopt);
  EXPECT_EQ(monitor.facts().power_mode.value, std::nullopt);
  EXPECT_THAT(monitor.facts().power_mode.problem, HasSubstr("var/lib/nvpmodel/status"));
  EXPECT_EQ(monitor.facts().clock_lock.value, std::nullopt);
}

}  // namespace
}  // namespace vrt
