#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/color_rows.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

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

FloatMatrix float_matrix(const ColorMatrix& matrix) {
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

void apply_color_matrix(const Image& in, const ColorMatrix& matrix, Image& out) {
  const FloatMatrix floats = float_matrix(matrix);
  out.create(in.height(), in.width(), in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    color_matrix_of_pixels(floats, from, pixels, in.channels(), to);
  });
}

ColorMatrix saturation_matrix(float factor) {
  check_not_negative("saturation", "factor", factor);
  const double f = factor;
  ColorMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const double luma = kLumaOf65536[column] / 65536.0;
      matrix[row][column] = (1 - f) * luma + (row == column ? f : 0);
    }
  }
  return matrix;
}

void saturation(const Image& in, float factor, Image& out) {
  check_colors("saturation", in);
  const ColorMatrix matrix = saturation_matrix(factor);
  if (in.channels() == 1) return crop(in, {0, 0, in.height(), in.width()}, out);
  apply_color_matrix(in, matrix, out);
}

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

void check_twist(const ColorTwist& twist) {
  check_not_negative("color_twist", "brightness", twist.brightness);
  check_not_negative("color_twist", "contrast", twist.contrast);
  check_not_negative("color_twist", "saturation", twist.saturation);
  check_finite("color_twist", "hue", twist.hue);
}

}  // namespace

ColorMatrix color_twist_matrix(const ColorTwist& twist) {
  check_twist(twist);
  const double angle = twist.hue * (std::numbers::pi / 180);
  const double cosine = std::cos(angle) * twist.saturation;
  const double sine = std::sin(angle) * twist.saturation;
  const Matrix turned{{{1, 0, 0}, {0, cosine, sine}, {0, -sine, cosine}}};
  const bool same_colors = twist.hue == 0 && twist.saturation == 1;
  const Matrix rgb = same_colors ? kIdentity : product(product(kRgbOfYiq, turned), kYiqOfRgb);
  const double brightness = twist.brightness;
  ColorMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) matrix[row][i] = brightness * twist.contrast * rgb[row][i];
    matrix[row][3] = brightness * 128 * (1.0 - twist.contrast);
  }
  return matrix;
}

void color_twist(const Image& in, const ColorTwist& twist, Image& out) {
  check_colors("color_twist", in);
  const ColorMatrix matrix = color_twist_matrix(twist);
  if (in.channels() == 1) return brightness_contrast(in, twist.brightness, twist.contrast, out);
  apply_color_matrix(in, matrix, out);
}

void hue(const Image& in, float degrees, Image& out) {
  check_colors("hue", in);
  check_finite("hue", "degrees", degrees);
  if (in.channels() == 1) return crop(in, {0, 0, in.height(), in.width()}, out);
  const double turn = std::fmod(static_cast<double>(degrees), 360.0);
  const auto sixths = static_cast<float>((turn < 0 ? turn + 360 : turn) / 60);
  map_planes(in, out,
             [&](Planes& planes, std::size_t count) { hue_of_planes(sixths, count, planes); });
}

void check_gray_channels(int channels) {
  if (channels != 1 && channels != 3) {
    throw std::invalid_argument(
        fmt::format("grayscale: channels is {}; it must be 1 or 3", channels));
  }
}

void grayscale(const Image& in, int channels, Image& out) {
  check_colors("grayscale", in);
  check_gray_channels(channels);
  out.create(in.height(), in.width(), channels);
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    const int before = in.channels();
    if (channels == 1) {
      if (before == 1) {
        std::copy_n(from, pixels, to);
      } else {
        luma_of_pixels(from, pixels, before, to);
      }
      return;
    }
    if (before == 1) return repeat_thrice(from, pixels, to);
    std::array<std::uint8_t, 1024> luma;
    for (std::size_t at = 0; at < pixels; at += luma.size()) {
      const std::size_t count = std::min(luma.size(), pixels - at);
      luma_of_pixels(from + at * static_cast<std::size_t>(before), count, before, luma.data());
      repeat_thrice(luma.data(), count, to + 3 * at);
    }
  });
}

