#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Rounds to the nearest integer, halves to even, like Python.
int round_half_even(double value) { return static_cast<int>(std::nearbyint(value)); }

void check_crop_params(const RandomCropParams& p) {
  const auto check_range = [](const char* name, double low, double high) {
    if (!(low > 0.0 && low <= high) || !std::isfinite(high)) {
      throw std::invalid_argument(
          fmt::format("random_resized_crop: the {} range {} .. {} is not possible; 0 < lowest <= "
                      "highest is needed",
                      name, low, high));
    }
  };
  check_range("scale", p.scale_low, p.scale_high);
  check_range("ratio", p.ratio_low, p.ratio_high);
  if (p.attempts < 0) {
    throw std::invalid_argument(
        fmt::format("random_resized_crop: attempts is {}; 0 or more is needed", p.attempts));
  }
}

}  // namespace

Rectangle random_resized_crop_region(Random& random, int height, int width,
                                     const RandomCropParams& params) {
  check_size("random_resized_crop", height, width);
  check_crop_params(params);
  const double area = static_cast<double>(height) * width;
  const double log_low = std::log(params.ratio_low);
  const double log_high = std::log(params.ratio_high);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.unit_double();
  };
  for (int attempt = 0; attempt < params.attempts; ++attempt) {
    const double target = area * uniform(params.scale_low, params.scale_high);
    const double ratio = std::exp(uniform(log_low, log_high));
    const double exact_width = std::sqrt(target * ratio);
    const double exact_height = std::sqrt(target / ratio);
    // Compare before rounding too, since huge ratios exceed the range of int.
    if (exact_width > width + 1.0 || exact_height > height + 1.0) continue;
    const int w = round_half_even(exact_width);
    const int h = round_half_even(exact_height);
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - h) + 1));
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - w) + 1));
    return {y, x, h, w};
  }
  const double ratio = static_cast<double>(width) / height;
  int h = height;
  int w = width;
  if (ratio < params.ratio_low) {
    h = std::max(1, round_half_even(w / params.ratio_low));
  } else if (ratio > params.ratio_high) {
    w = std::max(1, round_half_even(h * params.ratio_high));
  }
  return {(height - h) / 2, (width - w) / 2, h, w};
}

Rectangle center_crop_region(int height, int width, int crop_height, int crop_width) {
  check_size("center_crop", height, width);
  if (crop_height < 1 || crop_width < 1 || crop_height > height || crop_width > width) {
    throw std::invalid_argument(
        fmt::format("center_crop: a crop of {} x {} (height x width) does not fit into an image of "
                    "{} x {}; resize it first",
                    crop_height, crop_width, height, width));
  }
  return {round_half_even((height - crop_height) / 2.0),
          round_half_even((width - crop_width) / 2.0), crop_height, crop_width};
}

ImageSize resize_shorter_size(int height, int width, int shorter) {
  check_size("resize_shorter", height, width);
  check_size("resize_shorter", shorter, shorter);
  const auto longer = [&](int long_side, int short_side) {
    return static_cast<int>(std::int64_t{shorter} * long_side / short_side);
  };
  const ImageSize size = width <= height ? ImageSize{longer(height, width), shorter}
                                         : ImageSize{shorter, longer(width, height)};
  check_size("resize_shorter", size.height, size.width);
  return size;
}

ShownPart shown_part(int length, int window, float scale, float share) {
  check_size("scaled_region", length, length);
  if (window < 1 || !(scale > 0) || !std::isfinite(scale) || !(share >= 0 && share <= 1)) {
    throw std::invalid_argument(
        fmt::format("scaled_region: a window of {} pixels, scale {} and share {} are not possible; "
                    "they must be at least 1, above 0, and 0 to 1",
                    window, scale, share));
  }
  const auto rounded = [](double exact) { return std::floor(exact + 0.5); };
  const double factor = static_cast<double>(scale);
  const double scaled = std::max(1.0, rounded(factor * length));
  if (scaled <= window) return {0, length, static_cast<int>(scaled)};
  const int shown = static_cast<int>(std::clamp<double>(rounded(window / factor), 1, length));
  return {static_cast<int>(rounded(static_cast<double>(share) * (length - shown))), shown, window};
}

}  // namespace sluice::kernels

namespace sluice {}  // namespace sluice

namespace sluice::kernels {
namespace {

// The part of `length` positions from `from` on that lies in 0 .. limit - 1.
struct Stretch {
  std::int64_t begin = 0, end = 0;
};
Stretch inside(int from, int length, int limit) {
  return {std::max<std::int64_t>(from, 0),
          std::min<std::int64_t>(std::int64_t{from} + length, limit)};
}

}  // namespace

void crop(const Image& in, const Rectangle& region, Image& out) {
  check_pixels("crop", in);
  check_region("crop", region, in);
  out.create(region.height, region.width, in.channels());
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(region.x) * in.channels();
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), in.row(region.y + y) + left, out.row_bytes());
  }
}

