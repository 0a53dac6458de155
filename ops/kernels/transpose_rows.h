// transpose_rows: turns columns of pixels into rows, in blocks that fit in registers. Internal to
// transpose.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Writes pixel x of row y of `in` to pixel y of row x of `out`. `in` has `height` rows of `width`
// pixels. `out` has `width` rows of `height` pixels and must not overlap `in`. Strides are bytes
// from one row to the next, and may be negative. channels: 1 to 4.
void transpose_rows(const std::uint8_t* in, std::ptrdiff_t in_stride, int width, int height,
                    int channels, std::uint8_t* out, std::ptrdiff_t out_stride);

}  // namespace sluice::kernels
