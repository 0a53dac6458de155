// Moved-from objects are empty, and report it when they are asked for what they cannot have.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

// NOLINTBEGIN(bugprone-use-after-move): that is what is tested
namespace sluice {
namespace moved_from_test {

auto image_pipeline() {
  return make_pipeline({.batch_size = 4}, [](Graph& g) {
    const auto i = indices(g, 8);
    const auto image = g.map_into<Image>(
        "image", [](std::int64_t, Image& out) { out.create(2, 3, 1); }, i);
    const auto tensor = g.map_into<Tensor>(
        "tensor", [](std::int64_t, Tensor& out) { out.create({3}, DType::f32); }, i);
    return std::tuple{image, tensor, i};
  });
}
using MixedBatch = Batch<Image, Tensor, std::int64_t>;

template <class Column>
void expect_empty(const Column& column) {
  EXPECT_EQ(column.size(), 0u);
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.begin(), column.end());
  EXPECT_THROW((void)column.at(0), std::out_of_range);
  EXPECT_THROW((void)column.tensor(), std::logic_error);
}

void expect_empty(const MixedBatch& batch) {
  EXPECT_EQ(batch.size(), 0u);
  EXPECT_TRUE(batch.ids().empty());
  EXPECT_TRUE(batch.keys().empty());
  EXPECT_TRUE(batch.missing().empty());
  EXPECT_TRUE(batch.replaced().empty());
  EXPECT_TRUE(batch.errors().empty());
  EXPECT_TRUE(batch.warnings().empty());
  EXPECT_EQ(batch.padding(), 0u);
  EXPECT_THROW((void)batch.index(), Error);
  EXPECT_THROW((void)batch.epoch(), Error);
  expect_empty(batch.get<0>());
  expect_empty(batch.get<1>());
  expect_empty(batch.get<2>());
}

TEST(MovedFrom, ABatchIsEmpty) {
  auto pipeline = image_pipeline();
  auto epoch = pipeline.epoch();
  MixedBatch batch = std::move(*epoch.next());
  MixedBatch to = std::move(batch);
  expect_empty(batch);
  EXPECT_EQ(to.size(), 4u);
  EXPECT_EQ(to.index(), 0);
  EXPECT_EQ(to.get<2>().at(3), 3);
  batch = std::move(*epoch.next());
  EXPECT_EQ(batch.get<2>().at(0), 4);
  to = std::move(batch);
  expect_empty(batch);
  EXPECT_EQ(to.get<2>().at(3), 7);
  expect_empty(MixedBatch());
}

TEST(MovedFrom, AColumnIsEmpty) {
  auto pipeline = image_pipeline();
  auto batch = pipeline.epoch().next();
  Items<std::int64_t> numbers = std::move(batch->get<2>());
  expect_empty(batch->get<2>());
  EXPECT_EQ(batch->size(), 4u);
  EXPECT_EQ(numbers.at(3), 3);
  Items<std::int64_t>& same = numbers;
  numbers = std::move(same);
  EXPECT_EQ(numbers.at(3), 3);
  Items<std::int64_t> others;
  others = std::move(numbers);
  expect_empty(numbers);
  EXPECT_EQ(others.at(3), 3);
}

using Kind = Pipeline<Image, Tensor, std::int64_t>;

TEST(MovedFrom, APipelineSaysSo) {
  auto from = image_pipeline();
  auto to = std::move(from);
  const std::pair<const char*, std::function<void(Kind&)>> calls[] = {
      {"epoch", [](Kind& p) { (void)p.epoch(); }},
      {"reset", [](Kind& p) { p.reset(); }},
      {"cancel", [](Kind& p) { p.cancel(); }},
      {"inspect", [](Kind& p) { (void)p.inspect(0); }},
      {"samples", [](Kind& p) { (void)p.samples(); }},
      {"batches", [](Kind& p) { (void)p.batches(); }},
      {"options", [](Kind& p) { (void)p.options(); }},
      {"stats", [](Kind& p) { (void)p.stats(); }},
      {"plan", [](Kind& p) { (void)p.plan(); }},
      {"recorded_plan", [](Kind& p) { (void)p.recorded_plan(); }},
      {"explain", [](Kind& p) { (void)p.explain(); }},
      {"save", [](Kind& p) { p.save("nowhere.json"); }},
  };
  for (const auto& [name, call] : calls) {
    try {
      call(from);
      ADD_FAILURE() << name << " says nothing";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "this pipeline was moved from; use the one it was moved to")
          << name;
    }
  }
  EXPECT_EQ(to.epoch().next()->size(), 4u);
}

TEST(MovedFrom, AnEpochSaysSo) {
  auto pipeline = image_pipeline();
  auto from = pipeline.epoch();
  auto to = std::move(from);
  for (const bool loop : {false, true}) {
    try {
      if (loop) {
        for (const auto& batch : from) (void)batch;
      } else {
        (void)from.next();
      }
      ADD_FAILURE() << "it says nothing";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "this epoch was moved from; use the one it was moved to");
    }
  }
  EXPECT_EQ(to.next()->size(), 4u);
}

}  // namespace moved_from_test
}  // namespace sluice
// NOLINTEND(bugprone-use-after-move)
