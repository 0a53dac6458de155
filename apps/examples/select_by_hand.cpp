// select_node: a choice among any number of branches, at the same cost for all of them.
//
//                +-- 0 --> double --+
//   n % 4 -------+-- 1 --> square --+--> add up
//                +-- 2 -------------+
//                +-- 3, which is no port --> failed --> count
#include <sluice/graph/flow/select_node.h>

#include <cstddef>
#include <cstdio>

#include <tbb/flow_graph.h>

int main() {
  using tbb::flow::continue_msg;
  tbb::flow::graph g;
  // Three ports: a token that asks for port 3 leaves through failed(), as one whose selector throws
  // does.
  sluice::flow::select_node<long> choose(g, 3,
                                         [](long n) { return static_cast<std::size_t>(n % 4); });
  tbb::flow::function_node<long, long> twice(g, tbb::flow::unlimited, [](long n) { return 2 * n; });
  tbb::flow::function_node<long, long> square(g, tbb::flow::unlimited,
                                              [](long n) { return n * n; });
  long sum = 0;
  tbb::flow::function_node<long> add(g, tbb::flow::serial, [&](long n) -> continue_msg {
    sum += n;
    return {};
  });
  int lost = 0;
  tbb::flow::function_node<long> failed(g, tbb::flow::serial, [&](long) -> continue_msg {
    ++lost;
    return {};
  });
  make_edge(choose.port(0), twice);
  make_edge(choose.port(1), square);
  make_edge(choose.port(2), add);
  make_edge(twice, add);
  make_edge(square, add);
  make_edge(choose.failed(), failed);

  for (long n = 0; n < 100; ++n) choose.input().try_put(n);
  g.wait_for_all();
  std::printf("sum %ld; %d tokens asked for a port that is not there\n", sum, lost);
}
