// PackWriter when it does not reach its end: cancelled, killed, or on a full disk. Whatever
// happens, the folder has whole packs, and a resumed run writes the rest with the same bytes.

#include "tests/in_child.h"
#include "tests/io/images.h"
#include "tests/io/readers/scratch.h"
#include "tests/sanitizers.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sluice {
namespace pack_writer_test {

using Contents = std::map<std::string, std::string>;

class PackWriterTest : public ScratchTest {
 protected:
  static constexpr int kFiles = 12;
  static constexpr std::int64_t kPackBytes = 15'000;

  void SetUp() override {
    ScratchTest::SetUp();
    for (int i = 0; i < kFiles; ++i) {
      files_.push_back(encode_jpeg(draw_image(80 + i, 150 - i, 3, static_cast<std::uint64_t>(i)),
                                   {.quality = 85}));
    }
    write_to("whole");
    whole_ = contents("whole");
    ASSERT_GT(whole_.size(), 3u);
  }
  // Adds the first `count` files.
  void add_to(PackWriter& writer, int count = kFiles) const {
    for (int i = 0; i < count; ++i)
      writer.add(Bytes::view_of(files_[static_cast<std::size_t>(i)]), {std::to_string(i)});
  }
  PackStats write_to(const std::string& folder, bool resume = false) const {
    PackWriter writer(path(folder), {"label"},
                      {.pack_bytes = kPackBytes, .threads = 2, .resume = resume});
    add_to(writer);
    writer.finish();
    return writer.stats();
  }
  Contents contents(const std::string& folder) const {
    Contents all;
    if (!std::filesystem::exists(path(folder))) return all;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder))) {
      std::ifstream in(entry.path(), std::ios::binary);
      all[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in),
                                               std::istreambuf_iterator<char>()};
    }
    return all;
  }
  // Expects the first packs of all, whole. Returns their number.
  std::size_t expect_first_packs(const std::string& folder) const {
    std::size_t packs = 0;
    auto expected = whole_.begin();
    for (const auto& [name, bytes] : contents(folder)) {
      if (name.starts_with(".sluice-part-")) continue;  // left by a process that was killed
      EXPECT_NE(expected, whole_.end());
      if (expected == whole_.end()) break;
      EXPECT_EQ(name, expected->first);
      EXPECT_TRUE(bytes == expected->second) << name;
      ++expected;
      ++packs;
    }
    return packs;
  }

  std::vector<Bytes> files_;
  Contents whole_;
};

TEST_F(PackWriterTest, CancellingLeavesWholePacks) {
  for (int count = 0; count <= kFiles; ++count) {
    SCOPED_TRACE(count);
    const std::string folder = "cancelled" + std::to_string(count);
    PackWriter writer(path(folder), {"label"}, {.pack_bytes = kPackBytes, .threads = 2});
    add_to(writer, count);
    const PackStats before = writer.stats();
    writer.cancel();
    EXPECT_THROW(
        {
          add_to(writer);
          writer.finish();
        },
        PackCancelled);
    const PackStats after = writer.stats();
    EXPECT_EQ(after.packs, before.packs);
    EXPECT_EQ(after.packed, before.packed);
    EXPECT_EQ(expect_first_packs(folder), static_cast<std::size_t>(before.packs));
    EXPECT_EQ(contents(folder).size(), static_cast<std::size_t>(before.packs));
    write_to(folder, true);
    EXPECT_TRUE(contents(folder) == whole_);
  }
}

TEST_F(PackWriterTest, CancellingEndsACallThatPacks) {
  PackWriter writer(path("packs"), {"label"}, {.threads = 2});
  std::thread other([&] {
    while (writer.stats().packed == 0) std::this_thread::yield();
    writer.cancel();
  });
  // All are in one pack, and it is not finished before the other thread is done.
  bool is_cancelled = false;
  try {
    for (int i = 0; i < 400; ++i) add_to(writer);
    writer.finish();
  } catch (const PackCancelled&) {
    is_cancelled = true;
  }
  other.join();
  EXPECT_EQ(contents("packs").empty(), is_cancelled);
  EXPECT_EQ(writer.stats().packed, is_cancelled ? 0 : 400 * kFiles);
}

