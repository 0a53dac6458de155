// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/warp_fields.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_field(const char* op, const Tensor& field) {
  const Shape& shape = field.shape();
  if (shape.rank == 3 && shape[2] == 2 && field.elements() != 0 && field.dtype() == DType::f32)
    return;
  throw std::invalid_argument(fmt::format(
      "{}: a field is a tensor of f32 and the shape (height, width, 2), not of {} and {}; make it "
      "with elastic_field() or grid_field()",
      op, name_of(field.dtype()), to_string(shape)));
}

void check_remap(const char* op, const Image& in, const Tensor& field, const WarpOptions& options) {
  PlaceSampler::check(op, in, options);
  check_field(op, field);
  const Shape& shape = field.shape();
  if (shape[0] == in.height() && shape[1] == in.width()) return;
  throw std::invalid_argument(
      fmt::format("{}: the image has {} x {} pixels (height x width) but the field {} x {}; make "
                  "the field with the image's canvas_size()",
                  op, in.height(), in.width(), shape[0], shape[1]));
}

void remap(const char* op, const Image& in, const Tensor& field, const WarpOptions& options,
           Image& out) {
  check_remap(op, in, field, options);
  out.create(in.height(), in.width(), in.channels());
  const Strides& strides = field.strides();
  const auto* const numbers = field.data<float>();
  warp_rows_of_places(
      in, options,
      [&](int y, double* xs, double* ys) {
        const float* from = numbers + y * strides[0];
        for (int x = 0; x < in.width(); ++x, from += strides[1]) {
          xs[x] = x + 0.5 + static_cast<double>(from[0]);
          ys[x] = y + 0.5 + static_cast<double>(from[strides[2]]);
        }
      },
      out);
}

void elastic_field(const Random& random, int height, int width, const ElasticParams& params,
                   Tensor& out) {
  check_size("elastic_field", height, width);
  check_elastic_params("elastic_field", params);
  const ElasticShifts shifts = elastic_shifts(random, height, width, params.sigma);
  out.create({height, width, 2}, DType::f32);
  const double pixels = static_cast<double>(params.alpha) / 2;
  auto* to = out.data<float>();
  for (std::size_t i = 0; i < shifts.along_x.size(); ++i) {
    *to++ = static_cast<float>(pixels * static_cast<double>(shifts.along_x[i]));
    *to++ = static_cast<float>(pixels * static_cast<double>(shifts.along_y[i]));
  }
}

namespace {

// Draws the displacements along one axis.
std::vector<float> axis_shifts(Random& random, int length, const GridParams& params) {
  std::vector<double> ends(static_cast<std::size_t>(params.steps) + 1);  // of the parts, unscaled
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const double u = (2 * random.unit_double() - 1) * static_cast<double>(params.limit);
    ends[i] = ends[i - 1] + 1 + u;
  }
  const double scale = length / ends.back(), cell = static_cast<double>(length) / params.steps;
  std::vector<float> shifts(static_cast<std::size_t>(length));
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const double place = static_cast<double>(k) + 0.5;
    const auto i = std::min(static_cast<std::size_t>(place / cell), ends.size() - 2);
    const double part = place / cell - static_cast<double>(i);
    shifts[k] = static_cast<float>(scale * (ends[i] + part * (ends[i + 1] - ends[i])) - place);
  }
  return shifts;
}

}  // namespace

GridShifts grid_shifts(const char* op, Random& random, int height, int width,
                       const GridParams& params) {
  check_size(op, height, width);
  if (params.steps < 1 || params.steps > kMostGridSteps) {
    throw std::invalid_argument(fmt::format("{}: steps is {}; it must lie between 1 and {}", op,
                                            params.steps, kMostGridSteps));
  }
  if (!(params.limit >= 0 && params.limit <= kLargestGridLimit)) {
    throw std::invalid_argument(fmt::format("{}: limit is {}; it must lie between 0 and {}", op,
                                            params.limit, kLargestGridLimit));
  }
  GridShifts shifts;
  shifts.along_x = axis_shifts(random, width, params);
  shifts.along_y = axis_shifts(random, height, params);
  return shifts;
}

void write_field(const GridShifts& shifts, float* out) {
  for (const float y : shifts.along_y) {
    for (const float x : shifts.along_x) {
      *out++ = x;
      *out++ = y;
    }
  }
}

void grid_field(Random& random, int height, int width, const GridParams& params, Tensor& out) {
  const GridShifts shifts = grid_shifts("grid_field", random, height, width, params);
  out.create({height, width, 2}, DType::f32);
  write_field(shifts, out.data<float>());
}

void grid_distortion(Random& random, const Image& in, const GridParams& params,
                     Interpolation interpolation, Image& out) {
  const WarpOptions options{interpolation, Border::edge, 0};
  PlaceSampler::check("grid_distortion", in, options);
  const GridShifts shifts = grid_shifts("grid_distortion", random, in.height(), in.width(), params);
  out.create(in.height(), in.width(), in.channels());
  warp_rows_of_places(
      in, options,
      [&](int y, double* xs, double* ys) {
        const double shift_y = static_cast<double>(shifts.along_y[static_cast<std::size_t>(y)]);
        for (std::size_t x = 0; x < shifts.along_x.size(); ++x) {
          xs[x] = static_cast<double>(x) + 0.5 + static_cast<double>(shifts.along_x[x]);
          ys[x] = y + 0.5 + shift_y;
        }
      },
      out);
}

namespace {

class FieldInverse {
 public:
  FieldInverse(const char* op, const Tensor& field)
      : op_(op),
        numbers_(field.data<float>()),
        strides_(field.strides()),
        height_(static_cast<int>(field.shape()[0])),
        width_(static_cast<int>(field.shape()[1])) {}

