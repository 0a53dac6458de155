// box_blur: each pixel becomes the mean of a square around it, rounded to nearest.
//
// Borders are reflected and do not repeat the outermost pixel. The sum of each column moves down
// the picture with the square, so that its height costs nothing.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a window that is even
// or not in 1 .. 255. Threads: any; the sums belong to the calling thread and only grow.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

void box_blur(const Image& in, int window_size, Image& out);

// The inner loops, in box_blur_rows.cpp. They may read and write so many numbers beyond the ends of
// `sums` and `room`.
inline constexpr std::size_t kBoxSlack = 64;
// Adds a row of levels to the sums of the columns, and takes one away, if there is one.
void move_box(const std::uint8_t* enters, const std::uint8_t* leaves, std::size_t size,
              std::uint16_t* sums);
// Each level is the mean of a box of `window` sums, the first of which stands where the level does,
// `step` apart. `window` is odd, 3 to 255. `room` has place for the row twice, and for twice a
// window.
void means_of_boxes(const std::uint16_t* sums, std::ptrdiff_t step, int window, std::size_t size,
                    std::uint32_t* room, std::uint8_t* out);

}  // namespace sluice::kernels
