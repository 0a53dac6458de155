// The number of threads of a pipeline: those that were requested, whatever other pipelines and the
// user's own oneTBB have, or those that the system allows.
#include "tests/graph/sources.h"
#include "tests/in_child.h"
#include "tests/tried.h"
#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>
#include <unistd.h>

namespace sluice {
namespace threads_test {

using testing::in_child;

int threads_of_process() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

// A pipeline with `threads` threads. Each waits in its step until all are there. An epoch must be
// run to its end. Otherwise, waiting steps would wait for samples that are cancelled.
class Meeting {
 public:
  static constexpr std::int64_t kBatches = 6;
  explicit Meeting(int threads)
      : threads_(threads), meet_(std::make_shared<std::barrier<>>(threads)) {
    pipeline_.emplace(make_pipeline({.batch_size = threads, .threads = threads}, [&](Graph& g) {
      return g.map(
          "meet",
          [meet = meet_](std::int64_t i) {
            meet->arrive_and_wait();
            return i;
          },
          indices(g, kBatches * threads));
    }));
  }
  void begin() { epoch_.emplace(pipeline_->epoch()); }
  void take() {
    const auto batch = epoch_->next();
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->size(), static_cast<std::size_t>(threads_));
  }
  void run() {
    begin();
    for (std::int64_t b = 0; b < kBatches; ++b) take();
    EXPECT_FALSE(epoch_->next().has_value());
  }
  const Pipeline<std::int64_t>& pipeline() const { return *pipeline_; }

