// Keys and positions of samples: values, draws, names and errors follow from the key; batches and
// the ledger are in the order of positions.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace keys_test {

constexpr std::int64_t kSamples = 40;
constexpr std::uint64_t kSeed = 31;

bool bad(std::int64_t index) { return index % 7 == 3; }

std::string named(const SampleKey& key) {
  return std::to_string(key.index) + " of epoch " + std::to_string(key.epoch);
}

// Names its samples with the epoch.
struct Dataset {
  std::function<void()> in_name;
  std::int64_t size() const { return kSamples; }
  std::string name(const SampleKey& key) const {
    if (in_name) in_name();
    return named(key);
  }
  std::int64_t operator()(const SampleInfo& info) const {
    EXPECT_EQ(info.key(), (SampleKey{info.epoch, info.index_in_epoch}));
    if (bad(info.key().index)) throw std::runtime_error("bad");
    return info.key().index;
  }
};
// A dataset as they were before there were keys.
struct NamedByIndex {
  std::int64_t size() const { return kSamples; }
  std::string name(std::int64_t index) const { return "file " + std::to_string(index); }
  std::int64_t operator()(const SampleInfo& info) const { return Dataset()(info); }
};

Value<std::int64_t> drawn(Graph& g) {
  return g.random("draw", [](Random& random) { return std::int64_t{random.next()}; });
}

// Warns of each sample that passes.
Value<std::int64_t> warned(Graph& g, Value<std::int64_t> x) {
  detail::Step step = detail::begin_step<Value<std::int64_t>>(g.builder(), "warn", x);
  const auto value = detail::results<std::int64_t>::add(g.builder(), step);
  step.run = [from = x.slot(), to = value.slot()](detail::Sample& sample) {
    sample.get<std::int64_t>(to) = sample.get<std::int64_t>(from);
    sample.warn("passes");
  };
  g.builder().add_step(std::move(step));
  return value;
}

struct Case {
  OnError policy;
  bool compact;
  int threads;
  int batch_size;
};

TEST(Keys, SayWhichSampleItIsAndIdsWhereItStands) {
  const Case cases[] = {{OnError::skip, false, 1, 1},    {OnError::skip, false, 4, 6},
                        {OnError::skip, true, 2, 6},     {OnError::replace, false, 1, 5},
                        {OnError::replace, false, 4, 8}, {OnError::replace, true, 2, 8}};
  for (const Case& c : cases) {
    SCOPED_TRACE("batches of " + std::to_string(c.batch_size));
    auto pipeline = make_pipeline({.batch_size = c.batch_size,
                                   .seed = kSeed,
                                   .threads = c.threads,
                                   .compact = c.compact,
                                   .on_error = c.policy},
                                  [](Graph& g) {
                                    auto index = warned(g, g.read(Dataset()));
                                    return std::tuple{index, drawn(g)};
                                  });
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::int64_t last = -1, replaced = 0;
      for (const auto& batch : pipeline.epoch()) {
        const auto& [index, draw] = batch;
        ASSERT_EQ(batch.keys().size(), batch.ids().size());
        ASSERT_EQ(batch.warnings().size(), batch.ids().size());
        for (std::size_t k = 0; k < batch.keys().size(); ++k) {
          const std::int64_t id = batch.ids()[k];
          const SampleKey key = batch.keys()[k];
          EXPECT_LT(last, id);
          last = id;
          EXPECT_EQ(key.epoch, epoch);
          EXPECT_EQ(key.index, index[k]);
          EXPECT_FALSE(bad(key.index));
          EXPECT_TRUE(bad(id) || key.index == id);
          EXPECT_EQ(draw[k], Random({.seed = kSeed,
                                     .epoch = static_cast<std::uint64_t>(key.epoch),
                                     .sample = static_cast<std::uint64_t>(key.index)})
                                 .next());
          const SampleError& warning = batch.warnings()[k];
          EXPECT_EQ(warning.id, id);
          EXPECT_EQ(warning.key, key);
          EXPECT_EQ(warning.source, named(key));
        }
        for (const SampleError& error : batch.errors()) {
          EXPECT_TRUE(bad(error.id));
          EXPECT_EQ(error.key, (SampleKey{epoch, error.id}));
          EXPECT_EQ(error.source, named(error.key));
          EXPECT_EQ(to_string(error), "sample " + std::to_string(error.id) + " (" +
                                          named(error.key) +
                                          ") failed in step 'read': bad [seed 31, epoch " +
                                          std::to_string(epoch) + "]");
        }
        for (const std::int64_t id : batch.replaced()) EXPECT_TRUE(bad(id));
        replaced += static_cast<std::int64_t>(batch.replaced().size());
      }
      EXPECT_EQ(replaced, c.policy.policy == OnError::Policy::replace ? 6 : 0);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
  }
}

