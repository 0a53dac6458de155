#include "apps/part.h"

#include "apps/outputs.h"
#include "apps/pictures.h"
#include "apps/usage.h"
#include "demo_folder.h"
#include "program.h"

#include <string>
#include <vector>

namespace sluice::app {
namespace {

namespace fs = std::filesystem;

TEST(Part, IsWhatTheOptionSays) {
  const Part part("1/4");
  EXPECT_FALSE(part.is_whole());
  EXPECT_TRUE(part.tells());
  EXPECT_EQ(part.words(), " (shard 1/4)");
  EXPECT_TRUE(Part("0/1").is_whole());
  for (const char* wrong : {"1", "4/4", "-1/4", "1/0", "a/4", "1/4x", "/", "1/", "/4"})
    EXPECT_THROW((void)Part(wrong), UsageError) << wrong;
}

TEST(Part, PartsAddUp) {
  for (const std::int64_t files : {1, 5, 12}) {
    for (const std::int64_t count : {1, 3, 12, 29, 60}) {
      for (const int parts : {1, 2, 4, 7}) {
        std::int64_t sum = 0;
        for (int i = 0; i < parts; ++i)
          sum += Part(std::to_string(i) + "/" + std::to_string(parts)).samples(files, count);
        EXPECT_EQ(sum, count) << files << " " << count << " " << parts;
      }
    }
  }
}

class Parts : public testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_pictures(); }
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

// Those that were started together share the work by themselves, and the first one tells.
TEST_F(Parts, ProcessesOfAJobShareTheWork) {
  ASSERT_EQ(run_program(command("one", "")).status, 0);
  std::vector<std::string> said;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string number = std::to_string(rank);
    const Ran ran = run_command("OMPI_COMM_WORLD_RANK=" + number +
                                " OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=" + number +
                                " " SLUICE_PROGRAM " " + command("many", ""));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    said.push_back(ran.out);
  }
  EXPECT_EQ(files_below(test_folder() / "many"), files_below(test_folder() / "one"));
  EXPECT_NE(said[0].find("(shard 0/4)"), std::string::npos) << said[0];
  // One of the pictures is damaged: whoever meets it says so.
  int silent = 0, told = 0;
  for (int rank = 1; rank < 4; ++rank) {
    silent += said[static_cast<std::size_t>(rank)].empty() ? 1 : 0;
    told += said[static_cast<std::size_t>(rank)].find("damaged.jpg") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(silent + told, 3);
}

TEST_F(Parts, MpirunStartsThem) {
  if (run_command("mpirun --version").status != 0) GTEST_SKIP() << "mpirun is not installed";
  ASSERT_EQ(run_program(command("one", "--epochs 2")).status, 0);
  const Ran ran =
      run_command("mpirun --allow-run-as-root --oversubscribe -n 4 " SLUICE_PROGRAM " " +
                  command("many", "--epochs 2 --threads 1"));
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.out.find("(shard 0/4)"), std::string::npos) << ran.out;
  EXPECT_EQ(files_below(test_folder() / "many"), files_below(test_folder() / "one"));
}

TEST_F(Parts, AShardThatCannotBeIsRefused) {
  const Ran ran = run_program(command("out", "--shard 3/3"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("--shard must be I/N"), std::string::npos) << ran.errors;
  EXPECT_FALSE(fs::exists(test_folder() / "out"));
}

}  // namespace
}  // namespace sluice::app
