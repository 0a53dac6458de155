// Counts the allocations of this program, on all threads. The program replaces the global operator
// new for this. Memory from malloc in C libraries, mainly libjpeg, is not counted.
#pragma once

#include <cstdint>

namespace sluice::app {

std::uint64_t allocations();

}  // namespace sluice::app
