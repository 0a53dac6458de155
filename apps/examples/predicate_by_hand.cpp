// predicate_node: a choice for each token. Only the branch that is taken runs; both branches end
// at one receiver.
//
//                   +-- true --> halve --+
//   even? ----------+                    +--> print
//                   +-- false -----------+
#include <sluice/graph/flow/select_node.h>

#include <cstdio>

#include <tbb/flow_graph.h>

int main() {
  tbb::flow::graph g;
  sluice::flow::predicate_node<int> even(g, [](int number) { return number % 2 == 0; });
  tbb::flow::function_node<int, int> halve(g, tbb::flow::unlimited,
                                           [](int number) { return number / 2; });
  tbb::flow::function_node<int> print(g, tbb::flow::serial,
                                      [](int number) -> tbb::flow::continue_msg {
                                        std::printf("%d ", number);
                                        return {};
                                      });
  make_edge(even.on_true(), halve);
  make_edge(halve, print);
  make_edge(even.on_false(), print);  // a branch without operators is an edge

  for (int number = 0; number < 10; ++number) even.input().try_put(number);
  g.wait_for_all();
  std::printf("\n");
}
