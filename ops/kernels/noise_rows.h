// The inner loop of gaussian_noise. Internal to it.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Adds mean + stddev * quantiles[bits] to each value, in double precision, rounded like to_level().
void add_gaussian_noise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                        double mean, double stddev, const float* quantiles, std::uint8_t* to);

}  // namespace sluice::kernels
