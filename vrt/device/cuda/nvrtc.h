// Internal: NVRTC, the run-time compiler of CUDA C, found and opened on first use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"

namespace vrt::cuda {

/// What one source is compiled to.
struct CompiledKernels {
  std::string image;   ///< Machine code (a cubin), or PTX with its final zero.
  std::string target;  ///< "sm_90" for machine code, "compute_90" for PTX.
  std::string log;     ///< The compiler's warnings; empty if it had none.
};

/// An opened NVRTC. Safe to use from several threads.
class VRT_API Nvrtc {
 public:
  /// Opens a given library. Throws kUnavailable with the loader's reason or the missing function.
  explicit Nvrtc(const std::filesystem::path& library);
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;
  Nvrtc& operator=(Nvrtc&&) noexcept;

  /// 12060 for 12.6, as the driver counts.
  [[nodiscard]] int version() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Tells builds of the same version apart: the real file's name and size.
  [[nodiscard]] const std::string& build() const noexcept;
  /// The architectures it makes machine code for: 75, 80, …
  [[nodiscard]] std::span<const int> architectures() const noexcept;

  /// Compiles for `architecture` (90 for compute capability 9.0): to machine code if NVRTC knows it, else to PTX of the newest
  /// architecture below it. Throws kInvalidArgument with the numbered log if the source does not compile; kBackend, with
  /// path, version and all options, if NVRTC refuses the options or returns no bytes.
  [[nodiscard]] CompiledKernels compile(const std::string& name, const std::string& source, int architecture,
                                        std::span<const std::string> extra_options) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where an NVRTC may be, in the order of preference.
struct NvrtcSearch {
  std::vector<std::filesystem::path> candidates;  ///< Libraries that exist, newest first.
  std::vector<std::string> looked_in;             ///< Every folder and name tried.
};

/// `$VRT_NVRTC` alone if it is set; else the libraries in toolkit, wheel and system folders whose major version is at most
/// `driver_major`.
[[nodiscard]] VRT_API NvrtcSearch find_nvrtc(int driver_major);

/// The NVRTC for this process's driver, opened on first use. Throws kUnavailable listing every place tried and how to get it.
[[nodiscard]] const Nvrtc& nvrtc();

/// What `nvrtc` has opened; null while this process has compiled nothing.
[[nodiscard]] const Nvrtc* opened_nvrtc() noexcept;

/// The options that vrt's kernels are compiled with, the target excepted.
[[nodiscard]] VRT_API std::vector<std::string> production_options();

}  // namespace vrt::cuda
