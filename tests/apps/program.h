// Runs the `sluice` program and the examples as a user does, and gives what they printed.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice::app {

struct Ran {
  int status = -1;
  std::string out;     // standard output
  std::string errors;  // standard error
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of one test, which goes with the process: each test runs in one of its own.
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
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string("sluice_") + std::to_string(getpid()) + "_" +
                           test->test_suite_name() + "_" + test->name();
  static std::map<std::string, std::unique_ptr<Folder>> folders;
  auto& folder = folders[name];
  if (folder == nullptr)
    folder = std::make_unique<Folder>(std::filesystem::path(testing::TempDir()) / name);
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

// File names and contents.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = text_of(entry.path());
  }
  return files;
}

}  // namespace sluice::app
