// The text of checkpoints, and the texts that are refused.
#include "tests/error_of.h"
#include "tests/graph/resumed.h"
#include "tests/mutants.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/cuda/host_device.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace checkpoint_text_test {

using namespace resumed;  // NOLINT(google-build-using-namespace)

struct Named {
  std::string print;
  std::int64_t samples = 9;
  std::int64_t size() const { return samples; }
  std::string name(std::int64_t i) const { return std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const { return info.index; }
  std::string fingerprint() const { return print; }
};

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

// The text of files that users keep. A change of it breaks their runs.
constexpr const char* kKept = R"({
  "format": "sluice checkpoint",
  "version": 1,
  "epoch": 0,
  "position": 24,
  "batch": 3,
  "errors": 0,
  "shards": 1,
  "seed": 11,
  "sampler": "shuffle",
  "dataset": [
    "source, 53 samples"
  ],
  "plan": [
    "source e05d0f4b",
    "keep c5788e56",
    "filter 5c4c02e1",
    "uniform cf85481c",
    "work 8e854241",
    "outputs aefbad4f"
  ]
}
)";

TEST(Checkpoints, AKeptOneResumes) {
  const Setting setting{
      .name = "", .options = {.batch_size = 8}, .sampler = {.shuffle = true}, .filters = true};
  auto whole = pipeline_of(setting);
  const std::vector<std::string> all = rest_of(whole);
  auto resumed = pipeline_of(setting, Checkpoint::from_json(kKept));
  EXPECT_EQ(resumed.checkpoint().to_json(), kKept);
  EXPECT_EQ(rest_of(resumed), std::vector<std::string>(all.begin() + 3, all.end()));
}

TEST(Checkpoints, AStateMayBeAnyBytes) {
  Checkpoint from;
  from.states = {"text \u00e4", std::string("\x01\xff\xfe\0z", 5), ""};
  EXPECT_EQ(Checkpoint::from_json(from.to_json()), from);
}

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
  EXPECT_NE(said.find("with `compact` each of them is at another position"), std::string::npos)
      << said;
  with_shards(2, from);
}

TEST(Checkpoints, NoNumberIsBelowZero) {
  const auto resumed = [](const std::optional<Checkpoint>& from) {
    return pipeline_of({.name = "", .options = {.batch_size = 4}, .sampler = {}, .filters = false},
                       from);
  };
  const Checkpoint good = resumed({}).checkpoint();
  for (const auto& [name, number] :
       std::map<std::string, std::int64_t Checkpoint::*>{{"epoch", &Checkpoint::epoch},
                                                         {"position", &Checkpoint::position},
                                                         {"judged", &Checkpoint::judged},
                                                         {"batch", &Checkpoint::batch},
                                                         {"errors", &Checkpoint::errors}}) {
    Checkpoint wrong = good;
    wrong.*number = -1;
    EXPECT_EQ(error_of<BuildError>([&] { resumed(wrong); }),
              "the checkpoint's " + name + " is -1; it must be at least 0");
  }
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
            "the source 'read' has a state of its own, which belongs to 1 shard, not 2; use as "
            "many as before");
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

TEST(Checkpoints, OfAnotherDeviceAreRefused) {
  const Checkpoint cpu{.plan = {"read 01", "flip 02", "outputs 03"}};
  const Checkpoint gpu{.plan = {"read 01", "gpu 04", "flip 05", "outputs 06"}, .gpu = true};
  const Checkpoint two{.plan = {"read 01", "gpu#2 04", "flip 05", "outputs 06"}, .gpu = true};
  // A step of the user that is named gpu, or a file of version 0.1.
  const Checkpoint named{.plan = {"read 01", "gpu 02", "outputs 03"}};
  const std::string to_cpu =
      "the checkpoint is of another device: its pipeline used the GPU, and this one uses the CPU "
      "only (step 2 was (gpu 04) and is (flip 02)); make the pipeline for the same device, or "
      "start "
      "without the checkpoint";
  const std::string to_gpu =
      "the checkpoint is of another device: its pipeline used the CPU only, and this one uses the "
      "GPU (step 2 was (flip 02) and is (gpu#2 04)); make the pipeline for the same device, or "
      "start "
      "without the checkpoint";
  const auto program = [](const std::string& then, const std::string& now) {
    return "the checkpoint is of another program: step 2 was (" + then + ") and is (" + now +
           "); use it for the run that it was taken from, or start without it";
  };
  struct Row {
    const Checkpoint& from;
    const Checkpoint& now;
    std::string says;
  };
  for (const auto& [from, now, says] :
       {Row{gpu, cpu, to_cpu}, Row{cpu, two, to_gpu}, Row{cpu, named, program("flip 02", "gpu 02")},
        Row{named, cpu, program("gpu 02", "flip 02")},
        Row{named, two, program("gpu 02", "gpu#2 04")}}) {
    EXPECT_EQ(error_of<BuildError>(
                  [&, &from = from, &now = now] { detail::require_same_run(from, now); }),
              says);
  }
  EXPECT_NO_THROW(detail::require_same_run(gpu, gpu));
  EXPECT_EQ(Checkpoint::from_json(gpu.to_json()), gpu);
  const Checkpoint old{.plan = gpu.plan};  // a file of version 0.1
  EXPECT_NO_THROW(detail::require_same_run(old, gpu));
}