  ImagePlace operator()(double x, double y) const {
    constexpr int kMostSteps = 100;
    ImagePlace q{x, y};
    for (int step = 0; step < kMostSteps; ++step) {
      const ImagePlace shift = displacement(q);
      const ImagePlace next{x - shift.x, y - shift.y};
      // The distance from here to there is that of q + displacement(q) from (x, y).
      if (within(next.x - q.x, next.y - q.y)) return q;
      if (!std::isfinite(next.x) || !std::isfinite(next.y)) break;
      q = next;
    }
    if (const auto found = search(x, y)) return *found;
    throw std::invalid_argument(
        fmt::format("{}: no position was found that shows ({}, {}); the numbers of the field must "
                    "be finite, and a smoother field helps",
                    op_, x, y));
  }

 private:
  static bool within(double x, double y) {
    return std::abs(x) <= kFieldAccuracy && std::abs(y) <= kFieldAccuracy;
  }

  // Rows and columns beyond the border have the numbers of the nearest ones.
  ImagePlace at(int row, int column) const {
    const float* const numbers = numbers_ + std::clamp(row, 0, height_ - 1) * strides_[0] +
                                 std::clamp(column, 0, width_ - 1) * strides_[1];
    return {static_cast<double>(numbers[0]), static_cast<double>(numbers[strides_[2]])};
  }

  ImagePlace displacement(const ImagePlace& q) const {
    const double x = std::clamp(q.x - 0.5, 0.0, width_ - 1.0);
    const double y = std::clamp(q.y - 0.5, 0.0, height_ - 1.0);
    const int column = static_cast<int>(x), row = static_cast<int>(y);
    return between(
        {at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)},
        x - column, y - row);
  }

  // Interpolates four corners, row by row, at shares u and v of the sides.
  static ImagePlace between(const std::array<ImagePlace, 4>& corners, double u, double v) {
    const auto blend = [&](double a, double b, double c, double d) {
      const double upper = a + u * (b - a), lower = c + u * (d - c);
      return upper + v * (lower - upper);
    };
    return {blend(corners[0].x, corners[1].x, corners[2].x, corners[3].x),
            blend(corners[0].y, corners[1].y, corners[2].y, corners[3].y)};
  }

  // Searches the cells between four centers of pixels. The outer ones extend beyond the border.
  std::optional<ImagePlace> search(double x, double y) const {
    double largest = 0;
    for (int row = 0; row < height_; ++row) {
      for (int column = 0; column < width_; ++column) {
        const ImagePlace shift = at(row, column);
        if (!std::isfinite(shift.x) || !std::isfinite(shift.y)) return std::nullopt;
        largest = std::max({largest, std::abs(shift.x), std::abs(shift.y)});
      }
    }
    const double far = std::abs(x) + std::abs(y) + largest + 1;
    const auto center = [far](int i, int length) {
      return i < 0 ? -far : i >= length ? length + far : i + 0.5;
    };
    for (int row = -1; row < height_; ++row) {
      for (int column = -1; column < width_; ++column) {
        std::array<ImagePlace, 4> from, shown;
        for (int k = 0; k < 4; ++k) {
          const auto i = static_cast<std::size_t>(k);
          const int r = row + k / 2, c = column + k % 2;
          const ImagePlace shift = at(r, c);
          from[i] = {center(c, width_), center(r, height_)};
          shown[i] = {from[i].x + shift.x, from[i].y + shift.y};
        }
        if (const auto found = solve(from, shown, x, y)) return found;
      }
    }
    return std::nullopt;
  }

  // Returns the position of a cell, whose corners show `shown`, that shows (x, y): by Newton's
  // method.
  std::optional<ImagePlace> solve(const std::array<ImagePlace, 4>& from,
                                  const std::array<ImagePlace, 4>& shown, double x,
                                  double y) const {
    const auto [low_x, high_x] = std::minmax({shown[0].x, shown[1].x, shown[2].x, shown[3].x});
    const auto [low_y, high_y] = std::minmax({shown[0].y, shown[1].y, shown[2].y, shown[3].y});
    if (x < low_x || x > high_x || y < low_y || y > high_y) return std::nullopt;
    double u = 0.5, v = 0.5;
    for (int step = 0; step < 30; ++step) {
      const ImagePlace at_uv = between(shown, u, v);
      const double error_x = at_uv.x - x, error_y = at_uv.y - y;
      const ImagePlace left = between(shown, 0, v), right = between(shown, 1, v);
      const ImagePlace upper = between(shown, u, 0), lower = between(shown, u, 1);
      const double xu = right.x - left.x, yu = right.y - left.y;
      const double xv = lower.x - upper.x, yv = lower.y - upper.y;
      const double area = xu * yv - xv * yu;
      if (area == 0) break;
      u -= (error_x * yv - error_y * xv) / area;
      v -= (error_y * xu - error_x * yu) / area;
    }
    constexpr double kSlack = 1e-9;
    if (!(u >= -kSlack && u <= 1 + kSlack && v >= -kSlack && v <= 1 + kSlack)) return std::nullopt;
    const ImagePlace q = between(from, u, v);
    const ImagePlace shift = displacement(q);
    if (!within(q.x + shift.x - x, q.y + shift.y - y)) return std::nullopt;
    return q;
  }

  const char* op_;
  const float* numbers_;
  Strides strides_;
  int height_, width_;
};

}  // namespace

PlaceFunction field_places(const char* op, const Tensor& field) {
  check_field(op, field);
  return FieldInverse(op, field);
}

}  // namespace sluice::kernels
