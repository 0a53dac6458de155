#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/color_rows.h>
#include <sluice/ops/kernels/level_rows.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/row_source.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {

Lut rounded_table(const std::array<float, 256>& numbers) {
  Lut table{};
  std::transform(numbers.begin(), numbers.end(), table.begin(),
                 [](float number) { return to_level(static_cast<double>(number)); });
  return table;
}

void map_levels(const Image& in, const Lut& table, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  const auto channels = static_cast<std::size_t>(in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    map_pixels(from, pixels * channels, {&table, 1}, to);
  });
}

void map_channels(const Image& in, std::span<const Lut> tables, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    map_pixels(from, pixels, tables, to);
  });
}

void map_colors(const Image& in, const Lut& table, Image& out) {
  if (in.channels() < 4) return map_levels(in, table, out);
  map_channels(in, std::array{table, table, table, same_levels()}, out);
}

Lut solarize_table(float threshold) {
  if (!(threshold >= 0.f && threshold <= 256.f)) {
    throw std::invalid_argument(
        fmt::format("solarize: threshold is {}; it must lie in 0 .. 256", threshold));
  }
  return lut_of([&](double x) { return x >= threshold ? 255 - x : x; });
}

void solarize(const Image& in, float threshold, Image& out) {
  check_pixels("solarize", in);
  map_levels(in, solarize_table(threshold), out);
}

Lut posterize_table(int bits) {
  if (bits < 1 || bits > 8)
    throw std::invalid_argument(fmt::format("posterize: bits is {}; it must lie in 1 .. 8", bits));
  const unsigned mask = 256u - (1u << (8 - bits));
  Lut table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = static_cast<std::uint8_t>(x & mask);
  return table;
}

void posterize(const Image& in, int bits, Image& out) {
  check_pixels("posterize", in);
  map_levels(in, posterize_table(bits), out);
}

Lut gamma_correction_table(float gamma, float gain) {
  check_not_negative("gamma_correction", "gamma", gamma);
  check_not_negative("gamma_correction", "gain", gain);
  const double power = gamma;
  const double scale = 255.0 * gain;
  return lut_of([&](double x) { return scale * std::pow(x / 255.0, power); });
}

void gamma_correction(const Image& in, float gamma, float gain, Image& out) {
  check_pixels("gamma_correction", in);
  map_levels(in, gamma_correction_table(gamma, gain), out);
}

void check_brightness_contrast(float brightness, float contrast, float contrast_center,
                               float shift) {
  check_not_negative("brightness_contrast", "brightness", brightness);
  check_not_negative("brightness_contrast", "contrast", contrast);
  check_finite("brightness_contrast", "contrast_center", contrast_center);
  check_finite("brightness_contrast", "brightness_shift", shift);
}

Lut brightness_contrast_table(float brightness, float contrast, float contrast_center,
                              float shift) {
  check_brightness_contrast(brightness, contrast, contrast_center, shift);
  const double center = contrast_center;
  const double more = 255.0 * static_cast<double>(shift);
  return lut_of([&](double x) { return ((x - center) * contrast + center) * brightness + more; });
}

void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         float shift, Image& out) {
  check_pixels("brightness_contrast", in);
  map_levels(in, brightness_contrast_table(brightness, contrast, contrast_center, shift), out);
}

void contrast(const Image& in, float factor, Image& out) {
  check_colors("contrast", in);
  check_not_negative("contrast", "factor", factor);
  const double f = factor;
  const double rest = (1 - f) * mean_luma(in);
  map_colors(in, lut_of([&](double x) { return f * x + rest; }), out);
}

namespace {

struct Range {
  std::uint8_t lowest = 255, highest = 0;
};

void widen(Range& range, const std::uint8_t* levels, std::size_t count) {
  // Separate loops, so that compilers can vectorize them.
  std::uint8_t lowest = range.lowest, highest = range.highest;
  for (std::size_t i = 0; i < count; ++i) lowest = std::min(lowest, levels[i]);
  for (std::size_t i = 0; i < count; ++i) highest = std::max(highest, levels[i]);
  range = {lowest, highest};
}

std::array<Range, 3> ranges_of(const Image& in) {
  std::array<Range, 3> ranges;
  Planes planes;
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    if (in.channels() == 1) {
      widen(ranges[0], in.row(y), width);
      continue;
    }
    for (std::size_t x = 0; x < width; x += kPlanePixels) {
      const std::size_t count = std::min(kPlanePixels, width - x);
      split_planes(in.row(y) + x * static_cast<std::size_t>(in.channels()), count, in.channels(),
                   planes);
      for (std::size_t c = 0; c < 3; ++c) widen(ranges[c], planes.channel[c].data(), count);
    }
  }
  return ranges;
}

