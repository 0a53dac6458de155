// How libjpeg makes pixels from coefficients, in plain code: the inverse DCT of one block, "fancy"
// upsampling, and the conversion of YCbCr to RGB. GPUs use it, and CPUs without vector
// instructions.
//
// The inverse DCT is the exact integer version ("islow", jidctint.c). It equals libjpeg-turbo's
// vector code for x86 bit for bit, even for coefficients that no encoder produces: 16-bit sums and
// products wrap, and results between the passes saturate. For all other coefficients
// libjpeg-turbo's plain code produces the same. The algorithm is that of C. Loeffler, A. Ligtenberg
// and G. Moschytz, "Practical Fast 1-D DCT Algorithms with 11 Multiplications", ICASSP 1989, with
// sums of products in place of some of the sharing. Upsampling is that of jdsample.c, the
// conversion that of jdcolor.c.
//
// Functions without state. They are constexpr, so that code for devices can call them.
#pragma once

#include <cstdint>

namespace sluice {

// The factors of the inverse DCT, in units of 1/8192.
namespace jpeg_dct {
inline constexpr std::int32_t k0298 = 2446, k0390 = 3196, k0541 = 4433, k0765 = 6270, k0899 = 7373,
                              k1175 = 9633, k1501 = 12299, k1847 = 15137, k1961 = 16069,
                              k2053 = 16819, k2562 = 20995, k3072 = 25172;
}  // namespace jpeg_dct

constexpr std::int32_t wrap_to_16(std::uint32_t value) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(value));
}
constexpr std::int32_t clamp_to(std::int32_t value, std::int32_t least, std::int32_t most) {
  return value < least ? least : value > most ? most : value;
}

// Transforms one row or column of 16-bit values. The results are divided by 2 to the kShift and
// rounded.
template <int kShift>
constexpr void inverse_dct_8(const std::int32_t (&in)[8], std::int32_t (&out)[8]) {
  using namespace jpeg_dct;
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
  for (int i = 0; i < 4; ++i) {
    out[i] = static_cast<std::int32_t>(part[i] + odd[i] + kHalf) >> kShift;
    out[7 - i] = static_cast<std::int32_t>(part[i] - odd[i] + kHalf) >> kShift;
  }
}

// Returns the enlarged value of two samples of a row or column with half the samples. `second`:
// which of the two pixels of `near`, 0 or 1.
constexpr std::int32_t stretch_one_way(std::int32_t near, std::int32_t far, std::int32_t second) {
  return (3 * near + far + 1 + second) >> 2;
}
// The same for a plane with half the columns and rows: `near` and `far` are sums of a column:
// three times the nearer sample, and the farther one.
constexpr std::int32_t stretch_both_ways(std::int32_t near, std::int32_t far, std::int32_t second) {
  return (3 * near + far + 8 - second) >> 4;
}

constexpr std::uint8_t to_sample(std::int32_t value) {
  return static_cast<std::uint8_t>(clamp_to(value, 0, 255));
}

// Converts YCbCr to red, green and blue.
constexpr void write_jpeg_color(std::int32_t gray, std::int32_t blue, std::int32_t red,
                                std::uint8_t* to) {
  const std::int32_t b = blue - 128, r = red - 128;
  constexpr std::int32_t kHalf = 1 << 15;  // all factors are in units of 1/65536
  to[0] = to_sample(gray + ((91881 * r + kHalf) >> 16));
  to[1] = to_sample(gray + ((-22554 * b - 46802 * r + kHalf) >> 16));
  to[2] = to_sample(gray + ((116130 * b + kHalf) >> 16));
}

}  // namespace sluice
