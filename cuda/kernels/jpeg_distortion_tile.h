// jpeg_distortion tiles: the losses of JPEG compression, on a device. One tile of 8 x 8 blocks,
// which are transformed, quantized for the quality, and transformed back; and one tile of pixels
// made from them. Chroma has one sample for 2 x 2 pixels. Entropy coding is skipped, because it is
// lossless. Bit for bit like libjpeg (jccolor.c, jcsample.c, the "islow" jfdctint.c, jcdctmgr.c),
// whose decoder equals the one in cuda/jpeg/. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/jpeg/pixels.h>
#include <sluice/cuda/kernels/colors_tile.h>
#include <sluice/cuda/kernels/image_view.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// Luma and, for color images, Cb and Cr with half as many rows and columns. The planes consist of
// whole blocks, one after the other.
struct JpegPlanes {
  std::uint8_t* data = nullptr;  // device memory
  std::int32_t height = 0, width = 0;
  std::int32_t components = 1;  // 1 or 3
  std::int32_t unused = 0;

  SLUICE_HOST_DEVICE std::int32_t rows_of(int c) const {
    return c == 0 ? height : (height + 1) / 2;
  }
  SLUICE_HOST_DEVICE std::int32_t columns_of(int c) const {
    return c == 0 ? width : (width + 1) / 2;
  }
  SLUICE_HOST_DEVICE std::int32_t blocks_across(int c) const { return (columns_of(c) + 7) / 8; }
  SLUICE_HOST_DEVICE std::int64_t blocks_of(int c) const {
    return std::int64_t{blocks_across(c)} * ((rows_of(c) + 7) / 8);
  }
  SLUICE_HOST_DEVICE std::int64_t blocks() const {
    return blocks_of(0) + (components == 3 ? 2 * blocks_of(1) : 0);
  }
  SLUICE_HOST_DEVICE std::int64_t first_block(int c) const {
    return c == 0 ? 0 : blocks_of(0) + (c - 1) * blocks_of(1);
  }
  SLUICE_HOST_DEVICE std::size_t bytes() const { return static_cast<std::size_t>(64 * blocks()); }
};

struct JpegBlocksJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  ImageIn in;  // 1 or 3 channels
  JpegPlanes planes;
  std::uint16_t quantizers[2][64] = {};  // row by row, of luma and of chroma
};

struct JpegPixelsJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  ImageOut out;
  JpegPlanes planes;
};

inline constexpr int kDistortedBlocks = 256;   // per tile
inline constexpr int kDistortedPixels = 1024;  // per tile

// Returns component `c` of a pixel; positions outside of the image repeat the nearest pixel.
SLUICE_HOST_DEVICE inline int component_of(const ImageIn& image, const std::uint8_t* in, int c,
                                           int y, int x) {
  const std::uint8_t* const pixel = in + nearest_place(y, image.height) * image.stride +
                                    std::int64_t{nearest_place(x, image.width)} * image.channels;
  if (image.channels == 1) return pixel[0];
  constexpr int kMiddle = (128 << 16) + (1 << 15) - 1;  // all factors are in units of 1/65536
  const int r = pixel[0], g = pixel[1], b = pixel[2];
  if (c == 0) return luma_of(r, g, b);
  if (c == 1) return (-11059 * r - 21709 * g + 32768 * b + kMiddle) >> 16;
  return (32768 * r - 27439 * g - 5329 * b + kMiddle) >> 16;
}

// Returns a sample of the component to transform, minus 128. For chroma it is the mean of 2 x 2
// pixels, with halves rounded up in every other column. Rows below the last one repeat it.
SLUICE_HOST_DEVICE inline int sample_of(const JpegBlocksJob& job, const std::uint8_t* in, int c,
                                        int y, int x) {
  if (c == 0) return component_of(job.in, in, 0, y, x) - 128;
  const int row = 2 * nearest_place(y, job.planes.rows_of(c)), column = 2 * x;
  const int sum = component_of(job.in, in, c, row, column) +
                  component_of(job.in, in, c, row, column + 1) +
                  component_of(job.in, in, c, row + 1, column) +
                  component_of(job.in, in, c, row + 1, column + 1);
  return ((sum + 1 + (x & 1)) >> 2) - 128;
}

