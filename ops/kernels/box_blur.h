// box_blur: replaces each pixel by the mean of a square around it, rounded to nearest.
//
// Borders are reflected without repeating the outermost pixel. The column sums move down the image
// with the square, so its height costs nothing.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a window that is even
// or not in 1 .. 255. Threads: any; the sums belong to the calling thread and only grow.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

void box_blur(const Image& in, int window_size, Image& out);

// The inner loops, in box_blur_rows.cpp. They may read and write this many numbers beyond the ends
// of `sums` and `room`.
inline constexpr std::size_t kBoxSlack = 64;
// Adds a row to the column sums, and subtracts another row if there is one.
void move_box(const std::uint8_t* enters, const std::uint8_t* leaves, std::size_t size,
              std::uint16_t* sums);
// Each result is the mean of a box of `window` sums, `step` apart, the first at the position of the
// result. `window` is odd, 3 to 255. `room` must hold two rows and two windows.
void means_of_boxes(const std::uint16_t* sums, std::ptrdiff_t step, int window, std::size_t size,
                    std::uint32_t* room, std::uint8_t* out);

}  // namespace sluice::kernels
