#pragma once

namespace vrt::cli {

/// Sends vrt's messages to the standard error: warnings and errors at verbosity 0, information at 1, everything above.
void log_to_standard_error(int verbosity);

}  // namespace vrt::cli
