#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/ops/kernels/pixel_runs.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace sluice::kernels {

namespace {

double with_16_bits(double number) {
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 16)), exponent - 16);
}

}  // namespace

FloatMatrix float_matrix(const ColourMatrix& matrix) {
  constexpr double kMostNumber = 1e30, kMostSum = 1 << 30, kWhite = 255;
  FloatMatrix floats{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<double, 4> row{};
    double largest = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      // Also of what is no number, as sums of several matrices may be.
      row[k] = std::fmin(std::fmax(matrix[i][k], -kMostNumber), kMostNumber);
      largest += std::abs(row[k]) * (k < 3 ? kWhite : 1);
    }
    const double scale = largest > kMostSum ? kMostSum / largest : 1;
    for (std::size_t k = 0; k < 3; ++k)
      floats[i][k] = static_cast<float>(with_16_bits(row[k] * scale));
    floats[i][3] = static_cast<float>(row[3] * scale + 0.5);
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
