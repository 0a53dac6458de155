#include <sluice/graph/flow/async_node.h>
#include <sluice/graph/flow/window.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

namespace sluice::flow {
namespace async_node_test {

using tbb::flow::graph;
using Node = async_node<int>;

// Counts what it receives.
class Sink {
 public:
  explicit Sink(graph& g)
      : node(g, tbb::flow::serial, [this](int token) -> tbb::flow::continue_msg {
          seen_.push_back(token);
          return {};
        }) {}
  std::vector<int> seen() const {
    std::vector<int> sorted = seen_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  std::vector<int> seen_;

 public:
  tbb::flow::function_node<int> node;
};

// Holds handles until there are so many.
class Shelf {
 public:
  void put(Node::completion done) {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(done));
    came_.notify_all();
  }
  std::vector<Node::completion> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return held_.size() >= count; });
    return std::exchange(held_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Node::completion> held_;
};

// The action on token `i`: in the body, or by another thread later.
enum class Fate { fired_inside, thrown, dropped_inside, fired, dropped, fired_twice, moved };
constexpr Fate kFates[] = {Fate::fired_inside, Fate::thrown,      Fate::dropped_inside, Fate::fired,
                           Fate::dropped,      Fate::fired_twice, Fate::moved};
constexpr int kCount = 700;
Fate fate_of(int token) { return kFates[static_cast<std::size_t>(token) % std::size(kFates)]; }
bool waits(Fate fate) { return fate >= Fate::fired; }
bool fails(Fate fate) {
  return fate == Fate::thrown || fate == Fate::dropped_inside || fate == Fate::dropped;
}

void end(Node::completion done) {
  switch (fate_of(done.token())) {
    case Fate::dropped:
      return;
    case Fate::fired_twice:
      EXPECT_TRUE(done.fire());
      EXPECT_FALSE(done);
      EXPECT_FALSE(done.fire());
      return;
    case Fate::moved: {
      Node::completion other = std::move(done);
      done = std::move(other);
      EXPECT_FALSE(other);  // NOLINT(bugprone-use-after-move): an empty handle is a handle
      EXPECT_FALSE(other.fire());
      EXPECT_TRUE(done.fire());
      return;
    }
    default:
      EXPECT_TRUE(done.fire());
  }
}

// The waiting tokens all wait at the same time, beside one thread.
TEST(AsyncNode, EveryTokenLeavesOnceWhateverBecomesOfItsHandle) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    graph g;
    Shelf shelf;
    Node node(g, [&](int token, Node::completion done) {
      const Fate fate = fate_of(token);
      if (fate == Fate::thrown) throw std::runtime_error("no");
      if (fate == Fate::fired_inside) done.fire();
      if (waits(fate)) shelf.put(std::move(done));
    });
    Sink fired(g), failed(g);
    make_edge(node.output(), fired.node);
    make_edge(node.failed(), failed.node);
    std::vector<int> good, bad;
    std::size_t waiting = 0;
    for (int i = 0; i < kCount; ++i) {
      (fails(fate_of(i)) ? bad : good).push_back(i);
      if (waits(fate_of(i))) ++waiting;
    }
    std::thread elsewhere([&] {
      auto held = shelf.take(waiting);
      std::vector<Node::completion> half;
      for (std::size_t i = held.size() / 2; i < held.size(); ++i)
        half.push_back(std::move(held[i]));
      std::thread second([&] {
        for (Node::completion& done : half) end(std::move(done));
      });
      for (std::size_t i = 0; i < held.size() / 2; ++i) end(std::move(held[i]));
      held.clear();
      second.join();
    });
    for (int i = 0; i < kCount; ++i) node.input().try_put(i);
    g.wait_for_all();
    EXPECT_EQ(fired.seen(), good) << threads;
    EXPECT_EQ(failed.seen(), bad) << threads;
    elsewhere.join();
  }
}

TEST(AsyncNode, KeepsTheGraphAliveUntilTheLastHandleIsGone) {
  for (const bool fire : {true, false}) {
    graph g;
    Shelf shelf;
    Node node(g, [&](int, Node::completion done) { shelf.put(std::move(done)); });
    std::atomic<bool> let_go{false};
    std::thread elsewhere([&] {
      auto held = shelf.take(1);
      let_go = true;
      if (fire) held.front().fire();
    });
    node.input().try_put(1);
    g.wait_for_all();
    EXPECT_TRUE(let_go);
    elsewhere.join();
  }
}

