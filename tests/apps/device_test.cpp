// --device, for the commands that have it, on the stand-in.
#include "apps/output_paths.h"
#include "demo_folder.h"
#include "program.h"
#include "tests/one_in.h"
#include "tests/trace_file.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace device_test {

namespace fs = std::filesystem;

class DeviceOption : public ::testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_images().string(); }
  std::string path(const std::string& name) const { return (test_folder() / name).string(); }

  std::string data_;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Writes the same files, byte for byte, whatever happens to the damaged one. Repeated files are
// known to the index, so the device decodes them.
TEST_F(DeviceOption, AugmentWritesWhatTheCpuWrites) {
  for (const std::string options :
       {"--recipe rotate --index memory --count 40", "--recipe train --index memory --count 40",
        "--recipe eval", "--recipe randaugment", "--recipe trivialaugment --count 40",
        "--recipe rotate --on-error replace --batch 4 --threads 1"}) {
    std::vector<Ran> ran;
    for (const std::string device : {"cpu", "stand-in"}) {
      ran.push_back(run_program("augment --overwrite --data " + data_ + " --out " + path(device) +
                                " --device " + device + " " + options));
      ASSERT_EQ(ran.back().status, 0) << options << ran.back().errors;
    }
    const auto expected = files_below(path("cpu"));
    EXPECT_GT(expected.size(), 10u);
    EXPECT_TRUE(expected == files_below(path("stand-in"))) << options;
    // The messages about files that cannot be used are the same, too.
    const auto left_out = [](const std::string& text) {
      return text.substr(text.find("\nskipped"));
    };
    if (holds(ran[0].out, "\nskipped")) {
      EXPECT_EQ(left_out(ran[0].out), left_out(ran[1].out));
    }
    for (const char* out : {"cpu", "stand-in"}) fs::remove_all(path(out));
  }
}

// The stand-in's engines produce other pixels than the CPU, as real ones do.
TEST_F(DeviceOption, DecoderAnyUsesTheEngines) {
  const auto augment = [&](const std::string& options) {
    return run_program("augment --recipe eval --profile --overwrite --data " + data_ + " --out " +
                       path("out") + " " + options);
  };
  const struct {
    const char* options;
    bool on_engines;
  } table[] = {{"--device stand-in", false},
               {"--device stand-in --decoder exact", false},
               {"--device stand-in --decoder any", true},
               {"--device stand-in --decoder any --index memory", false},
               {"--decoder any", false}};
  for (const auto& one : table) {
    const Ran ran = augment(one.options);
    EXPECT_EQ(ran.status, 0) << one.options << ran.errors;
    EXPECT_EQ(holds(ran.out, "on_engines"), one.on_engines) << one.options << ran.out;
    EXPECT_EQ(holds(ran.out, "--decoder any makes no difference: all runs on the CPU\n"),
              one.options == std::string("--decoder any"))
        << one.options << ran.out;
  }
  const Ran wrong = augment("--decoder nvjpeg");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(holds(wrong.errors, "--decoder")) << wrong.errors;
}

TEST_F(DeviceOption, AugmentGoesOnWithResultsOfTheOtherOne) {
  const std::string same = "augment --recipe train --data " + data_ + " --out ";
  ASSERT_EQ(run_program(same + path("whole")).status, 0);
  ASSERT_EQ(run_program(same + path("out")).status, 0);
  const auto whole = files_below(path("whole"));
  fs::remove(path("out") + "/" + whole.begin()->first);
  const Ran ran = run_program(same + path("out") + " --resume --device stand-in");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(holds(ran.out, "delivered 1 image to ")) << ran.out;
  EXPECT_TRUE(files_below(path("out")) == whole);
}

// A run must not continue on a device with other pixels.
TEST_F(DeviceOption, AugmentMixesNoResultsOfOtherPixels) {
  const std::string same = "augment --recipe train --data " + data_ + " --out " + path("out");
  ASSERT_EQ(run_program(same).status, 0);
  for (const auto& [more, goes_on] :
       std::vector<std::pair<std::string, bool>>{{" --decoder any", true},
                                                 {" --device stand-in --decoder exact", true},
                                                 {" --device stand-in --decoder any", false},
                                                 {" --compose", false}}) {
    const Ran ran = run_program(same + " --resume" + more);
    EXPECT_EQ(ran.status, goes_on ? 0 : 2) << more << ran.errors;
    EXPECT_EQ(holds(ran.errors, "is not a result of this run"), !goes_on) << more << ran.errors;
  }
}