TEST_F(PackWriterTest, AKilledWriterIsResumed) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks";
  const std::string folder = "killed";
  for (int count = 0; count < kFiles; ++count) {  // the same folder is continued each time
    SCOPED_TRACE(count);
    testing::tried("killed");
    EXPECT_EQ(testing::in_child([&]() -> std::string {
                PackWriter writer(path(folder), {"label"},
                                  {.pack_bytes = kPackBytes, .threads = 2, .resume = true});
                add_to(writer, count);
                (void)raise(SIGKILL);
                return "lives";
              }),
              "ended by signal " + std::to_string(SIGKILL));
    expect_first_packs(folder);
  }
  EXPECT_LT(contents(folder).size(), whole_.size());
  write(folder + "/.sluice-part-4000000-0", "cut");
  write_to(folder, true);
  EXPECT_TRUE(contents(folder) == whole_);
}

// A limit for the size of files stands for a full disk: writing fails after some bytes.
TEST_F(PackWriterTest, AFullDiskLeavesWholePacks) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks";
  std::size_t least = ~std::size_t{0}, most = 0;
  for (const auto& [name, bytes] : whole_) {
    least = std::min(least, bytes.size());
    most = std::max(most, bytes.size());
  }
  ASSERT_LT(least, most);
  for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, least / 2, least, most - 1}) {
    SCOPED_TRACE(limit);
    testing::tried("full-disk");
    const std::string folder = "full" + std::to_string(limit);
    const std::string said = testing::in_child([&]() -> std::string {
      (void)std::signal(SIGXFSZ, SIG_IGN);
      const rlimit most_bytes{limit, limit};
      if (setrlimit(RLIMIT_FSIZE, &most_bytes) != 0) return "no limit";
      return error_of([&] { write_to(folder); });
    });
    const std::size_t packs = expect_first_packs(folder);
    EXPECT_LT(packs, whole_.size());
    EXPECT_EQ(said, "'" + folder + "/part-0000" + std::to_string(packs) +
                        ".pack' cannot be written: File too large");
    EXPECT_EQ(contents(folder).size(), packs);  // nothing else is left
    EXPECT_EQ(write_to(folder, true).packs, static_cast<std::int64_t>(whole_.size() - packs));
    EXPECT_TRUE(contents(folder) == whole_);
  }
}

// Each pack appears whole, so readers in other processes see the first packs, whole.
TEST_F(PackWriterTest, ProcessesReadWhileAnotherOneWrites) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks";
  const std::string folder = path("packs");
  std::filesystem::create_directories(folder);
  const auto read_until_all_are_there = [&]() -> std::string {
    for (std::int64_t samples = 0; samples < kFiles;) {
      std::string error = error_of([&] {
        const auto packs = pack_in(folder);
        if (packs.size() < samples) throw Error("samples are gone");
        samples = packs.size();
        for (std::int64_t i = 0; i < samples; ++i) {
          const auto file = unpack_jpeg(packs.read_whole(i));
          const Bytes& expected = files_[static_cast<std::size_t>(i)];
          if (std::get<0>(packs.columns(i)) != i ||
              !std::equal(file.begin(), file.end(), expected.begin(), expected.end()))
            throw Error("sample " + std::to_string(i) + " differs");
        }
      });
      if (error != "no error" && error.find("holds no packs") == std::string::npos) return error;
    }
    return "read all";
  };
  std::vector<std::string> said(2);
  std::vector<std::thread> readers;
  for (std::string& one : said)
    readers.emplace_back([&] { one = testing::in_child(read_until_all_are_there); });
  write_to("packs");
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(said, (std::vector<std::string>{"read all", "read all"}));
}

}  // namespace pack_writer_test
}  // namespace sluice
