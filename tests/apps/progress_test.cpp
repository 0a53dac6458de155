#include "apps/long_run.h"
#include "demo_folder.h"
#include "program.h"

#include <string>
#include <vector>

#include <pty.h>

namespace sluice::app {
namespace progress_test {

namespace fs = std::filesystem;

TEST(Progress, DurationsAreReadable) {
  const struct {
    double seconds;
    const char* words;
  } cases[] = {{-1, "0 s"},       {0, "0 s"},          {0.2, "1 s"},        {59, "59 s"},
               {60, "1 min 0 s"}, {312, "5 min 12 s"}, {3600, "1 h 0 min"}, {12000, "3 h 20 min"}};
  for (const auto& c : cases) EXPECT_EQ(duration_in_words(c.seconds), c.words);
}

// So many images that the run can be observed while it works.
std::vector<std::string> long_run(const fs::path& data) {
  for (int i = 0; i < 4096; ++i)
    fs::create_hard_link(data / "snail.jpg", data / ("s" + std::to_string(i) + ".jpg"));
  return {"augment",  "--data",  data.string(), "--out",     (test_folder() / "out").string(),
          "--resume", "--batch", "8",           "--threads", "1"};
}

// Files that exist already count as done from the first line on. In logs, each report is a line.
TEST(Progress, BeginsWithWhatIsThere) {
  const fs::path data = write_demo_images();
  std::vector<std::string> arguments = long_run(data);
  ASSERT_EQ(run_program("augment --count 1000 --data " + data.string() + " --out " +
                        (test_folder() / "out").string())
                .status,
            0);
  Started run(arguments);
  ASSERT_TRUE(
      run.wait_until([&] { return run.errors_so_far().find(" images, ") != std::string::npos; }));
  run.send(SIGINT);
  const Ran ran = run.finish();
  EXPECT_EQ(ran.errors.find('\r'), std::string::npos) << ran.errors;
  // One of the thousand is damaged.
  EXPECT_GE(std::stoll(ran.errors), 999) << ran.errors;
  EXPECT_NE(ran.errors.find(" s left\n"), std::string::npos) << ran.errors;
}

// A full disk under the log costs the log, not the run.
TEST(Progress, MayHaveNowhereToGo) {
  std::string command = SLUICE_PROGRAM;
  for (const std::string& argument : long_run(write_demo_images())) command += " " + argument;
  const Ran ran = run_command("sh -c '" + command + " --count 700 2>/dev/full'");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("delivered 699 images"), std::string::npos) << ran.out;
}

// On a terminal it is one line, which is redrawn, and removed at the end.
TEST(Progress, IsOneLineOnATerminal) {
  const fs::path data = write_demo_images();
  std::vector<std::string> arguments = long_run(data);
  arguments.insert(arguments.begin(), SLUICE_PROGRAM);
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    execv(raw[0], raw.data());
    _exit(126);
  }
  std::string said;
  bool asked = false;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(terminal, part.data(), part.size())) > 0;) {
    said.append(part.data(), static_cast<std::size_t>(got));
    if (!asked && said.find(" left ") != std::string::npos) {
      asked = true;
      EXPECT_EQ(kill(pid, SIGINT), 0);
    }
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  close(terminal);
  EXPECT_TRUE(asked) << said;
  const std::size_t drawn = said.find("\r[");
  ASSERT_NE(drawn, std::string::npos) << said;
  const std::size_t gone = said.rfind("\r\033[K");
  ASSERT_NE(gone, std::string::npos) << said;
  EXPECT_EQ(said.substr(drawn, gone - drawn).find('\n'), std::string::npos) << said;
  EXPECT_NE(said.find("/s, "), std::string::npos) << said;
}

}  // namespace progress_test
}  // namespace sluice::app
