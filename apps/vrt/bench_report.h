// A benchmark's numbers for people and for programs (docs/benchmarking.md, docs/schema/benchmark.schema.json).
#pragma once

#include <filesystem>
#include <string>

#include "apps/vrt/commands.h"
#include "vrt/pipeline/benchmark.h"

namespace vrt::cli {

/// What was asked for and what was measured.
struct Benchmark {
  const BenchArguments& arguments;
  Device device;
  const BenchmarkReport& report;
};

/// The table, several lines. A time that no event measured is a sentence in its row.
[[nodiscard]] std::string bench_table(const Benchmark& benchmark);
/// The same as a JSON document. What was not measured has no field; why not is under "not_measured".
[[nodiscard]] std::string bench_json(const Benchmark& benchmark);

/// Two such documents side by side, what differs beside the numbers first. Throws kNotFound, kIo, and kCorrupt for a file that
/// holds something else.
[[nodiscard]] std::string bench_comparison(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace vrt::cli