TEST_F(DeviceOption, StatisticsAndTracesTellOfTheDevice) {
  const std::string trace = path("trace.json");
  const Ran ran = run_program("augment --recipe eval --profile --device stand-in --trace " + trace +
                              " --data " + data_ + " --out " + path("out"));
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(holds(ran.out, "\ndevice: the stand-in for device 0; ")) << ran.out;
  EXPECT_TRUE(holds(ran.out, "\ndevice memory: ")) << ran.out;
  EXPECT_TRUE(holds(ran.out, "\nin one GPU batch, the first step ")) << ran.out;
  const traces::TraceFile file = traces::read_trace(trace);
  EXPECT_GT(file.count("GPU batch"), 0);
  EXPECT_GT(file.count("resize"), 0);
}

TEST_F(DeviceOption, GraphShowsWhatRunsThere) {
  const Ran text = run_program("graph --recipe eval --device stand-in --text");
  EXPECT_EQ(text.status, 0) << text.errors;
  for (const char* part : {"[to the device", "[on the device; ", "[to the host; "})
    EXPECT_TRUE(holds(text.out, part)) << part << text.out;
  // All branches of an augmentation share one device batch with the steps before and after them.
  for (const std::string recipe : {"randaugment", "trivialaugment"}) {
    const std::string plan =
        run_program("graph --recipe " + recipe + " --device stand-in --text").out;
    const std::size_t device_batch = plan.find("\nGPU batch\n");
    ASSERT_NE(device_batch, std::string::npos) << plan;
    const std::string before = plan.substr(0, device_batch), inside = plan.substr(device_batch + 1);
    EXPECT_FALSE(holds(before, "[on the device")) << plan;
    for (const char* part : {"  resize(", "  shear(", "  equalize(", "[to the host; "})
      EXPECT_TRUE(holds(inside, part)) << part << plan;
    for (const char* part : {"\nGPU batch\n", "[in the next GPU batch]"})
      EXPECT_FALSE(holds(inside, part)) << part << plan;
  }
  const Ran drawing = run_program("graph --recipe eval --device stand-in");
  for (const char* part :
       {"cluster_legend", "shape=rarrow", "shape=larrow", "fillcolor=\"#cfe8cf\"",
        "label=\"one GPU batch\"", "label=\"decode_jpeg\\npreparation\""})
    EXPECT_TRUE(holds(drawing.out, part)) << part << drawing.out;
  const Ran host = run_program("graph --recipe eval");
  for (const char* part : {"cluster_legend", "arrow,", "cfe8cf"})
    EXPECT_FALSE(holds(host.out, part)) << part;
  const Ran ran = run_program("graph --recipe eval --device stand-in --text --data " + data_);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(holds(ran.out, "[on the device; ")) << ran.out;
  EXPECT_TRUE(holds(ran.out, " runs, ")) << ran.out;
}

// This also holds without a GPU, because nothing is run.
TEST_F(DeviceOption, GraphDrawsForAnyDevice) {
  const Ran drawn = run_program("graph --recipe eval --device stand-in");
  for (const char* device : {"gpu", "7"}) {
    const Ran ran = run_program(std::string("graph --recipe eval --device ") + device);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.out, drawn.out);
  }
  // No machine has so many.
  const Ran ran = run_program("graph --recipe eval --device 4711 --data " + data_);
  EXPECT_EQ(ran.status, 1);
  for (const char* part : {"--device 4711: ", "leave --device out"})
    EXPECT_TRUE(holds(ran.errors, part)) << ran.errors;
}

