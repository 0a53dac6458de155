// The frequencies of numbers and windows that a graph draws with a fixed seed; and the arguments
// that are refused.
#include "tests/error_of.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace random_choice_test {

TEST(RandomChoice, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 400, .seed = 5}, [](Graph& g) {
    auto index = g.source(400, [](const SampleInfo& info) { return info.index_in_epoch; });
    return std::tuple{index, choice(g, {0.5f, 2.f}), choice(g, {1.f, 2.f, 3.f}, {0, 1, 0}),
                      choice_index(g, {1, 1, 2}), beta(g, 0.5f, 2.f)};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 400u);
  std::map<float, int> numbers;
  std::map<int, int> places;
  double mean = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    ++numbers[batch->get<1>()[k]];
    EXPECT_EQ(batch->get<2>()[k], 2.f);
    ++places[batch->get<3>()[k]];
    mean += static_cast<double>(batch->get<4>()[k]) / 400;
  }
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_NEAR(numbers[0.5f], 200, 60);  // 6 standard deviations
  EXPECT_EQ(places.size(), 3u);
  EXPECT_NEAR(places[2], 200, 60);
  EXPECT_NEAR(mean, 0.2, 0.065);  // the standard deviation is 0.21
}

TEST(RandomChoice, WholeNumbersAreUniform) {
  auto pipeline = make_pipeline({.batch_size = 1000, .seed = 6}, [](Graph& g) {
    auto index = g.source(1000, [](const SampleInfo& info) { return info.index_in_epoch; });
    const auto high = g.map(
        "high", [](std::int64_t i) { return static_cast<int>(i % 3) - 1; }, index);
    return std::tuple{randint(g, -2, 3), randint(g, -2, high), randint(g, INT32_MIN, INT32_MAX)};
  });
  const auto batch = pipeline.epoch().next();
  std::map<int, int> numbers;
  int negative = 0;
  for (std::size_t k = 0; k < 1000; ++k) {
    ++numbers[batch->get<0>()[k]];
    EXPECT_GE(batch->get<1>()[k], -2);
    EXPECT_LT(batch->get<1>()[k], static_cast<int>(k % 3) - 1);
    negative += batch->get<2>()[k] < 0 ? 1 : 0;
  }
  EXPECT_EQ(numbers.size(), 5u);
  for (int number = -2; number < 3; ++number) EXPECT_NEAR(numbers[number], 200, 80);
  EXPECT_NEAR(negative, 500, 100);
}

// An image whose pixels hold their coordinates.
Image numbered(int height, int width) {
  Image image(height, width, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.row(y)[3 * x] = static_cast<std::uint8_t>(y + 1);
      image.row(y)[3 * x + 1] = static_cast<std::uint8_t>(x + 1);
      image.row(y)[3 * x + 2] = 255;
    }
  }
  return image;
}

// How often each place of the window was drawn. The pixel in its middle tells the place.
std::map<std::pair<int, int>, int> places(const RandomCropOptions& options, int height, int width) {
  auto pipeline = make_pipeline({.batch_size = 1000, .seed = 7}, [&](Graph& g) {
    auto image = g.source(1000, [=](const SampleInfo&) { return numbered(height, width); });
    return random_crop(image, options);
  });
  const auto batch = pipeline.epoch().next();
  std::map<std::pair<int, int>, int> found;
  const int middle_y = options.height.constant() / 2, middle_x = options.width.constant() / 2;
  for (std::size_t k = 0; k < 1000; ++k) {
    const Image& window = batch->get<0>()[k];
    EXPECT_EQ(window.height(), options.height.constant());
    EXPECT_EQ(window.width(), options.width.constant());
    const std::uint8_t* pixel = window.row(middle_y) + 3 * middle_x;
    EXPECT_EQ(pixel[2], 255);
    ++found[{pixel[0] - 1 - middle_y, pixel[1] - 1 - middle_x}];
  }
  return found;
}

TEST(RandomCrop, DrawsAllPlacesEquallyOften) {
  const struct {
    RandomCropOptions options;
    int height, width, first_y, last_y, first_x, last_x;
  } cases[] = {
      {{.height = 5, .width = 7}, 7, 10, 0, 2, 0, 3},
      {{.height = 7, .width = 10}, 7, 10, 0, 0, 0, 0},
      {{.height = 7, .width = 9, .top = 1, .left = 2, .right = 1}, 7, 10, -1, 0, -2, 2},
      {{.height = 7, .width = 10, .padding = 1, .left = 1}, 7, 10, -1, 1, -2, 1},
      {{.height = 9, .width = 7, .pad_if_needed = true}, 7, 7, -2, 0, 0, 0},
      {{.height = 9, .width = 7, .top = 1, .pad_if_needed = true}, 7, 7, -2, -1, 0, 0},
      {{.height = 7, .width = 7, .top = 2, .bottom = 1, .border = Border::edge}, 7, 7, -2, 1, 0, 0},
  };
  for (const auto& c : cases) {
    const auto found = places(c.options, c.height, c.width);
    const int rows = c.last_y - c.first_y + 1, columns = c.last_x - c.first_x + 1;
    EXPECT_EQ(found.size(), static_cast<std::size_t>(rows * columns));
    EXPECT_EQ(found.begin()->first, std::pair(c.first_y, c.first_x));
    EXPECT_EQ(found.rbegin()->first, std::pair(c.last_y, c.last_x));
    const double mean = 1000.0 / (rows * columns);
    for (const auto& [place, count] : found) EXPECT_NEAR(count, mean, 6 * std::sqrt(mean));
  }
}

TEST(RandomCrop, FillsPaddingAndNamesAWindowThatDoesNotFit) {
  auto pipeline = make_pipeline({.batch_size = 1, .on_error = OnError::skip}, [](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return numbered(4, 4); });
    return std::tuple{random_crop(image, {.height = 8,
                                          .width = 8,
                                          .top = 4,
                                          .left = 4,
                                          .bottom = 4,
                                          .right = 4,
                                          .fill = Fill(1, 2, 3)}),
                      random_crop(image, {.height = 5, .width = 4})};
  });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_NE(
      batch->errors()[0].what.find(
          "random_crop: a window of 5 x 4 (height x width) does not fit into an image of 4 x 4 "
          "(4 x 4 after padding); pass pad_if_needed or more padding"),
      std::string::npos)
      << batch->errors()[0].what;
}

TEST(RandomChoice, GraphsRefuseWhatCannotBe) {
  const auto told = [](auto describe) {
    return error_of<BuildError>(
        [&] { (void)make_pipeline({}, [&](Graph& g) { return describe(g); }); });
  };
  EXPECT_EQ(told([](Graph& g) {
              return choice(g, {1.f, 2.f}, {1.f});
            }),
            "choice: got 2 numbers and 1 weight; give one for each, or none");
  EXPECT_NE(told([](Graph& g) { return choice(g, {}); }).find("there are 0 choices"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) {
              return choice_index(g, {0, 0});
            }).find("all weights are 0"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) { return beta(g, 0.f, 1.f); }).find("beta: alpha must"),
            std::string::npos);
  EXPECT_EQ(told([](Graph& g) { return randint(g, 3, 3); }),
            "randint: high must be above low, but low is 3 and high is 3");
  EXPECT_EQ(told([](Graph& g) {
              auto image = g.source(1, [](const SampleInfo&) { return numbered(4, 4); });
              return random_crop(image, {.pad_if_needed = true, .border = Border::edge});
            }),
            "random_crop: pad_if_needed works with the border 'constant', but the border is "
            "'edge'; pass padding instead");
}

}  // namespace random_choice_test
}  // namespace sluice
