#include <sluice/graph/flow/batch_node.h>
#include <sluice/graph/flow/inline_dispatch.h>
#include <sluice/graph/flow/loop_node.h>
#include <sluice/graph/flow/select_node.h>
#include <sluice/graph/flow/window.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

namespace sluice::flow {
namespace inline_dispatch_test {

using tbb::flow::graph;
using tbb::flow::make_edge;

struct Item {
  int id = 0;
  int value = 0;
  int trips = 0;
};

TEST(InlineDispatch, TakesATokenThroughTheNodesOnItsThread) {
  graph g;
  std::thread::id where;
  std::vector<int> way;
  step_node<Item*> first(g, [&](Item*) { way.push_back(1); });
  select_node<Item*, carried> choice(g, 2, [](Item* i) { return i->value; });
  step_node<Item*> zero(g, [&](Item*) { way.push_back(20); });
  step_node<Item*> one(g, [&](Item*) { way.push_back(21); });
  step_node<Item*> last(g, [&](Item*) {
    way.push_back(3);
    where = std::this_thread::get_id();
  });
  make_edge(first.output(), choice.input());
  make_edge(choice.port(0), zero.input());
  make_edge(choice.port(1), one.input());
  make_edge(zero.output(), last.input());
  make_edge(one.output(), last.input());
  for (int value : {0, 1}) {
    way.clear();
    Item item{.value = value};
    inline_dispatch<Item*>(g).carry(first.input(), &item);
    EXPECT_EQ(way, (std::vector<int>{1, 20 + value, 3}));
    EXPECT_EQ(where, std::this_thread::get_id());
  }
}

// Neither trips nor nodes grow the stack.
TEST(InlineDispatch, GoesRoundALoopAndDownALongChain) {
  graph g;
  constexpr int kTrips = 300000, kNodes = 20000;
  loop_node<Item*, carried> loop(
      g, [](Item* i) { i->trips = 0; }, [](Item* i) { return i->trips < kTrips; });
  step_node<Item*> body(g, [](Item* i) { ++i->trips; });
  make_edge(loop.body(), body.input());
  make_edge(body.output(), loop.again());
  std::vector<std::unique_ptr<step_node<Item*>>> chain;
  for (int n = 0; n < kNodes; ++n) {
    chain.push_back(std::make_unique<step_node<Item*>>(g, [](Item* i) { ++i->value; }));
    make_edge(n == 0 ? loop.done() : chain[static_cast<std::size_t>(n) - 1]->output(),
              chain.back()->input());
  }
  Item item;
  inline_dispatch<Item*>(g).carry(loop.input(), &item);
  EXPECT_EQ(item.trips, kTrips);
  EXPECT_EQ(item.value, kNodes);
}

TEST(InlineDispatch, LeadsNothingOfAnotherGraph) {
  graph g, other;
  int inner = 0, outer = 0;
  step_node<Item*> other_last(other, [&](Item*) { ++inner; });
  step_node<Item*> other_first(other, [](Item*) {});
  make_edge(other_first.output(), other_last.input());
  step_node<Item*> first(g, [&](Item* i) {
    other_first.input().try_put(i);  // not carried: it runs to its end at once
    EXPECT_EQ(inner, 1);
  });
  step_node<Item*> last(g, [&](Item*) { ++outer; });
  make_edge(first.output(), last.input());
  Item item;
  inline_dispatch<Item*>(g).carry(first.input(), &item);
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);
}

// All tokens come once, in batches and in order, whatever they wait for on their way.
class CarriedWindow : public ::testing::TestWithParam<int> {};

TEST_P(CarriedWindow, EachTokenArrivesOnce) {
  constexpr int kAll = 20011, kBatch = 32;
  graph g;
  std::vector<Item> items(256);
  std::vector<Item*> tokens;
  for (Item& item : items) tokens.push_back(&item);
  int next = 0;
  window<Item*, carried> in(g, tokens, static_cast<std::size_t>(GetParam()), [&](Item* i) {
    if (next == kAll) return false;
    i->id = next++;
    return true;
  });
  std::atomic<int> at_work{0}, most{0};
  step_node<Item*> work(g, [&](Item* i) {
    const int now = ++at_work;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    i->value = 3 * i->id;
    // Some wait for tasks of their own; their thread runs other tasks meanwhile.
    if (i->id % 97 == 0) tbb::parallel_for(0, 8, [](int) {});
    --at_work;
  });
  batch_node<Item*> batches(g, kBatch, [](Item* i) { return std::int64_t{i->id}; });
  batches.expect(kAll, items.size() / kBatch + 2);
  std::vector<int> got;
  tbb::flow::function_node<const token_batch<Item*>*, tbb::flow::continue_msg,
                           tbb::flow::lightweight>
      take(g, tbb::flow::unlimited,
           [&](const token_batch<Item*>* const& batch) noexcept -> tbb::flow::continue_msg {
             for (Item* i : batch->tokens) got.push_back(i->value);
             in.release(batch->tokens);
             batches.release(batch);
             return {};
           });
  step_node<Item*> last(g, [&](Item* i) {
    batches.put(i);
    in.finished();
  });
  make_edge(in.output(), work.input());
  make_edge(work.output(), last.input());
  make_edge(batches.output(), take);
  for (int left = 0; left != static_cast<int>(got.size()) || got.empty();) {
    left = static_cast<int>(got.size());
    in.start();
    g.wait_for_all();
  }
  std::vector<int> all(kAll);
  for (int i = 0; i < kAll; ++i) all[static_cast<std::size_t>(i)] = 3 * i;
  EXPECT_EQ(got, all);
  EXPECT_EQ(in.in_flight(), 0u);
  EXPECT_EQ(in.active(), 0u);
  EXPECT_EQ(batches.misplaced(), 0);
}
INSTANTIATE_TEST_SUITE_P(Active, CarriedWindow, ::testing::Values(1, 2, 3, 8));

}  // namespace inline_dispatch_test
}  // namespace sluice::flow