// The image lies on the device, and the host would have to encode it.
TEST_F(DeviceOption, AugmentWantsTheImageOfAPlanOnTheHost) {
  const Ran saved = run_program("graph --json --recipe eval --device stand-in");
  ASSERT_EQ(saved.status, 0) << saved.errors;
  auto plan = nlohmann::json::parse(saved.out);
  const auto copy = std::find_if(plan["steps"].begin(), plan["steps"].end(),
                                 [](const auto& step) { return step["operator"] == "cpu"; });
  ASSERT_NE(copy, plan["steps"].end()) << saved.out;
  plan["outputs"][0] = (*copy)["arguments"]["data"]["slot"];
  const std::string text = plan.dump();
  write_file(path("plan.json"),
             Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  const Ran ran = run_program("augment --device stand-in --pipeline " + path("plan.json") +
                              " --data " + data_ + " --out " + path("out"));
  EXPECT_EQ(ran.status, 2) << ran.out;
  for (const char* part : {"stays on the device", ".cpu() of that image"})
    EXPECT_TRUE(holds(ran.errors, part)) << ran.errors;
  EXPECT_FALSE(fs::exists(path("out")));
}

// A saved plan includes the device of each step.
TEST_F(DeviceOption, ASavedPlanSaysWhatRunsThere) {
  const std::string there = path("there.json"), here = path("here.json");
  const auto save = [](const std::string& file, const std::string& device) {
    const Ran ran = run_program("graph --json --recipe eval --device " + device);
    ASSERT_EQ(ran.status, 0) << ran.errors;
    write_file(file, Bytes::copy_of(
                         {reinterpret_cast<const std::uint8_t*>(ran.out.data()), ran.out.size()}));
  };
  save(there, "stand-in");
  save(here, "cpu");
  const std::string out = " --overwrite --out " + path("out") + " --data " + data_;
  const std::string bench = " --seconds 0.01 --rounds 1 --batch 4 --data " + data_;
  const struct {
    std::string command;
    int status;
    std::string says;
  } cases[] = {
      {"augment --pipeline " + there + " --device stand-in" + out, 0, ""},
      {"augment --pipeline " + there + out, 2, "choose one, as --device gpu"},
      {"augment --pipeline " + here + " --device stand-in" + out, 2, "no step of --pipeline"},
      {"graph --pipeline " + there + " --device stand-in --text", 0, ""},
      {"graph --pipeline " + there, 2, "steps that run on a device"},
      {"bench --pipeline " + there + " --device stand-in" + bench, 0, ""},
      {"bench --pipeline " + here + " --device stand-in" + bench, 2, "leave --device out"},
  };
  for (const auto& c : cases) {
    const Ran ran = run_program(c.command);
    EXPECT_EQ(ran.status, c.status) << c.command << ran.errors;
    EXPECT_TRUE(holds(ran.errors, c.says)) << c.command << ran.errors;
  }
}

TEST_F(DeviceOption, IsRefusedWhereItNamesNone) {
  for (const std::string& command : {"augment --out " + path("out") + " --data " + data_,
                                     std::string("graph"), "bench eval --data " + data_}) {
    for (const char* name : {"gpu0", "-1", "cuda"}) {
      const Ran ran = run_program(command + " --device=" + name);
      EXPECT_EQ(ran.status, 2) << command << name;
      EXPECT_TRUE(holds(ran.errors, "cpu, gpu, the number of a GPU, or stand-in")) << ran.errors;
    }
  }
}

TEST_F(DeviceOption, BenchSaysWhatItCosts) {
  const Ran ran = run_program(
      "bench eval --seconds 0.01 --rounds 1 --batch 4 --device stand-in --json - --data " + data_);
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(holds(ran.errors, "\nCPU time: ")) << ran.errors;
  EXPECT_TRUE(holds(ran.errors, "\ndevice thread: ")) << ran.errors;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_GT(json.at("cpu_us_per_image"), 0);
  EXPECT_EQ(json.at("device"), "the stand-in for device 0");
  EXPECT_EQ(json.at("decoder"), "exact");
}

TEST_F(DeviceOption, BenchMeasuresTheLatency) {
  const std::string common =
      "bench latency --seconds 0.01 --rounds 1 --threads 2 --json - --data " + data_;
  for (const bool on_device : {false, true}) {
    // It takes minutes with the stand-in.
    if (on_device && testing::one_in(2, 2) == 2) continue;
    const Ran ran = run_program(common + (on_device ? " --device stand-in" : ""));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("workload"), "latency");
    int samples = 1;
    for (const auto& row : json.at("rows")) {
      EXPECT_EQ(row.at("samples"), samples);
      EXPECT_EQ(row.contains("device"), on_device);
      for (const char* side : {"cpu", "device"}) {
        if (!row.contains(side)) continue;
        EXPECT_GE(row.at(side).at("bursts"), 3);
        EXPECT_GT(row.at(side).at("median_us"), 0);
        EXPECT_GE(row.at(side).at("p99_us"), row.at(side).at("median_us"));
      }
      if (on_device) {
        EXPECT_GE(row.at("device").at("samples_per_batch"), 1);
        EXPECT_LE(row.at("device").at("samples_per_batch"), samples);
      }
      samples *= 2;
    }
    EXPECT_EQ(samples, 512);
  }
  EXPECT_EQ(run_program(common + " --trace " + path("trace.json")).status, 2);
}

}  // namespace device_test
}  // namespace sluice::app