Lut stretching_table(const Range& range) {
  Lut table = same_levels();
  if (range.highest <= range.lowest) return table;
  const int width = range.highest - range.lowest;
  for (int x = range.lowest; x <= range.highest; ++x) {
    table[static_cast<std::size_t>(x)] =
        static_cast<std::uint8_t>((x - range.lowest) * 255 / width);
  }
  return table;
}

}  // namespace

void autocontrast(const Image& in, Image& out) {
  check_colors("autocontrast", in);
  const std::array<Range, 3> ranges = ranges_of(in);
  const std::array<Lut, 4> tables{stretching_table(ranges[0]), stretching_table(ranges[1]),
                                  stretching_table(ranges[2]), same_levels()};
  map_channels(in, {tables.data(), static_cast<std::size_t>(in.channels())}, out);
}

namespace {

// The number of pixels per value.
using Histogram = std::array<std::uint64_t, 256>;

using Histograms = std::array<Histogram, 4>;

// Neighbors often have the same value, and reading a counter just after writing it stalls. So odd
// and even pixels use separate counters.
template <std::size_t channels>
void count_row(const std::uint8_t* row, std::size_t pixels, std::array<Histograms, 2>& counts) {
  const auto count = [&](std::size_t i, Histograms& where) {
    for (std::size_t c = 0; c < channels; ++c) ++where[c][row[i * channels + c]];
  };
  std::size_t i = 0;
  for (; i + 2 <= pixels; i += 2) {
    count(i, counts[0]);
    count(i + 1, counts[1]);
  }
  if (i < pixels) count(i, counts[0]);
}

Histograms count_levels(const Image& in) {
  std::array<Histograms, 2> counts{};
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    switch (in.channels()) {
      case 1:
        count_row<1>(in.row(y), width, counts);
        break;
      case 3:
        count_row<3>(in.row(y), width, counts);
        break;
      default:
        count_row<4>(in.row(y), width, counts);
        break;
    }
  }
  for (std::size_t c = 0; c < counts[0].size(); ++c) {
    for (std::size_t level = 0; level < counts[0][c].size(); ++level)
      counts[0][c][level] += counts[1][c][level];
  }
  return counts[0];
}

Lut equalizing_table(const Histogram& counts, std::uint64_t pixels) {
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n != 0; });
  const std::uint64_t step = (pixels - *last) / 255;
  if (step == 0) return same_levels();
  Lut table{};
  std::uint64_t below = step / 2;
  for (std::size_t x = 0; x < table.size(); ++x) {
    table[x] = static_cast<std::uint8_t>(std::min<std::uint64_t>(255, below / step));
    below += counts[x];
  }
  return table;
}

}  // namespace

void equalize(const Image& in, Image& out) {
  check_colors("equalize", in);
  const Histograms counts = count_levels(in);
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(in.height()) * static_cast<std::uint64_t>(in.width());
  const auto channels = static_cast<std::size_t>(in.channels());
  std::array<Lut, 4> tables;
  tables.fill(same_levels());
  for (std::size_t c = 0; c < std::min<std::size_t>(3, channels); ++c)
    tables[c] = equalizing_table(counts[c], pixels);
  map_channels(in, {tables.data(), channels}, out);
}

namespace {

void check_clahe(const ClaheParams& params) {
  if (!(params.clip_limit >= 0 && params.clip_limit <= kLargestClipLimit)) {
    throw std::invalid_argument(fmt::format("clahe: clip_limit is {}; it must lie between 0 and {}",
                                            params.clip_limit, kLargestClipLimit));
  }
  const auto check_tiles = [](const char* name, int tiles) {
    if (tiles >= 1 && tiles <= kMostTiles) return;
    throw std::invalid_argument(
        fmt::format("clahe: {} is {}; it must lie between 1 and {}", name, tiles, kMostTiles));
  };
  check_tiles("tiles_y", params.tiles_y);
  check_tiles("tiles_x", params.tiles_x);
}

using TileHistogram = std::array<int, 256>;

// Limits each count to `limit` and spreads the excess.
void clip_counts(TileHistogram& histogram, int limit) {
  int cut = 0;
  for (int& count : histogram) {
    cut += std::max(0, count - limit);
    count = std::min(count, limit);
  }
  for (int& count : histogram) count += cut / 256;
  int rest = cut % 256;
  if (rest == 0) return;
  const std::size_t step = static_cast<std::size_t>(std::max(256 / rest, 1));
  for (std::size_t i = 0; i < histogram.size() && rest > 0; i += step, --rest) ++histogram[i];
}

// The lookup tables of the tiles, for an image of one channel.
class Tiles {
 public:
  Tiles(const Image& in, const ClaheGrid& grid) : grid_(grid) {
    for (int y = 0; y < grid.down; ++y) {
      for (int x = 0; x < grid.across; ++x) tables_.push_back(table_of(in, y, x));
    }
  }