void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out) {
  check_pixels("crop", in);
  check_size("crop", region.height, region.width);
  const auto channels = static_cast<std::size_t>(in.channels());
  out.create(region.height, region.width, in.channels());
  std::vector<std::uint8_t> color(out.row_bytes());
  for (std::size_t i = 0; i < color.size(); ++i) color[i] = fill[static_cast<int>(i % channels)];
  const Stretch columns = inside(region.x, region.width, in.width());
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), color.data(), color.size());
    const std::int64_t row = std::int64_t{region.y} + y;
    if (row < 0 || row >= in.height() || columns.begin >= columns.end) continue;
    const auto bytes = static_cast<std::size_t>(columns.end - columns.begin) * channels;
    std::memcpy(out.row(y) + static_cast<std::size_t>(columns.begin - region.x) * channels,
                in.row(static_cast<int>(row)) + static_cast<std::size_t>(columns.begin) * channels,
                bytes);
  }
}

Rectangle trimmed(const Rectangle& region, int height, int width) {
  const Stretch rows = inside(region.y, region.height, height);
  const Stretch columns = inside(region.x, region.width, width);
  if (rows.begin < rows.end && columns.begin < columns.end) {
    return {static_cast<int>(rows.begin), static_cast<int>(columns.begin),
            static_cast<int>(rows.end - rows.begin), static_cast<int>(columns.end - columns.begin)};
  }
  throw std::invalid_argument(
      fmt::format("crop: a region of {} x {} (height x width) at y = {}, x = {} lies outside of "
                  "the image of {} x {}",
                  region.height, region.width, region.y, region.x, height, width));
}

namespace {

void check_margins(const Margins& margins) {
  const struct {
    const char* name;
    int pixels;
  } all[] = {{"left", margins.left},
             {"top", margins.top},
             {"right", margins.right},
             {"bottom", margins.bottom}};
  for (const auto& margin : all) {
    if (margin.pixels >= 0 && margin.pixels <= 65535) continue;
    throw std::invalid_argument(fmt::format("pad_image: {} must lie between 0 and 65535, not {}",
                                            margin.name, margin.pixels));
  }
}

// Returns the row or column, of `length`, that fills a position beyond the border.
int source_of(int at, int length, Border border) {
  if (border != Border::reflect || length == 1) return std::clamp(at, 0, length - 1);
  const int period = 2 * (length - 1);
  const int within = ((at % period) + period) % period;
  return within < length ? within : period - within;
}

// Writes a row of the image with its left and right margins.
template <std::size_t channels>
void pad_row(const std::uint8_t* from, std::size_t bytes, const std::vector<int>& left,
             const std::vector<int>& right, std::uint8_t* to) {
  const auto margin = [&](const std::vector<int>& columns) {
    for (const int column : columns) {
      std::memcpy(to, from + static_cast<std::size_t>(column) * channels, channels);
      to += channels;
    }
  };
  margin(left);
  std::memcpy(to, from, bytes);
  to += bytes;
  margin(right);
}

// The output has no gaps, so the right margin of a row and the left one of the next are one run.
void pad_with_color(const Image& in, const Margins& margins, const Fill& fill, Image& out) {
  const auto channels = static_cast<std::size_t>(in.channels());
  bool equal = true;
  for (int c = 1; c < in.channels(); ++c) equal = equal && fill[c] == fill[0];
  std::vector<std::uint8_t> color(equal ? 0 : out.row_bytes());
  for (std::size_t i = 0; i < color.size(); ++i)
    color[i] = i < channels ? fill[static_cast<int>(i)] : color[i - channels];
  std::uint8_t* to = out.data();
  const auto write_color = [&](std::size_t bytes) {
    if (equal) {
      std::memset(to, fill[0], bytes);
      to += bytes;
      return;
    }
    while (bytes > 0) {
      const std::size_t part = std::min(bytes, color.size());
      std::memcpy(to, color.data(), part);
      to += part;
      bytes -= part;
    }
  };
  const auto run_of = [&](int rows, int pixels) {
    return static_cast<std::size_t>(rows) * out.row_bytes() +
           static_cast<std::size_t>(pixels) * channels;
  };
  write_color(run_of(margins.top, margins.left));
  for (int y = 0; y < in.height(); ++y) {
    std::memcpy(to, in.row(y), in.row_bytes());
    to += in.row_bytes();
    const bool last = y + 1 == in.height();
    write_color(last ? run_of(margins.bottom, margins.right)
                     : run_of(0, margins.right + margins.left));
  }
}

}  // namespace

