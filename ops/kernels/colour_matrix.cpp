#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/ops/kernels/pixel_runs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sluice::kernels {

namespace {

constexpr double kWhite = 255;
constexpr int kBits = 16;           // of the largest number in a row
constexpr int kCommonExponent = 4;  // up to 16: rows with such numbers share one unit

// Limits all sums to 2^30. Also replaces NaN, which sums of several matrices may produce.
MatrixRow within_range(MatrixRow row) {
  constexpr double kMostNumber = 1e30, kMostSum = 1 << 30;
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    row[i] = std::fmin(std::fmax(row[i], -kMostNumber), kMostNumber);
    largest += std::abs(row[i]) * (i < 3 ? kWhite : 1);
  }
  if (largest > kMostSum) {
    for (double& number : row) number *= kMostSum / largest;
  }
  return row;
}

// Returns the exponent of the power of two above the row's color factors.
int exponent_of(const MatrixRow& row) {
  int exponent = 0;
  (void)std::frexp(std::max({std::abs(row[0]), std::abs(row[1]), std::abs(row[2])}), &exponent);
  return exponent;
}

// Rounds to multiples of 2^(exponent - kBits), whose sum is the nearest to the exact one.
std::array<float, 4> rounded(const MatrixRow& row, int exponent) {
  const auto units = [&](double number) { return std::ldexp(number, kBits - exponent); };
  std::array<double, 3> whole{}, rest{};
  double missing = std::round(units(row[0] + row[1] + row[2]));
  for (std::size_t i = 0; i < 3; ++i) {
    whole[i] = std::round(units(row[i]));
    rest[i] = units(row[i]) - whole[i];
    missing -= whole[i];
  }
  for (; std::abs(missing) >= 1; missing -= std::copysign(1, missing)) {
    const auto one = missing > 0 ? std::max_element(rest.begin(), rest.end())
                                 : std::min_element(rest.begin(), rest.end());
    whole[static_cast<std::size_t>(one - rest.begin())] += std::copysign(1, missing);
    *one -= std::copysign(1, missing);
  }
  std::array<float, 4> floats{};
  const auto number = [&](double some) {
    return static_cast<float>(std::ldexp(some, exponent - kBits));
  };
  for (std::size_t i = 0; i < 3; ++i) floats[i] = number(whole[i]);
  floats[3] = number(std::round(units(row[3] + 0.5)));
  return floats;
}

}  // namespace

FloatMatrix float_matrix(const ColourMatrix& matrix) {
  std::array<MatrixRow, 3> rows{};
  int common = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = within_range(matrix[i]);
    common = std::max(common, std::min(exponent_of(rows[i]), kCommonExponent));
  }
  FloatMatrix floats{};
  for (std::size_t i = 0; i < 3; ++i)
    floats[i] = rounded(rows[i], std::max(exponent_of(rows[i]), common));
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
