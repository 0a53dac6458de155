// Values are destroyed when no step needs them any more.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <memory>
#include <string_view>

#include <gtest/gtest.h>

namespace sluice {
namespace slot_test {

struct Counted {
  static inline std::atomic<int> alive{0};
  Counted() { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

// A unique_ptr has a release(), which does not destroy.
// GCC prints a type with or without its allocator, as the source happens to name it.
TEST(TypeName, IsTheSameInEverySource) {
  const struct {
    std::string_view printed, name;
  } cases[] = {
      {"int", "int"},
      {"std::vector<int>", "std::vector<int>"},
      {"std::vector<int, std::allocator<int> >", "std::vector<int>"},
      {"std::vector<int, std::allocator<int>>", "std::vector<int>"},
      {"std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, "
       "std::allocator<int> > > >",
       "std::vector<std::vector<int> >"},
      {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
       "std::__cxx11::basic_string<char>"},
      {"std::pair<std::vector<float, std::allocator<float> >, int>",
       "std::pair<std::vector<float>, int>"},
  };
  for (const auto& c : cases) {
    const auto made = detail::without_allocators<200>(c.printed);
    EXPECT_EQ(std::string_view(made.text.data(), made.size), c.name);
  }
  EXPECT_EQ(detail::type_name<std::vector<float>>(), "std::vector<float>");
}

TEST(SlotType, AUniquePtrIsDestroyedWithItsSample) {
  {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) {
      auto owner = g.map(
          "make", [](std::int64_t) { return std::make_unique<Counted>(); }, indices(g, 40));
      return g.map(
          "count",
          [](const std::unique_ptr<Counted>& p) {
            return p != nullptr ? Counted::alive.load() : 0;
          },
          owner);
    });
    for (const auto& [alive] : pipeline.epoch()) {
      for (const int count : alive) EXPECT_EQ(count, 1);
    }
  }
  EXPECT_EQ(Counted::alive, 0);
}

}  // namespace slot_test
}  // namespace sluice
