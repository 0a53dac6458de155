#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/remap_rows.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/kernels/warp_blend.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace sluice::kernels {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << kPlaceBits;
constexpr std::int64_t kHalf = kOne / 2;

std::int64_t fixed(double value) { return std::llrint(value * static_cast<double>(kOne)); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b == a || (a < 0) == (b < 0) ? q : q - 1;
}
std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return -floor_divide(-a, b); }

// Output pixels begin .. end - 1; empty if end <= begin.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Shrinks the span to the i with low <= start + i * step < high.
void clip(Span& span, std::int64_t start, std::int64_t step, std::int64_t low, std::int64_t high) {
  if (step == 0) {
    if (start < low || start >= high) span.end = span.begin;
    return;
  }
  // Solves start + i * step >= low and <= high - 1; a negative step swaps the two limits.
  const std::int64_t first =
      step > 0 ? ceil_divide(low - start, step) : ceil_divide(high - 1 - start, step);
  const std::int64_t last =
      step > 0 ? floor_divide(high - 1 - start, step) : floor_divide(low - start, step);
  span.begin = std::clamp(first, span.begin, span.end);
  span.end = std::clamp(last + 1, span.begin, span.end);
}

template <int channels>
void fill_pixels(const Fill& fill, std::int64_t begin, std::int64_t end, std::uint8_t* out) {
  if (begin >= end) return;
  std::uint8_t* const to = out + begin * channels;
  const auto bytes = static_cast<std::size_t>((end - begin) * channels);
  for (int c = 0; c < channels; ++c) to[c] = fill[c];
  // Each copy doubles the filled part.
  for (std::size_t done = channels; done < bytes; done *= 2)
    std::memcpy(to + done, to, std::min(done, bytes - done));
}

template <int channels>
void nearest_pixels(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const std::uint8_t* data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  std::int64_t x = line.x + span.begin * line.dx;
  std::int64_t y = line.y + span.begin * line.dy;
  for (std::int64_t i = span.begin; i < span.end; ++i, x += line.dx, y += line.dy) {
    const std::uint8_t* from = data + (y >> kPlaceBits) * stride + (x >> kPlaceBits) * channels;
    for (int c = 0; c < channels; ++c) out[i * channels + c] = from[c];
  }
}

// Like blend_places, for positions where some of the four pixels do not exist: the nearest existing
// pixel replaces them.
template <int channels>
void blend_at_border(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const auto pixel = [&](std::int64_t row, std::int64_t column) {
    return in.data() + std::clamp<std::int64_t>(row, 0, in.height() - 1) * in.row_stride() +
           std::clamp<std::int64_t>(column, 0, in.width() - 1) * channels;
  };
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    const auto [x, y, dx, dy] = line.at(i);
    const std::int64_t column = x >> kPlaceBits, row = y >> kPlaceBits;
    const std::uint8_t* upper_left = pixel(row, column);
    const std::uint8_t* upper_right = pixel(row, column + 1);
    const std::uint8_t* lower_left = pixel(row + 1, column);
    const std::uint8_t* lower_right = pixel(row + 1, column + 1);
    for (int c = 0; c < channels; ++c) {
      out[i * channels + c] = blend_of_four(upper_left[c], upper_right[c], lower_left[c],
                                            lower_right[c], weight_of(x), weight_of(y));
    }
  }
}

template <int channels>
void nearest_at_border(const Image& in, const FixedLine& line, const Span& span,
                       std::uint8_t* out) {
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    const FixedLine place = line.at(i);
    const std::uint8_t* from =
        in.data() +
        std::clamp<std::int64_t>(place.y >> kPlaceBits, 0, in.height() - 1) * in.row_stride() +
        std::clamp<std::int64_t>(place.x >> kPlaceBits, 0, in.width() - 1) * channels;
    for (int c = 0; c < channels; ++c) out[i * channels + c] = from[c];
  }
}

