// What `sluice bench --json FILE` writes. Errors: IoError.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sluice::app {

// "-" is standard output, and of an empty name there is nothing to do.
void write_figures(const std::string& file, const nlohmann::ordered_json& figures);

}  // namespace sluice::app
