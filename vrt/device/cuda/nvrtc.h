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

/// One source as the compiler takes it, whatever the target.
struct KernelBuild {
  std::string name;                  ///< For messages; "vrt/image/preprocess.cu".
  std::string text;                  ///< Prelude, line directive, CUDA C.
  std::vector<std::string> options;  ///< All but the target.
};

/// How vrt compiles CUDA C: with its prelude in front and its options, `extra_options` behind them. The only place where these
/// are put together, so that what is compiled is what the cache's key says.
[[nodiscard]] VRT_API KernelBuild production_build(std::string_view name, std::string_view cuda_c,
                                                   std::span<const std::string> extra_options = {});

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
  /// Tells builds apart: build_id_of the library.
  [[nodiscard]] const std::string& build() const noexcept;
  /// The architectures it makes machine code for: 75, 80, …
  [[nodiscard]] std::span<const int> architectures() const noexcept;

  /// Compiles for `architecture` (90 for compute capability 9.0): to machine code if NVRTC knows it, else to PTX of the newest
  /// architecture below it. Throws kInvalidArgument with the numbered log if the source does not compile; kBackend, with
  /// path, version and all options, if NVRTC refuses the options or returns no bytes.
  [[nodiscard]] CompiledKernels compile(const KernelBuild& build, int architecture) const;

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

/// The builds (Nvrtc::build) of the libraries that `nvrtc` would open, in its order. Opens none: what they compiled may be in the
/// cache, and opening one takes longer than loading what is there.
[[nodiscard]] const std::vector<std::string>& nvrtc_builds();

/// The NVRTC for this process's driver, opened on first use. Throws kUnavailable listing every place tried and how to get it.
[[nodiscard]] const Nvrtc& nvrtc();

/// What `nvrtc` has opened; null while this process has compiled nothing.
[[nodiscard]] const Nvrtc* opened_nvrtc() noexcept;

/// The newest NVRTC of the machine, for compiling where there is no driver. `$VRT_NVRTC` wins here, too. Throws likewise.
[[nodiscard]] const Nvrtc& nvrtc_of_any_driver();

}  // namespace vrt::cuda
