// Pipelines that go on from a checkpoint, against the run that was never interrupted.
#include "tests/error_of.h"
#include <sluice/sluice.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr std::int64_t kSamples = 53;

struct Setting {
  const char* name;
  PipelineOptions options = {};
  Sampler sampler = {};
  bool filters = false;
  bool fails = false;
  bool until_end = false;
};

auto pipeline_of(const Setting& setting, const std::optional<Checkpoint>& from = {}) {
  PipelineOptions options = setting.options;
  options.seed = 11;
  options.threads = 2;
  options.resume = from;
  return make_pipeline(options, [&](Graph& g) {
    auto index = g.source(
        setting.until_end ? kUntilEnd : kSamples,
        [until_end = setting.until_end](const SampleInfo& info) {
          if (until_end && info.index >= kSamples) throw EndOfEpoch();
          return info.index;
        },
        setting.sampler);
    if (setting.filters) {
      g.filter(g.map(
          "keep", [](std::int64_t i) { return i % 5 != 2; }, index));
    }
    auto number = g.map(
        "work",
        [fails = setting.fails](std::int64_t i, float draw) {
          if (fails && i % 9 == 4) throw Error("no " + std::to_string(i));
          return static_cast<float>(i) + draw;
        },
        index, g.uniform(0.f, 1.f));
    return std::tuple{index, number};
  });
}

template <class Batch>
std::string text_of(const Batch& batch) {
  std::string text = std::to_string(batch.epoch()) + "/" + std::to_string(batch.index()) + ":";
  const auto add = [&text](const char* what, const auto& numbers) {
    text += what;
    for (const auto number : numbers) text += " " + std::to_string(number);
  };
  add("", batch.template get<0>());
  add(" |", batch.template get<1>());
  add(" ids", batch.ids());
  add(" missing", batch.missing());
  add(" replaced", batch.replaced());
  for (const SampleError& error : batch.errors()) text += " " + to_string(error);
  return text + " padding " + std::to_string(batch.padding());
}

constexpr std::int64_t kEpochs = 3;

// All batches from where the pipeline stands on, and what is to be done after each.
template <class P>
std::vector<std::string> rest_of(
    P& pipeline, const std::function<void()>& after = [] {}) {
  std::vector<std::string> all;
  while (pipeline.next_epoch() < kEpochs) {
    for (const auto& batch : pipeline.epoch()) {
      all.push_back(text_of(batch));
      after();
    }
  }
  return all;
}

class EachCut : public testing::TestWithParam<Setting> {};

