#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/clahe.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/luma.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check(const ClaheParams& params) {
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

using Histogram = std::array<int, 256>;

// Limits each count to `limit` and spreads the excess.
void clip(Histogram& histogram, int limit) {
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

  LevelTable table_of(const Image& in, int tile_y, int tile_x) const {
    Histogram histogram{};
    for (int y = tile_y * grid_.height; y < (tile_y + 1) * grid_.height; ++y) {
      const std::uint8_t* const row = in.row(reflected(y, in.height()));
      for (int x = tile_x * grid_.width; x < (tile_x + 1) * grid_.width; ++x)
        ++histogram[row[reflected(x, in.width())]];
    }
    const int pixels = grid_.height * grid_.width;
    if (grid_.limit != 0) clip(histogram, grid_.limit);
    LevelTable table{};
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
  std::vector<LevelTable> tables_;
};

Image luma_of(const Image& in) {
  Image luma(in.height(), in.width(), 1);
  for (int y = 0; y < in.height(); ++y)
    luma_of_pixels(in.row(y), static_cast<std::size_t>(in.width()), in.channels(), luma.row(y));
  return luma;
}

}  // namespace

ClaheGrid clahe_grid(const Image& in, const ClaheParams& params) {
  check_colours("clahe", in);
  check_size("clahe", in.height(), in.width());
  check(params);
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