template <int channels>
void warp(const Image& in, const WarpLine& place, const WarpOptions& options, int width,
          std::uint8_t* out) {
  FixedLine line = fixed_line(place);
  const std::int64_t right = in.width() * kOne;
  const std::int64_t bottom = in.height() * kOne;
  Span inside{0, width};  // pixels whose source is in the image
  clip(inside, line.x, line.dx, 0, right);
  clip(inside, line.y, line.dy, 0, bottom);
  Span all{0, width};  // pixels that are not simply filled
  if (options.border == Border::constant) {
    fill_pixels<channels>(options.fill, 0, inside.begin, out);
    fill_pixels<channels>(options.fill, inside.end, width, out);
    all = inside;
  }
  if (options.interpolation == Interpolation::nearest) {
    nearest_at_border<channels>(in, line, {all.begin, inside.begin}, out);
    nearest_pixels<channels>(in, line, inside, out);
    nearest_at_border<channels>(in, line, {inside.end, all.end}, out);
    return;
  }

  line.x -= kHalf;
  line.y -= kHalf;
  Span inner = inside;
  clip(inner, line.x, line.dx, 0, right - (columns_read(channels) - 1) * kOne);
  clip(inner, line.y, line.dy, 0, bottom - kOne);
  if (in.row_stride() != static_cast<std::int32_t>(in.row_stride())) inner.end = inner.begin;
  blend_at_border<channels>(in, line, {all.begin, inner.begin}, out);
  blend_places(in.data(), in.row_stride(), channels, line.at(inner.begin), inner.end - inner.begin,
               out + inner.begin * channels);
  blend_at_border<channels>(in, line, {inner.end, all.end}, out);
}

}  // namespace

void warp_row(const Image& in, const WarpLine& line, const WarpOptions& options, int width,
              std::uint8_t* out) {
  switch (in.channels()) {
    case 1:
      return warp<1>(in, line, options, width, out);
    case 2:
      return warp<2>(in, line, options, width, out);
    case 3:
      return warp<3>(in, line, options, width, out);
    default:
      return warp<4>(in, line, options, width, out);
  }
}

void warp_rows(const Image& in, const AffineMap& from, const WarpOptions& options, Image& out) {
  if (options.interpolation == Interpolation::bicubic) {
    const std::array<double, 9> map{from.xx, from.xy, from.x0, from.yx, from.yy, from.y0, 0, 0, 1};
    warp_rows_of_places(
        in, options,
        [&](int y, double* xs, double* ys) {
          perspective_places(map, y + 0.5, out.width(), xs, ys);
        },
        out);
    return;
  }
  for (int y = 0; y < out.height(); ++y)
    warp_row(in, line_of_row(from, y), options, out.width(), out.row(y));
}

FixedLine fixed_line(const WarpLine& line) {
  return {fixed(line.x), fixed(line.y), fixed(line.dx), fixed(line.dy)};
}

WarpLine line_of_row(const AffineMap& from, int y) {
  const double middle = y + 0.5;
  return {from.xx * 0.5 + from.xy * middle + from.x0, from.yx * 0.5 + from.yy * middle + from.y0,
          from.xx, from.yx};
}

namespace {

// The sign of a NaN depends on the processor, so it is not printed.
std::string text_of(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{:.6g}", number);
}

std::string text_of(const AffineMap& map) {
  return fmt::format("[{} {} {}; {} {} {}]", text_of(map.xx), text_of(map.xy), text_of(map.x0),
                     text_of(map.yx), text_of(map.yy), text_of(map.y0));
}

void check_map(const char* op, const AffineMap& map, int height, int width) {
  // Corners are the farthest positions. Numbers that are not finite fail here too.
  for (const double x : {0.0, static_cast<double>(width)}) {
    for (const double y : {0.0, static_cast<double>(height)}) {
      const double at_x = map.xx * x + map.xy * y + map.x0;
      const double at_y = map.yx * x + map.yy * y + map.y0;
      if (std::abs(at_x) < kFarthest && std::abs(at_y) < kFarthest) continue;
      throw std::invalid_argument(
          fmt::format("{}: the map {} takes the pixels at {} x {} (x, y), for an output of "
                      "{} x {} (height x width); places must lie within {} of the image's corner",
                      op, text_of(map), text_of(at_x), text_of(at_y), height, width, kFarthest));
    }
  }
}

}  // namespace

void check_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                  const WarpOptions& options) {
  check_pixels(op, in);
  check_affine(op, in.height(), in.width(), from, height, width, options);
}

