// FileHashes on files of the real file system. Only the time at which they are read is faked.
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/image_reader.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace file_hashes_test {
using Clock = std::chrono::system_clock;
using Content = std::vector<std::uint8_t>;
using Hash = std::optional<std::uint64_t>;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Content kOld = {1, 2, 3, 4};
const Content kNew = {5, 6, 7, 8};
Hash hash_of(const Content& content) { return digest_of(content).hash; }

class FileHashesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "/sluice_hashes_" + std::to_string(::getpid());
    write(path_, kOld, O_CREAT | O_TRUNC);
  }
  void TearDown() override { (void)std::remove(path_.c_str()); }

  static void write(const std::string& path, const Content& content, int how) {
    const int file = ::open(path.c_str(), O_WRONLY | how, 0600);
    ASSERT_EQ(::pwrite(file, content.data(), content.size(), 0),
              static_cast<ssize_t>(content.size()));
    ASSERT_EQ(::close(file), 0);
  }
  struct stat status() const {
    struct stat now {};
    EXPECT_EQ(::stat(path_.c_str(), &now), 0);
    return now;
  }
  FileRead later() const {
    const FileState state = state_of(status());
    return {state, state, Clock::now() + seconds(100)};
  }
  // Waits until the file system's clock has advanced.
  void change(const std::function<void()>& how) const {
    const timespec before = status().st_ctim;
    do how();
    while (status().st_ctim.tv_sec == before.tv_sec && status().st_ctim.tv_nsec == before.tv_nsec);
  }

  std::string path_;
  FileHashes hashes_{2};
};

// A wrong content shows that nothing is computed.
TEST_F(FileHashesTest, AFileThatStaysIsNotHashedAgain) {
  EXPECT_EQ(hashes_.of(0, kOld, later()), hash_of(kOld));
  EXPECT_EQ(hashes_.of(0, kNew, later()), hash_of(kOld));
  EXPECT_EQ(hashes_.of(1, kNew, later()), hash_of(kNew));
  // Neither reading nor the passing of time changes it.
  FileRead read = later();
  read.began = Clock::now();
  EXPECT_EQ(hashes_.of(0, kNew, read), hash_of(kOld));
}

TEST_F(FileHashesTest, AFileThatHasChangedIsHashedAgain) {
  const std::string other = path_ + "_other";
  const auto restore_times = [&](const struct stat& before) {
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  };
  const std::function<void()> changes[] = {
      [&] { write(path_, kNew, 0); },
      [&] { write(path_, kNew, O_TRUNC); },
      [&] {
        const struct stat before = status();
        write(path_, kNew, 0);
        restore_times(before);
      },
      [&] {
        write(other, kNew, O_CREAT | O_TRUNC);
        ASSERT_EQ(std::rename(other.c_str(), path_.c_str()), 0);
      },
      [&] {
        const struct stat before = status();
        write(other, kNew, O_CREAT | O_TRUNC);
        ASSERT_EQ(std::rename(other.c_str(), path_.c_str()), 0);
        restore_times(before);
      },
  };
  for (const auto& how : changes) {
    change([&] { write(path_, kOld, 0); });
    ASSERT_EQ(hashes_.of(0, kOld, later()), hash_of(kOld));
    change(how);
    EXPECT_EQ(hashes_.of(0, kNew, later()), hash_of(kNew)) << &how - changes;
    EXPECT_EQ(hashes_.of(0, kOld, later()), hash_of(kNew)) << &how - changes;
  }
}

TEST_F(FileHashesTest, EveryPartOfTheStateCounts) {
  const FileRead same = later();
  const std::function<void(FileState&)> changes[] = {
      [](FileState& state) { ++state.device; },  [](FileState& state) { ++state.inode; },
      [](FileState& state) { ++state.size; },    [](FileState& state) { ++state.modified; },
      [](FileState& state) { ++state.changed; },
  };
  for (const auto& how : changes) {
    FileRead read = same;
    EXPECT_EQ(hashes_.of(0, kOld, read), hash_of(kOld));
    how(read.after);
    EXPECT_EQ(hashes_.of(0, kNew, read), Hash()) << "while it was read: " << &how - changes;
    how(read.before);
    EXPECT_EQ(hashes_.of(0, kNew, read), hash_of(kNew)) << "since then: " << &how - changes;
  }
}

TEST_F(FileHashesTest, NothingIsSaidOfAFileThatWasWrittenJustNow) {
  const FileState state = state_of(status());
  const auto of = [](std::int64_t time) {
    const std::chrono::nanoseconds since(time);
    return Clock::time_point(std::chrono::duration_cast<Clock::duration>(since));
  };
  const auto hash = [&](std::int64_t modified, std::int64_t changed, Clock::time_point began) {
    FileState at = state;
    at.modified = modified;
    at.changed = changed;
    return hashes_.of(0, kOld, {at, at, began});
  };
  const std::int64_t now = state.changed;
  const std::int64_t ago = now - std::chrono::nanoseconds(seconds(1000)).count();
  EXPECT_EQ(hash(now, now, of(now)), Hash());
  EXPECT_EQ(hash(now, now, of(now) + FileHashes::kSettled), Hash());
  EXPECT_EQ(hash(ago, now, of(now) + FileHashes::kSettled), Hash());
  EXPECT_EQ(hash(now, ago, of(now) + FileHashes::kSettled), Hash());
  EXPECT_EQ(hash(now, now, of(now) - seconds(100)), Hash()) << "in the future";
  EXPECT_EQ(hash(now, now, of(now) + FileHashes::kSettled + milliseconds(1)), hash_of(kOld));
}

// Two threads read one file while it changes: each has the hash of what it read, or none.
TEST_F(FileHashesTest, ManyThreadsAtOnce) {
  const FileRead old_read = later();
  FileRead new_read = old_read;
  ++new_read.before.changed;
  ++new_read.after.changed;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100'000; ++i) {
        const bool old = (i + t) % 3 == 0;
        ASSERT_EQ(hashes_.of(0, old ? kOld : kNew, old ? old_read : new_read),
                  hash_of(old ? kOld : kNew));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace file_hashes_test
}  // namespace sluice