void check_channel_order(const ChannelOrder& order) {
  constexpr ChannelOrder kAll{0, 1, 2};
  if (!std::is_permutation(order.begin(), order.end(), kAll.begin())) {
    throw std::invalid_argument(
        fmt::format("permute_channels: first, second and third are {}, {} and {}; they must be 0, "
                    "1 and 2 in some order",
                    order[0], order[1], order[2]));
  }
}

ColorMatrix channel_order_matrix(const ChannelOrder& order) {
  check_channel_order(order);
  ColorMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) matrix[row][static_cast<std::size_t>(order[row])] = 1;
  return matrix;
}

void permute_channels(const Image& in, const ChannelOrder& order, Image& out) {
  check_three_colors("permute_channels", in);
  check_channel_order(order);
  Planes before;
  map_planes(in, out, [&](Planes& planes, std::size_t count) {
    for (std::size_t c = 0; c < 3; ++c)
      std::copy_n(planes.channel[c].data(), count, before.channel[c].data());
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& from = before.channel[static_cast<std::size_t>(order[c])];
      std::copy_n(from.data(), count, planes.channel[c].data());
    }
  });
}

void check_dropped_channel(int channels, int channel) {
  if (channel >= 0 && channel < channels) return;
  throw std::invalid_argument(
      fmt::format("channel_dropout: channel is {}, but the image has {}; it must lie between 0 and "
                  "{}",
                  channel, counted(channels, "channel"), channels - 1));
}

void channel_dropout(const Image& in, int channel, std::uint8_t fill, Image& out) {
  check_pixels("channel_dropout", in);
  check_dropped_channel(in.channels(), channel);
  out.create(in.height(), in.width(), in.channels());
  const auto channels = static_cast<std::size_t>(in.channels());
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* const to = out.row(y);
    std::copy_n(in.row(y), in.row_bytes(), to);
    for (auto i = static_cast<std::size_t>(channel); i < in.row_bytes(); i += channels)
      to[i] = fill;
  }
}

ColorMatrix rgb_shift_matrix(const RgbShift& shift) {
  check_finite("rgb_shift", "red", shift.red);
  check_finite("rgb_shift", "green", shift.green);
  check_finite("rgb_shift", "blue", shift.blue);
  return {{{1, 0, 0, shift.red}, {0, 1, 0, shift.green}, {0, 0, 1, shift.blue}}};
}

void rgb_shift(const Image& in, const RgbShift& shift, Image& out) {
  check_three_colors("rgb_shift", in);
  apply_color_matrix(in, rgb_shift_matrix(shift), out);
}

namespace {

constexpr double kRed = 0.299, kGreen = 0.587, kBlue = 0.114;
// The maxima of the differences B - Y and R - Y, as multiples of 127.5.
constexpr double kCb = 2 * (1 - kBlue), kCr = 2 * (1 - kRed);

constexpr ColorMatrix kYcbcrOfRgb{{{kRed, kGreen, kBlue, 0},
                                   {-kRed / kCb, -kGreen / kCb, (1 - kBlue) / kCb, 128},
                                   {(1 - kRed) / kCr, -kGreen / kCr, -kBlue / kCr, 128}}};
constexpr double kGreenCb = -kBlue / kGreen * kCb, kGreenCr = -kRed / kGreen * kCr;
constexpr ColorMatrix kRgbOfYcbcr{{{1, 0, kCr, -128 * kCr},
                                   {1, kGreenCb, kGreenCr, -128 * (kGreenCb + kGreenCr)},
                                   {1, kCb, 0, -128 * kCb}}};

}  // namespace

