#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/ops/kernels/pixel_runs.h>

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
  out.create(in.height(), in.width(), in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    colour_matrix_of_pixels(floats, from, pixels, in.channels(), to);
  });
}

}  // namespace sluice::kernels
