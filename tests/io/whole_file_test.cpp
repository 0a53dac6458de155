#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice {
namespace whole_file_test {

// The files and folders that fsync put on the disk, in order.
std::vector<ino_t>& synced() {
  static std::vector<ino_t> inodes;
  return inodes;
}

}  // namespace whole_file_test
}  // namespace sluice

// In place of the C library's.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) sluice::whole_file_test::synced().push_back(status.st_ino);
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace sluice {
namespace whole_file_test {
namespace fs = std::filesystem;

ino_t inode(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

using Piece = std::span<const std::uint8_t>;

Piece piece_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-whole-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    const Piece piece = piece_of(text);
    write_whole(path(name), {&piece, 1});
  }
  std::string read(const std::string& name) const {
    std::ifstream file(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(root_))
      all.insert(entry.path().filename().string());
    return all;
  }
  fs::path root_;
};

// If a crash of the system removed the name, the file would be lost.
TEST_F(WholeFile, OnTheDiskAreTheFileAndItsName) {
  const std::string text = "a";
  const Piece piece = piece_of(text);
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  for (const std::string& name : {path("a"), std::string("b")}) {
    for (const Keep keep : {Keep::process, Keep::system}) {
      synced().clear();
      write_whole(name, {&piece, 1}, keep);
      const bool kept = keep == Keep::system;
      EXPECT_EQ(synced(),
                kept ? (std::vector<ino_t>{inode(name), inode(root_)}) : std::vector<ino_t>{})
          << name;
    }
  }
  fs::current_path(before);
}

TEST_F(WholeFile, HoldsAllPiecesInTheirOrder) {
  std::string expected;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 300; ++i)
    texts.emplace_back(i % 3 == 0 ? 0 : i * 97, static_cast<char>('a' + i % 26));
  std::vector<Piece> pieces;
  for (const std::string& text : texts) {
    pieces.push_back(piece_of(text));
    expected += text;
  }
  write_whole(path("file"), pieces, Keep::system);
  EXPECT_EQ(read("file"), expected);
  write_whole(path("file"), {});
  EXPECT_EQ(read("file"), "");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(WholeFile, ReplacesALinkAndLeavesWhatItLeadsTo) {
  write("precious", "old");
  fs::create_symlink("precious", root_ / "link");
  fs::create_symlink("nowhere", root_ / "dangling");
  write("link", "new");
  write("dangling", "new");
  EXPECT_EQ(read("precious"), "old");
  for (const char* name : {"link", "dangling"}) {
    EXPECT_EQ(read(name), "new");
    EXPECT_FALSE(fs::is_symlink(root_ / name));
  }
  EXPECT_FALSE(fs::exists(root_ / "nowhere"));
}

TEST_F(WholeFile, ANameOfFullLengthIsNoTrouble) {
  const std::string name(255, 'n');
  write(name, "x");
  EXPECT_EQ(read(name), "x");
}

TEST_F(WholeFile, WhatCannotBeWrittenLeavesTheOldFileAndNothingElse) {
  write("file", "old");
  fs::create_directory(root_ / "folder");
  const auto failure = [&](const std::string& name) -> std::string {
    try {
      write(name, "new");
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure("no/file"),
            "'" + path("no/file") + "' cannot be written: No such file or directory");
  EXPECT_EQ(failure("folder"), "'" + path("folder") + "' cannot be written: Is a directory");
  // As on a full disk: a part of it can be written.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string full;
  try {
    write("file", std::string(5000, 'n'));
  } catch (const IoError& error) {
    full = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, handler);
  EXPECT_EQ(full, "'" + path("file") + "' cannot be written: File too large");
  EXPECT_EQ(read("file"), "old");
  EXPECT_EQ(names(), (std::set<std::string>{"file", "folder"}));
}

TEST_F(WholeFile, APipeStaysAndIsWrittenInto) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string came;
  std::thread reader([&] { came = read("pipe"); });
  write("pipe", "through");
  reader.join();
  EXPECT_EQ(came, "through");
  EXPECT_TRUE(fs::is_fifo(root_ / "pipe"));
}

// A process that writes until it is killed. Others may remove parts meanwhile, and write too,
// without affecting it. Once it is dead, its leftovers are removed.
TEST_F(WholeFile, OnlyPartsOfTheDeadAreRemoved) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string text(1 << 16, 'c');
    const Piece piece = piece_of(text);
    try {
      for (int i = 0;; ++i) {
        write_whole(path("child"), {&piece, 1});
        if (i == 0 && ::write(ready[1], "r", 1) != 1) _exit(1);
      }
    } catch (...) {
      _exit(2);  // its part was removed
    }
  }
  char begun = 0;
  ASSERT_EQ(::read(ready[0], &begun, 1), 1);
  for (int i = 0; i < 300; ++i) {
    (void)remove_parts(root_.string());  // at most one that is not locked yet; it is made again
    write("parent", "p");
    ASSERT_EQ(read("child").size(), std::size_t{1} << 16);
  }
  ASSERT_EQ(kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
  (void)remove_parts(root_.string());
  EXPECT_EQ(names(), (std::set<std::string>{"child", "parent"}));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(WholeFile, RemovesPartsThatNobodyOwnsAndNothingElse) {
  for (const char* name : {".sluice-part-1-0", ".sluice-part-99999999-7", ".sluice", "a.jpg"})
    std::ofstream(root_ / name) << "x";
  fs::create_symlink("a.jpg", root_ / ".sluice-part-5-5");
  fs::create_directory(root_ / ".sluice-part-6-6");
  {
    const int owned = open(path(".sluice-part-1-0").c_str(), O_RDWR);
    ASSERT_EQ(flock(owned, LOCK_EX), 0);
    EXPECT_EQ(remove_parts(root_.string()), 1);
    close(owned);
  }
  EXPECT_EQ(remove_parts(root_.string()), 1);
  EXPECT_EQ(remove_parts(path("missing")), 0);
  EXPECT_EQ(names(),
            (std::set<std::string>{".sluice", ".sluice-part-5-5", ".sluice-part-6-6", "a.jpg"}));
}

// Many threads write the same name: each time, the file is one of theirs, whole.
TEST_F(WholeFile, WritersOfTheSameNameDoNotMix) {
  constexpr int kWriters = 4;
  write("file", std::string(50000, '0'));
  std::atomic<int> left{kWriters};
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        write("file", std::string(50000, static_cast<char>('0' + t)));
        (void)remove_parts(root_.string());
      }
      --left;
    });
  }
  while (left > 0) {
    const std::string text = read("file");
    ASSERT_EQ(text, std::string(50000, text.empty() ? '?' : text.front()));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

}  // namespace whole_file_test
}  // namespace sluice
