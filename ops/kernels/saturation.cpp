#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/luma.h>
#include <sluice/ops/kernels/saturation.h>

namespace sluice::kernels {

ColourMatrix saturation_matrix(float factor) {
  check_not_negative("saturation", "factor", factor);
  const double f = factor;
  ColourMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const double luma = kLumaOf65536[column] / 65536.0;
      matrix[row][column] = (1 - f) * luma + (row == column ? f : 0);
    }
  }
  return matrix;
}

void saturation(const Image& in, float factor, Image& out) {
  check_colours("saturation", in);
  const ColourMatrix matrix = saturation_matrix(factor);
  if (in.channels() == 1) return crop(in, {0, 0, in.height(), in.width()}, out);
  apply_colour_matrix(in, matrix, out);
}

}  // namespace sluice::kernels