void check_affine(const char* op, int in_height, int in_width, const AffineMap& from, int height,
                  int width, const WarpOptions& options) {
  check_size(op, in_height, in_width);
  check_size(op, height, width);
  check_warp(op, options.interpolation, options.border);
  check_map(op, from, height, width);
}

void warp_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                 const WarpOptions& options, Image& out) {
  check_affine(op, in, from, height, width, options);
  out.create(height, width, in.channels());
  warp_rows(in, from, options, out);
}

AffineMap inverse(const char* op, const AffineMap& map) {
  Eigen::Matrix2d there;
  there << map.xx, map.xy, map.yx, map.yy;
  const double area = there.determinant();
  const Eigen::Matrix2d back = there.inverse();
  if (area == 0.0 || !back.allFinite()) {
    throw std::invalid_argument(fmt::format(
        "{}: the map {} collapses the image to a line, so it has no inverse", op, text_of(map)));
  }
  const Eigen::Vector2d offset = -(back * Eigen::Vector2d(map.x0, map.y0));
  return {back(0, 0), back(0, 1), offset.x(), back(1, 0), back(1, 1), offset.y()};
}

AffineMap symmetry_map(const Symmetry& symmetry, int height, int width) {
  AffineMap map;
  if (symmetry.from_right) map.xx = -1, map.x0 = width;
  if (symmetry.from_bottom) map.yy = -1, map.y0 = height;
  if (symmetry.transposes) {
    std::swap(map.xx, map.xy);
    std::swap(map.yx, map.yy);
  }
  return map;
}

namespace {

// Returns 0 to 360; 360 only for angles barely below 0.
double whole_turns_removed(float degrees) {
  const double angle = std::fmod(static_cast<double>(degrees), 360.0);
  return angle < 0.0 ? angle + 360.0 : angle;
}

}  // namespace

RotationGeometry rotation_geometry_of(int height, int width, float degrees, bool keep_size) {
  // As in Pillow: the sine of 30 degrees is exactly one half.
  const auto at_15_digits = [](double value) { return std::round(value * 1e15) / 1e15; };
  const double radians = -whole_turns_removed(degrees) * (std::numbers::pi / 180.0);
  const double cosine = at_15_digits(std::cos(radians));
  const double sine = at_15_digits(std::sin(radians));
  Eigen::Matrix2d back;
  back << cosine, sine, -sine, cosine;

  const Eigen::Vector2d size(width, height);
  RotationGeometry rotation{{}, height, width};
  if (!keep_size && cosine == 0) {  // moves whole pixels, though corners may be halfway
    rotation.width = height;
    rotation.height = width;
  } else if (!keep_size && sine != 0) {
    Eigen::Matrix<double, 2, 4> corners;
    corners << 0, width, width, 0, 0, 0, height, height;
    const Eigen::Matrix<double, 2, 4> turned =
        (back * (corners.colwise() - size / 2)).colwise() + size / 2;
    const Eigen::Vector2d extent =
        turned.rowwise().maxCoeff().array().ceil() - turned.rowwise().minCoeff().array().floor();
    rotation.width = static_cast<int>(extent.x());
    rotation.height = static_cast<int>(extent.y());
  }
  const Eigen::Vector2d canvas(rotation.width, rotation.height);
  const Eigen::Vector2d start = size / 2 - back * (canvas / 2);
  rotation.from_canvas = {back(0, 0), back(0, 1), start.x(), back(1, 0), back(1, 1), start.y()};
  return rotation;
}

void rotate(const Image& in, float degrees, const RotateOptions& options, Image& out) {
  check_pixels("rotate", in);
  check_finite("rotate", "the angle", degrees);
  check_warp("rotate", options.interpolation, options.border);
  const double angle = whole_turns_removed(degrees);
  if (angle == 0.0 || angle == 360.0) return flip(in, false, false, out);
  if (angle == 180.0) return flip(in, true, true, out);
  if ((angle == 90.0 || angle == 270.0) && (!options.keep_size || in.width() == in.height())) {
    return angle == 90.0 ? turn_left(in, out) : turn_right(in, out);
  }

  const RotationGeometry rotation =
      rotation_geometry_of(in.height(), in.width(), degrees, options.keep_size);
  check_size("rotate", rotation.height, rotation.width);
  out.create(rotation.height, rotation.width, in.channels());
  warp_rows(in, rotation.from_canvas, {options.interpolation, options.border, options.fill}, out);
}

