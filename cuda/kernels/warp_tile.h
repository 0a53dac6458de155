// Warp tiles: one tile of an image that is rotated or sheared: each output pixel samples the
// position that an affine map leads to. The arithmetic is that of warp_row() in ops/, so the bits
// are the same: positions are integers in units of 2^-32 pixels, weights have 11 bits. zoom_blur
// tiles average several such images. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/image_view.h>
#include <sluice/cuda/kernels/tiles.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// Output position (x, y) shows input position (xx x + xy y + x0, yx x + yy y + y0). Pixel (c, r)
// covers [c, c + 1) x [r, r + 1). Absolute values of positions are below 2^24.
struct Affine {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

struct WarpJob {
  std::int32_t tiles = 0;
  std::int32_t in_height = 0, in_width = 0;
  bool nearest = false;
  bool edge = false;  // outside of the image, uses the nearest pixels and not the fill
  std::uint8_t fill[4] = {0, 0, 0, 0};
  const std::uint8_t* in = nullptr;  // device memory, out.channels interleaved
  std::int64_t in_stride = 0;        // bytes from row to row, not negative
  Affine from;
  PixelsOut out;
};

inline constexpr int kWarpTileHeight = 16, kWarpTileWidth = 32;
inline constexpr int kPlaceBits = 32;

SLUICE_HOST_DEVICE inline int warp_tiles_across(int width) {
  return (width + kWarpTileWidth - 1) / kWarpTileWidth;
}

SLUICE_HOST_DEVICE inline std::int64_t fixed_place(double value) {
  return llrint(value * static_cast<double>(std::int64_t{1} << kPlaceBits));
}

SLUICE_HOST_DEVICE inline std::int64_t within(std::int64_t value, int length) {
  return value < 0 ? 0 : value > length - 1 ? length - 1 : value;
}

SLUICE_HOST_DEVICE inline int weight_of_place(std::int64_t place) {
  constexpr std::int64_t kFraction = (std::int64_t{1} << kPlaceBits) - 1;
  return static_cast<int>((place & kFraction) >> (kPlaceBits - kPlaceWeightBits));
}

// The four pixels around a position, and the weights of the right and of the lower ones. Pixels
// beyond the border are replaced by the nearest ones.
struct PixelsAround {
  const std::uint8_t* pixels[4];
  int wx, wy;
};
// `in`: an image of interleaved channels. `x`, `y`: in units of 2^-32 pixels.
SLUICE_HOST_DEVICE inline PixelsAround pixels_around(const std::uint8_t* in, const ImageIn& image,
                                                     std::int64_t x, std::int64_t y) {
  constexpr std::int64_t kHalf = std::int64_t{1} << (kPlaceBits - 1);
  x -= kHalf;
  y -= kHalf;
  const std::int64_t left = x >> kPlaceBits, top = y >> kPlaceBits;
  const std::uint8_t* const upper = in + within(top, image.height) * image.stride;
  const std::uint8_t* const lower = in + within(top + 1, image.height) * image.stride;
  const std::int64_t first = within(left, image.width) * image.channels;
  const std::int64_t second = within(left + 1, image.width) * image.channels;
  return {{upper + first, upper + second, lower + first, lower + second},
          weight_of_place(x),
          weight_of_place(y)};
}

SLUICE_HOST_DEVICE inline void warp_pixel(const WarpJob& job, const std::uint8_t* in, int y, int x,
                                          const PixelWriter& out) {
  const Affine& from = job.from;
  const int channels = job.out.channels;
  // Only the start of a row is computed by the map; the steps from there are integers.
  const double middle = y + 0.5;
  std::int64_t at_x = fixed_place(from.xx * 0.5 + from.xy * middle + from.x0);
  std::int64_t at_y = fixed_place(from.yx * 0.5 + from.yy * middle + from.y0);
  at_x += x * fixed_place(from.xx);
  at_y += x * fixed_place(from.yx);
  const std::int64_t column = at_x >> kPlaceBits, row = at_y >> kPlaceBits;
  const bool outside = column < 0 || column >= job.in_width || row < 0 || row >= job.in_height;
  if (outside && !job.edge) {
    for (int c = 0; c < channels; ++c) out.write_level(y, x, c, job.fill[c]);
    return;
  }
  if (job.nearest) {
    const std::uint8_t* const pixel =
        in + within(row, job.in_height) * job.in_stride + within(column, job.in_width) * channels;
    for (int c = 0; c < channels; ++c) out.write_level(y, x, c, pixel[c]);
    return;
  }
  const auto [pixels, wx, wy] =
      pixels_around(in, {job.in, job.in_stride, job.in_height, job.in_width, channels}, at_x, at_y);
  for (int c = 0; c < channels; ++c) out.write_level(y, x, c, blend_of_four(pixels, c, wx, wy));
}

// Does the `number`th tile of the sample. `levels`: 256 bytes that the thread block shares.
SLUICE_HOST_DEVICE inline void warp_tile(const WarpJob& job, int number,
                                         const ThreadBlock& thread_block, std::uint8_t* levels) {
  const std::uint8_t* const in =
      device_view(job.in, static_cast<std::size_t>((job.in_height - 1) * job.in_stride +
                                                   std::int64_t{job.in_width} * job.out.channels));
  const PixelWriter out(job.out, thread_block, levels);
  thread_block.sync();
  const int across = warp_tiles_across(job.out.width);
  const int first_y = number / across * kWarpTileHeight, first_x = number % across * kWarpTileWidth;
  for (int i = thread_block.index; i < kWarpTileHeight * kWarpTileWidth; i += kThreadBlockSize) {
    const int y = first_y + i / kWarpTileWidth, x = first_x + i % kWarpTileWidth;
    if (y < job.out.height && x < job.out.width) warp_pixel(job, in, y, x, out);
  }
}

// An enlarged copy of an image: pixel (i, k) shows position (x + i dx, y + k dy), in units of 2^-32
// pixels.
struct ZoomedCopy {
  std::int64_t x = 0, dx = 0, y = 0, dy = 0;
};

struct ZoomBlurJob {
  std::int32_t tiles = 0;
  std::int32_t count = 0;  // of copies
  ImageIn in;
  ImageOut out;
  const ZoomedCopy* copies = nullptr;  // device memory
};

inline constexpr int kZoomBlurPixels = 1024;  // per tile

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void zoom_blur_tile(const ZoomBlurJob& job, int number,
                                              const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const ZoomedCopy* const copies =
      job.count == 0 ? nullptr : device_view(job.copies, static_cast<std::size_t>(job.count));
  std::uint8_t* const out = view_of(job.out);
  const int width = job.in.width, channels = job.in.channels;
  const auto images = static_cast<std::uint32_t>(job.count) + 2;  // the image counts twice
  for_pixels<kZoomBlurPixels>(job.in.height, width, number, thread_block, [&](int y, int x) {
    const std::uint8_t* const same = in + y * job.in.stride + std::int64_t{x} * channels;
    std::uint32_t sums[4] = {};
    for (int c = 0; c < channels; ++c) sums[c] = 2u * same[c] + images / 2;
    for (int i = 0; i < job.count; ++i) {
      const ZoomedCopy& copy = copies[i];
      const auto [pixels, wx, wy] =
          pixels_around(in, job.in, copy.x + x * copy.dx, copy.y + y * copy.dy);
      for (int c = 0; c < channels; ++c)
        sums[c] += static_cast<std::uint32_t>(blend_of_four(pixels, c, wx, wy));
    }
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    for (int c = 0; c < channels; ++c) to[c] = static_cast<std::uint8_t>(sums[c] / images);
  });
}

}  // namespace sluice::device
