// A source of worker processes keeps the promises of tests/conformance.md, by its numbers: it
// behaves like the source in this process.
#include "tests/one_in.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/workers/workers.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <tests/worker_samples.h>

namespace sluice {
namespace conformance_test {

using testing::Typed;
using Places = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

WorkerOptions options(int workers, const std::string& argument = {}) {
  return {.workers = workers, .program = SLUICE_WORKER_PROGRAM, .argument = argument};
}

Workers<Typed> typed(int workers, std::int64_t samples) {
  return sluice::workers<Typed>("typed", samples, options(workers));
}

template <class Dataset>
auto read_typed(const Dataset& dataset, int batch_size, const Sampler& sampler = {}) {
  return make_pipeline({.batch_size = batch_size, .threads = 2}, [&](Graph& g) {
    auto [a, b, c, d] = g.read(dataset, sampler);
    return std::tuple{a, b, c, d};
  });
}

struct TypedHere {
  std::int64_t samples;
  std::int64_t size() const { return samples; }
  static std::string name(std::int64_t i) { return std::to_string(i); }
  Typed operator()(const SampleInfo& info) const { return testing::typed_sample(info); }
};

// Takes a batch of each. Returns the number of samples in it, or -1 if they differ.
template <class A, class B>
std::int64_t same_batch(A& a, B& b) {
  const auto x = a.next();
  const auto y = b.next();
  if (!x || !y) return x.has_value() == y.has_value() ? 0 : -1;
  const auto& [a0, a1, a2, a3] = *x;
  const auto& [b0, b1, b2, b3] = *y;
  if (a0.size() != b0.size()) return -1;
  for (std::size_t i = 0; i < a0.size(); ++i) {
    if (!(a0[i] == b0[i] && a1[i] == b1[i] && a2[i] == b2[i] && a3[i] == b3[i])) return -1;
  }
  return static_cast<std::int64_t>(a0.size());
}

template <class A, class B>
void expect_same_epochs(A& a, B& b, std::int64_t samples, int epochs = 1) {
  for (int e = 0; e < epochs; ++e) {
    auto x = a.epoch();
    auto y = b.epoch();
    std::int64_t seen = 0;
    std::int64_t batch = 0;
    while ((batch = same_batch(x, y)) > 0) seen += batch;
    ASSERT_EQ(batch, 0);
    ASSERT_EQ(seen, samples);
  }
}

TEST(WorkerConformance, X27_X28_X31_WorkersGiveWhatOneThreadGives) {
  for (const int workers : {1, 3, 4, 7}) {
    const auto dataset = typed(workers, 250);
    for (const int batch_size : {1, 16, 150, 250}) {
      auto here = read_typed(TypedHere{250}, batch_size);
      auto there = read_typed(dataset, batch_size);
      expect_same_epochs(there, here, 250);
    }
    EXPECT_EQ(dataset.stats().restarts, 0);
  }
}

TEST(WorkerConformance, X27_TheSameShuffledAndInShards) {
  const auto dataset = typed(3, 250);
  for (const std::int64_t shard : {0, 1}) {
    const Sampler sampler{.shuffle = true, .seed = 7, .shard = {shard, 2}};
    auto here = read_typed(TypedHere{250}, 16, sampler);
    auto there = read_typed(dataset, 16, sampler);
    expect_same_epochs(there, here, 125, 2);
  }
}

// Two pipelines at the same time, each with workers of its own; and both with the same ones.
TEST(WorkerConformance, X29_PipelinesAreIndependent) {
  for (const bool shared : {false, true}) {
    std::vector<std::thread> pairs;
    const auto common = typed(4, 400);
    for (int pair = 0; pair < (shared ? 2 : 4); ++pair) {
      pairs.emplace_back([&] {
        auto a = read_typed(shared ? common : typed(4, 400), 10);
        auto b = read_typed(shared ? common : typed(4, 400), 10);
        expect_same_epochs(a, b, 400);
      });
    }
    for (std::thread& pair : pairs) pair.join();
  }
}

TEST(WorkerConformance, StatsTellWhatWorkersHaveDone) {
  auto pipeline = make_pipeline({.batch_size = 50, .threads = 2}, [&](Graph& g) {
    auto [a, b, c, d] = g.read(typed(3, 200));
    return g.map(
        "first", [](const Tensor& x) { return x.elements(); }, a);
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 50u);
  const Stats stats = pipeline.stats();
  ASSERT_EQ(stats.workers.size(), 1u);
  EXPECT_EQ(stats.workers[0].step, "read");
  EXPECT_EQ(stats.workers[0].stats.workers, 3);
  EXPECT_GE(stats.workers[0].stats.ready, 1);  // others may be starting still
  EXPECT_LE(stats.workers[0].stats.ready, 3);
  EXPECT_GE(stats.workers[0].stats.samples, 200);
  EXPECT_EQ(stats.workers[0].stats.restarts, 0);
  EXPECT_NE(to_string(stats).find(" of 3 workers at work, "), std::string::npos);
}

TEST(WorkerConformance, X30_BesideASourceInThisProcess) {
  const auto dataset = typed(14, 500);
  auto pipeline = make_pipeline({.batch_size = 50, .threads = 2}, [&](Graph& g) {
    auto [a, b, c, d] = g.read(dataset);
    auto [h, i, j, k] = g.read(TypedHere{500});
    auto equal = [](const Tensor& x, const Tensor& y) { return x == y; };
    return std::tuple{g.map("a", equal, a, h), g.map("b", equal, b, i), g.map("c", equal, c, j),
                      g.map("d", equal, d, k)};
  });
  int batches = 0;
  for (const auto& [a, b, c, d] : pipeline.epoch()) {
    ++batches;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] && b[i] && c[i] && d[i]);
  }
  EXPECT_EQ(batches, 10);
}

TEST(WorkerConformance, X32_WholeBatchesAreEqualAtAnyDepth) {
  struct Depth {
    int batches;
    int groups;
  };
  struct Epoch {
    int batch_size;
    int batches;
    int trailing;
  };
  const Epoch epochs[] = {{1, 1, 0},   {1, 3, 0},   {1, 31, 0},  {17, 1, 0},  {17, 3, 0},
                          {17, 31, 0}, {17, 1, 16}, {17, 3, 16}, {17, 31, 16}};
  const int some = testing::one_in(1, 4);
  int combination = 0;
  for (const int workers : {1, 7}) {
    for (const Depth& depth : {Depth{1, 1}, {2, 2}, {5, 5}, {3, 1}, {1, 3}}) {
      auto said = options(workers);
      said.prefetch = depth.groups;
      for (const Epoch& epoch : epochs) {
        if (combination++ % some != 0) continue;
        const std::int64_t samples = epoch.batches * epoch.batch_size + epoch.trailing;
        const PipelineOptions drop{.batch_size = epoch.batch_size,
                                   .threads = 2,
                                   .prefetch = depth.batches,
                                   .last_batch = LastBatch::drop};
        const auto all = [](const auto& dataset) {
          return [&](Graph& g) {
            auto [a, b, c, d] = g.read(dataset);
            return std::tuple{a, b, c, d};
          };
        };
        const auto dataset = sluice::workers<Typed>("typed", samples, said);
        auto here = make_pipeline(drop, all(TypedHere{samples}));
        auto there = make_pipeline(drop, all(dataset));
        expect_same_epochs(there, here, epoch.batches * epoch.batch_size, 3);
      }
    }
  }
}

auto read_places(int workers, int batch_size, std::int64_t samples, LastBatch last) {
  return make_pipeline({.batch_size = batch_size, .threads = 2, .last_batch = last}, [&](Graph& g) {
    auto [place, in_batch, batch, epoch] = g.read(
        sluice::workers<Places>("places", kUntilEnd, options(workers, std::to_string(samples))));
    return std::tuple{place, in_batch, batch, epoch};
  });
}

// Returns the number of batches. Checks that each sample was told its position.
template <class Pipeline>
std::int64_t batches_of(Pipeline& pipeline, std::int64_t epoch, int batch_size) {
  std::int64_t batches = 0;
  for (const auto& [place, in_batch, batch, its_epoch] : pipeline.epoch()) {
    for (std::size_t i = 0; i < place.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_EQ(place[i], batches * batch_size + at);
      EXPECT_EQ(in_batch[i], at);
      EXPECT_EQ(batch[i], batches);
      EXPECT_EQ(its_epoch[i], epoch);
    }
    ++batches;
  }
  return batches;
}

// X34: END from a worker; X35: the same twice; X36: each receives its epoch.
TEST(WorkerConformance, X34_X35_X36_EndsWhereTheReaderSaysSo) {
  for (const int workers : {1, 3, 4, 7}) {
    for (const auto& [batch_size, whole, all] :
         {std::tuple{1, 250, 250}, {15, 16, 17}, {50, 5, 5}, {150, 1, 2}}) {
      for (const LastBatch last : {LastBatch::drop, LastBatch::partial}) {
        auto pipeline = read_places(workers, batch_size, 250, last);
        for (const std::int64_t epoch : {0, 1, 2}) {
          EXPECT_EQ(batches_of(pipeline, epoch, batch_size), last == LastBatch::drop ? whole : all);
        }
      }
    }
  }
}

auto read_wild(int batch_size, const WorkerOptions& options, OnError on_error) {
  return make_pipeline(
      {.batch_size = batch_size, .threads = 2, .on_error = on_error},
      [&](Graph& g) { return g.read(sluice::workers<std::int64_t>("wild", 100, options)); });
}

// Batches before it are delivered. It is thrown with its own batch. Later batches can be had.
TEST(WorkerConformance, X13_X34_AnErrorComesWithItsBatch) {
  for (const int workers : {1, 4}) {
    for (const int batch_size : {1, 15}) {
      auto pipeline = read_wild(batch_size, options(workers, "throw@47"), OnError::fail);
      auto run = pipeline.epoch();
      for (int batch = 0; batch < 47 / batch_size; ++batch) EXPECT_TRUE(run.next().has_value());
      try {
        (void)run.next();
        FAIL() << "no error";
      } catch (const BatchError& error) {
        ASSERT_EQ(error.errors().size(), 1u);
        EXPECT_EQ(error.errors()[0].id, 47);
        EXPECT_EQ(error.errors()[0].what, "no such image");
        EXPECT_EQ(error.errors()[0].source, "sample 47 of 'wild'");
      }
      EXPECT_TRUE(run.next().has_value());
    }
  }
}

// Better than the whole pool: the sample that the worker was at.
TEST(WorkerConformance, X12_ADeadWorkerCostsItsSampleOnly) {
  for (const int workers : {1, 3, 4, 7}) {
    auto pipeline = read_wild(10, options(workers, "segv@42"), OnError::skip);
    std::vector<std::int64_t> all;
    std::string what;
    for (const auto& batch : pipeline.epoch()) {
      for (const SampleError& error : batch.errors()) what += error.what;
      const auto& [column] = batch;
      for (const std::int64_t x : column) all.push_back(x);
    }
    EXPECT_EQ(all.size(), 99u);
    EXPECT_NE(what.find("was killed by signal 11"), std::string::npos) << what;
  }
}

// An epoch of unknown length ends, too.
TEST(WorkerConformance, X12_WithoutWorkersTheEpochEnds) {
  WorkerOptions how = options(1, "exit@20");
  how.restarts = 0;
  auto pipeline = make_pipeline(
      {.batch_size = 4, .threads = 2, .on_error = OnError::skip},
      [&](Graph& g) { return g.read(sluice::workers<std::int64_t>("wild", kUntilEnd, how)); });
  std::size_t errors = 0;
  for (const auto& batch : pipeline.epoch()) errors += batch.errors().size();
  EXPECT_GT(errors, 0u);
  EXPECT_LT(errors, 1000u);
  EXPECT_THROW((void)pipeline.epoch(), Error);
}

TEST(WorkerConformance, X44_APipelineIsDestroyedAtAnyMoment) {
  const auto dataset = typed(3, 250);
  for (int batches = 0; batches < 10; ++batches) {
    auto pipeline = read_typed(dataset, 16);
    auto run = pipeline.epoch();
    for (int i = 0; i < batches; ++i) EXPECT_TRUE(run.next().has_value());
    if (batches % 2 == 0) pipeline.cancel();
  }
  auto here = read_typed(TypedHere{250}, 16);
  auto there = read_typed(dataset, 16);
  expect_same_epochs(there, here, 250);
}

TEST(WorkerConformance, InspectionAsksForOneSample) {
  const auto dataset = typed(2, 250);
  const auto pipeline = read_typed(dataset, 16);
  for (const std::int64_t i : {3, 249}) {
    const Typed expected = testing::typed_sample({.index = i});
    EXPECT_EQ(pipeline.inspect(i).template get<Tensor>("read"), std::get<0>(expected));
  }
}

// No workers, no groups, none ahead: see WorkerPool.RefusesOptionsThatCannotBe for the messages.
TEST(WorkerConformance, X18_X25_OptionsThatCannotBe) {
  for (const auto& wrong : {WorkerOptions{.workers = 0}, WorkerOptions{.mini_batch = 0},
                            WorkerOptions{.prefetch = 0}, WorkerOptions{.max_bytes = 0}})
    EXPECT_THROW((void)sluice::workers<Typed>("typed", 10, wrong), BuildError);
}

}  // namespace conformance_test
}  // namespace sluice
