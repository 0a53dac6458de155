#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/random_words.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Pixels begin .. end - 1 of a line.
struct Extent {
  int begin = 0, end = 0;
};

// Returns the part of `length` pixels from `start` on that lies in 0 .. whole - 1.
Extent clipped(int start, int length, int whole) {
  const std::int64_t end = std::int64_t{start} + std::max(0, length);
  const int begin = std::clamp(start, 0, whole);
  return {begin, static_cast<int>(std::clamp<std::int64_t>(end, begin, whole))};
}

// Fills the part of the region inside the image with noise around the color.
void cover(const RandomWords& words, const Rectangle& region, const Fill& fill, float noise,
           Image& image) {
  const auto channels = static_cast<std::size_t>(image.channels());
  const auto width = static_cast<std::size_t>(image.width());
  const Extent rows = clipped(region.y, region.height, image.height());
  const Extent columns = clipped(region.x, region.width, image.width());
  const auto first = static_cast<std::size_t>(columns.begin) * channels,
             end = static_cast<std::size_t>(columns.end) * channels;
  const auto& quantiles = normal_quantiles();
  for (int y = rows.begin; y < rows.end; ++y) {
    std::uint8_t* const row = image.row(y);
    const std::size_t before = static_cast<std::size_t>(y) * width * channels;
    std::array<std::uint32_t, 4> block{};
    for (std::size_t at = first; at < end; ++at) {
      const std::size_t i = before + at;
      if (at == first || i % 8 == 0)
        block = words.block(kFirstNoiseBlock + static_cast<std::uint32_t>(i / 8));
      const std::uint32_t bits = block.at(i % 8 / 2) >> (i % 2 * 16) & 0xffff;
      row[at] = to_level(fill[static_cast<int>(at % channels)] +
                         static_cast<double>(noise) * static_cast<double>(quantiles[bits]));
    }
  }
}

// Fills the part of the region inside the image.
void cover(const Rectangle& region, const Fill& fill, Image& image) {
  const int channels = image.channels();
  const Extent rows = clipped(region.y, region.height, image.height());
  const Extent columns = clipped(region.x, region.width, image.width());
  const std::ptrdiff_t first = std::ptrdiff_t{columns.begin} * channels;
  const auto bytes =
      static_cast<std::size_t>(columns.end - columns.begin) * static_cast<std::size_t>(channels);
  for (int y = rows.begin; y < rows.end; ++y) {
    std::uint8_t* const part = image.row(y) + first;
    if (y > rows.begin) {
      std::memcpy(part, image.row(rows.begin) + first, bytes);
      continue;
    }
    for (int i = 0; i < columns.end - columns.begin; ++i) {
      for (int c = 0; c < channels; ++c) part[i * channels + c] = fill[c];
    }
  }
}

void check_part(const char* name, double value, bool is_size) {
  check_finite("erase", name, value);
  if (is_size && value < 0) {
    throw std::invalid_argument(
        fmt::format("erase: {} is {}; it must not be below zero", name, value));
  }
}

Extent extent_of(double start, double length, bool normalized, bool centered, int whole) {
  if (normalized) {
    start *= whole;
    length *= whole;
  }
  if (centered) start -= length / 2;
  const auto rounded = [whole](double place) {
    return static_cast<int>(std::clamp(std::floor(place + 0.5), 0.0, static_cast<double>(whole)));
  };
  return {rounded(start), rounded(start + length)};
}

void check_erasing(const RandomErasingParams& p) {
  const bool possible = p.probability >= 0 && p.probability <= 1 && p.min_area > 0 &&
                        p.min_area <= p.max_area && std::isfinite(p.max_area) && p.min_ratio > 0 &&
                        p.min_ratio <= p.max_ratio && std::isfinite(p.max_ratio) && p.attempts >= 0;
  if (possible) return;
  throw std::invalid_argument(fmt::format(
      "random_erasing: probability {}, areas {} .. {}, ratios {} .. {} and {} attempts are not "
      "possible; 0 <= probability <= 1, 0 < lowest <= highest and 0 <= attempts are needed",
      p.probability, p.min_area, p.max_area, p.min_ratio, p.max_ratio, p.attempts));
}

}  // namespace

void erase(const Image& in, const Rectangle& region, const Fill& fill, Image& out) {
  check_pixels("erase", in);
  copy_pixels(in, out);
  cover(region, fill, out);
}

void check_fill_noise(const char* op, float noise) { check_not_negative(op, "noise", noise); }

void erase_with_noise(const Random& random, const Image& in, const Rectangle& region,
                      const Fill& fill, float noise, Image& out) {
  check_pixels("erase_with_noise", in);
  check_fill_noise("erase_with_noise", noise);
  copy_pixels(in, out);
  cover(random.words(), region, fill, noise, out);
}

