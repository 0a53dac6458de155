// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blend_rows.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/random_words.h>
#include <sluice/ops/kernels/remap_rows.h>
#include <sluice/ops/kernels/row_source.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <Eigen/LU>
#include <fmt/format.h>

namespace sluice::kernels {

void PlaceSampler::check(const char* op, const Image& in, const WarpOptions& options) {
  check_pixels(op, in);
  check_size(op, in.height(), in.width());
  check_warp(op, options.interpolation, options.border);
}

PlaceSampler::PlaceSampler(const Image& in, const WarpOptions& options)
    : in_(in), options_(options) {
  const auto channels = static_cast<std::size_t>(in.channels());
  for (std::size_t i = 0; i < fills_.size(); ++i)
    fills_[i] = options.fill[static_cast<int>(i % channels)];
}

const std::uint8_t* PlaceSampler::pixel(int y, int x) const {
  const std::ptrdiff_t column = std::clamp(x, 0, in_.width() - 1);
  return in_.row(std::clamp(y, 0, in_.height() - 1)) + column * in_.channels();
}

void PlaceSampler::sample(double x, double y, std::uint8_t* out) const {
  const bool inside = x >= 0 && y >= 0 && x < in_.width() && y < in_.height();
  const bool fill = options_.border == Border::constant ? !inside : std::isnan(x) || std::isnan(y);
  if (fill) {
    for (int c = 0; c < in_.channels(); ++c) out[c] = options_.fill[c];
    return;
  }
  // Farther away, the nearest pixels are the same.
  x = std::clamp(x, -4.0, in_.width() + 4.0);
  y = std::clamp(y, -4.0, in_.height() + 4.0);
  switch (options_.interpolation) {
    case Interpolation::nearest:
      std::memcpy(out, pixel(static_cast<int>(std::floor(y)), static_cast<int>(std::floor(x))),
                  static_cast<std::size_t>(in_.channels()));
      return;
    case Interpolation::bicubic:
      bicubic(place_after_middle(x), place_after_middle(y), out);
      return;
    default:
      bilinear(place_after_middle(x), place_after_middle(y), out);
  }
}

template <int channels>
void PlaceSampler::sample_row_of(const double* x, const double* y, int count,
                                 std::uint8_t* out) const {
  const bool fills = options_.border == Border::constant;
  for (int first = 0; first < count; first += kPlacesAtOnce) {
    // The last group of a row is as large as the others, so some pixels are sampled twice.
    first = std::max(std::min(first, count - kPlacesAtOnce), 0);
    const int places = std::min(kPlacesAtOnce, count - first);
    std::uint8_t* const to = out + std::ptrdiff_t{first} * channels;
    const auto [done, outside] =
        sample_inner_places(in_, options_.interpolation, x + first, y + first, places, to);
    const std::uint64_t all =
        places < kPlacesAtOnce ? (std::uint64_t{1} << places) - 1 : ~std::uint64_t{0};
    std::uint64_t left = all & ~done;
    if (fills) {
      left &= ~outside;
      for (std::uint64_t filled = all & outside; filled != 0;) {
        const int begin = std::countr_zero(filled), run = std::countr_one(filled >> begin);
        std::memcpy(to + std::ptrdiff_t{begin} * channels, fills_.data(),
                    static_cast<std::size_t>(run) * channels);
        if (begin + run == kPlacesAtOnce) break;
        filled &= ~std::uint64_t{0} << (begin + run);
      }
    }
    for (; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      sample(x[first + i], y[first + i], to + std::ptrdiff_t{i} * channels);
    }
  }
}

void PlaceSampler::sample_row(const double* x, const double* y, int count,
                              std::uint8_t* out) const {
  switch (in_.channels()) {
    case 1:
      return sample_row_of<1>(x, y, count, out);
    case 2:
      return sample_row_of<2>(x, y, count, out);
    case 3:
      return sample_row_of<3>(x, y, count, out);
    default:
      return sample_row_of<4>(x, y, count, out);
  }
}

void PlaceSampler::bilinear(int x, int y, std::uint8_t* out) const {
  constexpr int kFraction = (1 << kWeightBits) - 1;
  const int column = x >> kWeightBits, row = y >> kWeightBits;
  const std::uint8_t* const above[] = {pixel(row, column), pixel(row, column + 1)};
  const std::uint8_t* const under[] = {pixel(row + 1, column), pixel(row + 1, column + 1)};
  for (int c = 0; c < in_.channels(); ++c) {
    out[c] = blend_of_four(above[0][c], above[1][c], under[0][c], under[1][c], x & kFraction,
                           y & kFraction);
  }
}

void PlaceSampler::bicubic(int x, int y, std::uint8_t* out) const {
  constexpr int kFraction = (1 << kWeightBits) - 1;
  const int column = x >> kWeightBits, row = y >> kWeightBits;
  const auto& across = cubic_table()[static_cast<std::size_t>(x & kFraction)];
  const auto& down = cubic_table()[static_cast<std::size_t>(y & kFraction)];
  for (int c = 0; c < in_.channels(); ++c) {
    int sum = 0;
    for (int r = 0; r < 4; ++r) {
      int levels = 0;
      for (int k = 0; k < 4; ++k)
        levels += across[static_cast<std::size_t>(k)] * pixel(row - 1 + r, column - 1 + k)[c];
      sum += down[static_cast<std::size_t>(r)] * cubic_row(levels);
    }
    out[c] = cubic_level(sum);
  }
}

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

PerspectiveMap inverse_perspective(const char* op, const PerspectiveMap& map) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (const double number : map) check_finite(op, "a number of the matrix", number);
  const Matrix there = Eigen::Map<const Matrix>(map.data());
  const Matrix back = there.inverse();
  if (there.determinant() == 0.0 || !back.allFinite()) {
    throw std::invalid_argument(
        fmt::format("{}: the matrix [{:.6g} {:.6g} {:.6g}; {:.6g} {:.6g} {:.6g}; {:.6g} {:.6g} "
                    "{:.6g}] collapses the image to a line, so it has no inverse",
                    op, map[0], map[1], map[2], map[3], map[4], map[5], map[6], map[7], map[8]));
  }
  PerspectiveMap inverted{};
  std::copy_n(back.data(), inverted.size(), inverted.begin());
  return inverted;
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

namespace {

void check_number(const char* op, const char* name, float value, float most) {
  if (value >= 0 && value <= most) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {}; it must lie between 0 and {}", op, name, value, most));
}

}  // namespace

std::optional<PerspectivePoints> random_corners(Random& random, int height, int width,
                                                const RandomPerspective& params) {
  check_size("random_perspective", height, width);
  check_number("random_perspective", "distortion_scale", params.distortion_scale, 1);
  check_number("random_perspective", "probability", params.probability, 1);
  if (random.unit_double() >= params.probability || height == 1 || width == 1) return std::nullopt;
  // In float, so that 0.7 of 10 pixels are 7.
  const auto distances = [&](int side) {
    const int half = side / 2;
    const float most = params.distortion_scale * static_cast<float>(half);
    return static_cast<std::uint32_t>(most) + 1;
  };
  const std::uint32_t along_x = distances(width), along_y = distances(height);
  PerspectivePoints corners;
  do {
    const auto place = [&](int side, std::uint32_t count, bool far) {
      const auto distance = static_cast<int>(random.below(count));
      return static_cast<double>(far ? side - 1 - distance : distance);
    };
    for (std::size_t i = 0; i < 4; ++i) {
      corners[i].x = place(width, along_x, i == 1 || i == 2);
      corners[i].y = place(height, along_y, i >= 2);
    }
  } while (on_a_line(corners));
  return corners;
}

std::optional<PerspectiveMap> random_perspective_map(Random& random, int height, int width,
                                                     const RandomPerspective& params) {
  const auto corners = random_corners(random, height, width, params);
  if (!corners) return std::nullopt;
  const double right = width - 1, bottom = height - 1;
  return map_of_points("random_perspective", *corners,
                       {{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}});
}

void random_perspective(Random& random, const Image& in, const RandomPerspective& params,
                        const WarpOptions& options, Image& out) {
  PlaceSampler::check("random_perspective", in, options);
  const auto map = random_perspective_map(random, in.height(), in.width(), params);
  if (!map) return copy_pixels(in, out);
  warp_perspective("random_perspective", in, *map, in.height(), in.width(), options, out);
}

namespace {

Lens lens_of_size(const char* op, int height, int width, float k1, float k2) {
  check_finite(op, "k1", static_cast<double>(k1));
  check_finite(op, "k2", static_cast<double>(k2));
  const double middle_x = width / 2.0, middle_y = height / 2.0;
  return {middle_x, middle_y, middle_x * middle_x + middle_y * middle_y, static_cast<double>(k1),
          static_cast<double>(k2)};
}

// The input distance of an output distance, and its derivative.
double shown_distance(const Lens& lens, double r) {
  return r * (1 + r * r * (lens.k1 + r * r * lens.k2));
}
double shown_slope(const Lens& lens, double r) {
  return 1 + r * r * (3 * lens.k1 + r * r * 5 * lens.k2);
}

// Returns the smallest distance above 0 where the slope is 0, or infinity.
double turning_distance(const Lens& lens) {
  // a u^2 + b u + 1 = 0 for u = r^2.
  const double a = 5 * lens.k2, b = 3 * lens.k1;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double under_root = b * b - 4 * a;
  if (under_root < 0) return kNone;
  const double q = -(b + std::copysign(std::sqrt(under_root), b)) / 2;
  double smallest = kNone;
  for (const double u : {q / a, 1 / q}) {
    if (std::isfinite(u) && u > 0) smallest = std::min(smallest, u);
  }
  return std::sqrt(smallest);
}

// Returns the output distance, between 0 and `turn`, that shows the input distance.
double solved_distance(const Lens& lens, double turn, double shown) {
  double low = 0, high = std::min(turn, 1.0);
  while (high < turn && shown_distance(lens, high) < shown) {
    low = high;
    high = std::min(2 * high, turn);
  }
  double r = std::clamp(shown, low, high);
  for (int step = 0; step < 100 && high - low > 1e-10; ++step) {
    const double error = shown_distance(lens, r) - shown;
    (error < 0 ? low : high) = r;
    if (std::abs(error) < 1e-13) break;
    const double next = r - error / shown_slope(lens, r);
    r = next > low && next < high ? next : (low + high) / 2;
  }
  return r;
}

}  // namespace

Lens lens_for(const Image& in, float k1, float k2, const WarpOptions& options) {
  PlaceSampler::check("lens_distortion", in, options);
  return lens_of_size("lens_distortion", in.height(), in.width(), k1, k2);
}

PlaceFunction lens_places(const char* op, int height, int width, float k1, float k2) {
  check_size(op, height, width);
  const Lens lens = lens_of_size(op, height, width, k1, k2);
  const double turn = turning_distance(lens);
  if (turn < 1) {
    throw std::invalid_argument(fmt::format(
        "{}: with k1 = {} and k2 = {} the image shows some positions twice, so they have no single "
        "place; 1 + 3 k1 r^2 + 5 k2 r^4 must stay above 0 for r from 0 to 1",
        op, k1, k2));
  }
  return [lens, turn](double x, double y) {
    const double dx = x - lens.middle_x, dy = y - lens.middle_y;
    const double shown = std::sqrt((dx * dx + dy * dy) / lens.corner);
    if (shown == 0) return ImagePlace{x, y};
    const double most =
        std::isfinite(turn) ? shown_distance(lens, turn) : std::numeric_limits<double>::infinity();
    const double r = shown <= most ? solved_distance(lens, turn, shown) : turn + (shown - most);
    return ImagePlace{lens.middle_x + dx * (r / shown), lens.middle_y + dy * (r / shown)};
  };
}

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out) {
  const Lens lens = lens_for(in, k1, k2, options);
  out.create(in.height(), in.width(), in.channels());
  warp_places(
      in, options,
      [&](double x, double y) {
        const double dx = x - lens.middle_x, dy = y - lens.middle_y;
        const double r2 = (dx * dx + dy * dy) / lens.corner;
        const double longer = 1 + r2 * (lens.k1 + r2 * lens.k2);
        return ImagePlace{lens.middle_x + dx * longer, lens.middle_y + dy * longer};
      },
      out);
}

