// Against the definition, written out in double precision on a picture that is really continued;
// OpenCV itself is asked by the oracles.
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/clahe.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace clahe_test {

using kernels::ClaheParams;
using testing::folded;
using testing::make_picture;
using testing::refusal;

// Level of a tile -> level, from the tile's levels.
std::vector<double> table_of(const std::vector<int>& levels, double clip_limit) {
  std::vector<int> counts(256);
  for (const int level : levels) ++counts[static_cast<std::size_t>(level)];
  const int area = static_cast<int>(levels.size());
  if (clip_limit > 0) {
    const int limit = std::max(1, static_cast<int>(clip_limit * area / 256));
    int excess = 0;
    for (int& count : counts) {
      if (count <= limit) continue;
      excess += count - limit;
      count = limit;
    }
    for (int& count : counts) count += excess / 256;
    int rest = excess - excess / 256 * 256;
    const int step = rest == 0 ? 256 : std::max(256 / rest, 1);
    for (int i = 0; i < 256 && rest > 0; i += step, --rest) ++counts[static_cast<std::size_t>(i)];
  }
  std::vector<double> table;
  float sum = 0;
  for (const int count : counts) {
    sum += static_cast<float>(count);
    // In single precision, which decides halves.
    table.push_back(static_cast<double>(std::nearbyint(sum * (255.0f / static_cast<float>(area)))));
  }
  return table;
}

std::vector<double> expected_of(const Image& in, const ClaheParams& params) {
  int height = in.height(), width = in.width();
  if (height % params.tiles_y != 0 || width % params.tiles_x != 0) {
    height += params.tiles_y - height % params.tiles_y;
    width += params.tiles_x - width % params.tiles_x;
  }
  const int tile_height = height / params.tiles_y, tile_width = width / params.tiles_x;
  std::vector<std::vector<double>> tables;
  for (int ty = 0; ty < params.tiles_y; ++ty) {
    for (int tx = 0; tx < params.tiles_x; ++tx) {
      std::vector<int> levels;
      for (int y = 0; y < tile_height; ++y) {
        for (int x = 0; x < tile_width; ++x)
          levels.push_back(in.at(folded(ty * tile_height + y, in.height()),
                                 folded(tx * tile_width + x, in.width()), 0));
      }
      tables.push_back(table_of(levels, static_cast<double>(params.clip_limit)));
    }
  }
  std::vector<double> out;
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x) {
      // Tents around the middles of tiles; those beyond the border are the outermost ones.
      double sum = 0;
      for (int ty = -1; ty <= params.tiles_y; ++ty) {
        for (int tx = -1; tx <= params.tiles_x; ++tx) {
          const double wy = 1 - std::abs(static_cast<double>(y) / tile_height - 0.5 - ty);
          const double wx = 1 - std::abs(static_cast<double>(x) / tile_width - 0.5 - tx);
          if (wy <= 0 || wx <= 0) continue;
          const int row = std::clamp(ty, 0, params.tiles_y - 1);
          const int column = std::clamp(tx, 0, params.tiles_x - 1);
          const int tile = row * params.tiles_x + column;
          sum += wy * wx * tables[static_cast<std::size_t>(tile)][in.at(y, x, 0)];
        }
      }
      out.push_back(sum);
    }
  }
  return out;
}

TEST(Clahe, AgreesWithTheDefinition) {
  const ClaheParams all[] = {{2, 8, 8}, {0, 1, 1}, {40, 2, 3}, {1, 1, 5}, {1e6f, 4, 1}};
  testing::on_small_pictures({1}, [&](const Image& in) {
    for (const ClaheParams& params : all) {
      Image out;
      kernels::clahe(in, params, out);
      const std::vector<double> expected = expected_of(in, params);
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x) {
          const int place = y * in.width() + x;
          const double exact = expected[static_cast<std::size_t>(place)];
          ASSERT_LE(std::abs(out.at(y, x, 0) - exact), 0.501) << y << " " << x;
        }
      }
    }
  });
}

TEST(Clahe, ColoursMoveByWhatTheLumaDoes) {
  testing::on_small_pictures({3, 4}, [](const Image& in) {
    Image luma(in.height(), in.width(), 1), lighter, out;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        luma.row(y)[x] = static_cast<std::uint8_t>(
            (19595 * in.at(y, x, 0) + 38470 * in.at(y, x, 1) + 7471 * in.at(y, x, 2) + 32768) >>
            16);
      }
    }
    kernels::clahe(luma, {3, 2, 4}, lighter);
    kernels::clahe(in, {3, 2, 4}, out);
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        for (int c = 0; c < in.channels(); ++c) {
          const int more = c == 3 ? 0 : lighter.at(y, x, 0) - luma.at(y, x, 0);
          ASSERT_EQ(out.at(y, x, c), std::clamp(in.at(y, x, c) + more, 0, 255));
        }
      }
    }
  });
}

TEST(Clahe, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 1);
  Image out;
  EXPECT_EQ(refusal([&] {
              kernels::clahe(in, {-1, 8, 8}, out);
            }),
            "clahe: clip_limit is -1; it must lie between 0 and 1000000");
  EXPECT_EQ(refusal([&] {
              kernels::clahe(in, {1, 0, 8}, out);
            }),
            "clahe: tiles_y is 0; it must lie between 1 and 256");
  EXPECT_NE(refusal([&] { kernels::clahe(in, {1, 8, 257}, out); }), "");
  EXPECT_NE(refusal([&] { kernels::clahe(make_picture(4, 4, 2), {}, out); }), "");
  EXPECT_NE(refusal([&] { kernels::clahe(Image(), {}, out); }), "");
}

}  // namespace clahe_test
}  // namespace sluice
