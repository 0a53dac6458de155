// The inner loop of median_blur: one row at a time, by SIMD instructions chosen when the program
// runs. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// out[i] = the median of rows[r][i + k * step] for r and k in 0 .. window - 1, for i < size. The
// window is 3 or 5. Reads nothing beyond.
void median_row(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
                std::uint8_t* out);

}  // namespace sluice::kernels
