// Half and BFloat16: 16-bit floating-point numbers for storage; convert them to float to compute.
// Half is IEEE 754's binary16. BFloat16 is the upper half of a float: the same range, and 8 bits of
// precision. Both round to nearest even; overflow becomes infinity; subnormals, infinities and NaN
// are kept. Trivial to copy; no thread rules.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sluice {

struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(from_float(value)) {}
  explicit operator float() const { return to_float(bits); }
  friend bool operator==(Half a, Half b) { return float(a) == float(b); }

  static std::uint16_t from_float(float value);
  static float to_float(std::uint16_t half);
};

struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) : bits(from_bits(std::bit_cast<std::uint32_t>(value))) {}
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  friend bool operator==(BFloat16 a, BFloat16 b) { return float(a) == float(b); }

  // Converts the bits of a float.
  static constexpr std::uint16_t from_bits(std::uint32_t bits) {
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1);
    return static_cast<std::uint16_t>(nan ? bits >> 16 | 0x40u : rounded >> 16);
  }
};

namespace detail {
// True for types of 16 bits that are computed as float.
template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
}  // namespace detail

}  // namespace sluice
