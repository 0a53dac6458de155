#include <sluice/graph/sources/values.h>

#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace generator_test {

static_assert(std::ranges::input_range<generator<int>>);
static_assert(!std::is_copy_constructible_v<generator<int>>);
static_assert(std::is_nothrow_move_constructible_v<generator<int>>);

generator<int> count(int n, std::shared_ptr<int> held = nullptr) {
  for (int i = 0; i < n; ++i) {
    if (held) ++*held;
    co_yield i;
  }
}

template <class T>
std::vector<T> all_of(generator<T> values) {
  std::vector<T> all;
  for (T&& value : values) all.push_back(std::move(value));
  return all;
}

TEST(Generator, GivesOneValueAfterTheOther) {
  EXPECT_EQ(all_of(count(0)), (std::vector<int>{}));
  EXPECT_EQ(all_of(count(4)), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Generator, RunsNoFurtherThanItIsAsked) {
  const auto made = std::make_shared<int>(0);
  {
    auto values = count(10, made);
    EXPECT_EQ(*made, 0);
    auto at = values.begin();
    EXPECT_EQ(*at, 0);
    EXPECT_EQ(*made, 1);
    ++at;
    EXPECT_EQ(*at, 1);
    EXPECT_EQ(*made, 2);
    EXPECT_EQ(made.use_count(), 2);
    auto moved = std::move(values);
    EXPECT_EQ(made.use_count(), 2);
    values = std::move(moved);
  }
  EXPECT_EQ(made.use_count(), 1);  // the value in transit is gone
}

generator<std::string> words(const std::string& kept) {
  co_yield "temporary";
  co_yield kept;
  std::string own = "own";
  co_yield own;
  co_yield std::move(own);
}

TEST(Generator, CopiesWhatIsNotTemporary) {
  const std::string kept = "kept, and long enough to be no short string";
  EXPECT_EQ(all_of(words(kept)), (std::vector<std::string>{"temporary", kept, "own", "own"}));
  EXPECT_EQ(kept, "kept, and long enough to be no short string");
}

generator<std::unique_ptr<int>> owned(int n) {
  for (int i = 0; i < n; ++i) co_yield std::make_unique<int>(i);
}

TEST(Generator, GivesWhatOnlyMoves) {
  const auto all = all_of(owned(3));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(*all[2], 2);
}

generator<int> broken(int at) {
  for (int i = 0;; ++i) {
    if (i == at) throw std::runtime_error("broken");
    co_yield i;
  }
}

TEST(Generator, PassesOnWhatIsThrownAndIsOverThen) {
  for (const int where : {0, 2}) {
    auto values = broken(where);
    int given = 0;
    EXPECT_THROW(
        {
          for (const int value : values) EXPECT_EQ(value, given++);
        },
        std::runtime_error);
    EXPECT_EQ(given, where);
    EXPECT_TRUE(values.begin() == values.end());
  }
}

}  // namespace generator_test
}  // namespace sluice
