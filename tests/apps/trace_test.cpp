// --trace, for the commands that have it.
#include "apps/images.h"
#include "apps/output_paths.h"
#include "demo_folder.h"
#include "program.h"
#include "tests/trace_file.h"

#include <string>

namespace sluice::app {
namespace trace_test {

namespace fs = std::filesystem;

class TraceOption : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = write_demo_images();
    files_ = static_cast<std::int64_t>(files_below(data_).size());
  }
  std::string augment(const std::string& out) const {
    return "augment --data " + data_.string() + " --out " + (test_folder() / out).string();
  }

  fs::path data_;
  std::int64_t files_ = 0;
};

TEST_F(TraceOption, WritesWhatHappened) {
  const std::string path = (test_folder() / "trace.json").string();
  const std::string option = " --trace " + path;
  const Ran ran = run_program(augment("out") + " --io-threads 2" + option);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const traces::TraceFile file = traces::read_trace(path);
  EXPECT_EQ(file.count("read"), files_);
  EXPECT_EQ(file.count("encode_jpeg"), files_ - 1);  // one is damaged

  EXPECT_EQ(run_program("graph --data " + data_.string() + option).status, 0);
  EXPECT_EQ(traces::read_trace(path).count("read"), files_);

  const Ran bench =
      run_program("bench train --seconds 0.01 --rounds 1 --data " + data_.string() + option);
  EXPECT_EQ(bench.status, 0) << bench.errors;
  EXPECT_NE(bench.out.find("\nwaits: "), std::string::npos) << bench.out;
  EXPECT_GT(traces::read_trace(path).count("resize_mirror_normalize"), 0);
}

TEST_F(TraceOption, SaysAtOnceWhatCannotBeWritten) {
  const std::string data = " --data " + data_.string();
  for (const std::string& command : {augment("a"), "graph" + data, "bench train" + data}) {
    const Ran missing = run_program(command + " --trace /no/such/folder/trace.json");
    EXPECT_EQ(missing.status, 2) << command;
    EXPECT_NE(missing.errors.find("--trace /no/such/folder/trace.json: there is no folder "
                                  "/no/such/folder: make it, or give another name"),
              std::string::npos)
        << missing.errors;
  }
  EXPECT_FALSE(fs::exists(test_folder() / "a"));
  EXPECT_EQ(run_program(augment("b") + " --trace " + data_.string()).status, 2);
  EXPECT_EQ(run_program("graph --trace trace.json").status, 2);
}

// The requested results exist all the same.
TEST_F(TraceOption, LosesNoResultsToAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const Ran ran = run_program(augment("out") + " --trace /dev/full");
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.errors.find("No space left"), std::string::npos) << ran.errors;
  EXPECT_EQ(static_cast<std::int64_t>(files_below(test_folder() / "out").size()), files_ - 1);
}

}  // namespace trace_test
}  // namespace sluice::app
