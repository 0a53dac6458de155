#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/brightness_contrast.h>
#include <sluice/ops/kernels/color_twist.h>

#include <cmath>
#include <numbers>

namespace sluice::kernels {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

constexpr Matrix kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kYiqOfRgb{{{.299, .587, .114}, {.596, -.274, -.321}, {.211, -.523, .311}}};
constexpr Matrix kRgbOfYiq{{{1, .956, .621}, {1, -.272, -.647}, {1, -1.107, 1.705}}};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      for (std::size_t i = 0; i < 3; ++i) c[row][column] += a[row][i] * b[i][column];
    }
  }
  return c;
}

void check(const ColorTwist& twist) {
  check_not_negative("color_twist", "brightness", twist.brightness);
  check_not_negative("color_twist", "contrast", twist.contrast);
  check_not_negative("color_twist", "saturation", twist.saturation);
  check_finite("color_twist", "hue", twist.hue);
}

}  // namespace

ColourMatrix color_twist_matrix(const ColorTwist& twist) {
  check(twist);
  const double angle = twist.hue * (std::numbers::pi / 180);
  const double cosine = std::cos(angle) * twist.saturation;
  const double sine = std::sin(angle) * twist.saturation;
  const Matrix turned{{{1, 0, 0}, {0, cosine, sine}, {0, -sine, cosine}}};
  const bool same_colours = twist.hue == 0 && twist.saturation == 1;
  const Matrix rgb = same_colours ? kIdentity : product(product(kRgbOfYiq, turned), kYiqOfRgb);
  const double brightness = twist.brightness;
  ColourMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) matrix[row][i] = brightness * twist.contrast * rgb[row][i];
    matrix[row][3] = brightness * 128 * (1.0 - twist.contrast);
  }
  return matrix;
}

void color_twist(const Image& in, const ColorTwist& twist, Image& out) {
  check_colours("color_twist", in);
  const ColourMatrix matrix = color_twist_matrix(twist);
  if (in.channels() == 1) return brightness_contrast(in, twist.brightness, twist.contrast, out);
  apply_colour_matrix(in, matrix, out);
}

}  // namespace sluice::kernels