Rectangle erased_region(const ErasedPart& part, int height, int width) {
  check_size("erase", height, width);
  check_part("y", part.y, false);
  check_part("x", part.x, false);
  check_part("height", part.height, true);
  check_part("width", part.width, true);
  const Extent rows = extent_of(part.y, part.height, part.normalized, part.centered, height);
  const Extent columns = extent_of(part.x, part.width, part.normalized, part.centered, width);
  return {rows.begin, columns.begin, rows.end - rows.begin, columns.end - columns.begin};
}

Rectangle random_erasing_region(Random& random, int height, int width,
                                const RandomErasingParams& params) {
  check_size("random_erasing", height, width);
  check_erasing(params);
  if (random.unit_double() >= params.probability) return {};
  const double area = static_cast<double>(height) * width;
  const double log_low = std::log(params.min_ratio);
  const double log_high = std::log(params.max_ratio);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.unit_double();
  };
  for (int attempt = 0; attempt < params.attempts; ++attempt) {
    const double target = area * uniform(params.min_area, params.max_area);
    const double ratio = std::exp(uniform(log_low, log_high));
    const double exact_height = std::nearbyint(std::sqrt(target * ratio));
    const double exact_width = std::nearbyint(std::sqrt(target / ratio));
    if (exact_height < 1 || exact_width < 1 || exact_height >= height || exact_width >= width)
      continue;
    const int h = static_cast<int>(exact_height);
    const int w = static_cast<int>(exact_width);
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - h) + 1));
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - w) + 1));
    return {y, x, h, w};
  }
  return {};
}

std::vector<Rectangle> coarse_dropout_holes(Random& random, int height, int width,
                                            const CoarseDropout& params) {
  check_size("coarse_dropout", height, width);
  if (params.holes < 0 || params.holes > kMostHoles) {
    throw std::invalid_argument(fmt::format(
        "coarse_dropout: holes is {}; it must lie between 0 and {}", params.holes, kMostHoles));
  }
  check_not_negative("coarse_dropout", "height", params.height);
  check_not_negative("coarse_dropout", "width", params.width);
  if (params.normalized && (params.height > 1 || params.width > 1)) {
    throw std::invalid_argument(fmt::format(
        "coarse_dropout: height is {} and width is {}; as shares of the image they must "
        "lie between 0 and 1",
        params.height, params.width));
  }
  const auto side = [&](double length, int whole) {
    const double pixels = params.normalized ? length * whole : length;
    return static_cast<int>(std::min(std::floor(pixels + 0.5), static_cast<double>(whole)));
  };
  const int h = side(params.height, height), w = side(params.width, width);
  std::vector<Rectangle> holes(static_cast<std::size_t>(params.holes));
  for (Rectangle& hole : holes) {
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - h) + 1));
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - w) + 1));
    hole = {y, x, h, w};
  }
  return holes;
}

void coarse_dropout(Random& random, const Image& in, const CoarseDropout& params, const Fill& fill,
                    Image& out) {
  check_pixels("coarse_dropout", in);
  check_fill_noise("coarse_dropout", params.noise);
  const std::vector<Rectangle> holes =
      coarse_dropout_holes(random, in.height(), in.width(), params);
  copy_pixels(in, out);
  for (const Rectangle& hole : holes) {
    if (params.noise == 0) {
      cover(hole, fill, out);
    } else {
      cover(random.words(), hole, fill, params.noise, out);
    }
  }
}

namespace {

// Positions in the grid are multiples of 2^-32 pixels, so that squares and quarter turns have sharp
// edges.
constexpr double kGridOne = 0x1p32;
std::int64_t fixed_place(double value) { return std::llrint(value * kGridOne); }

void check_grid(const GridMask& mask) {
  // `value` keeps its type, so that a float is printed with the digits of a float.
  const auto check_number = [](const char* name, auto value, double low, double high) {
    if (!(value >= low && value <= high)) {
      throw std::invalid_argument(fmt::format("grid_mask: {} is {}; it must lie between {} and {}",
                                              name, value, low, high));
    }
  };
  check_number("tile", mask.tile, 1, kLargestTile);
  check_number("ratio", mask.ratio, 0, 1);
  check_number("degrees", mask.degrees, -kLargestShift, kLargestShift);
  check_number("shift_x", mask.shift_x, -kLargestShift, kLargestShift);
  check_number("shift_y", mask.shift_y, -kLargestShift, kLargestShift);
}

// A position along one axis of the grid, from 0 up to the tile's length.
class Phase {
 public:
  Phase(double start, std::int64_t step, std::int64_t tile)
      : at_(fixed_place(start) % tile), step_(step), tile_(tile) {
    if (at_ < 0) at_ += tile_;
  }
  std::int64_t at() const { return at_; }
  // A step is at most a pixel, and so at most a tile.
  void advance() {
    at_ += step_;
    if (at_ >= tile_) at_ -= tile_;
    if (at_ < 0) at_ += tile_;
  }

 private:
  std::int64_t at_, step_, tile_;
};

}  // namespace

