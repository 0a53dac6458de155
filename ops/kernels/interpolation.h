// Interpolation: how a resized or turned picture computes a pixel from its neighbours.
#pragma once

#include <cstdint>

namespace sluice {

enum class Interpolation : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
const char* name_of(Interpolation interpolation);

}  // namespace sluice
