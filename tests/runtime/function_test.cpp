#include <sluice/runtime/function.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::function_test {
namespace {

struct Point {
  int x = 0;
  int scaled(int by) const { return x * by; }
};
int twice(int x) { return 2 * x; }

TEST(Function, CallsWhatStdInvokeCalls) {
  const Function<int(int)> lambda = [by = 3](int x) { return x * by; };
  EXPECT_EQ(lambda(4), 12);
  const Function<int(int)> pointer = twice;
  EXPECT_EQ(pointer(4), 8);
  const Function<int(int)> wrapped = std::function<int(int)>(twice);
  EXPECT_EQ(wrapped(4), 8);
  const Function<int(const Point&)> member = &Point::x;
  EXPECT_EQ(member({5}), 5);
  const Function<int(const Point&, int)> method = &Point::scaled;
  EXPECT_EQ(method({5}, 3), 15);
  const Function<int(const std::shared_ptr<Point>&)> through = &Point::x;
  EXPECT_EQ(through(std::make_shared<Point>(Point{6})), 6);
}

TEST(Function, ConvertsOrDropsTheResult) {
  int calls = 0;
  const Function<void()> dropped = [&calls] { return ++calls; };
  dropped();
  EXPECT_EQ(calls, 1);
  const Function<std::string()> converted = [] { return "text"; };
  EXPECT_EQ(converted(), "text");
  static_assert(!std::is_constructible_v<Function<int(int)>, Point>);
  static_assert(!std::is_constructible_v<Function<int(std::string)>, int (*)(int)>);
}

TEST(Function, IsEmptyWhereItIsGivenNothing) {
  using F = Function<int(int)>;
  EXPECT_FALSE(F());
  EXPECT_FALSE(F(nullptr));
  EXPECT_FALSE(F(static_cast<int (*)(int)>(nullptr)));
  EXPECT_FALSE(F(std::function<int(int)>()));
  EXPECT_FALSE(F(Function<int(long)>()));
  EXPECT_FALSE(Function<int(const Point&)>(static_cast<int Point::*>(nullptr)));
  EXPECT_TRUE(F(twice));
}

// A class that converts to bool can still be called; it is no wrapper.
struct Model {
  bool ready = false;
  explicit operator bool() const { return ready; }
  int operator()(int x) const { return x + 1; }
};

TEST(Function, IsNotEmptyForAClassThatOnlyConvertsToBool) {
  EXPECT_EQ((Function<int(int)>(Model())(1)), 2);
}

TEST(Function, ThrowsWhenItIsCalledEmpty) {
  const Function<int(int)> empty;
  EXPECT_EQ(empty, nullptr);
  EXPECT_THROW(empty(1), std::bad_function_call);
  Function<int(int)> from = twice;
  const Function<int(int)> to = std::move(from);
  EXPECT_EQ(to(4), 8);
  EXPECT_THROW(from(4), std::bad_function_call);  // NOLINT(bugprone-use-after-move)
  from = to;
  EXPECT_EQ(from(4), 8);
}

TEST(Function, CopiesShareTheCallable) {
  auto watched = std::make_shared<int>(3);
  const std::weak_ptr<int> watch = watched;
  Function<const int&()> gives = [watched = std::move(watched)]() -> const int& {
    return *watched;
  };
  Function<const int&()> copy = gives;
  EXPECT_EQ(&gives(), &copy());
  gives = nullptr;
  EXPECT_EQ(copy(), 3);
  copy = {};
  EXPECT_TRUE(watch.expired());
  // Several threads may call copies, so a callable that changes itself is refused.
  const auto counts = [at = 0]() mutable { return ++at; };
  static_assert(!std::is_constructible_v<Function<int()>, decltype(counts)>);
}

TEST(Function, CallsAFunctionWithSharedData) {
  const auto run = [](const void* shared, int x) { return *static_cast<const int*>(shared) * x; };
  const Function<int(int)> f(run, std::make_shared<const int>(5));
  EXPECT_EQ(f(4), 20);
}

TEST(Function, TakesWhatOnlyMoves) {
  Function<int(std::unique_ptr<int>)> adds =
      [kept = std::make_unique<int>(40)](std::unique_ptr<int> given) { return *kept + *given; };
  EXPECT_EQ(adds(std::make_unique<int>(2)), 42);
}

}  // namespace
}  // namespace sluice::function_test
