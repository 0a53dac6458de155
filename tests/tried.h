// Counts of trials for docs/reliability.md. With SLUICE_TRIALS set to a file, each test that calls
// tried() appends one line to it when it ends: row, count, "passed" or "failed", and its name.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::testing {

class Trials : public ::testing::EmptyTestEventListener {
 public:
  static void add(const char* row, std::int64_t count) {
    static Trials* const trials = [] {
      auto* made = new Trials;  // GoogleTest deletes it
      ::testing::UnitTest::GetInstance()->listeners().Append(made);
      return made;
    }();
    const std::lock_guard lock(trials->mutex_);
    trials->counts_[row] += count;
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    const char* const path = std::getenv("SLUICE_TRIALS");
    std::string text;
    for (const auto& [row, count] : counts_) {
      text += row + '\t' + std::to_string(count) + '\t' +
              (test.result()->Failed() ? "failed" : "passed") + '\t' + test.test_suite_name() +
              '.' + test.name() + '\n';
    }
    counts_.clear();
    if (path == nullptr || text.empty()) return;
    const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool wrote =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) ::close(file);
    EXPECT_TRUE(wrote) << "cannot write SLUICE_TRIALS=" << path;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::int64_t> counts_;  // of the current test, by row
};

// Adds trials to a row of docs/reliability.md. Any thread may call it, from within a test.
inline void tried(const char* row, std::int64_t count = 1) { Trials::add(row, count); }

}  // namespace sluice::testing