TEST(Keys, ADatasetMayNameItsSamplesByTheirIndex) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::skip},
                                [](Graph& g) { return g.read(NamedByIndex()); });
  pipeline.reset(3);
  int errors = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const SampleError& error : batch.errors()) {
      EXPECT_EQ(error.source, "file " + std::to_string(error.id));
      EXPECT_EQ(error.key.epoch, 3);
      ++errors;
    }
  }
  EXPECT_EQ(errors, 6);
}

TEST(Keys, AnInspectionIsOfTheSampleWithTheKey) {
  const auto pipeline = make_pipeline({.batch_size = 4, .seed = kSeed}, [](Graph& g) {
    return std::tuple{g.read(Dataset()), drawn(g)};
  });
  for (const SampleKey key : {SampleKey{0, 0}, SampleKey{0, 39}, SampleKey{2, 5}}) {
    const Inspection sample = pipeline.inspect(key), same = pipeline.inspect(key.index, key.epoch);
    EXPECT_EQ(sample.key(), key);
    EXPECT_EQ(same.key(), key);
    EXPECT_EQ(sample.get<std::int64_t>("read"), key.index);
    EXPECT_EQ(sample.get<std::int64_t>("draw"), same.get<std::int64_t>("draw"));
  }
  const Inspection failed = pipeline.inspect(SampleKey{2, 3});
  ASSERT_NE(failed.error(), nullptr);
  EXPECT_EQ(failed.error()->key, (SampleKey{2, 3}));
  EXPECT_EQ(failed.error()->source, "3 of epoch 2");
  EXPECT_THROW((void)pipeline.inspect(SampleKey{0, kSamples}), std::out_of_range);
}

// A name is requested without any lock, also for the report of a stall, and with the epoch.
TEST(Keys, ANameMayAskThePipelineForItsStats) {
  std::atomic<bool> held{false}, go{false};
  std::atomic<int> calls{0};
  std::function<void()> in_name;
  const Dataset dataset{[&] { in_name(); }};
  auto pipeline = make_pipeline(
      {.batch_size = 2, .threads = 2, .on_error = OnError::skip, .stall_timeout = 0.05},
      [&](Graph& g) {
        return g.map(
            "hold",
            [&](std::int64_t x) {
              if (x == 5) {
                held = true;
                held.notify_all();
                go.wait(false);
              }
              return x;
            },
            g.read(dataset));
      });
  in_name = [&] {
    (void)pipeline.stats();
    ++calls;
  };
  pipeline.reset(1);
  auto run = pipeline.epoch();
  held.wait(false);
  std::string text;
  try {
    while (run.next()) {
    }
  } catch (const StallError& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("sample 5 (5 of epoch 1) is in step 'hold'"), std::string::npos) << text;
  EXPECT_GE(calls, 2);  // of sample 3, which failed, and of this one
  pipeline.cancel();
  go = true;
  go.notify_all();
  EXPECT_FALSE(run.next().has_value());
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
}

}  // namespace keys_test
}  // namespace sluice
