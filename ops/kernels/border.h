// What stands in for pixels that a picture does not have: its border continued, or a colour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {

// What stands beyond the border of a picture, where an operator needs pixels from there: a constant
// colour; the pixel of the edge that is nearest; the picture, mirrored at the middle of
// its outermost pixels.
enum class Border : std::uint8_t { constant, edge, reflect };
const char* name_of(Border border);

// Fill: the colour of pixels that have no source, one value for all channels or one for each.
// Values 0 .. 255; others throw std::invalid_argument.

class Tensor;

class Fill {
 public:
  // What a parameter that differs from sample to sample is: a tensor of such numbers.
  using parameter_value = Tensor;
  // NOLINTNEXTLINE(google-explicit-constructor): `.fill = 0` shall be possible.
  Fill(int all = 0) : Fill(all, all, all, all) {}
  Fill(int first, int second, int third, int fourth = 0);
  std::uint8_t operator[](int channel) const { return values_[static_cast<std::size_t>(channel)]; }

 private:
  std::array<std::uint8_t, 4> values_;
};

}  // namespace sluice
