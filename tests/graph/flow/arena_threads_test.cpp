#include "tests/in_child.h"
#include <sluice/graph/flow/arena_threads.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace sluice::flow {
namespace arena_threads_test {

// Runs tasks that meet, `times` times, on the calling thread and on the arena's threads.
int meet(tbb::task_arena& arena, int threads, int times) {
  std::atomic<int> met{0};
  arena.execute([&] {
    tbb::flow::graph g;
    std::barrier all(threads);
    tbb::flow::function_node<int> node(g, tbb::flow::unlimited, [&](int) {
      all.arrive_and_wait();
      ++met;
      return tbb::flow::continue_msg();
    });
    for (int i = 0; i < times; ++i) {
      for (int k = 0; k < threads; ++k) node.try_put(k);
      g.wait_for_all();
    }
  });
  return met;
}

TEST(ArenaThreads, EveryThreadWorks) {
  for (const int threads : {1, 2, 5, 9}) {
    tbb::task_arena arena(threads, static_cast<unsigned>(threads));
    arena.initialize();
    const arena_threads others(arena, static_cast<std::size_t>(threads) - 1);
    EXPECT_EQ(others.size(), static_cast<std::size_t>(threads) - 1);
    EXPECT_EQ(meet(arena, threads, 20), 20 * threads);
  }
}

TEST(ArenaThreads, IsNotLimitedByOneTbb) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(4, 4);
  arena.initialize();
  const arena_threads others(arena, 3);
  EXPECT_EQ(meet(arena, 4, 20), 80);
}

TEST(ArenaThreads, EndsWithoutHavingWorked) {
  for (int i = 0; i < 50; ++i) {
    tbb::task_arena arena(4, 4);
    arena.initialize();
    const arena_threads others(arena, 3);
  }
}

TEST(ArenaThreads, IsAsLargeAsTheSystemLetsItBe) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  if (geteuid() != 0) GTEST_SKIP() << "needs a user that runs nothing else";
  for (const rlim_t limit : {1u, 2u, 3u, 100u}) {
    EXPECT_EQ(testing::in_child([&]() -> std::string {
                const rlimit threads{limit, limit};
                if (setrlimit(RLIMIT_NPROC, &threads) != 0 || setuid(54320) != 0) return "no limit";
                tbb::task_arena arena(4, 4);
                arena.initialize();
                const arena_threads others(arena, 3);
                const int count = static_cast<int>(others.size()) + 1;
                return std::to_string(count) + ": " + std::to_string(meet(arena, count, 20));
              }),
              limit == 100 ? "4: 80" : std::to_string(limit) + ": " + std::to_string(20 * limit));
  }
}

}  // namespace arena_threads_test
}  // namespace sluice::flow