void check_elastic_params(const char* op, const ElasticParams& params) {
  check_number(op, "alpha", params.alpha, kLargestElasticAlpha);
  check_number(op, "sigma", params.sigma, kLargestElasticSigma);
}

void check_elastic(const Image& in, const ElasticParams& params, const WarpOptions& options) {
  PlaceSampler::check("elastic", in, options);
  check_elastic_params("elastic", params);
}

std::vector<float> elastic_weights(float sigma) {
  const int radius = (static_cast<int>(8 * sigma + 1) | 1) / 2;
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const double t = i / static_cast<double>(sigma);
    weights.push_back(std::exp(-0.5 * t * t));
    sum += weights.back();
  }
  std::vector<float> normalized;
  for (const double weight : weights) normalized.push_back(static_cast<float>(weight / sum));
  return normalized;
}

void blur_shifts(std::vector<float>& numbers, int height, int width, float sigma) {
  if (sigma == 0) return;
  const std::vector<float> weights = elastic_weights(sigma);
  const int count = static_cast<int>(weights.size()), radius = count / 2;
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> padded(columns + weights.size() - 1), across(numbers.size());
  std::vector<const float*> rows(weights.size());
  const auto row_of = [columns](auto& all, int y) {
    return all.data() + static_cast<std::size_t>(y) * columns;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = padded.data() + k;
  for (int y = 0; y < height; ++y) {
    const float* const from = row_of(numbers, y);
    float* const middle = padded.data() + radius;
    std::copy_n(from, width, middle);
    reflect_ends(middle, width, 1, radius);
    weighted_rows(rows.data(), weights.data(), count, width, row_of(across, y));
  }
  for (int y = 0; y < height; ++y) {
    for (int k = 0; k < count; ++k)
      rows[static_cast<std::size_t>(k)] = row_of(across, reflected(y + k - radius, height));
    weighted_rows(rows.data(), weights.data(), count, width, row_of(numbers, y));
  }
}

ElasticShifts elastic_shifts(const Random& random, int height, int width, float sigma) {
  RandomStream words(random.words());
  ElasticShifts shifts;
  for (std::vector<float>* numbers : {&shifts.along_x, &shifts.along_y}) {
    numbers->resize(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    for (float& number : *numbers) number = words.unit() * 2 - 1;
    blur_shifts(*numbers, height, width, sigma);
  }
  return shifts;
}

void elastic(const Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out) {
  check_elastic(in, params, options);
  const ElasticShifts shifts = elastic_shifts(random, in.height(), in.width(), params.sigma);
  out.create(in.height(), in.width(), in.channels());
  const double pixels = static_cast<double>(params.alpha) / 2;
  std::size_t i = 0;
  warp_places(
      in, options,
      [&](double x, double y) {
        const ImagePlace place{x + pixels * static_cast<double>(shifts.along_x[i]),
                               y + pixels * static_cast<double>(shifts.along_y[i])};
        ++i;
        return place;
      },
      out);
}

void check_jitter_window(int window_size) {
  if (window_size >= 1 && window_size <= kLargestJitterWindow && window_size % 2 == 1) return;
  throw std::invalid_argument(
      fmt::format("jitter: window_size must be an odd number between 1 and {}, not {}",
                  kLargestJitterWindow, window_size));
}

void jitter(Random& random, const Image& in, int window_size, Image& out) {
  check_pixels("jitter", in);
  check_jitter_window(window_size);
  const int radius = window_size / 2;
  // Always one draw, so that a pixel's numbers depend on its position only. All windows are small
  // enough that the result is practically uniform.
  const auto shift = [&] {
    const std::uint64_t places = static_cast<std::uint64_t>(window_size);
    return static_cast<int>(random.next() * places >> 32) - radius;
  };
  const auto channels = static_cast<std::size_t>(in.channels());
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < in.width(); ++x, to += channels) {
      const int row = std::clamp(y + shift(), 0, in.height() - 1);
      const int column = std::clamp(x + shift(), 0, in.width() - 1);
      std::memcpy(to, in.row(row) + static_cast<std::size_t>(column) * channels, channels);
    }
  }
}

}  // namespace sluice::kernels
