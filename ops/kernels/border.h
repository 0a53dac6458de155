// Border and Fill: the source of pixels that an image does not have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {

// The content beyond the border of an image, for operators that need pixels there: a constant
// color; the nearest edge pixel; the image mirrored about the center of its outermost pixels.
enum class Border : std::uint8_t { constant, edge, reflect };
const char* name_of(Border border);

// Fill: the color of pixels that have no source, one value for all channels or one for each.
// Values 0 .. 255; others throw std::invalid_argument.

class Tensor;

class Fill {
 public:
  // The type for a parameter that differs per sample: a tensor of such numbers.
  using parameter_value = Tensor;
  // NOLINTNEXTLINE(google-explicit-constructor): `.fill = 0` shall be possible.
  Fill(int all = 0) : Fill(all, all, all, all) {}
  Fill(int first, int second, int third, int fourth = 0);
  std::uint8_t operator[](int channel) const { return values_[static_cast<std::size_t>(channel)]; }

 private:
  std::array<std::uint8_t, 4> values_;
};

}  // namespace sluice
