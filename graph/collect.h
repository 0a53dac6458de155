// Graph::for_loop_collect: a loop that keeps a value of each iteration. Included by graph.h; not to
// be included alone.
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
    frame.get<std::vector<T>>(list).push_back(copy_of(frame.get<T>(value)));
  };
  return step;
}

}  // namespace detail

template <class Count, class Init, class Body>
auto Graph::for_loop_collect(const Count& count, const Init& init, Body body,
                             CollectOptions options) {
  using S = std::remove_cvref_t<decltype(detail::normal(recorder_, init))>;
  using R = detail::normal_t<decltype(detail::call(body, std::declval<Value<std::int64_t>>(),
                                                   std::declval<const S&>()))>;
  using T = typename std::tuple_element_t<1, R>::value_type;
  using List = std::vector<T>;
  const std::string name = recorder_.unique_name("collect");
  const Value<List> list(recorder_, recorder_.add_slot(slot_type<List>(), name));
  recorder_.add_step(detail::clear_list<T>(name, list.slot()));
  S last = for_loop(count, init,
                    [&](Value<std::int64_t> i, const S& state) {
                      const R given = detail::normal(recorder_, detail::call(body, i, state));
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
