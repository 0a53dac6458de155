// Workers, and programs that have workers, are killed at any moment. Nothing remains of them.
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tests/in_child.h>
#include <tests/io/workers/asked.h>
#include <tests/one_in.h>
#include <tests/tried.h>
#include <tests/worker_samples.h>
#include <unistd.h>

namespace sluice {
namespace kill_test {

using testing::Asked;
using testing::Mixed;

// A process starts in a few milliseconds; under a sanitizer it takes ten times as long.
// SLUICE_KILLS says how many are killed.
int kills() {
  const char* const wish = std::getenv("SLUICE_KILLS");
  return wish != nullptr ? std::atoi(wish) : 200 / testing::one_in(1, 5);
}

std::set<std::string> entries(const std::string& folder) {
  std::set<std::string> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    all.insert(entry.path().filename());
  return all;
}

// Resources that a process could leave behind.
struct Left {
  std::size_t descriptors = entries("/proc/self/fd").size();
  std::set<std::string> shared = entries("/dev/shm");
  std::size_t mappings = 0;
  Left() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      mappings += line.find("sluice-worker") != std::string::npos ? 1 : 0;
  }
  friend bool operator==(const Left&, const Left&) = default;
};

bool is_child(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  int parent = 0;
  return (rest >> state >> parent) && parent == ::getpid() && state != "Z";
}

std::vector<int> children() {
  std::vector<int> all;
  for (const std::string& name : entries("/proc")) {
    const int pid = std::atoi(name.c_str());
    if (pid > 0 && is_child(pid)) all.push_back(pid);
  }
  return all;
}

// Kills one child, but no other process that has its number meanwhile.
bool kill_child(int pid) {
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) return false;
  const bool killed =
      is_child(pid) && ::syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, nullptr, 0) == 0;
  ::close(descriptor);
  return killed;
}

// Checks that no child runs, and that none is left unreaped.
void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(KilledWorkers, CostTheirSamplesAndLeaveNothing) {
  const Left before;
  std::int64_t lost = 0;
  {
    Asked<Mixed> asked("mixed", {.workers = 4, .restarts = 1'000'000});
    std::atomic<bool> over{false};
    std::thread killer([&] {
      std::mt19937 random(1);
      for (int killed = 0; killed < kills();) {
        const auto all = children();
        if (!all.empty() && kill_child(all[random() % all.size()])) ++killed;
        ::usleep(static_cast<useconds_t>(random() % 3000));
      }
      over = true;
    });
    for (std::int64_t round = 0; !over; ++round) {
      const auto answers = asked.all_of(64, round);
      for (std::int64_t i = 0; i < 64; ++i) {
        const auto& answer = answers[static_cast<std::size_t>(i)];
        if (answer.sample) {
          ASSERT_TRUE(
              testing::same(*answer.sample, testing::mixed_sample({.epoch = round, .index = i})));
        } else {
          ++lost;
          EXPECT_NE(answer.error.find("was killed by signal 9"), std::string::npos) << answer.error;
        }
      }
    }
    killer.join();
    testing::tried("killed-workers", kills());
    EXPECT_GT(asked.pool().stats().restarts, kills() / 2);
    EXPECT_LE(lost, kills());
  }
  expect_no_child();
  EXPECT_EQ(Left(), before);
}

// Starts the program that has workers, and kills it, often while it starts them.
void kill_one_parent(std::mt19937& random) {
  std::array<int, 2> said{};
  ASSERT_EQ(::pipe2(said.data(), O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, said[1], STDOUT_FILENO);
  std::string program = SLUICE_WORKER_PROGRAM;
  std::string role = "parent";
  std::array<char*, 3> arguments{program.data(), role.data(), nullptr};
  pid_t pid = -1;
  ASSERT_EQ(::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(said[1]);
  char letter = 0;
  if (random() % 4 != 0) (void)!::read(said[0], &letter, 1);  // its workers are started
  ::usleep(static_cast<useconds_t>(random() % 6000));
  (void)::kill(pid, SIGKILL);
  ::close(said[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
}

// This process inherits the workers, and waits for all of them.
TEST(KilledParents, TakeTheirWorkersWithThem) {
  const Left before;
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    GTEST_SKIP() << "no process inherits others here, as in QEMU";
  std::mt19937 random(2);
  ::alarm(300);  // a worker that remains must be a visible failure
  for (int i = 0; i < kills(); ++i) {
    kill_one_parent(random);
    testing::tried("killed-workers");
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    ASSERT_EQ(errno, ECHILD);
  }
  ::alarm(0);
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(Left(), before);
}

// A child of fork() has the object but none of the workers; the parent keeps them.
TEST(KilledWorkers, StayWithTheProcessThatHasThem) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks";
  Asked<Mixed> asked("mixed", {.workers = 2});
  auto held = asked.all_of(1);
  EXPECT_TRUE(held[0].sample);
  EXPECT_EQ(testing::in_child([&]() -> std::string {
              held.clear();
              (void)asked.pool().stats();
              asked.pool().end_epoch();
              std::string said;
              const std::vector<std::function<void()>> uses = {
                  [&] { asked.pool().begin_epoch(); }, [&] { (void)asked.pool().broken(); },
                  [&] { asked.pool().fetch({}, nullptr); }};
              for (const auto& use : uses) {
                try {
                  use();
                } catch (const Error& error) {
                  said += std::string(error.what()).substr(0, 44) + "\n";
                }
              }
              return said;
            }),
            "workers() belongs to the process that made i\n"
            "workers() belongs to the process that made i\n"
            "workers() belongs to the process that made i\n");
  EXPECT_TRUE(asked.all_of(30)[29].sample);
  EXPECT_EQ(asked.pool().stats().restarts, 0);
}

}  // namespace kill_test
}  // namespace sluice
