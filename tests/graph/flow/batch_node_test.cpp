// The ring of batch_node: how it grows, and which elements stay where they are meanwhile.
#include "tests/failing_allocations.h"
#include <sluice/graph/flow/batch_node.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::flow {
namespace batch_node_test {

using Batch = const token_batch<int>*;

// A batch_node whose batches are kept until the test releases them.
struct Kept {
  Kept() { make_edge(node.output(), sink); }
  void put(int first, int last) {
    for (int id = first; id < last; ++id) node.input().try_put(id);
    g.wait_for_all();
  }
  tbb::flow::graph g;
  batch_node<int> node{g, 4, [](int id) { return id; }};
  std::vector<Batch> batches;
  tbb::flow::function_node<Batch, tbb::flow::continue_msg, tbb::flow::lightweight> sink{
      g, tbb::flow::unlimited, [this](Batch batch) noexcept -> tbb::flow::continue_msg {
        batches.push_back(batch);
        return {};
      }};
};

TEST(BatchNodeRing, BatchesThatHaveLeftStayWhereTheyAreWhileItGrows) {
  Kept kept;
  kept.node.expect(400);
  kept.put(0, 400);
  ASSERT_EQ(kept.batches.size(), 100u);
  for (std::size_t b = 0; b < 100; ++b) {
    EXPECT_EQ(kept.batches[b]->index, static_cast<std::int64_t>(b));
    EXPECT_EQ(kept.node.find(kept.batches[b]->index), kept.batches[b]);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(kept.batches[b]->tokens[i], static_cast<int>(4 * b + i));
  }
}

TEST(BatchNodeRing, BatchesAreReleasedInAnyOrderAndTheirPlacesUsedAgain) {
  Kept kept;
  kept.node.expect(1000, 4);
  for (int round = 0; round < 60; ++round) {
    kept.put(16 * round, 16 * round + 16);
    ASSERT_EQ(kept.batches.size(), 4u);
    for (const std::size_t b : {2u, 0u, 3u, 1u}) {
      const std::int64_t index = kept.batches[b]->index;
      EXPECT_EQ(kept.batches[b]->tokens[0], 4 * index);
      kept.node.release(kept.batches[b]);
      EXPECT_EQ(kept.node.find(index), nullptr);
    }
    kept.batches.clear();
  }
  EXPECT_EQ(kept.node.misplaced(), 0);
}

TEST(BatchNodeRing, TakesNoMemoryForBatchesThatItWasToldOf) {
  Kept kept;
  kept.put(0, 4);  // oneTBB takes memory when it is first used
  kept.batches.clear();
  kept.node.expect(32, 8);
  kept.batches.reserve(8);
  const testing::FailingAllocations fails(1, 1000000);
  kept.put(0, 32);
  EXPECT_FALSE(testing::FailingAllocations::reached());
  EXPECT_EQ(kept.batches.size(), 8u);
}

}  // namespace batch_node_test
}  // namespace sluice::flow
