#include <sluice/graph/flow/batch_node.h>
#include <sluice/graph/flow/credit_pool.h>
#include <sluice/graph/flow/inline_dispatch.h>
#include <sluice/graph/flow/select_node.h>
#include <sluice/graph/flow/window.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace sluice::flow {
namespace window_test {

using tbb::flow::graph;
using tbb::flow::make_edge;
using tbb::flow::unlimited;

struct Sample {
  int id = -1;
};

struct Samples {
  explicit Samples(std::size_t n) : storage(n) {
    for (Sample& s : storage) handles.push_back(&s);
  }
  std::vector<Sample> storage;
  std::vector<Sample*> handles;
};

// Gives ids 0 .. count - 1, each to the token that comes for it.
auto numbering(int count) {
  return [count, next = 0](Sample* s) mutable {
    if (next == count) return false;
    s->id = next++;
    return true;
  };
}

// With limiter_node's default decrementer, two branches into it stall after a few tokens, and
// wait_for_all returns.
TEST(Window, CreditComesBackFromAnyNumberOfBranches) {
  graph g;
  Samples samples(4);
  window<Sample*> tokens(g, samples.handles, 0, numbering(1000));
  std::atomic<int> ran{0};
  std::vector<std::unique_ptr<tbb::flow::function_node<Sample*, Sample*>>> branches;
  predicate_node<Sample*> split(g, [](Sample* s) { return s->id % 3 == 0; });
  for (int i = 0; i < 2; ++i) {
    branches.push_back(
        std::make_unique<tbb::flow::function_node<Sample*, Sample*>>(g, unlimited, [&](Sample* s) {
          ++ran;
          return s;
        }));
    make_edge(*branches.back(), tokens.returns());
  }
  make_edge(tokens.output(), split.input());
  make_edge(split.on_true(), *branches[0]);
  make_edge(split.on_false(), *branches[1]);
  tokens.start();
  g.wait_for_all();
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(tokens.in_flight(), 0u);
}

// Nothing else bounds the messages ahead of a limited node: its queue grows for as long as the
// source is faster.
TEST(Window, BoundsWhatWaitsInFrontOfASlowNode) {
  graph g;
  Samples samples(6);
  std::atomic<int> inside{0}, most{0};
  window<Sample*> tokens(g, samples.handles, 0, numbering(500));
  tbb::flow::function_node<Sample*, Sample*> enter(g, unlimited, [&](Sample* s) {
    const int now = ++inside;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    return s;
  });
  tbb::flow::function_node<Sample*, Sample*> slow(g, tbb::flow::serial, [&](Sample* s) {
    --inside;
    return s;
  });
  make_edge(tokens.output(), enter);
  make_edge(enter, slow);
  make_edge(slow, tokens.returns());
  tokens.start();
  g.wait_for_all();
  EXPECT_LE(most, 6);
  EXPECT_GE(most, 1);
}

TEST(Window, ActiveBoundsTheTokensAtWork) {
  graph g;
  Samples samples(64);
  std::atomic<int> at_work{0}, most{0}, done{0};
  window<Sample*> tokens(g, samples.handles, 3, numbering(64));
  tbb::flow::function_node<Sample*, Sample*> first(g, unlimited, [&](Sample* s) {
    const int now = ++at_work;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    return s;
  });
  tbb::flow::function_node<Sample*> last(g, unlimited, [&](Sample*) -> tbb::flow::continue_msg {
    --at_work;
    ++done;
    tokens.finished();
    return {};
  });
  make_edge(tokens.output(), first);
  make_edge(first, last);
  tokens.start();
  g.wait_for_all();
  EXPECT_EQ(done, 64);
  EXPECT_LE(most, 3);
  EXPECT_EQ(tokens.in_flight(), 64u);  // they were not released
  EXPECT_EQ(tokens.active(), 0u);
}

// A sequencer_node keeps everything behind a number that never comes, and wait_for_all returns.
TEST(BatchNode, FailedTokensArriveLikeOthersAndNothingIsHeldBack) {
  graph g;
  Samples samples(100);
  batch_node<Sample*> batches(g, 8, [](Sample* s) { return s->id; });
  batches.expect(100);
  std::vector<int> order;
  std::vector<std::size_t> sizes;
  tbb::flow::function_node<const token_batch<Sample*>*, tbb::flow::continue_msg,
                           tbb::flow::lightweight>
      sink(g, unlimited,
           [&](const token_batch<Sample*>* batch) noexcept -> tbb::flow::continue_msg {
             EXPECT_EQ(batch->index, static_cast<std::int64_t>(sizes.size()));
             sizes.push_back(batch->tokens.size());
             for (const Sample* s : batch->tokens) order.push_back(s->id);
             batches.release(batch);
             return {};
           });
  make_edge(batches.output(), sink);
  // Reversed in blocks of 32, so that later batches are complete first.
  for (int i = 0; i < 100; ++i) samples.storage[static_cast<std::size_t>(i)].id = i;
  for (int block = 0; block < 100; block += 32) {
    for (int i = std::min(block + 32, 100) - 1; i >= block; --i) {
      batches.input().try_put(&samples.storage[static_cast<std::size_t>(i)]);
    }
  }
  g.wait_for_all();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(sizes.back(), 4u);
  EXPECT_EQ(batches.misplaced(), 0);
}

// A sequencer_node refuses a second token with the same number without a word.
TEST(BatchNode, CountsTokensThatHaveNoPlace) {
  graph g;
  Samples samples(3);
  samples.storage[0].id = 0;
  samples.storage[1].id = 0;
  samples.storage[2].id = 99;
  batch_node<Sample*> batches(g, 2, [](Sample* s) { return s->id; });
  batches.expect(10);
  for (Sample* s : samples.handles) batches.input().try_put(s);
  g.wait_for_all();
  EXPECT_EQ(batches.misplaced(), 2);
  int held = 0;
  batches.for_each_held([&](const Sample*) { ++held; });
  EXPECT_EQ(held, 1);
}

// Ids are assigned at admission. With ids from before a limiter, arrivals out of order would fill
// it, and nothing would move again.
TEST(BatchNode, RoundTripWithASmallWindow) {
  for (const std::size_t frames : {4u, 5u, 16u}) {
    graph g;
    Samples samples(frames);
    window<Sample*> tokens(g, samples.handles, 0, numbering(403));
    tbb::flow::function_node<Sample*, Sample*> work(g, unlimited, [](Sample* s) { return s; });
    batch_node<Sample*> batches(g, 4, [](Sample* s) { return s->id; });
    batches.expect(403);
    std::vector<int> order;
    tbb::flow::function_node<const token_batch<Sample*>*> sink(
        g, tbb::flow::serial, [&](const token_batch<Sample*>* batch) -> tbb::flow::continue_msg {
          for (const Sample* s : batch->tokens) order.push_back(s->id);
          for (std::size_t i = 0; i < batch->tokens.size(); ++i)
            tokens.returns().try_put(batch->tokens[i]);
          batches.release(batch);
          return {};
        });
    make_edge(tokens.output(), work);
    make_edge(work, batches.input());
    make_edge(batches.output(), sink);
    tokens.start();
    g.wait_for_all();
    EXPECT_EQ(order.size(), 403u) << frames;
    std::sort(order.begin(), order.end());
    for (int i = 0; i < 403; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

// Tokens that wait outside of the graph come back many at a time, from a thread that is not
// oneTBB's. This works even while threads sleep.
TEST(Window, TokensThatWaitedGoOnOnceEachWithinTheLimit) {
  for (const auto& [limit, may_sleep] :
       {std::pair{1u, false}, {2u, false}, {0u, false}, {1u, true}, {2u, true}, {0u, true}}) {
    constexpr int kCount = 5000;
    graph g;
    Samples samples(256);
    window<Sample*, carried> tokens(g, samples.handles, limit, numbering(kCount), {}, may_sleep);
    std::mutex mutex;
    std::vector<Sample*> waiting;
    input_node<Sample*, carried> wait(g, [&](Sample* s) {
      g.reserve_wait();
      {
        const std::lock_guard lock(mutex);
        waiting.push_back(s);
      }
      tokens.suspended();
    });
    std::atomic<int> at_work{0}, most{0};
    std::vector<std::atomic<int>> came(kCount);
    input_node<Sample*, carried> after(g, [&](Sample* s) {
      const int now = ++at_work;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
      ++came[static_cast<std::size_t>(s->id)];
      --at_work;
      tokens.release(s);
      tokens.finished();
    });
    make_edge(tokens.output(), wait);
    std::atomic<bool> over{false};
    std::thread other([&] {
      for (std::vector<Sample*> those; !over; those.clear()) {
        {
          const std::lock_guard lock(mutex);
          those.swap(waiting);
        }
        for (Sample* const s : those) {
          tokens.resumed(after, s);
          g.release_wait();
        }
        if (those.empty()) std::this_thread::yield();
      }
    });
    tokens.start();
    g.wait_for_all();
    over = true;
    other.join();
    for (const auto& times : came) ASSERT_EQ(times, 1);
    EXPECT_LE(static_cast<std::size_t>(most), limit == 0 ? samples.handles.size() : limit);
    EXPECT_EQ(tokens.in_flight(), 0u);
    EXPECT_EQ(tokens.active(), 0u);
  }
}

// With one thread, nothing starts until a caller waits.
TEST(Window, RunsOnOneThread) {
  tbb::task_arena arena(1, 1);
  arena.execute([] {
    graph g;
    Samples samples(2);
    int ran = 0;
    window<Sample*> tokens(g, samples.handles, 0, numbering(100));
    tbb::flow::function_node<Sample*, Sample*> work(g, unlimited, [&](Sample* s) {
      ++ran;
      return s;
    });
    make_edge(tokens.output(), work);
    make_edge(work, tokens.returns());
    tokens.start();
    g.wait_for_all();
    EXPECT_EQ(ran, 100);
  });
}

TEST(CreditPool, IsFair) {
  credit_pool pool(5);
  std::optional<credit_pool::share> a(pool), b(pool), c(pool);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(a->take());
  EXPECT_FALSE(a->take()) << "none is left";
  EXPECT_FALSE(a->must_return()) << "no other share wants any";
  EXPECT_FALSE(b->take());
  EXPECT_TRUE(a->must_return());
  a->give();
  EXPECT_FALSE(a->take()) << "it is for b";
  EXPECT_TRUE(b->take());
  EXPECT_FALSE(a->must_return()) << "b has one and wants no more";
  EXPECT_FALSE(b->take());
  EXPECT_TRUE(a->must_return()) << "4 to 1";
  a->give();
  EXPECT_TRUE(b->take());
  EXPECT_FALSE(b->take());
  EXPECT_FALSE(a->must_return()) << "3 to 2 is as even as it gets";
  EXPECT_FALSE(c->take());
  EXPECT_TRUE(a->must_return());
  EXPECT_TRUE(b->must_return());
  c->stop_waiting();
  EXPECT_FALSE(b->must_return());
  a.reset();  // gives three back
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(c->take());
  EXPECT_FALSE(c->take());
}

// Two graphs on threads of their own share a pool: together they keep its limit, beyond the one
// credit that each has. With a limit of 0, each works on one token at a time.
TEST(Window, ThoseThatShareAPoolKeepItsLimit) {
  for (const std::size_t credits : {0u, 1u, 3u}) {
    credit_pool pool(credits);
    std::atomic<int> at_work{0}, most{0};
    const auto run = [&](int count, bool waits) {
      tbb::task_arena arena(4, 4);
      arena.execute([&] {
        graph g;
        Samples samples(64);
        window<Sample*, carried> tokens(g, samples.handles, 4, numbering(count), {}, waits, &pool);
        std::vector<std::atomic<int>> came(static_cast<std::size_t>(count));
        const auto work = [&](Sample* s) {
          const int now = ++at_work;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
          ++came[static_cast<std::size_t>(s->id)];
          --at_work;
        };
        input_node<Sample*, carried> after(g, [&](Sample* s) {
          work(s);
          tokens.release(s);
          tokens.finished();
        });
        input_node<Sample*, carried> first(g, [&](Sample* s) {
          work(s);
          if (waits && s->id % 3 == 0) {  // goes on in another task, as if it had been read
            tokens.suspended();
            tokens.resumed(after, s);
          } else {
            (void)after.try_put(s);
          }
        });
        make_edge(tokens.output(), first);
        tokens.start();
        g.wait_for_all();
        for (const auto& times : came) ASSERT_EQ(times, 2);
        EXPECT_EQ(tokens.in_flight(), 0u);
        EXPECT_EQ(tokens.active(), 0u);
      });
    };
    std::thread other([&] { run(3000, false); });
    run(3000, true);
    other.join();
    EXPECT_LE(static_cast<std::size_t>(most), credits + 2);
    credit_pool::share all(pool);  // every credit is back
    for (std::size_t i = 0; i < credits; ++i) EXPECT_TRUE(all.take());
    EXPECT_FALSE(all.take());
  }
}

}  // namespace window_test
}  // namespace sluice::flow
