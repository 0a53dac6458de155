// Converts the component planes of a JPEG file to pixels, on one thread of a device: libjpeg's
// "fancy" upsampling (jdsample.c) and its conversion from YCbCr to RGB (jdcolor.c), with
// orientation and cropping. The result equals the library's bit for bit.
//
// Plain functions without state; they access only the kept planes of the sample, and its output.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// A component that is kept, as rows of samples.
struct JpegPlane {
  const std::uint8_t* at;
  std::int32_t stride, last_column, last_row;

  SLUICE_HOST_DEVICE JpegPlane(const std::uint8_t* data, std::int32_t row_bytes,
                               std::int32_t column, std::int32_t row)
      : at(data), stride(row_bytes), last_column(column), last_row(row) {}
  SLUICE_HOST_DEVICE JpegPlane(const JpegComponent& component, const std::uint8_t* planes)
      : at(planes + 64 * component.first_block),
        stride(static_cast<std::int32_t>(8 * component.blocks_wide)),
        last_column(component.last_column),
        last_row(component.last_row) {}
  SLUICE_HOST_DEVICE const std::uint8_t* row(std::int32_t y) const {
    return at + std::ptrdiff_t{y} * stride;
  }
};

SLUICE_HOST_DEVICE inline std::int32_t keep_within(std::int32_t value, std::int32_t last) {
  return value < 0 ? 0 : value > last ? last : value;
}

// Returns the component's value at a full-size position. Along each direction with half the samples
// it weights the nearer sample 3/4 and the next one 1/4. The samples at the edges are repeated.
SLUICE_HOST_DEVICE inline std::int32_t stretched(const JpegPlane& plane, JpegStretch across,
                                                 JpegStretch down, std::int32_t x, std::int32_t y) {
  const bool fancy_across = across == JpegStretch::fancy;
  const bool fancy_down = down == JpegStretch::fancy;
  const std::int32_t column = across == JpegStretch::none ? x : x >> 1;
  const std::int32_t row = down == JpegStretch::none ? y : y >> 1;
  const std::uint8_t* const near = plane.row(row);
  if (!fancy_across && !fancy_down) return near[column];
  const std::int32_t next_column =
      fancy_across ? keep_within(column - 1 + 2 * (x & 1), plane.last_column) : column;
  if (!fancy_down) return (3 * near[column] + near[next_column] + 1 + (x & 1)) >> 2;
  const std::uint8_t* const far = plane.row(keep_within(row - 1 + 2 * (y & 1), plane.last_row));
  const std::int32_t here = 3 * near[column] + far[column];
  if (!fancy_across) return (here + 1 + (y & 1)) >> 2;
  const std::int32_t next = 3 * near[next_column] + far[next_column];
  return (3 * here + next + 8 - (x & 1)) >> 4;
}

SLUICE_HOST_DEVICE inline std::uint8_t to_sample(std::int32_t value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// Converts YCbCr to red, green and blue.
SLUICE_HOST_DEVICE inline void write_jpeg_colour(std::int32_t gray, std::int32_t blue,
                                                 std::int32_t red, std::uint8_t* to) {
  const std::int32_t b = blue - 128, r = red - 128;
  constexpr std::int32_t kHalf = 1 << 15;  // all factors are in units of 1/65536
  to[0] = to_sample(gray + ((91881 * r + kHalf) >> 16));
  to[1] = to_sample(gray + ((-22554 * b - 46802 * r + kHalf) >> 16));
  to[2] = to_sample(gray + ((116130 * b + kHalf) >> 16));
}

// Computes a run of output pixels, beginning in `column` of `row`.
SLUICE_HOST_DEVICE inline void make_jpeg_pixels(const JpegSample& sample,
                                                const std::uint8_t* planes, std::uint8_t* out,
                                                std::int32_t row, std::int32_t column) {
  const std::int32_t orientation = sample.orientation;
  const bool turned = orientation >= 5;
  const bool up = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool back = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const JpegPlane luma(sample.components[0], planes);
  const bool colour = sample.shown == 3;
  const JpegPlane blue(sample.components[colour ? 1 : 0], planes);
  const JpegPlane red(sample.components[colour ? 2 : 0], planes);
  const std::int32_t left = sample.out_width() - column;
  const std::int32_t pixels = left < kJpegRun ? left : kJpegRun;
  const std::int32_t channels = sample.channels;
  std::uint8_t made[3 * kJpegRun] = {};
  SLUICE_UNROLL for (std::int32_t i = 0; i < kJpegRun; ++i) {
    if (i >= pixels) break;
    // Coordinates in the stored image.
    std::int32_t y = turned ? column + i : row, x = turned ? row : column + i;
    if (up) y = sample.height - 1 - y;
    if (back) x = sample.width - 1 - x;
    y += sample.y;
    x += sample.x;
    const std::int32_t gray = luma.row(y)[x];
    if (!colour) {
      for (std::int32_t c = 0; c < 3; ++c) made[3 * i + c] = static_cast<std::uint8_t>(gray);
      continue;
    }
    write_jpeg_colour(gray, stretched(blue, sample.across, sample.down, x, y),
                      stretched(red, sample.across, sample.down, x, y), made + 3 * i);
  }
  std::uint8_t* const to = out + row * sample.out_stride + std::ptrdiff_t{column} * channels;
  const bool words = pixels == kJpegRun && (reinterpret_cast<std::uintptr_t>(to) & 3) == 0;
  if (channels == 3 && words) {
    SLUICE_UNROLL for (std::int32_t i = 0; i < 3; ++i) {
      store_as(to + 4 * i, made[4 * i] | std::uint32_t{made[4 * i + 1]} << 8 |
                               std::uint32_t{made[4 * i + 2]} << 16 |
                               std::uint32_t{made[4 * i + 3]} << 24);
    }
    return;
  }
  SLUICE_UNROLL for (std::int32_t i = 0; i < kJpegRun; ++i) {
    if (i >= pixels) break;
    to[i * channels] = made[3 * i];
    if (channels == 1) continue;
    to[3 * i + 1] = made[3 * i + 1];
    to[3 * i + 2] = made[3 * i + 2];
  }
}

}  // namespace sluice::device
