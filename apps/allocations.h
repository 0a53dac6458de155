// How often this program has asked operator new for memory, on all threads. The program replaces
// the global operators to count; what C libraries take with malloc, libjpeg above all, is not
// counted.
#pragma once

#include <cstdint>

namespace sluice::app {

std::uint64_t allocations();

}  // namespace sluice::app
