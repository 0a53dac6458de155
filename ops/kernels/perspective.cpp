#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/perspective.h>
#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/place_sampler.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include <Eigen/LU>

namespace sluice::kernels {
namespace {

// Prints six digits, a stream's default.
std::string text_of(const PerspectivePoints& points) {
  std::ostringstream text;
  for (const PerspectivePoint& p : points)
    text << (&p == points.data() ? "(" : " (") << p.x << ", " << p.y << ')';
  return text.str();
}

// True if three of the points lie on a line: twice the triangle's area is small relative to its
// sides.
bool on_a_line(const PerspectivePoints& points) {
  for (std::size_t left_out = 0; left_out < 4; ++left_out) {
    const PerspectivePoint& a = points[(left_out + 1) % 4];
    const PerspectivePoint& b = points[(left_out + 2) % 4];
    const PerspectivePoint& c = points[(left_out + 3) % 4];
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    const double scale = std::hypot(b.x - a.x, b.y - a.y) * std::hypot(c.x - a.x, c.y - a.y);
    if (!(std::abs(area) > 1e-9 * scale)) return true;  // also true for points that are not finite
  }
  return false;
}

}  // namespace

PerspectiveMap map_of_points(const char* op, const PerspectivePoints& from,
                             const PerspectivePoints& to) {
  for (const PerspectivePoints* points : {&from, &to}) {
    if (!on_a_line(*points)) continue;
    throw std::invalid_argument(std::string(op) + ": three of the points " + text_of(*points) +
                                " lie on a line, so they are no corners of a quadrilateral");
  }
  Eigen::Matrix<double, 8, 8> equations;
  Eigen::Matrix<double, 8, 1> places;
  for (int i = 0; i < 4; ++i) {
    const auto& [x, y] = from[static_cast<std::size_t>(i)];
    const auto& [u, v] = to[static_cast<std::size_t>(i)];
    equations.row(2 * i) << x, y, 1, 0, 0, 0, -u * x, -u * y;
    equations.row(2 * i + 1) << 0, 0, 0, x, y, 1, -v * x, -v * y;
    places(2 * i) = u;
    places(2 * i + 1) = v;
  }
  const Eigen::Matrix<double, 8, 1> numbers = equations.fullPivLu().solve(places);
  PerspectiveMap map{};
  std::copy(numbers.begin(), numbers.end(), map.begin());
  map[8] = 1;
  return map;
}

void check_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                       int width, const WarpOptions& options) {
  PlaceSampler::check(op, in, options);
  check_size(op, height, width);
  for (const double number : from) check_finite(op, "a number of the matrix", number);
}

void warp_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                      int width, const WarpOptions& options, Image& out) {
  check_perspective(op, in, from, height, width, options);
  out.create(height, width, in.channels());
  warp_rows_of_places(
      in, options,
      [&](int y, double* xs, double* ys) { perspective_places(from, y + 0.5, width, xs, ys); },
      out);
}

}  // namespace sluice::kernels