  void map_row(const Image& in, int y, std::uint8_t* out) const {
    const auto [above, below, down] = between(y, grid_.height, grid_.down);
    for (int x = 0; x < in.width(); ++x) {
      const auto [left, right, along] = between(x, grid_.width, grid_.across);
      const std::size_t level = in.row(y)[x];
      const auto mapped = [&](int row, int column) {
        return static_cast<float>(tables_[index_of(row, column)][level]);
      };
      const float upper = mapped(above, left) * (1 - along) + mapped(above, right) * along;
      const float lower = mapped(below, left) * (1 - along) + mapped(below, right) * along;
      out[x] = static_cast<std::uint8_t>(std::nearbyint(upper * (1 - down) + lower * down));
    }
  }

 private:
  struct Between {
    int first, second;
    float share;  // of `second`
  };
  static Between between(int at, int length, int count) {
    const float tile = static_cast<float>(at) * (1.0f / static_cast<float>(length)) - 0.5f;
    const int first = static_cast<int>(std::floor(tile));
    return {std::max(first, 0), std::min(first + 1, count - 1), tile - static_cast<float>(first)};
  }

  std::size_t index_of(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.across) +
           static_cast<std::size_t>(column);
  }

  Lut table_of(const Image& in, int tile_y, int tile_x) const {
    TileHistogram histogram{};
    for (int y = tile_y * grid_.height; y < (tile_y + 1) * grid_.height; ++y) {
      const std::uint8_t* const row = in.row(reflected(y, in.height()));
      for (int x = tile_x * grid_.width; x < (tile_x + 1) * grid_.width; ++x)
        ++histogram[row[reflected(x, in.width())]];
    }
    const int pixels = grid_.height * grid_.width;
    if (grid_.limit != 0) clip_counts(histogram, grid_.limit);
    Lut table{};
    const float scale = 255.0f / static_cast<float>(pixels);
    int sum = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      sum += histogram[i];
      table[i] = static_cast<std::uint8_t>(
          std::clamp(std::nearbyint(static_cast<float>(sum) * scale), 0.0f, 255.0f));
    }
    return table;
  }

  ClaheGrid grid_;
  std::vector<Lut> tables_;
};

Image luma_of(const Image& in) {
  Image luma(in.height(), in.width(), 1);
  for (int y = 0; y < in.height(); ++y)
    luma_of_pixels(in.row(y), static_cast<std::size_t>(in.width()), in.channels(), luma.row(y));
  return luma;
}

}  // namespace

ClaheGrid clahe_grid(const Image& in, const ClaheParams& params) {
  check_colors("clahe", in);
  check_size("clahe", in.height(), in.width());
  check_clahe(params);
  ClaheGrid grid{.across = params.tiles_x, .down = params.tiles_y};
  // If one side does not fit, both are extended.
  const bool fits = in.width() % grid.across == 0 && in.height() % grid.down == 0;
  grid.width = in.width() / grid.across + (fits ? 0 : 1);
  grid.height = in.height() / grid.down + (fits ? 0 : 1);
  if (params.clip_limit > 0) {
    const double pixels = static_cast<double>(grid.width) * grid.height;
    const double most = static_cast<double>(params.clip_limit) * pixels / 256;
    grid.limit = std::max(1, static_cast<int>(std::min(most, 2e9)));
  }
  return grid;
}

void clahe(const Image& in, const ClaheParams& params, Image& out) {
  const ClaheGrid grid = clahe_grid(in, params);
  const int channels = in.channels();
  if (channels == 1) {
    const Tiles tiles(in, grid);
    out.create(in.height(), in.width(), 1);
    for (int y = 0; y < in.height(); ++y) tiles.map_row(in, y, out.row(y));
    return;
  }
  const Image luma = luma_of(in);
  const Tiles tiles(luma, grid);
  out.create(in.height(), in.width(), channels);
  std::vector<std::uint8_t> lighter(static_cast<std::size_t>(in.width()));
  for (int y = 0; y < in.height(); ++y) {
    tiles.map_row(luma, y, lighter.data());
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < in.width(); ++x, from += channels, to += channels) {
      const int more = lighter[static_cast<std::size_t>(x)] - luma.row(y)[x];
      for (int c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>(std::clamp(from[c] + more, 0, 255));
      if (channels == 4) to[3] = from[3];
    }
  }
}

}  // namespace sluice::kernels
