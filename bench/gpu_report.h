// What a mode of vrt_gpu_benchmark measured: facts and rows, printed as a table and written as JSON, with the state of the GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "vrt/device/device.h"
#include "vrt/device/gpu_status.h"

namespace vrt {

/// A name, with its unit where there is one ("gpu_us"), and a value.
struct ReportField {
  std::string name;
  std::variant<std::string, double, std::int64_t> value;
};
using ReportRow = std::vector<ReportField>;

/// Reads the GPU's clocks when it is made, with every row and at the end. Used from one thread.
class GpuReport {
 public:
  /// Throws kUnavailable if the device cannot be used.
  GpuReport(const std::string& mode, Device device);

  void add_fact(ReportField fact) { facts_.push_back(std::move(fact)); }
  /// Rows may differ in their fields; the table has a column for each name.
  void add_row(ReportRow row);
  /// Adds the GPU's state to the facts. Call it behind the last measurement.
  void finish();

  void print() const;
  /// {"facts": {…}, "rows": [{…}, …]}. Throws kIo.
  void write_json(const std::filesystem::path& path) const;

 private:
  std::unique_ptr<GpuMonitor> monitor_;
  std::vector<GpuState> states_;
  ReportRow facts_;
  std::vector<ReportRow> rows_;
};

}  // namespace vrt
