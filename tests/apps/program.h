// Runs the `sluice` program and the examples as a user does, and returns what they printed.
#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice::app {

struct Ran {
  int status = -1;
  std::string out;     // standard output
  std::string errors;  // standard error
};

// Returns the number of error lines, without those of the progress, which slow runs print.
inline std::size_t error_lines(const Ran& ran) {
  std::size_t lines = 0;
  std::istringstream text(ran.errors);
  for (std::string line; std::getline(text, line);)
    lines += line.find("images, ") == std::string::npos ? 1 : 0;
  return lines;
}

// Returns the part of the file that can be read: a file of /proc may end with its process.
inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns a folder for this test, which is removed with the process: each test runs in a process of
// its own.
inline std::filesystem::path test_folder() {
  struct Folder {
    explicit Folder(std::filesystem::path where) : path(std::move(where)) {
      std::filesystem::remove_all(path);
      std::filesystem::create_directories(path);
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::filesystem::path path;
  };
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string("sluice_") + std::to_string(getpid()) + "_" +
                           test->test_suite_name() + "_" + test->name();
  static std::map<std::string, std::unique_ptr<Folder>> folders;
  auto& folder = folders[name];
  if (folder == nullptr)
    folder = std::make_unique<Folder>(std::filesystem::path(::testing::TempDir()) / name);
  return folder->path;
}

inline Ran run_command(const std::string& command) {
  const std::filesystem::path errors = test_folder() / "stderr.txt";
  Ran ran;
  std::FILE* pipe = popen((command + " 2>" + errors.string()).c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> part{};
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe))
    ran.out.append(part.data(), got);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.errors = text_of(errors);
  return ran;
}

inline Ran run_program(const std::string& arguments) {
  return run_command(std::string(SLUICE_PROGRAM) + " " + arguments);
}

// The running program, for tests that send it signals or look at its files meanwhile.
class Started {
 public:
  enum class As { self, nobody };  // nobody: if this is root, which may read everything
  static constexpr int kCannotStart = 126;

  explicit Started(std::vector<std::string> arguments, As as = As::self)
      : out_(test_folder() / ("out_" + std::to_string(++count()) + ".txt")),
        errors_(test_folder() / ("errors_" + std::to_string(count()) + ".txt")) {
    arguments.insert(arguments.begin(), SLUICE_PROGRAM);
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int errors = open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out, STDOUT_FILENO);
      dup2(errors, STDERR_FILENO);
      (void)signal(SIGINT, SIG_DFL);  // a test that runs in the background ignores it
      if (as == As::nobody && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(kCannotStart);
      execv(raw[0], raw.data());
      _exit(kCannotStart);
    }
    close(out);
    close(errors);
  }
  ~Started() {
    if (pid_ > 0 && !ended_) {
      (void)kill(pid_, SIGKILL);
      (void)waitpid(pid_, nullptr, 0);
    }
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t pid() const { return pid_; }
  void send(int number) const { (void)kill(pid_, number); }
  // Polls until `holds()` or the end of the program. Returns whether it holds.
  template <class Condition>
  bool wait_until(Condition holds) {
    while (!holds()) {
      if (has_ended()) return holds();
      std::this_thread::yield();
    }
    return true;
  }
  // The worker processes that run now. A sanitizer also starts children of the program: they are
  // its own.
  std::vector<pid_t> workers() const {
    std::vector<pid_t> all;
    std::error_code ignored;
    const std::filesystem::path threads = "/proc/" + std::to_string(pid_) + "/task";
    for (std::filesystem::directory_iterator it(threads, ignored), end; it != end;
         it.increment(ignored)) {
      std::istringstream children(text_of(it->path() / "children"));
      for (pid_t child = 0; children >> child;) {
        const std::string command = text_of("/proc/" + std::to_string(child) + "/cmdline");
        if (command.find("--sluice-worker=") != std::string::npos) all.push_back(child);
      }
    }
    return all;
  }
  std::string out_so_far() const { return text_of(out_); }
  std::string errors_so_far() const { return text_of(errors_); }
  // Waits for the end. The status is the exit status, or minus the signal that killed the program.
  Ran finish() {
    if (!ended_) ended_ = waitpid(pid_, &status_, 0) == pid_;
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_), text_of(out_),
            text_of(errors_)};
  }

 private:
  static int& count() {
    static int started = 0;
    return started;
  }
  bool has_ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  std::filesystem::path out_;
  std::filesystem::path errors_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// Returns the paths below the folder, with the files' contents.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_directory())
      files[entry.path().lexically_relative(folder).string()] = text_of(entry.path());
  }
  return files;
}

// Returns the images of results. The comment in a result tells runs apart, so it is left out.
inline std::multiset<std::string> images_of(const std::map<std::string, std::string>& results) {
  std::multiset<std::string> images;
  for (const auto& [name, bytes] : results) {
    std::string image = bytes;
    const std::size_t mark = image.find("sluice augment ");
    if (mark != std::string::npos) image.erase(mark, 15 + 16);
    images.insert(image);
  }
  return images;
}

// Returns the names, each with a space behind it.
inline std::string names_of(const std::map<std::string, std::string>& files) {
  std::string names;
  for (const auto& [name, bytes] : files) names += name + " ";
  return names;
}

}  // namespace sluice::app
