// The return types of the function given to make_pipeline, and the columns that result.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace description_test {

struct Labeled {
  Value<std::int64_t> number;
  Value<std::string> label;
};
struct Nested {
  Labeled first;
  std::array<Value<std::int64_t>, 2> pair;
};

Value<std::string> text(Graph& g, Value<std::int64_t> i) {
  return g.map(
      "text", [](std::int64_t x) { return std::to_string(x); }, i);
}

// Checks the type of the pipeline, and the first value of each column of its second sample.
template <class Expected, class Describe>
auto second(Describe describe) {
  auto pipeline = make_pipeline({.batch_size = 2}, describe);
  static_assert(std::is_same_v<decltype(pipeline), Expected>);
  auto epoch = pipeline.epoch();
  auto batch = epoch.next();
  EXPECT_TRUE(batch.has_value());
  return [&]<class... Ts>(const Pipeline<Ts...>&) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Ts...>{batch->template get<I>()[1]...};
    }
    (std::index_sequence_for<Ts...>());
  }(pipeline);
}

TEST(Description, AStructHasAColumnForEachField) {
  const auto row = second<Pipeline<std::int64_t, std::string>>([](Graph& g) {
    auto i = indices(g, 2);
    return Labeled{i, text(g, i)};
  });
  EXPECT_EQ(row, (std::tuple<std::int64_t, std::string>{1, "1"}));
}

TEST(Description, APairAndAnArray) {
  const auto pair = second<Pipeline<std::int64_t, std::string>>([](Graph& g) {
    auto i = indices(g, 2);
    return std::pair{i, text(g, i)};
  });
  EXPECT_EQ(pair, (std::tuple<std::int64_t, std::string>{1, "1"}));
  const auto array = second<Pipeline<std::int64_t, std::int64_t, std::int64_t>>([](Graph& g) {
    auto i = indices(g, 2);
    return std::array{i, i + 10, i * 7};
  });
  EXPECT_EQ(array, (std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 11, 7}));
}

TEST(Description, StructuresInStructures) {
  const auto row =
      second<Pipeline<std::int64_t, std::string, std::int64_t, std::int64_t, int>>([](Graph& g) {
        auto i = indices(g, 2);
        return std::tuple{Nested{{i, text(g, i)}, {i + 1, i + 2}}, 5};
      });
  EXPECT_EQ(row, (std::tuple<std::int64_t, std::string, std::int64_t, std::int64_t, int>{1, "1", 2,
                                                                                         3, 5}));
}

TEST(Description, ConstantsAreColumns) {
  const auto row = second<Pipeline<std::string, std::vector<int>, double>>([](Graph& g) {
    (void)indices(g, 2);
    return std::tuple{"always", std::vector<int>{1, 2}, 0.5};
  });
  EXPECT_EQ(row, (std::tuple<std::string, std::vector<int>, double>{"always", {1, 2}, 0.5}));
  const auto literal = second<Pipeline<std::string>>([](Graph& g) {
    (void)indices(g, 2);
    return "alone";
  });
  EXPECT_EQ(std::get<0>(literal), "alone");
}

struct NumberedImage {
  Image image;
  int number = 0;
};

// A field of a step's result is a step of its own; a field that does not copy is cloned.
TEST(Description, AFieldMayBeTakenByItsPointer) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto sample = g.source(3, [](const SampleInfo& info) {
      NumberedImage made;
      made.image.create(1, 1, 1);
      made.image.data()[0] = static_cast<std::uint8_t>(100 + info.index_in_epoch);
      made.number = static_cast<int>(info.index_in_epoch);
      return made;
    });
    auto image = g.map("image", &NumberedImage::image, sample);
    auto again = g.map(
        "image", [](const NumberedImage& p) -> const Image& { return p.image; }, sample);
    return std::tuple{image, g.map("number", &NumberedImage::number, sample), again};
  });
  for (const auto& [images, numbers, again] : pipeline.epoch()) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(images[k].at(0, 0, 0), 100 + static_cast<int>(k));
      EXPECT_EQ(again[k].at(0, 0, 0), 100 + static_cast<int>(k));
      EXPECT_EQ(numbers[k], static_cast<int>(k));
    }
  }
}

}  // namespace description_test
}  // namespace sluice