GridSteps grid_steps(const GridMask& mask) {
  check_grid(mask);
  const double angle = mask.degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  return {cosine,
          sine,
          fixed_place(cosine),
          fixed_place(sine),
          std::int64_t{mask.tile} << 32,
          std::llrint(double{mask.ratio} * mask.tile * 256) << 24};
}

void grid_mask(const Image& in, const GridMask& mask, Image& out) {
  check_pixels("grid_mask", in);
  const auto [cosine, sine, step_u, step_v, tile, side] = grid_steps(mask);
  const int channels = in.channels();
  out.create(in.height(), in.width(), channels);
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* to = out.row(y);
    std::copy_n(in.row(y), in.row_bytes(), to);
    const double dx = -double{mask.shift_x}, dy = y - double{mask.shift_y};
    Phase u(dx * cosine - dy * sine, step_u, tile);
    Phase v(dx * sine + dy * cosine, step_v, tile);
    for (int x = 0; x < in.width(); ++x, to += channels) {
      if (u.at() < side && v.at() < side) {
        for (int c = 0; c < channels; ++c) to[c] = mask.fill[c];
      }
      u.advance();
      v.advance();
    }
  }
}

void check_paste(const Image& in, const Image& patch, const Image* mask, float alpha) {
  check_pixels("paste", in);
  check_pixels("paste", patch);
  if (patch.channels() != in.channels()) {
    throw std::invalid_argument(
        fmt::format("paste: the image has {} and the patch {}; convert one of them first",
                    counted(in.channels(), "channel"), patch.channels()));
  }
  if (!(alpha >= 0 && alpha <= 1)) {
    throw std::invalid_argument(
        fmt::format("paste: alpha is {}; it must lie between 0 and 1", alpha));
  }
  if (mask == nullptr) return;
  check_pixels("paste", *mask);
  if (mask->height() == patch.height() && mask->width() == patch.width() && mask->channels() == 1)
    return;
  throw std::invalid_argument(
      fmt::format("paste: the mask is {} x {} (height x width) with {}; it must be {} x "
                  "{}, as the patch, with one channel",
                  mask->height(), mask->width(), counted(mask->channels(), "channel"),
                  patch.height(), patch.width()));
}

namespace {

// Returns (base * (255 - weight) + patch * weight) / 255, rounded to nearest. 16 bits are enough,
// and two shifts divide numbers below 65535 by 255.
std::uint8_t mixed(std::uint16_t base, std::uint16_t patch, std::uint16_t weight) {
  const auto sum = static_cast<std::uint16_t>(base * (255 - weight) + patch * weight + 127);
  return static_cast<std::uint8_t>(static_cast<std::uint16_t>(sum + 1 + (sum >> 8)) >> 8);
}

void mix_row(const std::uint8_t* __restrict from, std::uint16_t weight, std::int64_t bytes,
             std::uint8_t* __restrict to) {
  for (std::int64_t i = 0; i < bytes; ++i) to[i] = mixed(to[i], from[i], weight);
}

}  // namespace

void paste(const Image& in, const Image& patch, const Image* mask, const PastePlace& place,
           Image& out) {
  check_paste(in, patch, mask, place.alpha);
  const int channels = in.channels();
  copy_pixels(in, out);  // faster than skipping the pasted part

  // The visible part of the patch, in its coordinates.
  const auto first = [](int at) { return std::max<std::int64_t>(0, -std::int64_t{at}); };
  const auto end = [](int length, int at, int limit) {
    return std::min<std::int64_t>(length, std::int64_t{limit} - at);
  };
  const std::int64_t left = first(place.x), right = end(patch.width(), place.x, in.width());
  if (left >= right) return;
  std::array<std::uint16_t, 256> weight_of;  // for each value of the mask
  for (std::size_t level = 0; level < weight_of.size(); ++level) {
    weight_of[level] = static_cast<std::uint16_t>(
        std::lround(static_cast<double>(place.alpha) * static_cast<double>(level)));
  }
  const std::uint16_t whole = weight_of[255];
  for (std::int64_t y = first(place.y); y < end(patch.height(), place.y, in.height()); ++y) {
    std::uint8_t* to = out.row(static_cast<int>(place.y + y)) + (place.x + left) * channels;
    const std::uint8_t* from = patch.row(static_cast<int>(y)) + left * channels;
    const std::int64_t bytes = (right - left) * channels;
    if (mask == nullptr && whole == 255) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    } else if (mask == nullptr) {
      mix_row(from, whole, bytes, to);
    } else {
      const std::uint8_t* weights = mask->row(static_cast<int>(y)) + left;
      for (std::int64_t x = 0; x < right - left; ++x, to += channels, from += channels) {
        const std::uint16_t weight = weight_of[weights[x]];
        for (int c = 0; c < channels; ++c) to[c] = mixed(to[c], from[c], weight);
      }
    }
  }
}

}  // namespace sluice::kernels
