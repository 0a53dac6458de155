#include "apps/images.h"
#include "apps/output_paths.h"
#include "apps/result_range.h"
#include "apps/usage.h"
#include "demo_folder.h"
#include "program.h"

#include <string>
#include <vector>

namespace sluice::app {
namespace process_shard_test {

namespace fs = std::filesystem;

TEST(ProcessShard, IsWhatTheOptionSays) {
  const ProcessShard share("1/4");
  EXPECT_FALSE(share.is_whole());
  EXPECT_TRUE(share.tells());
  EXPECT_EQ(share.words(), " (shard 1/4)");
  EXPECT_TRUE(ProcessShard("0/1").is_whole());
  for (const char* wrong : {"1", "4/4", "-1/4", "1/0", "a/4", "1/4x", "/", "1/", "/4"})
    EXPECT_THROW((void)ProcessShard(wrong), UsageError) << wrong;
}

class Parts : public ::testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_images(); }
  std::string command(const std::string& out, const std::string& options) const {
    return "augment --data " + data_.string() + " --out " + (test_folder() / out).string() + " " +
           options;
  }
  fs::path data_;
};

// Together they write what one process writes, byte for byte.
TEST_F(Parts, WriteWhatOneWouldWrite) {
  for (const std::string options : {"", "--epochs 2 --batch 3", "--count 21", "--count 5",
                                    "--on-error replace --batch 4", "--flat --recipe train"}) {
    SCOPED_TRACE(options);
    fs::remove_all(test_folder() / "one");
    fs::remove_all(test_folder() / "many");
    ASSERT_EQ(run_program(command("one", options)).status, 0);
    for (const std::string shard : {"2/3", "0/3", "1/3"}) {
      const Ran ran = run_program(command("many", options + " --shard " + shard));
      ASSERT_EQ(ran.status, 0) << ran.errors;
      EXPECT_NE(ran.out.find("(shard " + shard + ")"), std::string::npos) << ran.out;
    }
    EXPECT_EQ(files_below(test_folder() / "many"), files_below(test_folder() / "one"));
  }
}

std::string as_rank(int rank, const std::string& job) {
  const std::string number = std::to_string(rank);
  return "PMIX_NAMESPACE=" + job + " OMPI_COMM_WORLD_RANK=" + number +
         " OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=" + number + " " SLUICE_PROGRAM " ";
}

std::size_t times(const std::string& part, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Processes that were started together share the work by themselves. The last one to end reports
// the total.
TEST_F(Parts, ProcessesOfAJobShareTheWork) {
  ASSERT_EQ(run_program(command("one", "")).status, 0);
  const auto one = files_below(test_folder() / "one");
  const std::string all =
      "all 4 processes: delivered " + std::to_string(one.size()) + " images to ";
  for (const auto& order : {std::vector{0, 1, 2, 3}, std::vector{3, 1, 0, 2}}) {
    fs::remove_all(test_folder() / "many");
    std::size_t damaged = 0;
    for (const int rank : order) {
      const Ran ran = run_command(as_rank(rank, "a") + command("many", ""));
      ASSERT_EQ(ran.status, 0) << ran.errors;
      // One of the images is damaged: the process that reads it reports it.
      damaged += times("damaged.jpg", ran.out);
      EXPECT_EQ(times("(shard 0/4), recipe", ran.out), rank == 0 ? 1u : 0u) << ran.out;
      const bool last = rank == order.back();
      EXPECT_EQ(times(all, ran.out), last ? 1u : 0u) << ran.out;
      EXPECT_EQ(times("; skipped 1 that cannot be used\n", ran.out), last ? 1u : 0u) << ran.out;
    }
    EXPECT_EQ(damaged, 1u);
    EXPECT_EQ(files_below(test_folder() / "many"), one);
  }
}

TEST_F(Parts, WhoeverEndsLastOfThoseAtOnceTells) {
  ASSERT_EQ(run_program(command("one", "")).status, 0);
  std::string together;
  for (int rank = 0; rank < 4; ++rank) {
    together += as_rank(rank, "a") + command("many", "--threads 1") + " >" +
                (test_folder() / std::to_string(rank)).string() + " & ";
  }
  ASSERT_EQ(run_command(together + "wait").errors, "");
  std::string said;
  for (int rank = 0; rank < 4; ++rank) said += text_of(test_folder() / std::to_string(rank));
  EXPECT_EQ(times("all 4 processes: delivered ", said), 1u) << said;
  EXPECT_EQ(files_below(test_folder() / "many"), files_below(test_folder() / "one"));
}

// Leftovers of an unfinished job's ranks do not count for the next job.
TEST_F(Parts, AJobThatDidNotEndIsNotCounted) {
  for (const int rank : {0, 1, 3}) {
    const Ran ran = run_command(as_rank(rank, "killed") + command("many", ""));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(times("all 4 processes", ran.out), 0u) << ran.out;
  }
  for (const int rank : {2, 3, 0, 1}) {
    const Ran ran = run_command(as_rank(rank, "next") + command("many", ""));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(times("all 4 processes", ran.out), rank == 1 ? 1u : 0u) << rank << ran.out;
  }
  ASSERT_EQ(run_program(command("one", "")).status, 0);
  EXPECT_EQ(files_below(test_folder() / "many"), files_below(test_folder() / "one"));
}

// It reports once, although no image is damaged.
TEST_F(Parts, TheFirstOneNamesWhatIsLeftOut) {
  fs::remove(data_ / "damaged.jpg");
  fs::create_symlink("round", data_ / "round");
  for (int rank = 0; rank < 4; ++rank) {
    const Ran ran = run_command(as_rank(rank, "a") + command("many", ""));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(times("left out 1 that cannot be read:\n  round: ", ran.out), rank == 0 ? 1u : 0u)
        << ran.out;
  }
}

TEST_F(Parts, MpirunStartsThem) {
  if (run_command("mpirun --version").status != 0) GTEST_SKIP() << "mpirun is not installed";
  ASSERT_EQ(run_program(command("one", "--epochs 2")).status, 0);
  const auto one = files_below(test_folder() / "one");
  const Ran ran =
      run_command("mpirun --allow-run-as-root --oversubscribe -n 4 " SLUICE_PROGRAM " " +
                  command("many", "--epochs 2 --threads 1"));
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.out.find("(shard 0/4)"), std::string::npos) << ran.out;
  EXPECT_EQ(times("all 4 processes: delivered " + std::to_string(one.size()) + " images", ran.out),
            1u)
      << ran.out;
  EXPECT_EQ(files_below(test_folder() / "many"), one);
}

TEST_F(Parts, AShardThatCannotBeIsRefused) {
  const Ran ran = run_program(command("out", "--shard 3/3"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("--shard must be I/N"), std::string::npos) << ran.errors;
  EXPECT_FALSE(fs::exists(test_folder() / "out"));
}

}  // namespace process_shard_test
}  // namespace sluice::app
