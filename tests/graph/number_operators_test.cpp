// Operators on numbers of all types that plans know.
#include "tests/error_of.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/number_functions.h>
#include <sluice/graph/builder/recorder.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace number_operators_test {

// What operators on numbers give is what C++ gives for the two types.
template <class F, class X, class Y>
void expect_computed(const char* name, X x, Y y) {
  using R = decltype(F()(detail::plain(x), detail::plain(y)));
  SCOPED_TRACE(std::string(name) + " " + std::string(detail::known_number_name<X>()) + " " +
               std::string(detail::known_number_name<Y>()));
  detail::Recorder recorder;
  const detail::SlotId left = recorder.add_slot(detail::slot_type<X>(), "x");
  const detail::SlotId right = recorder.add_slot(detail::slot_type<Y>(), "y");
  const auto& op = detail::arithmetic_operator(name);
  const detail::SlotId out =
      recorder.add(op, {detail::SlotArgument{left}, detail::SlotArgument{right}})[0];
  const detail::SlotId other =
      recorder.add(op, {detail::Constant(x), detail::SlotArgument{right}})[0];
  const detail::Plan plan = recorder.take();
  ASSERT_EQ(plan.slots[out].type, detail::slot_type<R>());
  detail::Sample sample(plan);
  sample.get<X>(left) = x;
  sample.get<Y>(right) = y;
  for (const detail::Node& node : plan.top.nodes)
    std::get<detail::Stage>(node).steps.front().run(sample);
  EXPECT_EQ(sample.get<R>(out), F()(detail::plain(x), detail::plain(y)));
  EXPECT_EQ(sample.get<R>(other), F()(detail::plain(x), detail::plain(y)));
}

template <class T>
T made_of(double number) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half(static_cast<float>(number));
  } else {
    return static_cast<T>(static_cast<std::int64_t>(number));
  }
}

TEST(NumberOperators, ComputeAsTheTypesDo) {
  detail::for_each_number_type([]<class X>(std::type_identity<X>, std::string_view) {
    detail::for_each_number_type([]<class Y>(std::type_identity<Y>, std::string_view) {
      for (const auto& [x, y] :
           {std::pair{-3., 5.}, std::pair{200., -1.}, std::pair{1., 1.}, std::pair{-1., -70000.}}) {
        const X left = made_of<X>(x);
        const Y right = made_of<Y>(y);
        expect_computed<detail::Subtract>("subtract", left, right);
        if (detail::plain(right) != 0) expect_computed<detail::Divide>("divide", left, right);
        if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
          expect_computed<detail::BitwiseAnd>("bitwise_and", left, right);
          expect_computed<detail::BitwiseOr>("bitwise_or", left, right);
          expect_computed<detail::BitwiseXor>("bitwise_xor", left, right);
        }
        expect_computed<detail::Less>("less", left, right);
        expect_computed<detail::NotEqual>("not_equal", left, right);
      }
    });
  });
}

TEST(NumberOperators, BitsAreThoseOfWholeNumbers) {
  const detail::OperatorPtr& op = detail::arithmetic_operator("bitwise_xor");
  EXPECT_EQ(error_of<BuildError>([&] {
              detail::Recorder recorder;
              const detail::SlotId x = recorder.add_slot(detail::slot_type<float>(), "x");
              (void)recorder.add(op, {detail::SlotArgument{x}, detail::Constant(1)});
            }),
            "bitwise_xor: x and y must be whole numbers; cast them");
  using Number = Value<int>;
  static_assert(std::is_same_v<decltype(Number() & std::int64_t{1}), Value<std::int64_t>>);
  static_assert(std::is_same_v<decltype(true ^ Number()), Value<int>>);
  static_assert(!detail::bits_pair<Number, float>);
  static_assert(!detail::bits_pair<Value<bool>, bool>);
}

}  // namespace number_operators_test
}  // namespace sluice
