// batch_node: tokens that arrive in any order leave in batches, in the order of their ids.
//
//   ids --> work (parallel, no order) --> batches of 4 --> print
#include <sluice/graph/flow/batch_node.h>

#include <cstdio>

#include <tbb/flow_graph.h>

int main() {
  using sluice::flow::batch_node;
  using Batch = const batch_node<long>::batch*;
  constexpr long kCount = 10;
  tbb::flow::graph g;
  tbb::flow::function_node<long, long> work(g, tbb::flow::unlimited, [](long id) { return id; });
  batch_node<long> batches(g, 4, [](long id) { return id; });
  batches.expect(kCount);  // so that the last batch may be short
  // A lightweight receiver runs where batches leave, so it sees them in order.
  using Print = tbb::flow::function_node<Batch, tbb::flow::continue_msg, tbb::flow::lightweight>;
  Print print(g, tbb::flow::serial, [&](Batch batch) noexcept -> tbb::flow::continue_msg {
    std::printf("batch %ld:", static_cast<long>(batch->index));
    for (const long id : batch->tokens) std::printf(" %ld", id);
    std::printf("\n");
    batches.release(batch);
    return {};
  });
  make_edge(work, batches.input());
  make_edge(batches.output(), print);

  for (long id = kCount; id-- > 0;) work.try_put(id);  // backwards
  g.wait_for_all();
}
