// A child of fork() has a pipeline's memory and none of its threads: calls of the pipeline fail at
// once, and nothing hangs.
#include "tests/graph/sources.h"
#include "tests/in_child.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace fork_test {

using testing::in_child;

auto image_pipeline(int threads, std::int64_t count = 4000) {
  return make_pipeline({.batch_size = 4, .threads = threads}, [&](Graph& g) {
    auto i = indices(g, count);
    auto image = g.map_into<Image>(
        "paint",
        [](std::int64_t x, Image& out) {
          out.create(8, 4 + static_cast<int>(x % 60), 3);
          std::memset(out.data(), static_cast<int>(x % 251), 8 * out.row_bytes());
        },
        i);
    return std::tuple{image, i};
  });
}
using ImagePipeline = decltype(image_pipeline(1));

template <class Batch>
bool is_right(const Batch& batch) {
  const auto& [images, numbers] = batch;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (images[k].at(7, 0, 0) != static_cast<std::uint8_t>(numbers[k] % 251)) return false;
  }
  return true;
}

// The sum of an epoch's numbers, or the error.
std::string sum_of(ImagePipeline& pipeline) {
  std::int64_t sum = 0;
  for (const auto& batch : pipeline.epoch()) {
    if (!is_right(batch)) return "wrong pixels";
    for (const std::int64_t i : batch.template get<1>()) sum += i;
  }
  return std::to_string(sum);
}

TEST(Fork, EveryUseInTheChildIsAnError) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  auto pipeline = std::make_unique<ImagePipeline>(image_pipeline(3));
  auto epoch = std::make_optional(pipeline->epoch());
  ASSERT_TRUE(epoch->next().has_value());
  const struct {
    const char* name;
    std::function<void()> use;
  } uses[] = {{"next", [&] { (void)epoch->next(); }},
              {"epoch", [&] { (void)pipeline->epoch(); }},
              {"reset", [&] { pipeline->reset(); }},
              {"cancel", [&] { pipeline->cancel(); }},
              {"stats", [&] { (void)pipeline->stats(); }},
              {"inspect", [&] { (void)pipeline->inspect(0); }}};
  for (const auto& one : uses) {
    EXPECT_EQ(in_child([&]() -> std::string {
                one.use();
                return "no error";
              }),
              "threw: this pipeline belongs to the process that made it, and fork() does not copy "
              "its threads; make a pipeline in the child, and destroy all others before fork()")
        << one.name;
  }
  // Calls that need no thread still work.
  EXPECT_EQ(in_child([&] {
              return std::to_string(pipeline->samples()) + " " +
                     std::to_string(pipeline->batches());
            }),
            "4000 1000");
  // Gone without a word, the epoch before or after its pipeline.
  EXPECT_EQ(in_child([&] {
              pipeline.reset();
              epoch.reset();
              return "gone";
            }),
            "gone");
  EXPECT_EQ(in_child([&] {
              epoch.reset();
              pipeline.reset();
              return "gone";
            }),
            "gone");
  // The parent is not affected.
  std::int64_t batches = 1;
  while (epoch->next()) ++batches;
  EXPECT_EQ(batches, 1000);
}

// Other threads may hold any lock when the process forks.
TEST(Fork, NothingHangsInTheChild) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  // glibc's malloc() takes its locks around fork(). The sanitizer's does not before Clang 16: a
  // child waits forever for one that another thread of the parent held.
  if (testing::kAddressSanitizer || testing::kMemorySanitizer)
    GTEST_SKIP() << "forks while other threads take memory";
  auto pipeline = image_pipeline(2);
  auto epoch = pipeline.epoch();
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) (void)pipeline.checkpoint();
    });
  }
  const std::vector<std::function<void()>> uses = {
      [&] { (void)pipeline.samples(); },    [&] { (void)pipeline.batches(); },
      [&] { (void)pipeline.checkpoint(); }, [&] { (void)pipeline.stats(); },
      [&] { (void)pipeline.options(); },    [&] { (void)pipeline.explain(); },
      [&] { (void)pipeline.next_epoch(); }, [&] { (void)epoch.next(); }};
  constexpr int kForks = 20;
  for (int i = 0; i < kForks; ++i) {
    testing::tried("fork");
    EXPECT_EQ(in_child([&] {
                for (const auto& use : uses) {
                  try {
                    use();
                  } catch (const Error&) {
                  }
                }
                return "came back";
              }),
              "came back");
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
}

TEST(Fork, AChildThatEndsByExitDoesSo) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  // The leak checker takes the lock of the list of threads at exit(). A thread that was being
  // started may have held that lock at the fork.
  if (testing::kAddressSanitizer) GTEST_SKIP() << "looks for leaks in a child of threads";
  auto pipeline = std::make_unique<ImagePipeline>(image_pipeline(3));
  auto epoch = std::make_optional(pipeline->epoch());
  ASSERT_TRUE(epoch->next().has_value());
  EXPECT_EXIT(
      {
        epoch.reset();
        pipeline.reset();
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
  pipeline.reset();
}

// While its threads are at work, and hold all kinds of locks.
TEST(Fork, BatchesOfBeforeStayReadableAndMayGo) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  auto pipeline = image_pipeline(4);
  std::vector<Batch<Image, std::int64_t>> kept;
  auto epoch = pipeline.epoch();
  while (auto batch = epoch.next()) {
    kept.push_back(std::move(*batch));
    if (kept.size() % 10 != 0) continue;
    EXPECT_EQ(in_child([&]() -> std::string {
                for (const auto& one : kept) {
                  if (!is_right(one)) return "wrong pixels";
                }
                kept.clear();
                Image fresh(100, 100, 3);  // from the pool that the whole process shares
                return "right";
              }),
              "right");
  }
  EXPECT_EQ(kept.size(), 1000u);
  for (const auto& batch : kept) EXPECT_TRUE(is_right(batch));
}

TEST(Fork, AChildMakesItsOwnPipelineWhenNoneWasAlive) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  {
    auto before = image_pipeline(5);
    EXPECT_EQ(sum_of(before), "7998000");
  }
  const auto run_two = []() -> std::string {
    auto first = image_pipeline(4);
    auto second = image_pipeline(2);
    return sum_of(first) + " " + sum_of(second);
  };
  EXPECT_EQ(in_child(run_two), "7998000 7998000");
  // And its child, in turn.
  EXPECT_EQ(in_child([&] { return run_two() + " " + in_child(run_two); }),
            "7998000 7998000 7998000 7998000");
}

TEST(Fork, AChildMakesNoneWhenOneWasAlive) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  const std::string refused =
      "threw: a child of fork() cannot make a pipeline, since one was alive when the process "
      "forked; destroy (in Python: close) pipelines before fork(), or start the child's program "
      "with exec()";
  const auto make = []() -> std::string {
    auto mine = image_pipeline(2);
    return sum_of(mine);
  };
  auto alive = std::make_unique<ImagePipeline>(image_pipeline(2));
  EXPECT_EQ(in_child(make), refused);
  EXPECT_EQ(in_child([&] {
              alive.reset();
              return in_child(make);
            }),
            refused);
  alive.reset();
  EXPECT_EQ(in_child(make), "7998000");
}

}  // namespace fork_test
}  // namespace sluice
