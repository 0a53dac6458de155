// Half: an IEEE 754 binary16 number for storage; convert it to float to compute. Rounds to nearest
// even; overflow becomes infinity; subnormals, infinities and NaN are kept. Trivial to copy; no
// thread rules.
#pragma once

#include <cstdint>

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

}  // namespace sluice
