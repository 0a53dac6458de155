// Fill-rects tiles: one tile of an image whose pixels are copied, shifted by a margin, or covered
// by a color or noise: pad_image, erase, coarse_dropout, grid_mask. The arithmetic is that of
// moves.h and occlusion.h in ops/kernels. Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>
#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/option_types.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The part that the color covers, besides positions without a source.
enum class Filled : std::int32_t { nothing, rectangle, rectangles, grid };

struct FillRect {
  std::int32_t first_row = 0, end_row = 0, first_column = 0, end_column = 0;
};

// A grid of squares, rotated and shifted: see GridSteps in occlusion.h.
struct FillGrid {
  double shift_x = 0, shift_y = 0, cosine = 1, sine = 0;
  std::int64_t step_u = 0, step_v = 0, tile = 1, side = 0;
};

struct FillRectsJob {
  std::int32_t tiles = 0;
  Filled filled = Filled::nothing;
  ImageIn in;
  ImageOut out;
  std::int32_t top = 0, left = 0;  // the position of the input's first pixel
  std::uint8_t fill[4] = {0, 0, 0, 0};
  Border border = Border::constant;  // the pixels outside of the input
  FillRect rectangle;
  const FillRect* rectangles = nullptr;  // device memory
  std::int32_t count = 0;                // number of rectangles
  std::int32_t needs_quantiles = 0;      // 1: there is noise
  FillGrid grid;
  double noise = 0;                  // standard deviation
  const float* quantiles = nullptr;  // device memory: kUpperQuantiles
  RandomWords words;                 // for the noise
  std::int32_t unused = 0;
};

inline constexpr int kFillRectsPixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline std::int64_t grid_place(double start, std::int64_t step, int x,
                                                  std::int64_t tile) {
  const std::int64_t at = (llrint(start * 4294967296.0) + x * step) % tile;
  return at < 0 ? at + tile : at;
}

SLUICE_HOST_DEVICE inline bool is_in(const FillRect& rectangle, int y, int x) {
  return y >= rectangle.first_row && y < rectangle.end_row && x >= rectangle.first_column &&
         x < rectangle.end_column;
}

SLUICE_HOST_DEVICE inline bool is_filled(const FillRectsJob& job, const FillRect* rectangles, int y,
                                         int x) {
  switch (job.filled) {
    case Filled::nothing:
      return false;
    case Filled::rectangle:
      return is_in(job.rectangle, y, x);
    case Filled::rectangles:
      for (int i = 0; i < job.count; ++i) {
        if (is_in(rectangles[i], y, x)) return true;
      }
      return false;
    case Filled::grid:
      break;
  }
  const FillGrid& grid = job.grid;
  const double dx = -grid.shift_x, dy = y - grid.shift_y;
  return grid_place(dx * grid.cosine - dy * grid.sine, grid.step_u, x, grid.tile) < grid.side &&
         grid_place(dx * grid.sine + dy * grid.cosine, grid.step_v, x, grid.tile) < grid.side;
}

SLUICE_HOST_DEVICE inline int source_place(int at, int length, Border border) {
  return border == Border::reflect ? mirrored_place(at, length) : nearest_place(at, length);
}

// Writes a pixel of noise around the color.
SLUICE_HOST_DEVICE inline void fill_noise(const FillRectsJob& job, const float* quantiles,
                                          std::int64_t pixel, std::uint8_t* to) {
  for (int c = 0; c < job.out.channels; ++c) {
    const auto i = static_cast<std::uint64_t>(pixel * job.out.channels + c);
    const std::array<std::uint32_t, 4> block =
        job.words.block(kernels::kFirstNoiseBlock + static_cast<std::uint32_t>(i / 8));
    const unsigned bits = block[i % 8 / 2] >> (i % 2 * 16) & 0xffff;
    to[c] = rounded_level(job.fill[c] + job.noise * normal_number(quantiles, bits));
  }
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void fill_rects_tile(const FillRectsJob& job, int number,
                                               const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const FillRect* const rectangles =
      job.count == 0 ? nullptr : device_view(job.rectangles, static_cast<std::size_t>(job.count));
  const float* const quantiles =
      job.needs_quantiles == 0 ? nullptr : device_view(job.quantiles, kUpperQuantiles);
  const int width = job.out.width, channels = job.out.channels;
  for_pixels<kFillRectsPixels>(job.out.height, width, number, thread_block, [&](int y, int x) {
    const std::int64_t pixel = std::int64_t{y} * width + x;
    std::uint8_t* const to = out + pixel * channels;
    const int at_y = y - job.top, at_x = x - job.left;
    const bool outside = at_y < 0 || at_y >= job.in.height || at_x < 0 || at_x >= job.in.width;
    if ((outside && job.border == Border::constant) || is_filled(job, rectangles, y, x)) {
      if (quantiles != nullptr) return fill_noise(job, quantiles, pixel, to);
      for (int c = 0; c < channels; ++c) to[c] = job.fill[c];
      return;
    }
    const int row = source_place(at_y, job.in.height, job.border);
    const int column = source_place(at_x, job.in.width, job.border);
    const std::uint8_t* const from = in + row * job.in.stride + std::int64_t{column} * channels;
    for (int c = 0; c < channels; ++c) to[c] = from[c];
  });
}

}  // namespace sluice::device