// Transforms one row or column in place, and adds kUp fractional bits (or removes -kUp). The
// constants are sums of those of the inverse, in units of 1/8192.
template <int kUp>
SLUICE_HOST_DEVICE inline void forward_dct_8(std::int32_t* at, int step) {
  std::int32_t sums[4], parts[4];
  SLUICE_UNROLL for (int i = 0; i < 4; ++i) {
    sums[i] = at[i * step] + at[(7 - i) * step];
    parts[i] = at[i * step] - at[(7 - i) * step];
  }
  constexpr int kShift = 13 - kUp;
  const auto scaled = [](std::int32_t value) { return (value + (1 << (kShift - 1))) >> kShift; };
  const std::int32_t outer = sums[0] + sums[3], inner = sums[1] + sums[2];
  const std::int32_t outer_part = sums[0] - sums[3], inner_part = sums[1] - sums[2];
  at[0] = scaled((outer + inner) * 8192);
  at[4 * step] = scaled((outer - inner) * 8192);
  at[2 * step] = scaled(inner_part * 4433 + outer_part * 10703);
  at[6 * step] = scaled(outer_part * 4433 - inner_part * 10704);
  at[step] = scaled(parts[0] * 11363 + parts[1] * 9633 + parts[2] * 6437 + parts[3] * 2260);
  at[3 * step] = scaled(parts[0] * 9633 - parts[1] * 2259 - parts[2] * 11362 - parts[3] * 6436);
  at[5 * step] = scaled(parts[0] * 6437 - parts[1] * 11362 + parts[2] * 2261 + parts[3] * 9633);
  at[7 * step] = scaled(parts[0] * 2260 - parts[1] * 6436 + parts[2] * 9633 - parts[3] * 11363);
}

// Transforms a block, quantizes it, and transforms it back.
SLUICE_HOST_DEVICE inline void distort_block(const JpegBlocksJob& job, const std::uint8_t* in,
                                             std::uint8_t* planes, std::int64_t number) {
  const JpegPlanes& layout = job.planes;
  int c = 0;
  while (c + 1 < layout.components && number >= layout.first_block(c + 1)) ++c;
  number -= layout.first_block(c);
  const int across = layout.blocks_across(c);
  const int row = static_cast<int>(number / across), column = static_cast<int>(number % across);
  std::int32_t block[64];
  SLUICE_UNROLL for (int i = 0; i < 64; ++i) {
    block[i] = sample_of(job, in, c, 8 * row + i / 8, 8 * column + i % 8);
  }
  SLUICE_UNROLL for (int y = 0; y < 8; ++y) forward_dct_8<2>(block + 8 * y, 1);
  SLUICE_UNROLL for (int x = 0; x < 8; ++x) forward_dct_8<-2>(block + x, 8);
  const std::uint16_t* const quantizers = job.quantizers[c == 0 ? 0 : 1];
  SLUICE_UNROLL for (int i = 0; i < 64; ++i) {
    const int size = block[i] < 0 ? -block[i] : block[i];
    const int level = (size + 4 * quantizers[i]) / (8 * quantizers[i]);  // the DCT scales by 8
    block[i] = block[i] < 0 ? -level : level;
  }
  const std::ptrdiff_t stride = std::ptrdiff_t{8} * across;
  std::uint8_t* const to =
      planes + 64 * layout.first_block(c) + 8 * row * stride + 8 * std::ptrdiff_t{column};
  inverse_dct_of([&](int y, int x) { return block[8 * y + x]; }, quantizers, to, stride);
}

SLUICE_HOST_DEVICE inline void jpeg_blocks_tile(const JpegBlocksJob& job, int number,
                                                const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const planes = device_view(job.planes.data, job.planes.bytes());
  const std::int64_t first = std::int64_t{number} * kDistortedBlocks;
  for (int i = thread_block.index; i < kDistortedBlocks; i += kThreadBlockSize) {
    if (first + i < job.planes.blocks()) distort_block(job, in, planes, first + i);
  }
}

SLUICE_HOST_DEVICE inline JpegPlane plane_of(const JpegPlanes& layout, const std::uint8_t* planes,
                                             int c) {
  return {planes + 64 * layout.first_block(c), 8 * layout.blocks_across(c),
          layout.columns_of(c) - 1, layout.rows_of(c) - 1};
}

SLUICE_HOST_DEVICE inline void jpeg_pixels_tile(const JpegPixelsJob& job, int number,
                                                const ThreadBlock& thread_block) {
  const JpegPlanes& layout = job.planes;
  const std::uint8_t* const planes =
      device_view(static_cast<const std::uint8_t*>(layout.data), layout.bytes());
  std::uint8_t* const out = view_of(job.out);
  const int width = job.out.width, channels = job.out.channels;
  // libjpeg only repeats samples for very narrow images.
  const JpegStretch stretch = layout.columns_of(1) <= 2 ? JpegStretch::repeat : JpegStretch::fancy;
  const JpegPlane luma = plane_of(layout, planes, 0);
  const JpegPlane blue = channels == 3 ? plane_of(layout, planes, 1) : luma;
  const JpegPlane red = channels == 3 ? plane_of(layout, planes, 2) : luma;
  for_pixels<kDistortedPixels>(job.out.height, width, number, thread_block, [&](int y, int x) {
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    const std::int32_t gray = luma.row(y)[x];
    if (channels == 1) {
      to[0] = static_cast<std::uint8_t>(gray);
    } else {
      write_jpeg_color(gray, stretched(blue, stretch, stretch, x, y),
                       stretched(red, stretch, stretch, x, y), to);
    }
  });
}

}  // namespace sluice::device
