// How each family is asked for by a request of the parity program.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace vrt::parity {

/// Runs the request (see parity_program.cpp) and writes its results. Throws vrt::Error and nlohmann::json::exception.
void run(const nlohmann::json& request);

}  // namespace vrt::parity
