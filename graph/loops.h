// Loops, as Graph records them. Included by graph.h; not to be included alone.
#pragma once

#include <sluice/graph/builder/loop_checks.h>
#include <sluice/graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

// The state of a loop that begins as Init. Constants in it take the types that the body gives back
// for them, or that it asks for by name: `0` beside a Value<std::int64_t> is a std::int64_t.
struct WholeResult {
  template <class Gives>
  static constexpr auto of() {
    return std::type_identity<Gives>{};
  }
};
struct FirstOfResult {
  template <class Gives>
  static constexpr auto of() {
    if constexpr (fault_of<Gives>() == Fault::none && is_pair<Gives>) {
      return std::type_identity<std::tuple_element_t<0, Gives>>{};
    } else {
      return std::type_identity<void>{};
    }
  }
};

// The parameters of a callable that has one signature; empty for any other.
template <class F>
struct parameters {
  using type = std::tuple<>;
};
template <class F>
requires requires { &F::operator(); }
struct parameters<F> : parameters<decltype(&F::operator())> {};
template <class R, class C, class... Ps>
struct parameters<R (C::*)(Ps...) const> {
  using type = std::tuple<std::decay_t<Ps>...>;
};
template <class R, class C, class... Ps>
struct parameters<R (C::*)(Ps...)> : parameters<R (C::*)(Ps...) const> {};
template <class R, class... Ps>
struct parameters<R (*)(Ps...)> {
  using type = std::tuple<std::decay_t<Ps>...>;
};

template <class Init, class... Ps>
constexpr auto state_of_parameters(std::type_identity<std::tuple<Ps...>>) {
  using One = std::tuple_element_t<0, std::tuple<Ps..., void>>;
  using Taken = joined_t<Init, std::conditional_t<sizeof...(Ps) == 1, One, std::tuple<Ps...>>>;
  return std::type_identity<
      normal_t<std::conditional_t<std::is_same_v<Taken, Differ>, Init, Taken>>>{};
}
template <class Init, class First, class... Ps>
constexpr auto state_after_number(std::type_identity<std::tuple<First, Ps...>>) {
  return state_of_parameters<Init>(std::type_identity<std::tuple<Ps...>>{});
}
template <class Init>
constexpr auto state_after_number(std::type_identity<std::tuple<>>) {
  return std::type_identity<normal_t<Init>>{};
}

// Asks the body again with the state that came of its last answer, until that stays.
template <int Rounds, class Init, class S, class Result, class Body, class... Before>
constexpr auto settled_state() {
  if constexpr (Rounds > 0 && takes_state<Body, S, Before...>()) {
    using Gives = typename decltype(Result::template of<called_t<Body, S, Before...>>())::type;
    if constexpr (fault_of<Gives>() == Fault::none) {
      using Next = joined_t<Init, Gives>;
      if constexpr (!std::is_same_v<Next, Differ> && !std::is_same_v<normal_t<Next>, S>) {
        return settled_state<Rounds - 1, Init, normal_t<Next>, Result, Body, Before...>();
      } else {
        return std::type_identity<S>{};
      }
    } else {
      return std::type_identity<S>{};
    }
  } else {
    return std::type_identity<S>{};
  }
}
template <class Init, class Result, class Body, class... Before>
constexpr auto find_state() {
  using S = normal_t<Init>;
  if constexpr (takes_state<Body, S, Before...>()) {
    return settled_state<4, Init, S, Result, Body, Before...>();
  } else {
    using Parameters = std::type_identity<typename parameters<Body>::type>;
    if constexpr (sizeof...(Before) > 0) {
      return state_after_number<Init>(Parameters{});
    } else {
      return state_of_parameters<Init>(Parameters{});
    }
  }
}
template <class Init, class Result, class Body, class... Before>
using state_t = typename decltype(find_state<Init, Result, Body, Before...>())::type;

// Whether the loop can be described; the compiler says what stands against it.
template <class Init, class Condition, class Body>
constexpr bool check_while_loop() {
  if constexpr (state_of_loop<Init>::check()) {
    using S = state_t<Init, WholeResult, Body>;
    if constexpr (condition_of_while_loop<S, Condition>::check() &&
                  body_of_while_loop<S, Body>::check()) {
      return answer_of_while_loop<called_t<Condition, S>>::check() &&
             next_state_of_while_loop<S, called_t<Body, S>>::check();
    }
  }
  return false;
}
template <class Count, class Init, class Body>
constexpr bool check_for_loop() {
  if constexpr (count_of_for_loop<argument_t<Count>>::check() && state_of_loop<Init>::check()) {
    using S = state_t<Init, WholeResult, Body, Value<std::int64_t>>;
    if constexpr (body_of_for_loop<S, Body>::check()) {
      return next_state_of_for_loop<S, called_t<Body, S, Value<std::int64_t>>>::check();
    }
  }
  return false;
}
template <class Count, class Init, class Body>
constexpr bool check_for_loop_collect() {
  if constexpr (count_of_for_loop<argument_t<Count>>::check() && state_of_loop<Init>::check()) {
    using S = state_t<Init, FirstOfResult, Body, Value<std::int64_t>>;
    if constexpr (body_of_for_loop_collect<S, Body>::check()) {
      using Gives = called_t<Body, S, Value<std::int64_t>>;
      if constexpr (result_of_for_loop_collect<Gives>::check()) {
        return next_state_of_for_loop_collect<S, std::tuple_element_t<0, Gives>>::check();
      }
    }
  }
  return false;
}

}  // namespace detail

