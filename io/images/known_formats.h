// Describes how a file begins, for errors about files of the wrong format. Internal: users do not
// include it. Threads: any. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

// Returns "starts with 49 49 2a 00 (TIFF)", or "it is empty".
std::string how_it_starts(std::span<const std::uint8_t> file);

}  // namespace sluice
