// What a file that is not what it should be begins with, for errors. Internal: no user includes it.
// Threads: any. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

// "starts with 49 49 2a 00 (TIFF)", or "it is empty".
std::string how_it_starts(std::span<const std::uint8_t> file);

}  // namespace sluice