template <class S, class Init, class Condition, class Body>
S Graph::run_loop(std::string_view kind, const LoopOptions& options, const Init& init,
                  Condition condition, Body body) {
  const detail::Recorder::Attempt attempt(recorder_);
  std::string name = recorder_.unique_name(options.name.empty() ? kind : options.name);
  const S first = detail::normal_as<S>({recorder_, "'" + name + "' begins with"}, init);
  const detail::Recorder::LoopView view =
      recorder_.open_loop(std::move(name), options.max_iterations, detail::flatten(first));
  const S state = detail::rebuild<S>(first, recorder_, view.state);
  const Value<std::int64_t> i(recorder_, view.iteration);
  recorder_.begin_condition();
  recorder_.end_condition(condition(i, state).slot());
  recorder_.begin_body();
  const S next = detail::normal_as<S>(giver(), body(i, state));
  require_same_structure(detail::structure<S>::compare(first, next));
  recorder_.end_body(detail::flatten(next),
                     [&](std::size_t k) { return detail::place_in(next, k); });
  return detail::rebuild<S>(first, recorder_, recorder_.close_loop());
}

template <class Init, class Condition, class Body>
auto Graph::while_loop(const Init& init, Condition condition, Body body,
                       const LoopOptions& options) {
  using Begin = std::decay_t<Init>;
  if constexpr (detail::check_while_loop<Begin, Condition, Body>()) {
    using S = detail::state_t<Begin, detail::WholeResult, Body>;
    return run_loop<S>(
        "while_loop", options, init,
        [&](const auto&, const S& state) {
          return detail::normal_as<Value<bool>>(giver(), detail::call(condition, state));
        },
        [&](const auto&, const S& state) { return detail::call(body, state); });
  } else {
    return detail::refused<typename decltype(detail::normal_or_refused<Begin>())::type>();
  }
}

template <class S, class Count, class Init, class Body>
S Graph::count_loop(const Count& count, const Init& init, Body body, const LoopOptions& options) {
  Value<std::int64_t> limit;
  if constexpr (!detail::is_known_number<detail::argument_t<Count>>) {
    limit = {
        recorder_,
        recorder_.add(detail::count_operator(),
                      {detail::whole_argument(count, {recorder_, detail::is_given("count")})})[0]};
  }
  return run_loop<S>(
      "for_loop", options, init,
      [&](const Value<std::int64_t>& i, const S&) {
        if constexpr (detail::is_known_number<detail::argument_t<Count>>) {
          return detail::apply_as<bool>(recorder_, "more", detail::arithmetic_operator("less"), i,
                                        count);
        } else {
          return detail::apply_as<bool>(recorder_, "more", detail::arithmetic_operator("less"), i,
                                        limit);
        }
      },
      body);
}

template <class Count, class Init, class Body>
auto Graph::for_loop(const Count& count, const Init& init, Body body, const LoopOptions& options) {
  using Begin = std::decay_t<Init>;
  using Number = Value<std::int64_t>;
  if constexpr (detail::check_for_loop<Count, Begin, Body>()) {
    using S = detail::state_t<Begin, detail::WholeResult, Body, Number>;
    return count_loop<S>(
        count, init, [&](const Number& i, const S& state) { return detail::call(body, state, i); },
        options);
  } else {
    return detail::refused<typename decltype(detail::normal_or_refused<Begin>())::type>();
  }
}

template <class Count, class Init, class Body>
auto Graph::for_loop_collect(const Count& count, const Init& init, Body body,
                             const CollectOptions& options) {
  using Begin = std::decay_t<Init>;
  using Number = Value<std::int64_t>;
  if constexpr (detail::check_for_loop_collect<Count, Begin, Body>()) {
    using S = detail::state_t<Begin, detail::FirstOfResult, Body, Number>;
    using Kept = std::tuple_element_t<1, detail::called_t<Body, S, Number>>;
    return collect_loop<S, typename detail::normal_t<Kept>::value_type>(count, init, body, options);
  } else {
    return detail::Refused();
  }
}

template <class S, class T, class Count, class Init, class Body>
std::tuple<S, Value<std::vector<T>>> Graph::collect_loop(const Count& count, const Init& init,
                                                         Body body, const CollectOptions& options) {
  using List = std::vector<T>;
  static_assert(detail::duplicates<T>,
                "for_loop_collect: the values to keep must copy: give their type a copy "
                "constructor, or `T clone() const`");
  const Value<List> list(
      recorder_, recorder_.add(detail::list_operator(),
                               {detail::Constant(detail::ValueType{detail::slot_type<List>()})},
                               "collect")[0]);
  const S last = count_loop<S>(
      count, init,
      [&](const Value<std::int64_t>& i, const S& state) {
        const auto given = detail::call(body, state, i);
        const auto value = detail::normal_as<Value<T>>(giver(), std::get<1>(given));
        recorder_.add(
            detail::append_operator(),
            detail::append_operator()->arrange({{"list", detail::SlotArgument{list.slot()}},
                                                {"value", detail::SlotArgument{value.slot()}}}),
            "collect");
        return std::get<0>(given);
      },
      {options.max_iterations, options.name});
  if (!options.reverse) return {last, list};
  const detail::SlotId reversed =
      recorder_.add(detail::reverse_operator(), {detail::SlotArgument{list.slot()}})[0];
  return {last, Value<List>(recorder_, reversed)};
}

}  // namespace sluice