TEST_P(EachCut, GoesOnWithTheNextBatch) {
  auto whole = pipeline_of(GetParam());
  std::vector<Checkpoint> cuts = {whole.checkpoint()};
  const std::vector<std::string> all = rest_of(whole, [&] { cuts.push_back(whole.checkpoint()); });
  ASSERT_GT(all.size(), 6U);
  for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
    SCOPED_TRACE("after " + std::to_string(cut) + " batches");
    auto resumed = pipeline_of(GetParam(), Checkpoint::from_json(cuts[cut].to_json()));
    // Asked before anything was done, it says the same.
    EXPECT_EQ(resumed.checkpoint(), cuts[cut]);
    std::vector<Checkpoint> later = {cuts[cut]};
    const auto rest = rest_of(resumed, [&] { later.push_back(resumed.checkpoint()); });
    EXPECT_EQ(rest,
              std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end()));
    EXPECT_EQ(later,
              std::vector<Checkpoint>(cuts.begin() + static_cast<std::ptrdiff_t>(cut), cuts.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, EachCut,
    testing::Values(
        Setting{.name = "in_order", .options = {.batch_size = 8}},
        Setting{.name = "drop", .options = {.batch_size = 8, .last_batch = LastBatch::drop}},
        Setting{.name = "fill", .options = {.batch_size = 8, .last_batch = LastBatch::fill}},
        Setting{.name = "shuffle", .options = {.batch_size = 8}, .sampler = {.shuffle = true}},
        Setting{.name = "window",
                .options = {.batch_size = 8},
                .sampler = {.shuffle = true, .window = 10}},
        Setting{.name = "drawn",
                .options = {.batch_size = 8},
                .sampler = {.replacement = true, .draws = 70}},
        Setting{.name = "sharded",
                .options = {.batch_size = 4},
                .sampler = {.shuffle = true, .shard = {1, 2}, .uneven = UnevenShards::wrap}},
        Setting{.name = "filtered", .options = {.batch_size = 8}, .filters = true},
        Setting{.name = "compact", .options = {.batch_size = 8, .compact = true}, .filters = true},
        Setting{.name = "compact_skip",
                .options = {.batch_size = 8, .compact = true, .on_error = OnError::skip},
                .filters = true,
                .fails = true},
        Setting{
            .name = "skip", .options = {.batch_size = 8, .on_error = OnError::skip}, .fails = true},
        Setting{.name = "replace",
                .options = {.batch_size = 8, .on_error = OnError::replace},
                .sampler = {.shuffle = true},
                .fails = true},
        Setting{.name = "replace_in_order",
                .options = {.batch_size = 8, .on_error = OnError::replace},
                .fails = true},
        Setting{.name = "until_end", .options = {.batch_size = 8}, .until_end = true}),
    [](const auto& one) { return one.param.name; });

// Sources of other kinds: they are told where the epoch goes on.
TEST(Checkpoints, RangesAndGroupsGoOn) {
  const auto numbers = []() -> generator<std::int64_t> {
    for (std::int64_t i = 0; i < 30; ++i) co_yield 7 * i;
  };
  const auto group = [](const BatchInfo& info) {
    std::vector<std::int64_t> all;
    for (const SampleKey& key : info.keys) all.push_back(7 * key.index + info.epoch);
    return all;
  };
  using Add = std::function<Value<std::int64_t>(Graph&)>;
  const Add all_kinds[] = {
      [&](Graph& g) { return g.read(values_of(numbers)); },
      [&](Graph& g) {
        return g.read(values_of(std::vector<std::int64_t>{5, 4, 3, 2, 1, 0, 1}));
      },
      [&](Graph& g) { return g.read(batches_of(30, 8, group)); },
      [&](Graph& g) { return g.read(batches_of(30, 3, group, {.threads = 2}), {.shuffle = true}); },
  };
  for (const Add& add : all_kinds) {
    const auto pipeline_from = [&](const std::optional<Checkpoint>& from) {
      return make_pipeline({.batch_size = 4, .seed = 3, .resume = from, .threads = 2},
                           [&](Graph& g) {
                             return std::tuple{add(g), g.uniform(0.f, 1.f)};
                           });
    };
    auto whole = pipeline_from({});
    std::vector<Checkpoint> cuts;
    const auto all = rest_of(whole, [&] { cuts.push_back(whole.checkpoint()); });
    for (std::size_t cut = 0; cut < cuts.size(); cut += 2) {
      auto resumed = pipeline_from(cuts[cut]);
      const auto at = static_cast<std::ptrdiff_t>(cut) + 1;
      EXPECT_EQ(rest_of(resumed), std::vector<std::string>(all.begin() + at, all.end())) << cut;
    }
  }
}

TEST(Checkpoints, TakeAnotherBatchSize) {
  const Setting setting{.name = "", .options = {.batch_size = 8}, .sampler = {.shuffle = true}};
  auto whole = pipeline_of(setting);
  std::vector<std::int64_t> all;
  Checkpoint cut;
  for (const auto& batch : whole.epoch()) {
    for (const SampleKey& key : batch.keys()) all.push_back(key.index);
    if (batch.index() == 2) cut = whole.checkpoint();
  }
  Setting other = setting;
  other.options.batch_size = 5;
  auto resumed = pipeline_of(other, cut);
  std::vector<std::int64_t> rest;
  for (const auto& batch : resumed.epoch()) {
    for (const SampleKey& key : batch.keys()) rest.push_back(key.index);
  }
  EXPECT_EQ(rest, std::vector<std::int64_t>(all.begin() + 24, all.end()));
}

// Each process takes some batches, and all of them stop; then there are others.
TEST(Checkpoints, TakeAnotherNumberOfShards) {
  for (const bool shuffle : {false, true}) {
    for (const auto& [first, then, last] :
         {std::tuple{4, 2, 3}, std::tuple{1, 5, 5}, std::tuple{3, 3, 1}, std::tuple{2, 7, 2}}) {
      SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(then) + ", " +
                   std::to_string(last));
      std::multiset<std::int64_t> seen;
      std::optional<Checkpoint> from;
      const auto run = [&](std::int64_t shards, std::int64_t batches) {
        std::optional<Checkpoint> reached;
        for (std::int64_t shard = 0; shard < shards; ++shard) {
          const Setting setting{.name = "",
                                .options = {.batch_size = 3},
                                .sampler = {.shuffle = shuffle, .shard = {shard, shards}}};
          auto pipeline = pipeline_of(setting, from);
          auto epoch = pipeline.epoch();
          for (std::int64_t k = 0; k < batches; ++k) {
            const auto batch = epoch.next();
            if (!batch) break;
            EXPECT_EQ(batch->epoch(), 0);
            for (const SampleKey& key : batch->keys()) seen.insert(key.index);
          }
          if (shard == 0) reached = pipeline.checkpoint();
        }
        from = reached;
      };
      run(first, 2);
      run(then, 1);
      run(last, kSamples);
      std::multiset<std::int64_t> each;
      for (std::int64_t i = 0; i < kSamples; ++i) each.insert(i);
      EXPECT_EQ(seen, each);
    }
  }
}

