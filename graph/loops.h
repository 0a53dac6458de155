// Loops, as Graph records them. Included by graph.h; not to be included alone.
#pragma once

#include <sluice/graph/graph.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

// A step that empties a list, and one that adds a value to it.
template <class T>
Step clear_list(std::string name, SlotId list) {
  Step step;
  step.name = std::move(name);
  step.writes = {list};
  step.run = [list](Frame& frame) { frame.get<std::vector<T>>(list).clear(); };
  return step;
}
template <class T>
Step append_to_list(std::string name, SlotId list, SlotId value) {
  Step step;
  step.name = std::move(name);
  step.reads = {list, value};
  step.writes = {list};
  step.run = [list, value](Frame& frame) {
    T copy = copy_of(frame.get<T>(value));
    take_ownership(copy);
    frame.get<std::vector<T>>(list).push_back(std::move(copy));
  };
  return step;
}

}  // namespace detail

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
  const std::string name = recorder_.unique_name("collect");
  const Value<List> list(recorder_, recorder_.add_slot(slot_type<List>(), name));
  recorder_.add_step(detail::clear_list<T>(name, list.slot()));
  S last = for_loop(count, init,
                    [&](Value<std::int64_t> i, const S& state) {
                      const R given = detail::normal(giver(), detail::call(body, i, state));
                      const Value<T> value = std::get<1>(given);
                      recorder_.add_step(detail::append_to_list<T>(recorder_.unique_name("collect"),
                                                                   list.slot(), value.slot()));
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
