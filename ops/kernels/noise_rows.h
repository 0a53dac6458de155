// The inner loop of gaussian_noise. Internal to it.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Adds mean + stddev * quantiles[bits] to each level, in double precision, as to_level() rounds.
void add_gaussian_noise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                        double mean, double stddev, const float* quantiles, std::uint8_t* to);

}  // namespace sluice::kernels
