// Damage that leaves something readable: it is reported, and nothing is lost silently.
#include "tests/io/readers/tar_streams.h"
#include "tests/tried.h"
#include <sluice/io/readers/tar.h>

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace tar_damage_test {

class TarDamage : public TarStreamTest {
 protected:
  // The error of opening it at random.
  std::string of_tar_in(const std::string& archive) const {
    return error_of([&] { (void)tar_in({archive}); });
  }
};

// Each bit of such a file, one after the other: the content is right, or there is an error.
TEST_F(TarDamage, NoBitOfAGzipFileIsWrongWithoutAWord) {
  if (!kReadsCompressed) GTEST_SKIP() << "built without libarchive";
  const std::string all = numbered(0, 2, 700);
  const Strings whole = read({write("whole.tar", all)});
  const std::string bytes = compressed(all, "gzip");
  int told = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    testing::tried("damaged-input");
    std::string bad = bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const Strings texts = read({write("a.tar", bad)});
    if (texts == whole) continue;
    ++told;
    ASSERT_FALSE(texts.empty()) << bit;
    ASSERT_NE(texts.back().find("the archive 'a.tar'"), std::string::npos)
        << bit << ": " << texts.back();
  }
  EXPECT_GT(told, static_cast<int>(6 * bytes.size()));
}

TEST_F(TarDamage, MembersOfAGzipFileFollowEachOther) {
  if (!kReadsCompressed) GTEST_SKIP() << "built without libarchive";
  const std::string all = numbered(0, 20, 700);
  const Strings whole = read({write("whole.tar", all)});
  const std::size_t cut = all.size() / 3;
  const std::string first = compressed(all.substr(0, cut), "gzip");
  const std::string second = compressed(all.substr(cut), "gzip");
  const std::string empty = compressed("", "gzip");
  EXPECT_EQ(read({write("a.tar", first + second)}), whole);
  EXPECT_EQ(read({write("a.tar", empty + first + empty + second + std::string(5000, '\0'))}),
            whole);
  struct Case {
    std::string content;
    const char* error;
  };
  const Case cases[] = {
      {first + second + "x", "other bytes follow its end"},
      {first + std::string(8, '\0') + second, "other bytes follow its end"},
      {first + second.substr(0, second.size() - 3), "it ends too early: it was truncated"},
      {first.substr(0, first.size() - 8) + std::string(8, '\x01') + second, "incorrect data check"},
  };
  for (const Case& c : cases) {
    const Strings texts = read({write("a.tar", c.content)});
    ASSERT_FALSE(texts.empty());
    EXPECT_NE(texts.back().find(c.error), std::string::npos) << texts.back();
  }
}

// A lost page looks like the end marker.
TEST_F(TarDamage, ZerosInTheMiddleAreNotTheEnd) {
  const std::string error =
      "the archive 'a.tar', at byte 4096: the end marker is here, but more data follows: it is "
      "damaged, or several archives in one file";
  std::string hole = numbered(0, 20);
  hole.replace(4096, 4096, 4096, '\0');
  const std::string a = write("a.tar", hole);
  EXPECT_EQ(of_tar_in(a), error);
  const Strings texts = read({a});
  ASSERT_EQ(texts.size(), 3u);  // 2 whole samples of 4 blocks each
  EXPECT_EQ(texts.back(), error + "; the last sample before it is 'a.tar/1'");
}

TEST_F(TarDamage, SeveralArchivesInOneFile) {
  const std::string two = write("a.tar", numbered(0, 2) + numbered(2, 4));
  EXPECT_NE(of_tar_in(two).find("several archives in one file"), std::string::npos);
  EXPECT_NE(read({two}).back().find("several archives in one file"), std::string::npos);
}

TEST_F(TarDamage, TheEndMayBeShortOrLong) {
  const std::string all = numbered(0, 2);
  const Strings whole = read({write("a.tar", all)});
  ASSERT_EQ(whole.size(), 2u);
  const std::size_t mark = 2 * 512;
  for (const std::string& content :
       {all.substr(0, all.size() - mark + 512), all + std::string(std::size_t{3} << 20, '\0')}) {
    const std::string a = write("a.tar", content);
    EXPECT_EQ(read({a}), whole);
    EXPECT_EQ(tar_in({a}).size(), 2);
  }
}

}  // namespace tar_damage_test
}  // namespace sluice
