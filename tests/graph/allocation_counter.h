// Counts the calls of operator new of this test program.
#pragma once

#include <cstdint>

namespace sluice::testing {
std::uint64_t allocations();
}
