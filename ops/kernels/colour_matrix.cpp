#include <sluice/ops/kernels/colour_matrix.h>

#include <algorithm>

namespace sluice::kernels {

FloatMatrix float_matrix(const ColourMatrix& matrix) {
  constexpr double kMost = 1e9;
  FloatMatrix floats{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 4; ++i)
      floats[row][i] = static_cast<float>(std::clamp(matrix[row][i], -kMost, kMost));
  }
  return floats;
}

void apply_colour_matrix(const Image& in, const ColourMatrix& matrix, Image& out) {
  const FloatMatrix floats = float_matrix(matrix);
  map_planes(in, out, [&](Planes& planes, std::size_t count) {
    colour_matrix_of_planes(floats, count, planes);
  });
}

}  // namespace sluice::kernels
