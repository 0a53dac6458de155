// A conditional within a loop, written down flat, as a tool that reads some other format would: the
// boundaries say where values go in and out, and the data flow says what lies in what.
//
//   while n > 1: the list takes n;  n even? --yes--> n / 2
//                                      \-----no---> 3 n + 1
//
// Each sample goes round as often as its own number needs.
#include <sluice/sluice.h>

#include <cstdio>
#include <vector>
using namespace sluice;

int main() try {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto start =
        g.source(12, [](const SampleInfo& info) { return static_cast<int>(info.index) + 1; });
    auto loop = g.add_loop("collatz");
    auto carried = loop.add_recurrence(start);
    auto rounds = loop.add_recurrence(0);
    auto n = carried.value();

    auto parity = g.add_conditional("parity");
    parity.set_condition(n % 2 == 0);
    auto inside = parity.add_input(n);  // what it leads to runs in one branch only
    carried.set_next(parity.add_output(inside / 2, inside * 3 + 1));

    rounds.set_next(rounds.value() + 1);
    loop.add_while(n > 1);
    loop.add_trip_limit(20);
    return std::tuple{start, loop.add_output(rounds), loop.add_output(carried),
                      loop.add_output(n, 20)};
  });
  for (const auto& [starts, rounds, lasts, lists] : pipeline.epoch()) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      std::printf("%2d after %2d rounds: %d  (", starts[i], rounds[i], lasts[i]);
      for (int k = 0; k < rounds[i]; ++k) std::printf(" %d", lists[i][static_cast<std::size_t>(k)]);
      std::printf(" )\n");
    }
  }
  std::printf("%s", to_string(pipeline.plan()).c_str());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "explicit_boundaries: %s\n", error.what());
  return 1;
}
