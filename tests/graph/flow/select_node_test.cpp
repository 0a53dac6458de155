#include <sluice/graph/flow/loop_node.h>
#include <sluice/graph/flow/select_node.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/concurrent_vector.h>

namespace sluice::flow {
namespace select_node_test {

using tbb::flow::graph;
using tbb::flow::make_edge;
using tbb::flow::unlimited;

// Collects what it receives.
class Sink {
 public:
  explicit Sink(graph& g)
      : node(g, unlimited, [this](int token) -> tbb::flow::continue_msg {
          seen_.push_back(token);
          return {};
        }) {}
  std::multiset<int> seen() const { return {seen_.begin(), seen_.end()}; }

 private:
  tbb::concurrent_vector<int> seen_;

 public:
  tbb::flow::function_node<int> node;
};

std::multiset<int> range(int from, int to, int step = 1) {
  std::multiset<int> all;
  for (int i = from; i < to; i += step) all.insert(i);
  return all;
}

TEST(SelectNode, EveryTokenLeavesThroughItsPort) {
  for (const std::size_t ports : {1u, 2u, 3u, 32u}) {
    graph g;
    select_node<int> node(g, ports,
                          [ports](int token) { return static_cast<std::size_t>(token) % ports; });
    std::vector<std::unique_ptr<Sink>> sinks;
    for (std::size_t i = 0; i < ports; ++i) {
      sinks.push_back(std::make_unique<Sink>(g));
      make_edge(node.port(i), sinks.back()->node);
    }
    for (int i = 0; i < 1000; ++i) node.input().try_put(i);
    g.wait_for_all();
    for (std::size_t i = 0; i < ports; ++i) {
      EXPECT_EQ(sinks[i]->seen(), range(static_cast<int>(i), 1000, static_cast<int>(ports)))
          << i << " of " << ports;
    }
  }
}

// oneTBB ends the graph, and loses hundreds of messages, when an exception leaves a body.
TEST(SelectNode, AThrowCostsNoOtherToken) {
  graph g;
  select_node<int> node(g, 2, [](int token) -> std::size_t {
    if (token % 10 == 3) throw std::runtime_error("three");
    if (token % 10 == 4) return 17;  // outside
    return static_cast<std::size_t>(token) % 2;
  });
  Sink even(g), odd(g), failed(g);
  make_edge(node.port(0), even.node);
  make_edge(node.port(1), odd.node);
  make_edge(node.failed(), failed.node);
  for (int i = 0; i < 1000; ++i) node.input().try_put(i);
  g.wait_for_all();
  EXPECT_EQ(failed.seen().size(), 200u);
  EXPECT_EQ(even.seen().size(), 400u);
  EXPECT_EQ(odd.seen().size(), 400u);
}

TEST(PredicateNode, SendsTrueAndFalseApart) {
  graph g;
  predicate_node<int> node(g, [](int token) { return token & 1; });  // a number: zero is false
  Sink yes(g), no(g);
  make_edge(node.on_true(), yes.node);
  make_edge(node.on_false(), no.node);
  for (int i = 0; i < 500; ++i) node.input().try_put(i);
  g.wait_for_all();
  EXPECT_EQ(yes.seen(), range(1, 500, 2));
  EXPECT_EQ(no.seen(), range(0, 500, 2));
}

// Branches that end in the same receiver need no join; a refused message would be gone.
TEST(PredicateNode, BranchesMeetAtOneReceiver) {
  graph g;
  predicate_node<int> node(g, [](int token) { return token % 3 == 0; });
  tbb::flow::function_node<int, int> branch(
      g, 1, [](int token) { return token; });  // serial, with a queue
  Sink merged(g);
  make_edge(node.on_true(), branch);
  make_edge(branch, merged.node);
  make_edge(node.on_false(), merged.node);
  for (int i = 0; i < 1000; ++i) node.input().try_put(i);
  g.wait_for_all();
  EXPECT_EQ(merged.seen(), range(0, 1000));
}

struct Counter {
  int wanted = 0;
  int trips = 0;
};

TEST(LoopNode, EachTokenMakesItsOwnNumberOfTrips) {
  graph g;
  std::vector<Counter> counters(200);
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i] = {static_cast<int>(i % 17), 99};
  loop_node<Counter*> loop(
      g, [](Counter* c) { c->trips = 0; }, [](Counter* c) { return c->trips < c->wanted; });
  tbb::flow::function_node<Counter*, Counter*> body(g, unlimited, [](Counter* c) {
    ++c->trips;
    return c;
  });
  std::atomic<int> done{0};
  tbb::flow::function_node<Counter*> end(g, unlimited, [&](Counter*) -> tbb::flow::continue_msg {
    ++done;
    return {};
  });
  make_edge(loop.body(), body);
  make_edge(body, loop.again());
  make_edge(loop.done(), end);
  for (Counter& c : counters) loop.input().try_put(&c);
  g.wait_for_all();
  EXPECT_EQ(done, 200);
  for (const Counter& c : counters) EXPECT_EQ(c.trips, c.wanted);
}

TEST(LoopNode, AConditionThatThrowsEndsItsTokenAlone) {
  graph g;
  std::vector<Counter> counters(50);
  for (Counter& c : counters) c.wanted = 5;
  loop_node<Counter*> loop(
      g, [](Counter*) {},
      [&](Counter* c) {
        if (c == &counters[7] && c->trips == 3) throw 1;
        return c->trips < c->wanted;
      });
  tbb::flow::function_node<Counter*, Counter*> body(g, unlimited, [](Counter* c) {
    ++c->trips;
    return c;
  });
  std::atomic<int> done{0}, failed{0};
  tbb::flow::function_node<Counter*> end(g, unlimited, [&](Counter*) -> tbb::flow::continue_msg {
    ++done;
    return {};
  });
  tbb::flow::function_node<Counter*> bad(g, unlimited, [&](Counter* c) -> tbb::flow::continue_msg {
    EXPECT_EQ(c, &counters[7]);
    ++failed;
    return {};
  });
  make_edge(loop.body(), body);
  make_edge(body, loop.again());
  make_edge(loop.done(), end);
  make_edge(loop.failed(), bad);
  for (Counter& c : counters) loop.input().try_put(&c);
  g.wait_for_all();
  EXPECT_EQ(done, 49);
  EXPECT_EQ(failed, 1);
}

}  // namespace select_node_test
}  // namespace sluice::flow
