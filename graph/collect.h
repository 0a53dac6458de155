// Graph::for_loop_collect: a loop that keeps a value of each iteration. Included by graph.h; not to
// be included alone.
#pragma once

#include <sluice/graph/graph.h>

namespace sluice {

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
