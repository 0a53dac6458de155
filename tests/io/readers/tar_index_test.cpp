#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include "tests/mutants.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/random.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice {
namespace tar_index_test {

namespace fs = std::filesystem;

class TarIndexTest : public ScratchTest {
 protected:
  void SetUp() override {
    ScratchTest::SetUp();
    a_ = write("a.tar", archive("a"));
    b_ = write("b.tar", archive("b"));
    offsets_ = path("offsets");
    TarIndex::of({a_, b_}).save(offsets_);
  }
  static std::string archive(const std::string& name) {
    return TarWriter().file(name + ".jpg", name).file(name + ".cls", "1").whole();
  }
  auto open(const std::vector<std::string>& archives) const {
    return tar_in(archives, {.offsets = offsets_});
  }
  static std::string content_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string a_, b_, offsets_;
};

TEST_F(TarIndexTest, WithItNoHeaderIsRead) {
  // Damaged headers without a trace in size and time are not noticed before they are read.
  const auto time = fs::last_write_time(a_);
  std::string damaged = archive("a");
  damaged[5] = 'x';
  write("a.tar", damaged);
  fs::last_write_time(a_, time);
  const auto tar = open({b_, a_});
  ASSERT_EQ(tar.size(), 2);
  EXPECT_EQ(tar.name(0), b_ + "/b");
  EXPECT_EQ(text_of(std::get<0>(tar.read(0))), "b");
  EXPECT_EQ(error_of([&] { static_cast<void>(tar.read(1)); }),
            "the sample 'a.tar/a', column 'jpg;jpeg': the archive has changed since its headers "
            "were read: another file lies at byte 512");
}

TEST_F(TarIndexTest, ItMovesAlongWithItsArchives) {
  fs::create_directories(path("else"));
  const std::string copy = path("else/a.tar");
  fs::copy_file(a_, copy);
  fs::last_write_time(copy, fs::last_write_time(a_) + std::chrono::hours(1));
  EXPECT_EQ(text_of(std::get<0>(open({copy}).read(0))), "a");
}

TEST_F(TarIndexTest, AnArchiveThatHasChangedIsRefused) {
  const auto time = fs::last_write_time(a_);
  struct Case {
    std::string archive;
    bool same_time;
  };
  const Case cases[] = {{archive("x"), false},                            // of the same size
                        {archive("a") + "more", true},                    // longer
                        {std::string(archive("a").size(), 'x'), false}};  // no archive any more
  for (const Case& c : cases) {
    write("a.tar", c.archive);
    fs::last_write_time(a_, c.same_time ? time : time + std::chrono::hours(1));
    EXPECT_EQ(error_of([&] {
                open({b_, a_});
              }),
              "the index 'offsets' does not match the archive 'a.tar'; make it again with 'sluice "
              "index --tar'");
  }
  EXPECT_EQ(error_of([&] { open({write("c.tar", archive("c"))}); }),
            "the index 'offsets' does not contain the archive 'c.tar'; make it again with 'sluice "
            "index --tar'");
}

TEST_F(TarIndexTest, TwoArchivesMayHaveOneName) {
  const std::string other = write("else/a.tar", archive("other"));
  TarIndex::of({a_, other}).save(offsets_);
  const auto tar = open({other, a_});
  EXPECT_EQ(text_of(std::get<0>(tar.read(0))) + text_of(std::get<0>(tar.read(1))), "othera");
}

TEST_F(TarIndexTest, OneThatIsDamagedIsRefused) {
  const std::string good = content_of(offsets_);
  EXPECT_TRUE(TarIndex::is_one(offsets_));
  EXPECT_FALSE(TarIndex::is_one(a_));
  EXPECT_FALSE(TarIndex::is_one(path("gone")));
  for (std::size_t size = 0; size < good.size(); ++size) {
    write("offsets", good.substr(0, size));
    EXPECT_NE(error_of([&] { open({a_}); }), "no error") << size;
  }
  EXPECT_EQ(error_of([&] { open({a_}); }),
            "the index 'offsets' is damaged; make it again with 'sluice index --tar'");
  Random random({.seed = 1});
  for (int time = 0; time < 2000; ++time) {
    std::string bad = good;
    const auto at = random.below(static_cast<std::uint32_t>(bad.size()));
    bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
    write("offsets", bad);
    EXPECT_NE(error_of([&] { open({a_}); }), "no error") << at;
  }
  write("offsets", archive("a"));
  EXPECT_EQ(error_of([&] { open({a_}); }), "the index 'offsets' is not an index of archives");
}

// Also with a correct checksum: an index may come from anywhere.
TEST_F(TarIndexTest, MutantsAreUsedOrRefused) {
  constexpr std::size_t kHeader = 32;  // the last eight bytes are the hash of the rest
  testing::Mutants mutants(content_of(offsets_));
  for (int i = 40'000 / testing::one_in(20, 100); i > 0; --i) {
    std::string text = mutants.next();
    testing::tried("damaged-input");
    if (i % 4 != 0 && text.size() >= kHeader) {
      const std::uint64_t hash =
          digest_of(
              {reinterpret_cast<const std::uint8_t*>(text.data()) + kHeader, text.size() - kHeader})
              .hash;
      std::memcpy(text.data() + kHeader - sizeof(hash), &hash, sizeof(hash));
    }
    write("offsets", text);
    ASSERT_EQ(testing::foreign_error([&] {
                const auto tar = open({b_, a_});
                for (std::int64_t k = 0; k < tar.size(); ++k) static_cast<void>(tar.read(k));
              }),
              "")
        << i;
  }
}

}  // namespace tar_index_test
}  // namespace sluice
