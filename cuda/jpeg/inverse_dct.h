// The inverse DCT of one block: the exact integer version of libjpeg ("islow", jidctint.c), for one
// thread of a device.
//
// Bit for bit the result of libjpeg-turbo's vector code, even for coefficients that no encoder
// produces: 16-bit sums and products wrap, and results between the passes saturate. For all other
// coefficients libjpeg-turbo's plain code produces the same.
//
// The algorithm is that of C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical Fast 1-D DCT
// Algorithms with 11 Multiplications", ICASSP 1989, with sums of products in place of some of the
// sharing. Plain functions without state.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// Maps a row and column to the coefficient's position in zigzag order.
struct JpegZigzag {
  std::uint8_t at[64];
  SLUICE_HOST_DEVICE constexpr JpegZigzag() : at{} {
    int row = 0, column = 0;
    for (int k = 0; k < 64; ++k) {
      at[8 * row + column] = static_cast<std::uint8_t>(k);
      const bool up = (row + column) % 2 == 0;
      if (up && column == 7) {
        ++row;
      } else if (up && row == 0) {
        ++column;
      } else if (!up && row == 7) {
        ++column;
      } else if (!up && column == 0) {
        ++row;
      } else {
        row += up ? -1 : 1;
        column += up ? 1 : -1;
      }
    }
  }
};

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
SLUICE_HOST_DEVICE void inverse_dct_of(const Raw& raw, const std::uint16_t* quantisers,
                                       std::uint8_t* to, std::ptrdiff_t stride) {
  const auto value = [&](int y, int x) {
    return wrap_to_16(static_cast<std::uint32_t>(raw(y, x)) * quantisers[8 * y + x]);
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
                                           const std::uint16_t* quantisers, std::uint8_t* to,
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
  inverse_dct_of(raw, quantisers, to, stride);
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
  inverse_dct(coefficients + 64 * (component.first_block + number), component.quantisers, to,
              stride);
}

}  // namespace sluice::device