AffineMap shear_map(int height, int width, const Shear& how) {
  if (how.x * how.y == 1.0) {
    throw std::invalid_argument(
        fmt::format("shear: x = {} and y = {} collapse the image to a line; x * y must not be 1",
                    how.x, how.y));
  }
  const double x = how.center_x * width, y = how.center_y * height;
  return inverse("shear", {1, how.x, -how.x * y, how.y, 1, -how.y * x});
}

void shear(const Image& in, const Shear& how, const WarpOptions& options, Image& out) {
  check_pixels("shear", in);
  warp_affine("shear", in, shear_map(in.height(), in.width(), how), in.height(), in.width(),
              options, out);
}

AffineMap translate_map(int height, int width, double x, double y, bool relative,
                        bool whole_pixels) {
  double right = relative ? x * width : x, down = relative ? y * height : y;
  if (whole_pixels) {
    right = std::trunc(right * 1.000001);
    down = std::trunc(down * 1.000001);
  }
  return {1, 0, -right, 0, 1, -down};
}

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out, bool whole_pixels) {
  check_pixels("translate", in);
  warp_affine("translate", in, translate_map(in.height(), in.width(), x, y, relative, whole_pixels),
              in.height(), in.width(), options, out);
}

AffineMap affine_map(int height, int width, const Affine& how) {
  if (!(how.scale > 0)) {
    throw std::invalid_argument(fmt::format("affine: scale must be above 0, but is {}", how.scale));
  }
  if (!(std::abs(how.shear_x) < 90 && std::abs(how.shear_y) < 90)) {
    throw std::invalid_argument(
        fmt::format("affine: a shear must be between -90 and 90 degrees, but they are {} and {}",
                    how.shear_x, how.shear_y));
  }
  const double radians = std::numbers::pi / 180;
  const double sine = std::sin(how.degrees * radians), cosine = std::cos(how.degrees * radians);
  const double shear_x = std::tan(how.shear_x * radians), shear_y = std::tan(how.shear_y * radians);
  // The shears are x + shear_x y and y + shear_y x; y points down.
  const double xx = 1, xy = shear_x, yx = shear_y, yy = 1 + shear_x * shear_y;
  AffineMap map{how.scale * (cosine * xx + sine * yx), how.scale * (cosine * xy + sine * yy), 0,
                how.scale * (cosine * yx - sine * xx), how.scale * (cosine * yy - sine * xy), 0};
  const double x = how.center_x * width, y = how.center_y * height;
  map.x0 = x + (how.relative ? how.x * width : how.x) - map.xx * x - map.xy * y;
  map.y0 = y + (how.relative ? how.y * height : how.y) - map.yx * x - map.yy * y;
  return inverse("affine", map);
}

void affine(const Image& in, const Affine& how, const WarpOptions& options, Image& out) {
  check_pixels("affine", in);
  warp_affine("affine", in, affine_map(in.height(), in.width(), how), in.height(), in.width(),
              options, out);
}

namespace {

// Returns the map that applies `first`, then `then`.
AffineMap in_turn(const AffineMap& first, const AffineMap& then) {
  return {then.xx * first.xx + then.xy * first.yx,
          then.xx * first.xy + then.xy * first.yy,
          then.xx * first.x0 + then.xy * first.y0 + then.x0,
          then.yx * first.xx + then.yy * first.yx,
          then.yx * first.xy + then.yy * first.yy,
          then.yx * first.x0 + then.yy * first.y0 + then.y0};
}

}  // namespace