TEST(Checkpoints, AreOfTheEpochThatWasLeftUntilAnotherBegins) {
  const Setting setting{.name = "", .options = {.batch_size = 8}};
  auto pipeline = pipeline_of(setting);
  EXPECT_EQ(pipeline.checkpoint().epoch, 0);
  for (const auto& batch : pipeline.epoch()) {
    if (batch.index() == 1) break;
  }
  EXPECT_EQ(pipeline.checkpoint().epoch, 0);
  EXPECT_EQ(pipeline.checkpoint().position, 16);
  EXPECT_EQ(pipeline.checkpoint().batch, 2);
  {
    auto second = pipeline.epoch();
    EXPECT_EQ(pipeline.checkpoint().epoch, 1);
    EXPECT_EQ(pipeline.checkpoint().position, 0);
  }
  pipeline.reset(7);
  EXPECT_EQ(pipeline.checkpoint().epoch, 7);
  pipeline.reset(2);
  EXPECT_EQ(pipeline.checkpoint().epoch, 2);
  EXPECT_EQ(pipeline.checkpoint().position, 0);
}

TEST(Checkpoints, ResetBeginsTheWholeEpoch) {
  const Setting setting{.name = "", .options = {.batch_size = 8}};
  auto whole = pipeline_of(setting);
  auto epoch = whole.epoch();
  const std::string first = text_of(*epoch.next());
  auto resumed = pipeline_of(setting, whole.checkpoint());
  EXPECT_EQ(resumed.next_epoch(), 0);
  resumed.reset(0);
  auto again = resumed.epoch();
  EXPECT_EQ(text_of(*again.next()), first);
}

// A budget counts what failed before, too.
TEST(Checkpoints, KeepTheBudgetOfErrors) {
  Setting setting{
      .name = "", .options = {.batch_size = 8, .on_error = OnError::skip.within(4)}, .fails = true};
  const auto batches_until_over = [](auto& pipeline) {
    auto epoch = pipeline.epoch();
    std::int64_t last = -1;
    EXPECT_THROW(while (const auto batch = epoch.next()) last = batch->index(), BudgetError);
    return last;
  };
  auto whole = pipeline_of(setting);
  const std::int64_t last = batches_until_over(whole);
  ASSERT_GE(last, 2);
  auto resumed = pipeline_of(setting, [&] {
    auto begun = pipeline_of(setting);
    auto epoch = begun.epoch();
    while (epoch.next()->index() < last - 1) {
    }
    return begun.checkpoint();
  }());
  EXPECT_EQ(batches_until_over(resumed), last);
}