TEST(AsyncNode, ANewHandleInTheOldOnesPlaceDropsThat) {
  graph g;
  Shelf shelf;
  Node node(g, [&](int, Node::completion done) { shelf.put(std::move(done)); });
  Sink fired(g), failed(g);
  make_edge(node.output(), fired.node);
  make_edge(node.failed(), failed.node);
  node.input().try_put(1);
  node.input().try_put(2);
  std::thread elsewhere([&] {
    auto held = shelf.take(2);
    if (held[0].token() != 1) std::swap(held[0], held[1]);
    held[0] = std::move(held[1]);
    EXPECT_EQ(held[0].token(), 2);
    held[0].fire();
  });
  g.wait_for_all();
  elsewhere.join();
  EXPECT_EQ(fired.seen(), std::vector<int>{2});
  EXPECT_EQ(failed.seen(), std::vector<int>{1});
}

// For tokens that own the handle which fires them.
TEST(AsyncNode, LetsOutATokenWhoseHandleWasReleased) {
  graph g;
  Shelf shelf;
  Node node(g, [&](int, Node::completion done) { shelf.put(std::move(done)); });
  Sink fired(g);
  make_edge(node.output(), fired.node);
  node.input().try_put(7);
  std::thread elsewhere([&] {
    auto held = shelf.take(1);
    const int token = held.front().release();
    EXPECT_FALSE(held.front());
    node.complete(token);
  });
  g.wait_for_all();
  elsewhere.join();
  EXPECT_EQ(fired.seen(), std::vector<int>{7});
}

// A receiver without memory for its messages.
class NoRoom : public tbb::flow::receiver<int> {
 public:
  explicit NoRoom(graph& g) : graph_(g) {}

 private:
  tbb::detail::d1::graph_task* try_put_task(const int&) override { throw std::bad_alloc(); }
  graph& graph_reference() const override { return graph_; }
  graph& graph_;
};

TEST(AsyncNode, SaysWhichTokenCouldNotBeSentOn) {
  for (const bool inside : {true, false}) {
    graph g;
    Shelf shelf;
    std::atomic<int> lost{0};
    Node node(
        g,
        [&](int, Node::completion done) {
          if (inside) done.fire();
          if (!inside) shelf.put(std::move(done));
        },
        [&](int token, const std::exception_ptr& why) {
          lost += token;
          EXPECT_THROW(std::rethrow_exception(why), std::bad_alloc);
        });
    NoRoom next(g);
    make_edge(node.output(), next);
    node.input().try_put(5);
    std::thread elsewhere([&] {
      if (!inside) shelf.take(1).front().fire();
    });
    g.wait_for_all();
    elsewhere.join();
    EXPECT_EQ(lost, 5);
    EXPECT_FALSE(g.is_cancelled());
  }
}

TEST(AsyncNode, ALostTokenCancelsTheGraphWhereNobodyIsTold) {
  graph g;
  Node node(g, [](int, Node::completion done) { done.fire(); });
  NoRoom next(g);
  make_edge(node.output(), next);
  node.input().try_put(5);
  g.wait_for_all();
  EXPECT_TRUE(g.is_cancelled());
}

// Waiting tokens do not count as being at work: all tokens of the window may wait beside one that
// works. No more than one works at a time, however many have stopped waiting.
TEST(AsyncNode, TokensThatWaitLeaveTheirCreditToOthers) {
  constexpr int kWindow = 64, kAll = 640;
  graph g;
  std::vector<int> tokens(kWindow);
  int next = 0;
  window<int> credit(g, tokens, 1, [&](int) { return next < kAll && ++next > 0; });
  Shelf shelf;
  Node node(g, [&](int, Node::completion done) {
    shelf.put(std::move(done));
    credit.suspended();
  });
  std::atomic<int> at_work{0};
  step_node<int> work(g, [&](int) {
    EXPECT_EQ(++at_work, 1);
    --at_work;
  });
  tbb::flow::function_node<int> go_on(g, tbb::flow::unlimited, [&](int token) {
    credit.resumed(work.input(), token);
    return tbb::flow::continue_msg();
  });
  make_edge(credit.output(), node.input());
  make_edge(node.output(), go_on);
  make_edge(work.output(), credit.returns());
  std::thread elsewhere([&] {
    for (int left = kAll; left > 0;) {
      auto held = shelf.take(static_cast<std::size_t>(std::min(left, kWindow)));
      EXPECT_EQ(credit.in_flight(), held.size());
      left -= static_cast<int>(held.size());
      for (Node::completion& done : held) done.fire();
    }
  });
  credit.start();
  g.wait_for_all();
  elsewhere.join();
  EXPECT_EQ(next, kAll);
  EXPECT_EQ(credit.active(), 0u);
  EXPECT_EQ(credit.in_flight(), 0u);
}

}  // namespace async_node_test
}  // namespace sluice::flow
