// The program on a system that allows fewer threads than requested.
#include "program.h"
#include "tests/in_child.h"

#include <regex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sluice::app {
namespace threads_test {

// Runs the program as a user that runs nothing else and may have `limit` threads, its first one
// included. Status kCannot: as that user it cannot be run.
constexpr int kCannot = 99;
Ran run_limited(rlim_t limit, std::vector<std::string> arguments) {
  const std::filesystem::path out = test_folder() / "out.txt";
  const std::filesystem::path errors = test_folder() / "errors.txt";
  const std::string status = testing::in_child([&]() -> std::string {
    const pid_t child = fork();
    if (child != 0) {
      int how = -1;
      waitpid(child, &how, 0);
      return std::to_string(WIFEXITED(how) ? WEXITSTATUS(how) : -1);
    }
    std::vector<char*> pointers;
    std::string program = SLUICE_PROGRAM;
    pointers.push_back(program.data());
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    constexpr int kMode = 0600;
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode), STDOUT_FILENO);
    dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode), STDERR_FILENO);
    const rlimit threads{limit, limit};
    if (setrlimit(RLIMIT_NPROC, &threads) == 0 && setuid(54323) == 0)
      execv(program.c_str(), pointers.data());
    _exit(kCannot);
  });
  return {std::stoi(status), text_of(out), text_of(errors)};
}

TEST(ProgramThreads, FewerThanAskedForAreSaidOnce) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "the sanitizer has a thread of its own";
  if (geteuid() != 0) GTEST_SKIP() << "needs a user that runs nothing else";
  const std::string data = (test_folder() / "data").string();
  ASSERT_EQ(run_program("demo-images --out " + data).status, 0);
  const std::vector<std::string> graph = {"graph", "--text", "--threads", "4", "--data", data};
  if (run_limited(100, graph).status == kCannot)
    GTEST_SKIP() << "other users may not come to this place";
  if (run_limited(1, {"--version"}).status != 0)
    GTEST_SKIP() << "what runs the program has a thread of its own, as QEMU";
  const std::string fewer =
      "sluice: 4 threads were asked for, but the system lets this process make no more than ";
  const std::string none = "sluice: the pipeline cannot make a single thread: ";
  const struct {
    rlim_t limit;
    int status;
    std::string says;
  } cases[] = {{100, 0, ""}, {4, 0, fewer + "3\n"}, {2, 0, fewer + "1\n"}, {1, 1, none}};
  for (const auto& c : cases) {
    const Ran ran = run_limited(c.limit, graph);
    EXPECT_EQ(ran.status, c.status) << ran.errors;
    EXPECT_EQ(ran.errors.substr(0, c.says.size()), c.says) << "limit " << c.limit;
    if (c.says != none) {
      // Progress follows where this takes longer than a second.
      static const std::regex progress("[0-9]+ of [0-9]+ images, [^\n]*\n");
      EXPECT_EQ(std::regex_replace(ran.errors, progress, ""), c.says);
    }
  }
  // Measurements with another number of threads would be worthless.
  for (const std::vector<std::string>& bench :
       {std::vector<std::string>{"bench", "overhead", "--threads", "4"},
        std::vector<std::string>{"bench", "decode", "--threads", "4", "--data", data}}) {
    const Ran ran = run_limited(2, bench);
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(ran.errors.starts_with(fewer)) << ran.errors;
  }
}

}  // namespace threads_test
}  // namespace sluice::app
