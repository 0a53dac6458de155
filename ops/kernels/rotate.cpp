#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/flip.h>
#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/transpose.h>
#include <sluice/ops/kernels/turn.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

namespace sluice::kernels {
namespace {

// Returns 0 to 360; 360 only for angles barely below 0.
double whole_turns_removed(float degrees) {
  const double angle = std::fmod(static_cast<double>(degrees), 360.0);
  return angle < 0.0 ? angle + 360.0 : angle;
}

}  // namespace

Turn turn_of(int height, int width, float degrees, bool keep_size) {
  // As in Pillow: the sine of 30 degrees is exactly one half.
  const auto at_15_digits = [](double value) { return std::round(value * 1e15) / 1e15; };
  const double radians = -whole_turns_removed(degrees) * (std::numbers::pi / 180.0);
  const double cosine = at_15_digits(std::cos(radians));
  const double sine = at_15_digits(std::sin(radians));
  Eigen::Matrix2d back;
  back << cosine, sine, -sine, cosine;

  const Eigen::Vector2d size(width, height);
  Turn turn{{}, height, width};
  if (!keep_size && cosine == 0) {  // moves whole pixels, though corners may be halfway
    turn.width = height;
    turn.height = width;
  } else if (!keep_size && sine != 0) {
    Eigen::Matrix<double, 2, 4> corners;
    corners << 0, width, width, 0, 0, 0, height, height;
    const Eigen::Matrix<double, 2, 4> turned =
        (back * (corners.colwise() - size / 2)).colwise() + size / 2;
    const Eigen::Vector2d extent =
        turned.rowwise().maxCoeff().array().ceil() - turned.rowwise().minCoeff().array().floor();
    turn.width = static_cast<int>(extent.x());
    turn.height = static_cast<int>(extent.y());
  }
  const Eigen::Vector2d canvas(turn.width, turn.height);
  const Eigen::Vector2d start = size / 2 - back * (canvas / 2);
  turn.from_canvas = {back(0, 0), back(0, 1), start.x(), back(1, 0), back(1, 1), start.y()};
  return turn;
}

void rotate(const Image& in, float degrees, const RotateOptions& options, Image& out) {
  check_pixels("rotate", in);
  check_finite("rotate", "the angle", degrees);
  check_warp("rotate", options.interpolation);
  const double angle = whole_turns_removed(degrees);
  if (angle == 0.0 || angle == 360.0) return flip(in, false, false, out);
  if (angle == 180.0) return flip(in, true, true, out);
  if ((angle == 90.0 || angle == 270.0) && (!options.keep_size || in.width() == in.height())) {
    return angle == 90.0 ? turn_left(in, out) : turn_right(in, out);
  }

  const Turn turn = turn_of(in.height(), in.width(), degrees, options.keep_size);
  check_size("rotate", turn.height, turn.width);
  out.create(turn.height, turn.width, in.channels());
  warp_rows(in, turn.from_canvas, {options.interpolation, Border::constant, options.fill}, out);
}

}  // namespace sluice::kernels
