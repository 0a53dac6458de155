// Values that are written straight into their batch, and then become a part of themselves.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace in_place_test {

// Images that are narrowed where they were made: in the batch, in memory of their own, in a branch.
enum class Narrowing { from_the_corner, inside, by_a_view, by_a_view_of_rows };
void narrow(Image& image, Narrowing how) {
  switch (how) {
    case Narrowing::from_the_corner:
      return image.narrow(0, 0, 4, 5);
    case Narrowing::inside:
      return image.narrow(2, 1, 4, 5);
    case Narrowing::by_a_view:
      image = image.crop_view(2, 1, 4, 5);
      return;
    case Narrowing::by_a_view_of_rows:
      image = image.crop_view(0, 0, 4, image.width());
      return;
  }
}

TEST(InPlace, AnImageThatIsNarrowedIsDeliveredNarrow) {
  for (const Narrowing how : {Narrowing::from_the_corner, Narrowing::inside, Narrowing::by_a_view,
                              Narrowing::by_a_view_of_rows}) {
    for (const bool compact : {false, true}) {
      auto pipeline = make_pipeline(
          {.batch_size = 4, .threads = 2, .last_batch = LastBatch::fill, .compact = compact},
          [&](Graph& g) {
            auto i = indices(g, 30);
            g.filter(g.map(
                "keep", [](std::int64_t x) { return x % 3 != 1; }, i));
            const auto made = [&, how] {
              return g.map_into<Image>(
                  "made",
                  [how](std::int64_t x, Image& out) {
                    out.create(9, x % 2 == 0 ? 8 : 10, 1);
                    for (int y = 0; y < out.height(); ++y) {
                      for (int k = 0; k < out.width(); ++k)
                        out.row(y)[k] = static_cast<std::uint8_t>(100 * (x % 2) + 10 * y + k);
                    }
                    narrow(out, how);
                  },
                  i);
            };
            auto narrowed = made();
            auto in_branch = g.if_else(
                g.map(
                    "half", [](std::int64_t x) { return x % 4 < 2; }, i),
                [&] { return made(); }, [&] { return narrowed; });
            auto list = g.for_loop(2, narrowed, [&](auto, auto) { return made(); });
            return std::tuple{narrowed, narrowed, in_branch, list, i};
          });
      std::size_t seen = 0;
      for (const auto& batch : pipeline.epoch()) {
        const auto& ids = batch.get<4>();
        for (std::size_t k = 0; k < ids.size(); ++k, ++seen) {
          const bool inside = how == Narrowing::inside || how == Narrowing::by_a_view;
          const int odd = static_cast<int>(ids[k] % 2);
          const int width = how != Narrowing::by_a_view_of_rows ? 5 : odd == 0 ? 8 : 10;
          const auto is_right = [&](const Image& image) {
            ASSERT_EQ(image.height(), 4);
            ASSERT_EQ(image.width(), width);
            for (int y = 0; y < 4; ++y) {
              for (int x = 0; x < width; ++x) {
                ASSERT_EQ(image.at(y, x, 0), 100 * odd + 10 * (y + 2 * inside) + x + inside);
              }
            }
          };
          is_right(batch.get<0>()[k]);
          is_right(batch.get<1>()[k]);
          is_right(batch.get<2>()[k]);
          is_right(batch.get<3>()[k]);
        }
      }
      EXPECT_GE(seen, 20u);
    }
  }
}

TEST(InPlace, ATensorThatBecomesAPartOfItselfIsDeliveredSo) {
  for (const std::int64_t offset : {0, 2}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      return g.map_into<Tensor>(
          "made",
          [offset](std::int64_t x, Tensor& out) {
            out.create({6 + x % 2}, DType::u8);
            for (int k = 0; k < out.elements(); ++k)
              out.data<std::uint8_t>()[k] = static_cast<std::uint8_t>(x + k);
            out = Tensor::view(out.bytes() + offset, {{3}, DType::u8, Layout::none});
          },
          indices(g, 20));
    });
    std::int64_t x = 0;
    for (const auto& [tensors] : pipeline.epoch()) {
      EXPECT_EQ(tensors.shape(), (Shape{4, 3}));
      for (const Tensor& tensor : tensors) {
        for (int k = 0; k < 3; ++k) EXPECT_EQ(tensor.data<std::uint8_t>()[k], x + offset + k);
        ++x;
      }
    }
    EXPECT_EQ(x, 20);
  }
}

struct Point {
  int x = 0, y = 0;
};

// map_into starts with a value that shows nothing of another sample or another iteration.
TEST(MapInto, BeginsWithAFreshValue) {
  for (const int window : {4, 8, 12}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 1, .window = window}, [](Graph& g) {
      auto i = indices(g, 12);
      auto found = g.map_into<Point>(
          "find",
          [](std::int64_t x, Point& out) {
            if (x % 5 == 0) out = {static_cast<int>(x) + 100, 1};
          },
          i);
      auto looped = g.for_loop(3, i, [&](auto iteration, auto) {
        return g.map_into<std::int64_t>(
            "first", [](std::int64_t k, std::int64_t& out) { out += k == 0 ? 7 : 0; }, iteration);
      });
      return std::tuple{found, looped};
    });
    std::int64_t i = 0;
    for (const auto& [found, looped] : pipeline.epoch()) {
      for (std::size_t k = 0; k < found.size(); ++k, ++i) {
        EXPECT_EQ(found[k].x, i % 5 == 0 ? i + 100 : 0) << i;
        EXPECT_EQ(looped[k], 0) << i;
      }
    }
    EXPECT_EQ(i, 12);
  }
}

// A vector of Images claims that it can be copied.
TEST(Items, ListsOfImagesAreDelivered) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto image = g.map_into<Image>(
        "fill",
        [](std::int64_t x, Image& out) {
          out.create(2, 2, 1);
          std::memset(out.data(), static_cast<int>(x), 4);
        },
        indices(g, 8));
    auto [last, list] = g.for_loop_collect(2, image, [](auto, auto x) { return std::tuple{x, x}; });
    return list;
  });
  std::int64_t i = 0;
  for (const auto& [lists] : pipeline.epoch()) {
    for (const std::vector<Image>& images : lists) {
      ASSERT_EQ(images.size(), 2u);
      EXPECT_EQ(images[1].at(1, 1, 0), i++);
    }
  }
  EXPECT_EQ(i, 8);
}

}  // namespace in_place_test
}  // namespace sluice
