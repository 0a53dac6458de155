// Runs a function in a child of fork(), for tests of what a process may do to itself.
#pragma once

#include "tests/sanitizers.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice::testing {

// Runs work() in a child process. Returns its result, or how the child ended if it was killed or
// failed.
template <class Work>
std::string in_child(Work work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);  // a child that hangs is a failure, and must not remain
    std::string said;
    try {
      said = work();
    } catch (const std::exception& error) {
      said = std::string("threw: ") + error.what();
    }
    const bool written = write(ends[1], said.data(), said.size()) == ssize_t(said.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 512> part{};
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "ended with " + std::to_string(WEXITSTATUS(status));
  return said;
}

}  // namespace sluice::testing