void pad(const Image& in, const Margins& margins, Border border, const Fill& fill, Image& out) {
  check_pixels("pad_image", in);
  check_margins(margins);
  const int height = in.height() + margins.top + margins.bottom;
  const int width = in.width() + margins.left + margins.right;
  check_size("pad_image", height, width);
  out.create(height, width, in.channels());
  const auto channels = static_cast<std::size_t>(in.channels());

  if (border == Border::constant) return pad_with_color(in, margins, fill, out);

  std::vector<int> left, right;
  for (int x = -margins.left; x < 0; ++x) left.push_back(source_of(x, in.width(), border));
  for (int x = 0; x < margins.right; ++x)
    right.push_back(source_of(in.width() + x, in.width(), border));
  constexpr decltype(&pad_row<1>) kPadRow[] = {pad_row<1>, pad_row<2>, pad_row<3>, pad_row<4>};
  for (int row = 0; row < in.height(); ++row)
    kPadRow[channels - 1](in.row(row), in.row_bytes(), left, right, out.row(margins.top + row));
  for (int y = 0; y < height; ++y) {
    const int row = y - margins.top;
    if (row >= 0 && row < in.height()) continue;
    std::memcpy(out.row(y), out.row(margins.top + source_of(row, in.height(), border)),
                out.row_bytes());
  }
}

Margins margins_up_to(const Margins& least, int in_height, int in_width, int height, int width) {
  check_margins(least);
  Margins margins = least;
  margins.bottom = std::max(least.bottom, height - in_height - least.top);
  margins.right = std::max(least.right, width - in_width - least.left);
  return margins;
}

namespace {

int scaled(int length, float ratio) {
  const double exact = std::round(static_cast<double>(length) * static_cast<double>(ratio));
  return static_cast<int>(std::min(exact, 1e9));  // larger than any image
}

int before(int free, float share) {
  return static_cast<int>(std::round(static_cast<double>(free) * static_cast<double>(share)));
}

void check_share(const char* name, float share) {
  if (share >= 0 && share <= 1) return;
  throw std::invalid_argument(
      fmt::format("expand: {} is {}; it must lie between 0 and 1", name, share));
}

}  // namespace

Expanded expanded(const ExpandParams& params, int height, int width) {
  if (!(params.ratio >= 1)) {
    throw std::invalid_argument(
        fmt::format("expand: ratio is {}; it must be at least 1", params.ratio));
  }
  check_share("y", params.y);
  check_share("x", params.x);
  const ImageSize canvas{scaled(height, params.ratio), scaled(width, params.ratio)};
  check_size("expand", canvas.height, canvas.width);
  return {canvas,
          {before(canvas.height - height, params.y), before(canvas.width - width, params.x), height,
           width}};
}

void expand(const Image& in, const ExpandParams& params, const Fill& fill, Image& out) {
  check_pixels("expand", in);
  const auto [canvas, image] = expanded(params, in.height(), in.width());
  crop_padded(in, {-image.y, -image.x, canvas.height, canvas.width}, fill, out);
}

void flip(const Image& in, bool horizontal, bool vertical, Image& out) {
  check_pixels("flip", in);
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(vertical ? in.height() - 1 - y : y);
    if (horizontal) {
      flip_row(from, in.width(), in.channels(), out.row(y));
    } else {
      std::memcpy(out.row(y), from, in.row_bytes());
    }
  }
}

namespace {

// Row y of the output is column y of the input, counted from the left or the right. Its pixels come
// from top to bottom or from bottom to top.
void columns_to_rows(const char* op, const Image& in, const Symmetry& order, Image& out) {
  check_pixels(op, in);
  out.create(in.width(), in.height(), in.channels());
  const std::ptrdiff_t in_stride = in.row_stride(), out_stride = out.row_stride();
  transpose_rows(in.row(order.from_bottom ? in.height() - 1 : 0),
                 order.from_bottom ? -in_stride : in_stride, in.width(), in.height(), in.channels(),
                 out.row(order.from_right ? out.height() - 1 : 0),
                 order.from_right ? -out_stride : out_stride);
}

}  // namespace

void transpose(const Image& in, Image& out) { columns_to_rows("transpose", in, {}, out); }

void turn_left(const Image& in, Image& out) {
  columns_to_rows("rotate", in, symmetry_of_turns(1), out);
}

void turn_right(const Image& in, Image& out) {
  columns_to_rows("rotate", in, symmetry_of_turns(-1), out);
}

Symmetry symmetry_of(int element) {
  if (element < 0 || element > 7) {
    throw std::invalid_argument(
        fmt::format("d4: element is {}; it must lie between 0 and 7", element));
  }
  const bool flipped = element >= 4;
  const int turns = element % 4;
  return {turns % 2 == 1, flipped != (turns == 1 || turns == 2), turns >= 2};
}

Symmetry symmetry_of_turns(int turns) { return symmetry_of((turns % 4 + 4) % 4); }

namespace {

void move_by(const char* op, const Image& in, const Symmetry& symmetry, Image& out) {
  check_pixels(op, in);
  if (symmetry.transposes) return columns_to_rows(op, in, symmetry, out);
  flip(in, symmetry.from_right, symmetry.from_bottom, out);
}

}  // namespace

void rot90(const Image& in, int turns, Image& out) {
  move_by("rot90", in, symmetry_of_turns(turns), out);
}

void d4(const Image& in, int element, Image& out) { move_by("d4", in, symmetry_of(element), out); }

}  // namespace sluice::kernels
