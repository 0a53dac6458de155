// Loops, as Graph records them. Included by graph.h; not to be included alone.
#pragma once

#include <sluice/graph/graph.h>

namespace sluice {

template <class Init, class Condition, class Body>
auto Graph::guarded_loop(std::string_view kind, std::int64_t max_iterations, const Init& init,
                         Condition condition, Body body) {
  std::string name = recorder_.unique_name(kind);
  const auto first = detail::normal({recorder_, "'" + name + "' begins with"}, init);
  using S = std::remove_cv_t<decltype(first)>;
  const Recorder::LoopView view =
      recorder_.open_loop(std::move(name), max_iterations, detail::flatten(first));
  return guarded([&] {
    const S state = detail::rebuild<S>(first, recorder_, view.state);
    const Value<std::int64_t> i(recorder_, view.iteration);
    condition(i, state);
    recorder_.begin_body();
    const auto next = detail::normal(giver(), body(i, state));
    static_assert(
        std::is_same_v<std::remove_cv_t<decltype(next)>, S>,
        "a loop's body must give the same structure and types as the state it begins with");
    require_same_structure(detail::structure<S>::compare(first, next));
    recorder_.end_body(detail::flatten(next),
                       [&](std::size_t k) { return detail::place_in(next, k); });
    return detail::rebuild<S>(first, recorder_, recorder_.close_loop());
  });
}

template <class Init, class Condition, class Body>
auto Graph::while_loop(const Init& init, Condition condition, Body body, LoopOptions options) {
  return guarded_loop(
      "while_loop", options.max_iterations, init,
      [&](auto, const auto& state) {
        recorder_.begin_condition();
        const auto holds = detail::normal(giver(), detail::call(condition, state));
        static_assert(std::is_same_v<std::remove_cv_t<decltype(holds)>, Value<bool>>,
                      "while_loop: the condition must give a Value<bool>, or a bool");
        recorder_.end_condition(holds.slot());
      },
      [&](auto, const auto& state) { return detail::call(body, state); });
}

template <class Count, class Init, class Body>
auto Graph::for_loop(const Count& count, const Init& init, Body body, LoopOptions options) {
  static_assert(detail::is_integer_argument<Count>,
                "for_loop: the count must be an integer, or a Value of one");
  return guarded_loop(
      "for_loop", options.max_iterations, init,
      [&](Value<std::int64_t> i, const auto&) {
        recorder_.begin_condition();
        recorder_.end_condition(
            map(
                "more", [](std::int64_t n, auto limit) { return std::cmp_less(n, limit); }, i,
                count)
                .slot());
      },
      [&](Value<std::int64_t> i, const auto& state) { return detail::call(body, i, state); });
}

template <class Count, class Init, class Body>
auto Graph::for_loop_collect(const Count& count, const Init& init, Body body,
                             CollectOptions options) {
  using S = detail::normal_t<Init>;
  using R = detail::normal_t<decltype(detail::call(body, std::declval<Value<std::int64_t>>(),
                                                   std::declval<const S&>()))>;
  using T = typename std::tuple_element_t<1, R>::value_type;
  using List = std::vector<T>;
  Step begin = begin_step<>("collect");
  const Value<List> list = detail::results<List>::add(recorder_, begin);
  begin.run = [list](Frame& frame) { frame.get<List>(list.slot()).clear(); };
  recorder_.add_step(std::move(begin));
  S last = for_loop(
      count, init,
      [&](Value<std::int64_t> i, const S& state) {
        const R given = detail::normal(giver(), detail::call(body, i, state));
        const Value<T> value = std::get<1>(given);
        Step add = begin_step<Value<List>, Value<T>>("collect", list, value);
        add.writes = {list.slot()};
        add.run = [list, value](Frame& frame) {
          frame.get<List>(list.slot()).push_back(detail::copy_of(frame.get<T>(value.slot())));
        };
        recorder_.add_step(std::move(add));
        return std::get<0>(given);
      },
      {options.max_iterations});
  if (!options.reverse) return std::tuple{last, list};
  return std::tuple{last, map(
                              "reverse",
                              [](const List& all) {
                                List turned;
                                for (auto it = all.rbegin(); it != all.rend(); ++it)
                                  turned.push_back(detail::copy_of(*it));
                                return turned;
                              },
                              list)};
}

}  // namespace sluice