std::vector<ZoomedCopy> zoomed_copies(int height, int width, float max_factor, float step_factor) {
  check_size("zoom_blur", height, width);
  if (!(max_factor >= 1 && max_factor <= kLargestZoom)) {
    throw std::invalid_argument(fmt::format(
        "zoom_blur: max_factor is {}; it must lie between 1 and {}", max_factor, kLargestZoom));
  }
  if (!(step_factor > 0 && step_factor <= kLargestZoom)) {
    throw std::invalid_argument(
        fmt::format("zoom_blur: step_factor is {}; it must be above 0 and at most {}", step_factor,
                    kLargestZoom));
  }
  // A little less, so that rounded numbers like 1.11 and 0.01 do not make one more copy.
  const double steps = (double{max_factor} - 1) / double{step_factor} - 1e-4;
  if (steps > kMostZooms + 1) {
    throw std::invalid_argument(
        fmt::format("zoom_blur: max_factor {} and step_factor {} make more than {} copies; pass a "
                    "larger step_factor",
                    max_factor, step_factor, kMostZooms));
  }
  std::vector<ZoomedCopy> copies;
  for (int i = 1; i < steps; ++i) {
    const double scale = 1 / (1 + i * double{step_factor});
    const auto first = [&](int side) { return fixed(side / 2.0 * (1 - scale) + scale / 2); };
    copies.push_back({first(width), fixed(scale), first(height), fixed(scale)});
  }
  return copies;
}

void zoom_blur(const Image& in, float max_factor, float step_factor, Image& out) {
  check_pixels("zoom_blur", in);
  const std::vector<ZoomedCopy> copies =
      zoomed_copies(in.height(), in.width(), max_factor, step_factor);
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes();
  std::vector<std::uint8_t> row(bytes);
  std::vector<std::uint32_t> sums(bytes);
  const auto count = static_cast<std::uint32_t>(copies.size()) + 2;
  // Sums are below 2^17 and counts below 2^9, so the quotient is exact.
  const std::uint64_t reciprocal = (std::uint64_t{1} << 32) / count + 1;
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* const same = in.row(y);
    for (std::size_t i = 0; i < bytes; ++i) sums[i] = 2u * same[i] + count / 2;
    for (const ZoomedCopy& copy : copies) {
      // These numbers have at most 48 bits, so a double holds them.
      const auto place = [](std::int64_t units) {
        return static_cast<double>(units) / static_cast<double>(kOne);
      };
      warp_row(in, {place(copy.x), place(copy.y + y * copy.dy), place(copy.dx), 0},
               {.border = Border::edge}, in.width(), row.data());
      for (std::size_t i = 0; i < bytes; ++i) sums[i] += row[i];
    }
    std::uint8_t* const to = out.row(y);
    for (std::size_t i = 0; i < bytes; ++i)
      to[i] = static_cast<std::uint8_t>(sums[i] * reciprocal >> 32);
  }
}

ComposedWarp::ComposedWarp(const Image& from)
    : from_(&from), height_(from.height()), width_(from.width()) {}

void ComposedWarp::check(const char* op) const { check_pixels(op, *from_); }

// An output position goes through the last map first.
void ComposedWarp::add(const AffineMap& map, int height, int width) {
  map_ = in_turn(map, map_);
  height_ = height;
  width_ = width;
}

void ComposedWarp::warp(const char* op, const AffineMap& map, int height, int width,
                        const WarpOptions& options) {
  check(op);
  check_affine(op, height_, width_, map, height, width, options);
  add(map, height, width);
  options_ = options;
}

void ComposedWarp::rotate(float degrees, const RotateOptions& options) {
  check("rotate");
  check_finite("rotate", "the angle", degrees);
  check_warp("rotate", options.interpolation, options.border);
  const RotationGeometry rotation =
      rotation_geometry_of(height_, width_, degrees, options.keep_size);
  check_size("rotate", rotation.height, rotation.width);
  add(rotation.from_canvas, rotation.height, rotation.width);
  options_ = {options.interpolation, options.border, options.fill};
}

void ComposedWarp::flip(bool horizontal, bool vertical) {
  move("flip", {.from_right = horizontal, .from_bottom = vertical});
}

void ComposedWarp::move(const char* op, const Symmetry& symmetry) {
  check(op);
  const AffineMap map = symmetry_map(symmetry, height_, width_);
  if (!symmetry.transposes) return add(map, height_, width_);
  add(map, width_, height_);
}

void ComposedWarp::check_made() const {
  check_affine("the composed warp", from_->height(), from_->width(), map_, height_, width_,
               options_);
}

void ComposedWarp::write_to(Image& out) const {
  check_made();
  out.create(height_, width_, from_->channels());
  warp_rows(*from_, map_, options_, out);
}

}  // namespace sluice::kernels