// What a source is asked is what it would have been asked.
TEST(Checkpoints, SourcesAreToldOfTheirPlace) {
  const auto pipeline_from = [](const std::optional<Checkpoint>& from) {
    return make_pipeline({.batch_size = 4, .resume = from}, [](Graph& g) {
      return g.source(20, [](const SampleInfo& info) {
        return std::vector<std::int64_t>{info.epoch,          info.batch, info.index_in_batch,
                                         info.index_in_epoch, info.index, info.repeat};
      });
    });
  };
  auto whole = pipeline_from({});
  auto epoch = whole.epoch();
  epoch.next();
  auto resumed = pipeline_from(whole.checkpoint());
  auto rest = resumed.epoch();
  const auto wanted = epoch.next();
  const auto got = rest.next();
  EXPECT_EQ(std::vector(got->get<0>().begin(), got->get<0>().end()),
            std::vector(wanted->get<0>().begin(), wanted->get<0>().end()));
  EXPECT_EQ(resumed.samples(), 20);
}

struct Named {
  std::string print;
  std::int64_t samples = 9;
  std::int64_t size() const { return samples; }
  std::string name(std::int64_t i) const { return std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const { return info.index; }
  std::string fingerprint() const { return print; }
};

// Counts what it was asked in a variable of its own.
struct Stateful {
  struct State {
    std::mutex mutex;
    std::string restored;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
  std::int64_t size() const { return 20; }
  std::string name(std::int64_t i) const { return std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const { return info.index; }
  std::string save(std::int64_t epoch, std::int64_t position) const {
    return "at " + std::to_string(epoch) + ", " + std::to_string(position);
  }
  void restore(std::int64_t epoch, std::int64_t position, const std::string& text) const {
    const std::lock_guard lock(state->mutex);
    state->restored = text + ": " + std::to_string(epoch) + ", " + std::to_string(position);
  }
};

TEST(Checkpoints, AStateMayBeAnyBytes) {
  Checkpoint from;
  from.states = {"text \u00e4", std::string("\x01\xff\xfe\0z", 5), ""};
  EXPECT_EQ(Checkpoint::from_json(from.to_json()), from);
}

// Where batches are filled up, processes come to different places.
TEST(Checkpoints, OtherShardsDoNotGoOnWithFullBatches) {
  const auto with_shards = [](std::int64_t shards, const std::optional<Checkpoint>& from) {
    return pipeline_of({.name = "",
                        .options = {.batch_size = 4, .compact = true},
                        .sampler = {.shuffle = true, .shard = {0, shards}},
                        .filters = true},
                       from);
  };
  auto run = with_shards(2, {});
  auto epoch = run.epoch();
  epoch.next();
  const Checkpoint from = run.checkpoint();
  const std::string said = error_of<BuildError>([&] { with_shards(3, from); });
  EXPECT_NE(said.find("with `compact` each of them has come to another place"), std::string::npos)
      << said;
  with_shards(2, from);
}

TEST(Checkpoints, SourcesMayKeepAState) {
  const Stateful first;
  const Stateful second;
  const auto pipeline_of_state = [](const Stateful& data, std::int64_t shards,
                                    const std::optional<Checkpoint>& from) {
    return make_pipeline({.batch_size = 4, .resume = from}, [&](Graph& g) {
      return g.read(data, {.shuffle = true, .shard = {0, shards}});
    });
  };
  auto run = pipeline_of_state(first, 1, {});
  auto epoch = run.epoch();
  epoch.next();
  epoch.next();
  const Checkpoint from = Checkpoint::from_json(run.checkpoint().to_json());
  EXPECT_EQ(from.states, std::vector<std::string>{"at 0, 8"});
  pipeline_of_state(second, 1, from);
  EXPECT_EQ(second.state->restored, "at 0, 8: 0, 8");
  EXPECT_EQ(first.state->restored, "");
  Checkpoint lacks = from;
  lacks.states.clear();
  EXPECT_EQ(error_of<BuildError>([&] { pipeline_of_state(second, 1, lacks); }),
            "the checkpoint lacks the state of the source 'read'");
  EXPECT_EQ(error_of<BuildError>([&] { pipeline_of_state(second, 2, from); }),
            "the source 'read' has a state of its own, which belongs to 1 shards, not 2; resume "
            "with as many as before");
}

TEST(Checkpoints, OfAnotherRunAreRefused) {
  struct Program {
    std::uint64_t seed = 1;
    Named data = {"names 12ab"};
    Sampler sampler = {};
    float most = 1;
    bool doubles = false;
  };
  const auto pipeline_of_program = [](const Program& program,
                                      const std::optional<Checkpoint>& from) {
    return make_pipeline({.batch_size = 2, .seed = program.seed, .resume = from}, [&](Graph& g) {
      auto value = g.read(program.data, program.sampler);
      if (program.doubles)
        value = g.map(
            "double", [](std::int64_t i) { return 2 * i; }, value);
      return std::tuple{value, g.uniform(0.f, program.most)};
    });
  };
  auto run = pipeline_of_program({}, {});
  auto epoch = run.epoch();
  epoch.next();
  const Checkpoint from = run.checkpoint();
  struct Row {
    Program program;
    std::string says;
  };
  for (const auto& [program, says] : {
           Row{{.seed = 2}, "another seed: it was 1 and is 2"},
           Row{{.data = {"names 77ff"}},
               "another dataset: source 1 was (read, 9 samples, names 12ab) and is (read, 9 "
               "samples, names 77ff)"},
           Row{{.data = {"names 12ab", 8}}, "another dataset: source 1 was (read, 9 samples"},
           Row{{.sampler = {.shuffle = true}},
               "another sampler: it was (in order) and is (shuffle)"},
           Row{{.most = 2}, "another program: step 2 was (uniform "},
           Row{{.doubles = true}, "another program: step 2 was (uniform "},
       }) {
    const std::string said =
        error_of<BuildError>([&, &program = program] { pipeline_of_program(program, from); });
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
  Checkpoint beyond = from;
  beyond.position = 10;
  EXPECT_NE(error_of<BuildError>([&] {
              pipeline_of_program({}, beyond);
            }).find("stands at sample 10 of epoch 0, which has 9"),
            std::string::npos);
}

TEST(Checkpoints, TextsThatAreNoneAreRefused) {
  auto pipeline = pipeline_of({.name = "", .options = {.batch_size = 8}});
  const std::string good = pipeline.checkpoint().to_json();
  EXPECT_EQ(Checkpoint::from_json(good), pipeline.checkpoint());
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  struct Row {
    std::string text, says;
  };
  for (const auto& [text, says] : {
           Row{"", "f is no JSON: it ends, or makes no sense, at byte 1"},
           Row{"[]", "f is not one that Pipeline::checkpoint() gave"},
           Row{"{\"format\": 3}", "f is not one that"},
           Row{with("\"version\": 1", "\"version\": 2"), "of version 2, but this library reads"},
           Row{with("\"epoch\": 0", "\"epoch\": -1"),
               "f: 'epoch' must be a whole number of 0 to 2^53, not -1"},
           Row{with("\"epoch\": 0", "\"epoch\": 18446744073709551615"), "'epoch' must be"},
           Row{with("\"position\": 0", "\"position\": 1.5"), "'position' must be"},
           Row{with("\"position\": 0", "\"place\": 0"), "f lacks 'position'"},
           Row{with("\"shards\": 1", "\"shards\": 0"), "of 1 to 2^53, not 0"},
           Row{with("\"position\": 0", "\"position\": 9007199254740993"), "to 2^53, not 9007"},
           Row{with("\"position\": 0",
                    "\"position\": " + std::string(300'000, '[') + std::string(300'000, ']')),
               "f is not one that Pipeline"},
           Row{with("\"seed\": 11", "\"seed\": \"a\\nb\""), "'seed' must be"},
           Row{with("\"sampler\": \"in order\"", "\"sampler\": []"), "'sampler' must be a text"},
           Row{with("\"dataset\": [", "\"dataset\": [1,"), "'dataset' must be a list of texts"},
           Row{with("\"shards\": 1,", "\"shards\": 1, \"done\": [{\"shards\": 0}],"),
               "f, in 'done': 'shards' must be"},
       }) {
    const std::string said =
        error_of<BuildError>([&text = text] { Checkpoint::from_json(text, "f"); });
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
  // Cut anywhere, it is refused.
  for (std::size_t size = 0; size + 2 < good.size(); ++size)
    EXPECT_THROW(Checkpoint::from_json(good.substr(0, size)), BuildError) << size;
}

}  // namespace
}  // namespace sluice
