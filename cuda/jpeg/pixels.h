// From the coefficients of a JPEG file to pixels, for the threads of a device. Plain functions
// without state; they access only the kept blocks and planes of the sample, and its output.
//
// The inverse DCT of one block is the exact integer version of libjpeg ("islow", jidctint.c). It
// equals libjpeg-turbo's vector code bit for bit, even for coefficients that no encoder produces:
// 16-bit sums and products wrap, and results between the passes saturate. For all other
// coefficients libjpeg-turbo's plain code produces the same. The algorithm is that of C. Loeffler,
// A. Ligtenberg and G. Moschytz, "Practical Fast 1-D DCT Algorithms with 11 Multiplications",
// ICASSP 1989, with sums of products in place of some of the sharing.
//
// Component planes become pixels by libjpeg's "fancy" upsampling (jdsample.c) and its conversion
// from YCbCr to RGB (jdcolor.c), with orientation and cropping. The result equals the library's bit
// for bit.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/io/jpeg/zigzag.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

SLUICE_HOST_DEVICE inline std::int32_t wrap_to_16(std::uint32_t value) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(value));
}
SLUICE_HOST_DEVICE inline std::int32_t clamp_to(std::int32_t value, std::int32_t least,
                                                std::int32_t most) {
  return value < least ? least : value > most ? most : value;
}

// Transforms one row or column of 16-bit values. The results are divided by 2 to the kShift and
// rounded.
template <int kShift>
SLUICE_HOST_DEVICE inline void inverse_dct_8(const std::int32_t (&in)[8], std::int32_t (&out)[8]) {
  // The constants, in units of 1/8192.
  constexpr std::int32_t k0298 = 2446, k0390 = 3196, k0541 = 4433, k0765 = 6270, k0899 = 7373,
                         k1175 = 9633, k1501 = 12299, k1847 = 15137, k1961 = 16069, k2053 = 16819,
                         k2562 = 20995, k3072 = 25172;
  const auto sum = [](std::int32_t a, std::int32_t ka, std::int32_t b, std::int32_t kb) {
    return static_cast<std::uint32_t>(a * ka) + static_cast<std::uint32_t>(b * kb);
  };
  const auto plus = [](std::int32_t a, std::int32_t b) {
    return wrap_to_16(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  };
  const std::uint32_t even2 = sum(in[2], k0541, in[6], k0541 - k1847);
  const std::uint32_t even3 = sum(in[2], k0541 + k0765, in[6], k0541);
  const std::uint32_t even0 = static_cast<std::uint32_t>(plus(in[0], in[4])) << 13;
  const std::uint32_t even1 = static_cast<std::uint32_t>(plus(in[0], -in[4])) << 13;
  const std::uint32_t part[4] = {even0 + even3, even1 + even2, even1 - even2, even0 - even3};

  const std::int32_t z3 = plus(in[7], in[3]), z4 = plus(in[5], in[1]);
  const std::uint32_t with3 = sum(z3, k1175 - k1961, z4, k1175);
  const std::uint32_t with4 = sum(z3, k1175, z4, k1175 - k0390);
  const std::uint32_t odd[4] = {
      sum(in[7], -k0899, in[1], k1501 - k0899) + with4,
      sum(in[5], -k2562, in[3], k3072 - k2562) + with3,
      sum(in[5], k2053 - k2562, in[3], -k2562) + with4,
      sum(in[7], k0298 - k0899, in[1], -k0899) + with3,
  };
  constexpr std::uint32_t kHalf = 1u << (kShift - 1);
  SLUICE_UNROLL for (int i = 0; i < 4; ++i) {
    out[i] = static_cast<std::int32_t>(part[i] + odd[i] + kHalf) >> kShift;
    out[7 - i] = static_cast<std::int32_t>(part[i] - odd[i] + kHalf) >> kShift;
  }
}

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
SLUICE_HOST_DEVICE inline void write_jpeg_color(std::int32_t gray, std::int32_t blue,
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