 private:
  int threads_;
  std::shared_ptr<std::barrier<>> meet_;
  std::optional<Pipeline<std::int64_t>> pipeline_;
  std::optional<Epoch<std::int64_t>> epoch_;
};

// Each pipeline has all of its threads, beside any others, in any order of creation and
// destruction.
TEST(Threads, PipelinesDoNotShareALimit) {
  ::testing::internal::CaptureStderr();
  for (const std::vector<int>& counts :
       {std::vector{2, 7}, std::vector{7, 2}, std::vector{1, 4, 9}, std::vector{9, 1, 4},
        std::vector{4, 9, 1}, std::vector{3, 3, 3}}) {
    std::vector<std::size_t> ends(counts.size());
    std::iota(ends.begin(), ends.end(), 0u);
    do {
      std::vector<std::unique_ptr<Meeting>> alive;
      for (const int threads : counts) {
        alive.push_back(std::make_unique<Meeting>(threads));
        alive.back()->run();
      }
      for (const auto& meeting : alive) meeting->begin();
      for (std::int64_t b = 0; b < Meeting::kBatches; ++b) {
        for (const auto& meeting : alive) meeting->take();
      }
      for (const std::size_t gone : ends) {
        alive[gone].reset();
        for (const auto& meeting : alive) {
          if (meeting != nullptr) meeting->run();
        }
      }
    } while (std::next_permutation(ends.begin(), ends.end()));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// Counts the samples at work of all pipelines that it describes.
class Crowd {
 public:
  auto describe(std::int64_t samples, int at_once) {
    return [this, samples, at_once](Graph& g) {
      return g.map(
          "work",
          [this, at_once, mine = std::make_shared<std::atomic<int>>(0)](std::int64_t i) {
            const int now = ++here_;
            for (int seen = most_; seen < now && !most_.compare_exchange_weak(seen, now);) continue;
            // The first samples wait until `at_once` of this pipeline are at work.
            ++*mine;
            while (*mine < at_once) std::this_thread::yield();
            --here_;
            return i;
          },
          indices(g, samples));
    };
  }
  int most() const { return most_; }

 private:
  std::atomic<int> here_{0}, most_{0};
};

TEST(SharedThreads, AreUsedByOnePipelineOrByAll) {
  for (const int threads : {1, 2, 5}) {
    const auto pool = std::make_shared<ThreadPool>(threads);
    EXPECT_EQ(pool->threads(), threads);
    const PipelineOptions options{.batch_size = 8, .thread_pool = pool};
    {
      Crowd crowd;  // alone, a pipeline has all of them
      auto one = make_pipeline(options, crowd.describe(100, threads));
      EXPECT_EQ(one.stats().threads, threads);
      for (int epoch = 0; epoch < 2; ++epoch) {
        std::int64_t next = 0;
        for (const auto& [values] : one.epoch())
          for (const std::int64_t value : values) ASSERT_EQ(value, next++);
        EXPECT_EQ(next, 100);
      }
      EXPECT_EQ(crowd.most(), threads);
    }
    Crowd crowd;
    auto first = make_pipeline(options, crowd.describe(2000, 1));
    auto second = make_pipeline(options, crowd.describe(2000, 1));
    auto third = make_pipeline(options, crowd.describe(2000, 1));
    const auto take = [](auto& pipeline) {
      std::int64_t next = 0;
      for (const auto& [values] : pipeline.epoch())
        for (const std::int64_t value : values) ASSERT_EQ(value, next++);
      EXPECT_EQ(next, 2000);
    };
    std::thread beside([&] { take(first); });
    std::thread another([&] { take(second); });
    take(third);
    beside.join();
    another.join();
    EXPECT_LE(crowd.most(), threads + 2);
  }
}

// A pipeline that uses all threads gives some to another one that begins later.
TEST(SharedThreads, AreDividedEvenly) {
  const auto pool = std::make_shared<ThreadPool>(5);
  const PipelineOptions options{.batch_size = 8, .thread_pool = pool};
  std::atomic<bool> over{false};
  auto greedy = make_pipeline(options, [&](Graph& g) {
    return g.map(
        "work", [](std::int64_t i) { return i; }, indices(g, 1 << 30));
  });
  std::thread beside([&] {
    auto epoch = greedy.epoch();
    while (!over) (void)epoch.next();
  });
  Crowd crowd;
  auto later = make_pipeline(options, crowd.describe(64, 2));  // it needs two at once
  std::int64_t taken = 0;
  for (const auto& [values] : later.epoch()) taken += std::ssize(values);
  EXPECT_EQ(taken, 64);
  over = true;
  beside.join();
}

TEST(SharedThreads, EpochsAreLeftAndPipelinesDestroyedInAnyOrder) {
  auto pool = std::make_shared<ThreadPool>(3);
  for (const bool first_goes_first : {false, true}) {
    auto make = [&] {
      return std::make_unique<Pipeline<std::int64_t>>(
          make_pipeline({.batch_size = 4, .thread_pool = pool}, [](Graph& g) {
            return g.map(
                "twice", [](std::int64_t i) { return 2 * i; }, indices(g, 10'000));
          }));
    };
    auto one = make(), other = make();
    auto begun = one->epoch();
    ASSERT_TRUE(begun.next());
    ASSERT_TRUE(other->epoch().next());
    (first_goes_first ? one : other).reset();
    auto& left = first_goes_first ? other : one;
    std::int64_t count = 0;
    for (const auto& [values] : left->epoch()) count += std::ssize(values);
    EXPECT_EQ(count, 10'000);
  }
  std::weak_ptr<ThreadPool> watched = pool;
  {
    auto last = make_pipeline({.batch_size = 4, .thread_pool = std::move(pool)},
                              [](Graph& g) { return indices(g, 8); });
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(SharedThreads, WrongNumbersAreRefused) {
  const auto what = [](const auto& make) -> std::string {
    try {
      make();
      return "nothing";
    } catch (const BuildError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(what([] { ThreadPool(-1); }), "threads must be at least 1 (or 0 for all CPUs), not -1");
  EXPECT_EQ(what([] { ThreadPool(5000); }), "threads must be at most 4096, not 5000");
  EXPECT_EQ(
      what([] {
        (void)make_pipeline({.threads = 2, .thread_pool = std::make_shared<ThreadPool>(3)},
                            [](Graph& g) { return indices(g, 8); });
      }),
      "threads is 2 and thread_pool has 3 threads: give only one of them, or set threads to 0");
}

TEST(Threads, TheUsersLimitOnOneTbbIsForItsWorkersOnly) {
  ::testing::internal::CaptureStderr();
  for (const std::size_t limit : {1u, 2u, 100u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, limit);
    Meeting(6).run();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Threads, GoWithTheirPipeline) {
  EXPECT_EQ(in_child([] {
              Meeting(2).run();
              const int before = threads_of_process();
              {
                Meeting many(64);
                many.run();
                if (threads_of_process() != before + 64) return "not made";
                if (many.pipeline().stats().threads != 64) return "not counted";
              }
              return threads_of_process() == before ? "gone" : "still there";
            }),
            "gone");
}

std::string in_words(const Stats& stats) {
  return std::to_string(stats.threads) + " of " + std::to_string(stats.threads_asked) +
         " threads, " + std::to_string(stats.total.delivered) + " delivered";
}

std::string run_with(int threads) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = threads}, [](Graph& g) {
    return g.map(
        "twice", [](std::int64_t i) { return 2 * i; }, indices(g, 400));
  });
  std::int64_t x = 0;
  for (const auto& [values] : pipeline.epoch()) {
    for (const std::int64_t value : values) {
      if (value != 2 * x++) return "wrong values";
    }
  }
  return in_words(pipeline.stats());
}

constexpr const char* kNone =
    "the pipeline cannot make a single thread: Resource temporarily "
    "unavailable; allow the process more threads (ulimit -u, pids.max) "
    "or more memory";

// The system counts the threads of a user but not root's, so the child runs as another user.
TEST(Threads, ThoseThatThereAreDoTheWork) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  if (geteuid() != 0) GTEST_SKIP() << "needs a user that runs nothing else";
  struct Case {
    rlim_t limit;  // including the child itself
    int threads;
    std::string says;
  };
  for (const Case& c :
       {Case{100, 4, "4 of 4 threads, 400 delivered"}, Case{4, 4, "3 of 4 threads, 400 delivered"},
        Case{2, 4, "1 of 4 threads, 400 delivered"}, Case{2, 1, "1 of 1 threads, 400 delivered"},
        Case{20, 4096, "19 of 4096 threads, 400 delivered"},
        Case{1, 4, std::string("threw: ") + kNone}, Case{1, 1, std::string("threw: ") + kNone}}) {
    const std::string said = in_child([&]() -> std::string {
      constexpr uid_t kNobodyElse = 54321;
      const rlimit limit{c.limit, 100};
      if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(kNobodyElse) != 0) return "no limit";
      return run_with(c.threads);
    });
    EXPECT_EQ(said, c.says) << c.threads << " threads, limit " << c.limit;
  }
}

TEST(Threads, APipelineThatHasNoneLeavesNothingBehind) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  if (geteuid() != 0) GTEST_SKIP() << "needs a user that runs nothing else";
  const std::string said = in_child([]() -> std::string {
    rlimit limit{1, 100};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(54322) != 0) return "no limit";
    for (int i = 0; i < 3; ++i) {
      try {
        (void)run_with(4);
        return "ran";
      } catch (const Error& error) {
        if (std::string(error.what()) != kNone) return error.what();
      }
    }
    limit.rlim_cur = 100;
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) return "no limit";
    return run_with(4);
  });
  EXPECT_EQ(said, "4 of 4 threads, 400 delivered");
}

TEST(Threads, AreNamedInTheStatsOnlyWhenSomeAreLacking) {
  Stats stats;
  stats.threads = stats.threads_asked = 4;
  EXPECT_EQ(to_string(stats).find("threads"), std::string::npos);
  stats.threads = 2;
  EXPECT_NE(to_string(stats).find("threads: 2 of the 4 requested; the system allows no more\n"),
            std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_MEMORY__)
// Little memory for the stacks of threads: sanitizers take more than that for themselves. However
// little there is, the run ends by itself: normally with fewer threads, or with an error.
TEST(Threads, LittleMemoryMeansFewerOfThem) {
  // The oneTBB of Ubuntu 24.04 deadlocks on a lock of its own when it must report this.
  if (TBB_runtime_interface_version() >= 12110)
    GTEST_SKIP() << "this oneTBB hangs where it has no memory for an arena";
  int fewer = 0;
  for (rlim_t megabytes = 1; megabytes <= 600; megabytes = megabytes * 5 / 4 + 1) {
    testing::tried("threads-refused");
    const std::string said = in_child([&]() -> std::string {
      rlim_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + megabytes * 1000000;
      const rlimit limit{bytes, bytes};
      rlimit held{};
      if (setrlimit(RLIMIT_AS, &limit) != 0 || getrlimit(RLIMIT_AS, &held) != 0 ||
          held.rlim_cur != bytes)
        return "no limit";
      return run_with(64);
    });
    if (said == "no limit") GTEST_SKIP() << "a process cannot limit its memory here, as in QEMU";
    const bool ran = said.find(" of 64 threads, 400 delivered") != std::string::npos;
    EXPECT_TRUE(ran || said.starts_with("threw: ")) << megabytes << " MB: " << said;
    if (ran && !said.starts_with("64 ")) ++fewer;
  }
  EXPECT_GT(fewer, 3);
}
#endif

struct Blocking {
  static constexpr bool blocks = true;
  std::int64_t size() const { return 600; }
  std::string name(std::int64_t) const { return {}; }
  std::int64_t operator()(const SampleInfo& info) const { return info.index_in_epoch; }
};

// While a step waits for tasks of its own, its thread runs those, and no other sample's steps.
TEST(Threads, AStepIsNeverOnTopOfAnother) {
  for (const bool wait : {false, true}) {
    static thread_local int depth = 0;
    std::atomic<int> deepest{0};
    const auto work = [&] {
      int seen = deepest;
      for (++depth; seen < depth && !deepest.compare_exchange_weak(seen, depth);) {
      }
      tbb::parallel_for(0, 32, [](int) { std::this_thread::yield(); });
      --depth;
    };
    auto pipeline = make_pipeline({.batch_size = 8, .threads = 4}, [&](Graph& g) {
      auto x = g.read(Blocking());
      if (wait) {
        x = g.map_async<std::int64_t>(
            "ask",
            [&](Completion<std::int64_t> done, std::int64_t i) {
              work();
              done.set(i);
            },
            x);
      }
      return g.map(
          "work",
          [&](std::int64_t i) {
            work();
            return i;
          },
          x);
    });
    for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 8u);
    EXPECT_EQ(deepest, 1);
  }
}

}  // namespace threads_test
}  // namespace sluice
