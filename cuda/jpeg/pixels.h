// From the coefficients of a JPEG file to pixels, for the threads of a device. Plain functions
// without state; they access only the kept blocks and planes of the sample, and its output.
// io/jpeg/pixel_math.h has the formulas, and says what they equal.
//
// Component planes become pixels by libjpeg's "fancy" upsampling and its conversion from YCbCr to
// RGB, with orientation and cropping. The result equals the library's bit for bit.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/io/jpeg/pixel_math.h>
#include <sluice/io/jpeg/zigzag.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// `raw(y, x)`: the 16-bit coefficient in that row and column. `to`: the address of the block's
// first sample. It and `stride` are multiples of 8 bytes.
template <class Raw>
SLUICE_HOST_DEVICE void inverse_dct_of(const Raw& raw, const std::uint16_t* quantizers,
                                       std::uint8_t* to, std::ptrdiff_t stride) {
  const auto value = [&](int y, int x) {
    return wrap_to_16(static_cast<std::uint32_t>(raw(y, x)) * quantizers[8 * y + x]);
  };
  // Computes a row from `in` and stores it in `rows` rows, from `first` on.
  const auto put_row = [&](const std::int32_t(&in)[8], int first, int rows) {
    std::int32_t out[8];
    inverse_dct_8<18>(in, out);
    std::uint64_t eight = 0;
    SLUICE_UNROLL for (int x = 0; x < 8; ++x) {
      eight |= static_cast<std::uint64_t>(clamp_to(out[x], -128, 127) + 128) << 8 * x;
    }
    for (int y = 0; y < rows; ++y) {
      store_as(to + (first + y) * stride, eight);
    }
  };

  std::int32_t below = 0;  // nonzero if there is anything below the first row
  SLUICE_UNROLL for (int y = 1; y < 8; ++y) {
    SLUICE_UNROLL for (int x = 0; x < 8; ++x) below |= raw(y, x);
  }
  if (below == 0) {
    // The library's shortcut for such blocks, which wraps where the general code saturates.
    std::int32_t in[8];
    SLUICE_UNROLL for (int x = 0; x < 8; ++x) {
      in[x] = wrap_to_16(static_cast<std::uint32_t>(value(0, x)) << 2);
    }
    put_row(in, 0, 8);
    return;
  }
  std::int32_t work[8][8];
  SLUICE_UNROLL for (int x = 0; x < 8; ++x) {
    std::int32_t in[8], out[8];
    SLUICE_UNROLL for (int y = 0; y < 8; ++y) in[y] = value(y, x);
    inverse_dct_8<11>(in, out);
    SLUICE_UNROLL for (int y = 0; y < 8; ++y) work[y][x] = clamp_to(out[y], -32768, 32767);
  }
  SLUICE_UNROLL for (int y = 0; y < 8; ++y) put_row(work[y], y, 1);
}

// `coefficients`: 64 in zigzag order, at an address that is a multiple of 16 bytes.
SLUICE_HOST_DEVICE inline void inverse_dct(const std::int16_t* coefficients,
                                           const std::uint16_t* quantizers, std::uint8_t* to,
                                           std::ptrdiff_t stride) {
  constexpr JpegZigzag kZigzag;
  struct alignas(16) Eight {
    std::uint32_t pairs[4];
  };
  Eight all[8];
  SLUICE_UNROLL for (int i = 0; i < 8; ++i) { all[i] = load_as<Eight>(coefficients + 8 * i); }
  const auto raw = [&](int y, int x) {
    const int k = kZigzag.at[8 * y + x];
    return wrap_to_16(all[k / 8].pairs[k % 8 / 2] >> (k % 2 * 16));
  };
  inverse_dct_of(raw, quantizers, to, stride);
}

// Transforms block `number` of the sample's needed blocks into its component plane.
SLUICE_HOST_DEVICE inline void make_jpeg_plane(const JpegSample& sample, std::uint32_t number,
                                               const std::int16_t* coefficients,
                                               std::uint8_t* planes) {
  std::int32_t c = 0;
  while (c + 1 < sample.shown && number >= sample.components[c].blocks) {
    number -= sample.components[c++].blocks;
  }
  const JpegComponent& component = sample.components[c];
  const std::uint32_t row = number / component.blocks_wide;
  const std::uint32_t column = number - row * component.blocks_wide;
  const std::ptrdiff_t stride = 8 * std::ptrdiff_t{component.blocks_wide};
  std::uint8_t* const to =
      planes + 64 * component.first_block + 8 * row * stride + 8 * std::ptrdiff_t{column};
  inverse_dct(coefficients + 64 * (component.first_block + number), component.quantizers, to,
              stride);
}

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
  if (!fancy_down) return stretch_one_way(near[column], near[next_column], x & 1);
  const std::uint8_t* const far = plane.row(keep_within(row - 1 + 2 * (y & 1), plane.last_row));
  const std::int32_t here = 3 * near[column] + far[column];
  if (!fancy_across) return stretch_one_way(near[column], far[column], y & 1);
  const std::int32_t next = 3 * near[next_column] + far[next_column];
  return stretch_both_ways(here, next, x & 1);
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
  const bool color = sample.shown == 3;
  const JpegPlane blue(sample.components[color ? 1 : 0], planes);
  const JpegPlane red(sample.components[color ? 2 : 0], planes);
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
    if (!color) {
      for (std::int32_t c = 0; c < 3; ++c) made[3 * i + c] = static_cast<std::uint8_t>(gray);
      continue;
    }
    write_jpeg_color(gray, stretched(blue, sample.across, sample.down, x, y),
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
