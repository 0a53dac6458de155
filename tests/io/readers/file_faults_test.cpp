// Files that are gone, replaced, or cannot be read, after their folder was listed: each costs its
// own sample, whose error names the file and the reason. All other samples are right.
//
// This file replaces preadv(), with which files are read. While `failures` is not 0, the first so
// many reads of a file whose name ends in ".eio.jpg" are I/O errors, and all other reads are
// interrupted at first and return at most 5 bytes.
#include "tests/io/readers/scratch.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/files.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

namespace sluice {
namespace file_faults_test {

namespace fs = std::filesystem;

constexpr int kFiles = 60;
constexpr int kAlways = 1'000'000;
std::atomic<int> failures{0};

// Counts the reads of each file. Returns true for those that fail.
bool fails(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, int> reads;
  const std::lock_guard lock(mutex);
  return reads[file]++ < failures;
}

class FileFaults : public ScratchTest {
 protected:
  static std::string content(int i) { return "the content of file " + std::to_string(i); }
  std::string file(int i) const {
    return path("file" + std::to_string(100 + i) + (i % 5 == 3 ? ".eio.jpg" : ".jpg"));
  }
  void write_all() const {
    for (int i = 0; i < kFiles; ++i) {
      fs::remove_all(file(i));
      write(fs::path(file(i)).filename().string(), content(i));
    }
  }
  auto pipeline(int threads, int io_threads) const {
    PipelineOptions options{.batch_size = 8, .threads = threads};
    options.io_threads = io_threads;
    options.on_error = OnError::skip;
    return make_pipeline(options, [&](Graph& g) {
      return g.map("text", text_of, std::get<0>(g.read(files_in(root_.string()))));
    });
  }
};

// The reason for which file i cannot be read; empty if it can.
std::string reason_for(int i) {
  switch (i % 5) {
    case 1:
      return std::generic_category().message(ENOENT);
    case 2:
      return "is a folder, not a file";
    case 3:
      return std::generic_category().message(EIO);
    default:
      return "";
  }
}

TEST_F(FileFaults, CostTheirOwnSample) {
  for (const int threads : {1, 2, 8}) {
    for (const int io_threads : {0, 3}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(io_threads));
      write_all();
      auto reads = pipeline(threads, io_threads);
      for (int i = 0; i < kFiles; ++i) {
        if (i % 5 == 1 || i % 5 == 2) fs::remove(file(i));
        if (i % 5 == 2) fs::create_directory(file(i));
        if (i % 5 == 4) write(fs::path(file(i)).filename().string(), "new " + content(i));
        if (!reason_for(i).empty()) testing::tried("unreadable-files");
      }
      failures = kAlways;
      for (const auto& batch : reads.epoch()) {
        for (std::size_t k = 0; k < batch.size(); ++k) {
          const auto i = static_cast<int>(batch.ids()[k]);
          EXPECT_EQ(reason_for(i), "");
          EXPECT_EQ(batch.get<0>()[k], (i % 5 == 4 ? "new " : "") + content(i));
        }
        for (const SampleError& error : batch.errors()) {
          const auto i = static_cast<int>(error.id);
          EXPECT_NE(reason_for(i), "") << to_string(error);
          EXPECT_NE(error.what.find(reason_for(i)), std::string::npos) << to_string(error);
          EXPECT_NE(to_string(error).find(file(i)), std::string::npos) << to_string(error);
        }
      }
      failures = 0;
      EXPECT_EQ(reads.stats().epoch.skipped, kFiles / 5 * 3);
      EXPECT_TRUE(reads.stats().epoch.balanced());
    }
  }
}

TEST_F(FileFaults, ReadsAreRepeatedAfterAnIoErrorThatPasses) {
  write_all();
  const auto of_epoch = [](auto& reads) {
    std::map<std::int64_t, std::string> found;
    for (const auto& batch : reads.epoch()) {
      for (std::size_t k = 0; k < batch.size(); ++k)
        found[batch.ids()[k]] = batch.template get<0>()[k];
      for (const SampleError& error : batch.errors()) found[error.id] = error.what;
    }
    return found;
  };
  for (const int times : {1, 2, 3}) {
    fs::rename(root_, root_.string() + std::to_string(times));  // the counts go by path
    root_ = root_.string() + std::to_string(times);
    auto reads = pipeline(8, 8);
    failures = times;
    const auto found = of_epoch(reads);
    failures = 0;
    std::int64_t repeated = 0;
    for (int i = 0; i < kFiles; ++i) {
      const bool is_bad = i % 5 == 3;
      if (is_bad) testing::tried("unreadable-files");
      repeated += is_bad ? std::min(times, 2) : 0;
      EXPECT_EQ(found.at(i), is_bad && times == 3 ? "'" + file(i) + "' cannot be read, 3 times: " +
                                                        std::generic_category().message(EIO)
                                                  : content(i));
    }
    // Those of a file that cannot be read are in its error.
    EXPECT_EQ(reads.stats().sources.at(0).reads.repeated, times < 3 ? repeated : 0);
  }
}

TEST_F(FileFaults, WithoutDescriptorsSamplesFailAndTheNextEpochIsWhole) {
  write_all();
  auto reads = pipeline(2, 0);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  for (int round = 0; round < 5; ++round) {
    const rlimit none{3, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (const auto& batch : reads.epoch()) {
      EXPECT_EQ(batch.size(), 0u);
      for (const SampleError& error : batch.errors()) {
        testing::tried("unreadable-files");
        EXPECT_NE(error.what.find(std::generic_category().message(EMFILE)), std::string::npos)
            << error.what;
      }
    }
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(reads.stats().epoch.skipped, kFiles);
    int next = 0;
    for (const auto& batch : reads.epoch()) {
      for (const std::string& text : batch.get<0>()) EXPECT_EQ(text, content(next++));
    }
    EXPECT_EQ(next, kFiles);
  }
}

}  // namespace file_faults_test
}  // namespace sluice

extern "C" ssize_t preadv(int file, const iovec* places, int count, off_t offset) {
  // The same function under its other name. The memory sanitizer sees what this one reads.
  const auto read = [&](const iovec* into, int n) { return ::preadv64(file, into, n, offset); };
  if (sluice::file_faults_test::failures == 0) return read(places, count);
  std::array<char, 4096> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  (void)!::readlink(link.c_str(), name.data(), name.size() - 1);
  if (std::string_view(name.data()).ends_with(".eio.jpg") &&
      sluice::file_faults_test::fails(name.data())) {
    errno = EIO;
    return -1;
  }
  thread_local bool interrupted = false;
  interrupted = !interrupted;
  if (interrupted) {
    errno = EINTR;
    return -1;
  }
  for (int i = 0; i < count; ++i) {
    if (places[i].iov_len == 0) continue;
    const iovec few{places[i].iov_base, std::min<std::size_t>(places[i].iov_len, 5)};
    return read(&few, 1);
  }
  return 0;
}
