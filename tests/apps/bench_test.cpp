#include "benchmarks/bench/bench.h"

#include "demo_folder.h"
#include "program.h"
#include "tests/one_in.h"
#include <sluice/io/jpeg/self_test.h>

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace bench_test {

// Checks no speed: only that every workload runs, and its report.
TEST(Bench, EveryWorkloadReportsItsFigures) {
  const std::filesystem::path data = write_demo_images();
  std::filesystem::create_symlink(data / "gone", data / "gone.jpg");
  const std::vector<std::string>& workloads = bench_workloads();
  for (std::size_t i = 0; i < workloads.size(); i += std::size_t(testing::one_in(1, 3))) {
    const std::string& workload = workloads[i];
    const bool reads_files = workload != "overhead" && workload != "wait";
    const Ran ran = run_program("bench " + workload +
                                (reads_files ? " --data " + data.string() : std::string()) +
                                " --threads 2 --seconds 0.01 --rounds 2 --batch 8 --json -");
    ASSERT_EQ(ran.status, 0) << workload << ": " << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.contains("index"), reads_files);
    if (reads_files) {
      EXPECT_EQ(json.at("index"), "off");
      EXPECT_NE(ran.errors.find("left out, as they cannot be read or decoded: 2 of the files"),
                std::string::npos)
          << ran.errors;
    }
    EXPECT_EQ(json.at("workload"), workload);
    EXPECT_EQ(json.at("threads"), 2);
    EXPECT_EQ(json.at("batch"), 8);
    EXPECT_EQ(json.at("rounds").size(), 2u);
    for (const auto& round : json.at("rounds")) EXPECT_EQ(round.size(), 2u);
    for (const char* key :
         {"images_per_second", "limit_images_per_second", "ratio", "peak_rss_bytes"}) {
      EXPECT_GT(json.at(key), 0) << workload << " " << key;
    }
    EXPECT_GE(json.at("allocations_per_image"), 0) << workload;
    EXPECT_EQ(json.contains("window"), workload == "wait");
    EXPECT_EQ(json.contains("ns_per_sample"), workload == "overhead");
    EXPECT_EQ(json.contains("raw_tbb_ns_per_sample"), workload == "overhead");
    EXPECT_EQ(json.contains("rows"), workload == "overhead");
    if (workload != "overhead") continue;
    EXPECT_EQ(json.at("rows").size(), 7u);
    for (const auto& row : json.at("rows")) {
      EXPECT_GT(row.at("ns"), 0) << row;
      EXPECT_GT(row.at("base_ns"), 0) << row;
      EXPECT_LE(row.at("adds_ns_least"), row.at("adds_ns")) << row;
      EXPECT_LE(row.at("adds_ns"), row.at("adds_ns_most")) << row;
    }
  }
}

TEST(Bench, SourceReportsARowForEachOfItsKinds) {
  const std::filesystem::path data = write_demo_images();
  std::filesystem::remove(data / "damaged.jpg");
  const std::string options =
      " --threads 1 --workers 2 --seconds 0.01 --rounds 2 --batch 8 --json -";
  for (const std::string& files : {std::string(), " --data " + data.string()}) {
    const Ran ran = run_program("bench source" + options + files);
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("workload"), "source");
    EXPECT_EQ(json.at("workers"), 2);
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : json.at("rows")) rows[row.at("name")] = row;
    for (const char* name :
         {"wait_threads", "wait_workers", "large_workers", "large_worker", "memcpy", "large_ratio",
          "small_worker", "small_pipeline", "shuffle_first_batch"}) {
      ASSERT_TRUE(rows.contains(name)) << name;
      EXPECT_GT(rows[name].at("median"), 0) << name;
      EXPECT_EQ(rows[name].at("rounds").size(), 2u) << name;
    }
    EXPECT_LT(rows["shuffle_bytes"].at("median"), 4096);
    EXPECT_LE(rows["wait_threads"].at("median"), 1);
    EXPECT_EQ(rows.contains("decode_workers"), !files.empty());
    EXPECT_EQ(rows.contains("decode_threads"), !files.empty());
  }
}

// An index helps with all demo images but the progressive and the damaged one.
TEST(Bench, SaysWhichIndexItRanWith) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  const std::string data = (test_folder() / "data").string();
  const std::string index = (test_folder() / "index").string();
  ASSERT_EQ(run_program("demo-images --out " + data).status, 0);
  ASSERT_EQ(run_program("index --data " + data + " --out " + index).status, 0);
  const auto known = files_below(data).size() - 2;
  for (const std::string workload : {"decode", "region", "train"}) {
    for (const std::string& choice : {std::string("memory"), index}) {
      const Ran ran = run_program("bench " + workload + " --data " + data + " --index " + choice +
                                  " --threads 2 --seconds 0.01 --rounds 1 --batch 8 --json -");
      ASSERT_EQ(ran.status, 0) << workload << ": " << ran.errors;
      EXPECT_NE(ran.errors.find(", index " + choice +
                                ", device cpu; Sluice compared with libjpeg-turbo's full decode"),
                std::string::npos)
          << ran.errors;
      const auto json = nlohmann::json::parse(ran.out);
      EXPECT_EQ(json.at("index"), choice);
      EXPECT_EQ(json.at("index_files"), known) << workload << " " << choice;
      EXPECT_GT(json.at("index_bytes"), 0);
    }
  }
}

}  // namespace bench_test
}  // namespace sluice::app