TEST(Checkpoints, AStepOfTheUserMayBeNamedGpu) {
  const auto program = [](const char* name, const std::optional<Checkpoint>& from) {
    return make_pipeline({.resume = from}, [&](Graph& g) {
      return g.map(
          name, [](std::int64_t i) { return i; }, g.read(Named{"names 12ab"}));
    });
  };
  for (const auto& [then, now] : {std::pair{"gpu", "work"}, {"work", "gpu"}}) {
    const Checkpoint from = program(then, {}).checkpoint();
    EXPECT_FALSE(from.gpu);
    const std::string said = error_of<BuildError>([&, &now = now] { program(now, from); });
    const std::string start = "the checkpoint is of another program: step 2 was (";
    EXPECT_EQ(said.find(start + then + " "), 0u) << said;
  }
}

TEST(Checkpoints, OfTheGpuResumeOnlyThere) {
  const auto program = [](bool gpu, const std::optional<Checkpoint>& from) {
    PipelineOptions options{.resume = from};
    if (gpu) options.device = std::make_shared<device::HostDevice>();
    return make_pipeline(options, [&](Graph& g) {
      const auto image = g.source(8, [](const SampleInfo&) { return Image(1, 1, 1); });
      return gpu ? flip(image.gpu()).cpu() : flip(image);
    });
  };
  const std::string there = "its pipeline used the GPU, and this one uses the CPU only (step 2 was";
  const std::string here = "its pipeline used the CPU only, and this one uses the GPU (step 2 was";
  for (const bool gpu : {false, true}) {
    const Checkpoint from = program(gpu, {}).checkpoint();
    EXPECT_EQ(from.gpu, gpu);
    EXPECT_EQ(program(gpu, Checkpoint::from_json(from.to_json())).checkpoint(), from);
    const std::string said = error_of<BuildError>([&] { program(!gpu, from); });
    EXPECT_EQ(said.find("the checkpoint is of another device: " + (gpu ? there : here)), 0u)
        << said;
  }
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
           Row{"", "f is not JSON: it ends or is malformed at byte 1"},
           Row{"[]", "f was not made by Pipeline::checkpoint()"},
           Row{"{\"format\": 3}", "f was not made by"},
           Row{with("\"version\": 1", "\"version\": 2"), "of version 2, but this library reads"},
           Row{with("\"epoch\": 0", "\"epoch\": -1"),
               "f: 'epoch' must be a whole number of 0 to 2^53, not -1"},
           Row{with("\"epoch\": 0", "\"epoch\": 18446744073709551615"), "'epoch' must be"},
           Row{with("\"position\": 0", "\"position\": 1.5"), "'position' must be"},
           Row{with("\"position\": 0,", ""), "f lacks 'position'"},
           Row{with("\"position\": 0", "\"position\": 0, \"place\": 0"),
               "f has the unknown member 'place'"},
           Row{with("\"position\": 0", "\"position\": 0, \"p\\u006fsition\": 1"),
               "f has 'position' more than once"},
           Row{with("\"epoch\": 0", "\"gpu\": 1, \"epoch\": 0"),
               "f: 'gpu' must be true or false, not 1"},
           Row{with("\"shards\": 1", "\"shards\": 0"), "of 1 to 2^53, not 0"},
           Row{with("\"position\": 0", "\"position\": 9007199254740993"), "to 2^53, not 9007"},
           Row{with("\"position\": 0",
                    "\"position\": " + std::string(300'000, '[') + std::string(300'000, ']')),
               "f was not made by Pipeline"},
           Row{with("\"position\": 0", "\"position\": 1e999"), "f is not JSON: a number in it is"},
           Row{with("\"position\": 0", "\"other\": [-1e999]"), "f is not JSON: a number in it is"},
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

TEST(Checkpoints, MutantsAreReadOrRefused) {
  Checkpoint good = pipeline_of({.name = "", .options = {.batch_size = 8}}).checkpoint();
  good.done = {{2, 4}, {3, 1}};
  good.states = {"text \u00e4", std::string("\x01\xff\xfe\0z", 5)};
  testing::Mutants mutants(good.to_json());
  for (int i = 60'000 / testing::one_in(20, 60); i > 0; --i) {
    const std::string text = mutants.next();
    testing::tried("damaged-input");
    ASSERT_EQ(testing::foreign_error([&] {
                const Checkpoint from = Checkpoint::from_json(text, "f");
                (void)pipeline_of({.name = "", .options = {.batch_size = 8}}, from);
              }),
              "")
        << text;
  }
}

}  // namespace checkpoint_text_test
}  // namespace sluice