ColorMatrix color_space_matrix(PixelFormat from, PixelFormat to) {
  if (to == PixelFormat::ycbcr) {
    ColorMatrix matrix = kYcbcrOfRgb;
    if (from == PixelFormat::bgr) {
      for (auto& row : matrix) std::swap(row[0], row[2]);
    }
    return matrix;
  }
  if (from == PixelFormat::ycbcr) {
    ColorMatrix matrix = kRgbOfYcbcr;
    if (to == PixelFormat::bgr) std::swap(matrix[0], matrix[2]);
    return matrix;
  }
  return {{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}};
}

void color_space_conversion(const Image& in, PixelFormat from, PixelFormat to, Image& out) {
  check_three_colors("color_space_conversion", in);
  if (from == to) return crop(in, {0, 0, in.height(), in.width()}, out);
  if (from != PixelFormat::ycbcr && to != PixelFormat::ycbcr)
    return permute_channels(in, {2, 1, 0}, out);
  apply_color_matrix(in, color_space_matrix(from, to), out);
}

namespace {

// Returns the weighted sum of the rows, plus a constant.
MatrixRow sum_of(const ColorMatrix& rows, const MatrixRow& weights) {
  MatrixRow sum{0, 0, 0, weights[3]};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] += weights[row] * rows[row][i];
  }
  return sum;
}

}  // namespace

ComposedColors::ComposedColors(const Image& from) : from_(&from), channels_(from.channels()) {
  for (std::size_t row = 0; row < (channels_ < 3 ? 1 : 3); ++row) matrix_[row][row] = 1;
}

void ComposedColors::check_pixels(const char* op) const { kernels::check_pixels(op, *from_); }

void ComposedColors::check_colors(const char* op) const {
  check_pixels(op);
  check_color_channels(op, channels_);
}

void ComposedColors::check_three_colors(const char* op) const {
  check_pixels(op);
  check_three_channels(op, channels_);
}

void ComposedColors::apply(const ColorMatrix& matrix) {
  const ColorMatrix before = matrix_;
  for (std::size_t row = 0; row < 3; ++row) matrix_[row] = sum_of(before, matrix[row]);
}

void ComposedColors::map_levels(double factor, double offset) {
  for (std::size_t row = 0; row < (channels_ < 3 ? 1 : 3); ++row) {
    for (double& number : matrix_[row]) number *= factor;
    matrix_[row][3] += offset;
  }
  if (channels_ != 4) return;
  fourth_factor_ *= factor;
  fourth_offset_ = factor * fourth_offset_ + offset;
}

void ComposedColors::set_channel(int channel, double level) {
  if (channel < 3) {
    matrix_[static_cast<std::size_t>(channel)] = {0, 0, 0, level};
  } else {
    fourth_factor_ = 0;
    fourth_offset_ = level;
  }
}

void ComposedColors::to_gray(int channels) {
  MatrixRow gray = matrix_[0];
  if (channels_ != 1) {
    MatrixRow weights{};
    for (std::size_t c = 0; c < 3; ++c) weights[c] = static_cast<double>(kLumaOf65536[c]) / 65536.0;
    gray = sum_of(matrix_, weights);
  }
  matrix_ = {};
  for (std::size_t row = 0; row < static_cast<std::size_t>(channels); ++row) matrix_[row] = gray;
  channels_ = channels;
}

std::optional<Lut> ComposedColors::fourth() const {
  if (channels_ != 4 || (fourth_factor_ == 1 && fourth_offset_ == 0)) return {};
  return lut_of([this](double x) { return fourth_factor_ * x + fourth_offset_; });
}

void ComposedColors::write_to(Image& out) const {
  const std::optional<Lut> table = fourth();
  if (!table && channels_ != 1 && channels_ == from_->channels())
    return apply_color_matrix(*from_, matrix_, out);
  const FloatMatrix floats = float_matrix(matrix_);
  map_planes(*from_, channels_, out, [&](Planes& planes, std::size_t count) {
    color_matrix_of_planes(floats, count, planes);
    if (!table) return;
    for (std::size_t i = 0; i < count; ++i) planes.channel[3][i] = (*table)[planes.channel[3][i]];
  });
}

}  // namespace sluice::kernels
