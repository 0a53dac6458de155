// loop_node: a token goes through the body again and again, for as long as its condition holds,
// while others pass.
//
//            +---------- again -----------+
//            v                            |
//   --> n is not 1? -- body --> n/2 or 3n+1
//            |
//            +-- done --> longest
//
// Every number makes its own number of trips (Collatz's problem).
#include <sluice/graph/flow/loop_node.h>

#include <cstdio>
#include <vector>

#include <tbb/flow_graph.h>

namespace {

struct Walk {
  long start = 0;
  long now = 0;
  int trips = 0;
};

}  // namespace

int main() {
  tbb::flow::graph g;
  std::vector<Walk> walks(1000);
  sluice::flow::loop_node<Walk*> loop(
      g, [](Walk* walk) { walk->now = walk->start; },
      [](const Walk* walk) { return walk->now != 1; });
  tbb::flow::function_node<Walk*, Walk*> step(g, tbb::flow::unlimited, [](Walk* walk) {
    walk->now = walk->now % 2 == 0 ? walk->now / 2 : 3 * walk->now + 1;
    ++walk->trips;
    return walk;
  });
  const Walk* longest = walks.data();
  tbb::flow::function_node<Walk*> compare(g, tbb::flow::serial,
                                          [&](Walk* walk) -> tbb::flow::continue_msg {
                                            if (walk->trips > longest->trips) longest = walk;
                                            return {};
                                          });
  make_edge(loop.body(), step);
  make_edge(step, loop.again());
  make_edge(loop.done(), compare);

  for (std::size_t i = 0; i < walks.size(); ++i) {
    walks[i].start = static_cast<long>(i) + 1;
    loop.input().try_put(&walks[i]);
  }
  g.wait_for_all();
  std::printf("the longest walk starts at %ld and takes %d steps\n", longest->start,
              longest->trips);
}
