#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/tar.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {
namespace tar_test {

class TarTest : public ScratchTest {
 protected:
  // Names and contents: "a.tar/x/1=JPEG,5".
  template <class T>
  std::vector<std::string> samples_of(const T& tar) const {
    std::vector<std::string> samples;
    for (std::int64_t i = 0; i < tar.size(); ++i) samples.push_back(sample_of(tar, i));
    return samples;
  }
  template <class T>
  std::string sample_of(const T& tar, std::int64_t i) const {
    const auto [bytes, label] = tar.read(i);
    return tar.name(i).substr(root_.string().size() + 1) + "=" + text_of(bytes) + "," +
           std::to_string(label);
  }
  // "a.tar/v1: column 'jpg': there is none; here are '2.jpg'".
  static std::string short_error(std::string error) {
    const auto replace = [&error](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = error.find(from)) != std::string::npos;)
        error.replace(at, from.size(), to);
    };
    replace("the sample '", "");
    replace("', column ", ": column ");
    replace(" the files of a sample follow each other (tar --sort=name), and here are",
            " here are");
    replace("; a sample's name ends at the first dot of its files' names", " (dots)");
    replace("\"", "'");
    return error;
  }
};

using Strings = std::vector<std::string>;

std::string two_samples(const std::string& name) {
  return TarWriter()
      .file(name + "1.jpg", "one")
      .file(name + "1.cls", "1\n")
      .file(name + "2.JPEG", std::string(1000, 'x'))
      .file(name + "2.cls", " 2 ")
      .whole();
}

TEST_F(TarTest, FilesOfOneStemAreASampleAndTheirEndingsColumns) {
  const std::string a = write("a.tar", TarWriter()
                                           .file("x/1.jpg", "one")
                                           .file("x/1.cls", "1\n")
                                           .file("README", "nothing")
                                           .file("x/2.txt", "2")
                                           .file("x/2.seg.png", "segments")
                                           .file("x/2.cls", "-2")
                                           .file("x/2.JPEG", "two")
                                           .file("x.y/3.cls", "3")
                                           .file("x.y/3.jpg", "")
                                           .file("notes.txt", "no column of ours")
                                           .file(".hidden.jpg", "no sample")
                                           .whole());
  const std::string b = write("b.tar", two_samples(""));
  const auto tar = tar_in({a, b});
  EXPECT_EQ(samples_of(tar),
            (Strings{"a.tar/x/1=one,1", "a.tar/x/2=two,-2", "a.tar/x.y/3=,3", "b.tar/1=one,1",
                     "b.tar/2=" + std::string(1000, 'x') + ",2"}));
  Strings files;
  for (const TarFile& file : tar.files(1))
    files.push_back(file.column + ":" + std::to_string(file.bytes));
  EXPECT_EQ(files, (Strings{"txt:1", "seg.png:8", "cls:2", "JPEG:3"}));
  const auto others =
      tar_in<std::string, Bytes, float>({a}, {.columns = {"txt", "png;seg.png", "cls"}});
  const auto [text, segments, number] = others.read(1);
  EXPECT_EQ(text + text_of(segments) + std::to_string(number), "2segments-2.000000");
}

// The key is no file: a sample with nothing else is left out, and no sample lacks it.
TEST_F(TarTest, TheKeyIsTheSamplesName) {
  const std::string a = write("a.tar", TarWriter()
                                           .file("x/1.jpg", "one")
                                           .file("x/1.cls", "1")
                                           .file("notes.txt", "no column of ours")
                                           .file("x.y/2.cls", "2")
                                           .file("x.y/2.jpg", "two")
                                           .whole());
  TarIndex::of({a}).save((root_ / "a.offsets").string());
  for (const std::string& offsets : {std::string(), (root_ / "a.offsets").string()}) {
    const auto tar = tar_in<std::string, Bytes, Bytes, std::int64_t>(
        {a}, {.columns = {"__key__", "jpg", "__key__", "cls"}, .offsets = offsets});
    Strings seen;
    for (std::int64_t i = 0; i < tar.size(); ++i) {
      const auto [key, file, again, label] = tar.read(i);
      seen.push_back(key + "=" + text_of(file) + "," + text_of(again) + "," +
                     std::to_string(label));
    }
    EXPECT_EQ(seen, (Strings{"x/1=one,x/1,1", "x.y/2=two,x.y/2,2"}));
    ASSERT_EQ(tar.left_out().size(), 1u);
    EXPECT_EQ(tar.left_out()[0].count, 1);
  }
  EXPECT_EQ(error_of([&] { tar_in<std::string>({a}, {.columns = {"__key__"}}); }),
            "tar_in: .columns names no file; give one besides '__key__', such as \"jpg\"");
  EXPECT_EQ(error_of([&] {
              tar_in<std::string, Bytes>({a}, {.columns = {"__key__;txt", "jpg"}});
            }),
            "tar_in: the column '__key__;txt' joins the sample's name with files; make '__key__' a "
            "column of its own");
}

// A dot within a sample's name begins a column. Such files are always reported.
TEST_F(TarTest, NamesWithSeveralDotsAreToldOf) {
  const struct {
    std::vector<std::string> files;
    Strings samples;   // and errors
    Strings left_out;  // "count reason, first"
  } cases[] = {
      {{"1.jpg", "1.cls", "v1.2.jpg", "v1.2.cls", "v1.3.jpg", "v1.3.cls"},
       {"a.tar/1=x,7",
        "a.tar/v1: column 'jpg;jpeg': there is none; here are '2.jpg', '2.cls', '3.jpg', '3.cls' "
        "(dots)"},
       {}},
      {{"1.jpg", "1.cls", "1.2.jpg", "1.2.JPEG", "1.json"},
       {"a.tar/1=x,7"},
       {"2 that end like a wanted column, but a sample's name ends at its first dot, 1.2.JPEG"}},
      {{"1.jpg", "1.cls", "v1..jpg"},
       {"a.tar/1=x,7", "a.tar/v1: column 'jpg;jpeg': there is none; here are '.jpg' (dots)"},
       {}},
      {{"1.jpg", "1.cls", "README", "d/.x.jpg", "._1.jpg", "notes.txt", "notes.md", "d.2/1.xjpg"},
       {"a.tar/1=x,7"},
       {"2 hidden: a name that begins with a dot, ._1.jpg", "1 without a dot in the name, README",
        "3 of samples without a wanted column, d.2/1.xjpg"}},
  };
  for (const auto& c : cases) {
    TarWriter writer;
    for (const std::string& name : c.files) writer.file(name, name.ends_with("cls") ? "7" : "x");
    const std::string a = write("a.tar", writer.whole());
    TarIndex::of({a}).save((root_ / "a.offsets").string());
    for (const std::string& offsets : {std::string(), (root_ / "a.offsets").string()}) {
      const auto tar = tar_in({a}, {.offsets = offsets});
      Strings samples;
      for (std::int64_t i = 0; i < tar.size(); ++i) {
        const std::string error = error_of([&] { samples.push_back(sample_of(tar, i)); });
        if (error != "no error") samples.push_back(short_error(error));
      }
      EXPECT_EQ(samples, c.samples) << a;
      Strings left_out;
      for (const LeftOut& one : tar.left_out()) {
        EXPECT_FALSE(one.unreadable);
        left_out.push_back(std::to_string(one.count) + " " + one.reason + ", " +
                           one.path.substr(a.size() + 1));
      }
      EXPECT_EQ(left_out, c.left_out);
    }
  }
}

// Archives in the formats of different programs. Each holds one file.
TEST_F(TarTest, AllWaysToWriteAHeaderAreRead) {
  const std::string long_name = std::string(150, 'd') + "/" + std::string(200, 'n') + ".jpg";
  const std::string content(700, 'c');
  const std::string size = octal(content.size());
  const std::string binary_size = std::string("\x80\0\0\0\0\0\0\0\0\0\x02\xbc", 12);
  const std::string old(8, '\0');
  struct Case {
    const char* what;
    std::string archive;
    std::string name = "x/1.jpg";
  };
  const Case cases[] = {
      {"ustar", TarWriter().file("x/1.jpg", content).whole()},
      {"one block of zeros", TarWriter().file("x/1.jpg", content).open() + std::string(512, '\0')},
      {"more behind the end", TarWriter().file("x/1.jpg", content).whole() + "more"},
      {"old", TarWriter().add({"x/1.jpg", size, '\0', "no prefix", old}, content).whole()},
      {"spaces", TarWriter().add({"x/1.jpg", "       1274 ", '0'}, content).whole()},
      {"binary size", TarWriter().add({"x/1.jpg", binary_size, '0'}, content).whole()},
      {"contiguous", TarWriter().add({"x/1.jpg", size, '7'}, content).whole()},
      {"prefix", TarWriter().add({"1.jpg", size, '0', "x"}, content).whole()},
      {"no prefix of GNU",
       TarWriter().add({"x/1.jpg", size, '0', "123", "ustar  "}, content).whole()},
      {"GNU's long name", TarWriter().gnu_name(long_name).add({"short", size}, content).whole(),
       long_name},
      {"pax path", TarWriter().pax("path", long_name).add({"short", size}, content).whole(),
       long_name},
      {"pax size", TarWriter().pax("size", "700").add({"x/1.jpg", octal(0)}, content).whole()},
      {"pax, other keys", TarWriter()
                              .pax("comment", "c", 'g')
                              .pax("mtime", "1.5")
                              .add({"x/1.jpg", size}, content)
                              .whole()},
      {"folders, links and devices", TarWriter()
                                         .header({"x/", octal(0), '5'})
                                         .header({"old/", octal(0), '\0'})
                                         .header({"x/2.lnk", size, '1'})
                                         .header({"x/3.lnk", size, '2'})
                                         .header({"x/4.jpg", size, '3'})
                                         .add({"long", octal(3), 'K'}, "to")
                                         .add({"V", octal(600), 'V'}, std::string(600, 'v'))
                                         .file("x/1.jpg", content)
                                         .whole()},
  };
  for (const Case& c : cases) {
    const auto tar = tar_in<Bytes>({write("a.tar", c.archive)}, {.columns = {"jpg"}});
    ASSERT_EQ(tar.size(), 1) << c.what;
    EXPECT_EQ(tar.name(0), path("a.tar/") + c.name.substr(0, c.name.rfind('.'))) << c.what;
    EXPECT_EQ(text_of(std::get<0>(tar.read(0))), content) << c.what;
  }
}

// Nothing is extracted, so these are ordinary names.
TEST_F(TarTest, ANameIsNoPath) {
  const std::string a =
      write("a.tar", TarWriter().file("../../etc/1.jpg", "up").file("/etc/2.jpg", "root").whole());
  const auto tar = tar_in<Bytes>({a}, {.columns = {"jpg"}});
  EXPECT_EQ(tar.name(0), a + "/../../etc/1");
  EXPECT_EQ(tar.name(1), a + "//etc/2");
  EXPECT_EQ(text_of(std::get<0>(tar.read(0))) + text_of(std::get<0>(tar.read(1))), "uproot");
}

TEST_F(TarTest, AnArchiveThatCannotBeIsRefused) {
  const std::string good = TarWriter().file("1.jpg", "one").file("1.cls", "1").open();
  const std::string eight_gib = std::string("\x80\0\0\0\0\0\0\2\0\0\0\0", 12);
  std::string broken = good + good;
  broken[1030] = '!';
  struct Case {
    std::string archive;
    const char* error;
  };
  const Case cases[] = {
      {"", "the archive 'a.tar', at byte 0: it is too short for a tar archive"},
      {std::string(600, 'x'), "the archive 'a.tar', at byte 0: this is not a tar archive"},
      {"\x1f\x8b" + std::string(600, 'x'),
       "the archive 'a.tar' is compressed (gzip), so its samples cannot be read individually; "
       "decompress it with gunzip, or read it sequentially with tar_stream"},
      {"\x28\xb5\x2f\xfd" + std::string(600, 'x'),
       "the archive 'a.tar' is compressed (zstd), so its samples cannot be read individually; "
       "decompress it with unzstd, or read it sequentially with tar_stream"},
      {good + "1",
       "the archive 'a.tar', at byte 2048: it ends in the middle of a header: it was truncated"},
      {good.substr(0, 1537),
       "the archive 'a.tar', at byte 2048: it has no end marker: it was truncated, or is still "
       "being written"},
      {good.substr(0, 1536),
       "the archive 'a.tar', at byte 1024: '1.cls' is said to have 1 bytes, but the archive ends "
       "after 0 of them: it was truncated, or is damaged"},
      {broken,
       "the archive 'a.tar', at byte 1024: a header is missing here: the archive is damaged"},
      {TarWriter().header({"1.jpg", eight_gib}).whole(),
       "the archive 'a.tar', at byte 0: '1.jpg' is said to have 8589934592 bytes, but the archive "
       "ends after 1024 of them: it was truncated, or is damaged"},
      {TarWriter().header({"1.jpg", std::string(12, '\xff')}).whole(),
       "the archive 'a.tar', at byte 0: the size of '1.jpg' is not a number"},
      {TarWriter().header({"1.jpg", "12345x"}).whole(),
       "the archive 'a.tar', at byte 0: the size of '1.jpg' is not a number"},
      {TarWriter().header({"1.jpg", "\x80" + std::string(11, '\xff')}).whole(),
       "the archive 'a.tar', at byte 0: the size of '1.jpg' is not a number"},
      {TarWriter().add({"x", octal(2 << 20), 'L'}, std::string(2 << 20, 'x')).whole(),
       "the archive 'a.tar', at byte 0: a header of 2097152 bytes describes the next file: more "
       "than "
       "1 MiB is no header"},
      {TarWriter().pax("size", "-1").file("1.jpg", "").whole(),
       "the archive 'a.tar', at byte 0: the size in the pax header, '-1', is not a number"},
      {TarWriter().pax("size", "99999").file("1.jpg", "").whole(),
       "the archive 'a.tar', at byte 1024: '1.jpg' is said to have 99999 bytes, but the archive "
       "ends after 1024 of them: it was truncated, or is damaged"},
      {TarWriter().add({"x", octal(9), 'x'}, "99 path=x").whole(),
       "the archive 'a.tar', at byte 0: the pax header is damaged"},
      {TarWriter().add({"x", octal(8), 'x'}, "8 pathx\n").whole(),
       "the archive 'a.tar', at byte 0: the pax header is damaged"},
      {TarWriter().pax("GNU.sparse.major", "1").file("1.jpg", "").whole(),
       "the archive 'a.tar', at byte 1024: '1.jpg' is stored as a sparse file; make the archive "
       "without --sparse"},
      {TarWriter().header({"1.jpg", octal(0), 'S'}).whole(),
       "the archive 'a.tar', at byte 0: '1.jpg' is stored as a sparse file; make the archive "
       "without --sparse"},
      {std::string(1024, '\0'),
       "there are no samples in the archives: no file has a name like 0001.jpg"},
      {TarWriter().file("1.png", "").file("1.json", "").whole(),
       "no sample has the column 'jpg;jpeg'; the first one, 'a.tar/1', has 'png', 'json'"},
      {TarWriter().file("1.jpg", "").whole(),
       "no sample has the column 'cls'; the first one, 'a.tar/1', has 'jpg'"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of([&] { tar_in({write("a.tar", c.archive)}); }), c.error);
  EXPECT_EQ(error_of([&] { tar_in({path("gone.tar")}); }),
            "'gone.tar' cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([&] { tar_in({root_.string() + "/."}); }), "'.' is a folder, not a file");
}

// As GNU tar does. It may have been truncated there, so it is named.
TEST_F(TarTest, AnArchiveWithoutAnEndMarkIsReadWithAWarning) {
  const std::string good = TarWriter().file("1.jpg", "one").file("1.cls", "1").open();
  const std::string file = write("a.tar", good);
  const auto tar = tar_in({file});
  ASSERT_EQ(tar.size(), 1);
  EXPECT_EQ(text_of(std::get<0>(tar.read(0))), "one");
  ASSERT_EQ(tar.left_out().size(), 1U);
  EXPECT_EQ(
      words_of(tar.left_out()),
      "'" + file + "' ends at byte 2048 without an end marker; files after that may be missing");
  EXPECT_FALSE(tar.left_out()[0].unreadable);
  const auto damaged =
      tar_in({file, write("c.tar", good + "1")}, {.unreadable = Unreadable::leave_out});
  EXPECT_EQ(words_of(damaged.left_out()).substr(0, file.size() + 3), "'" + file + "' ");
  EXPECT_NE(words_of(damaged.left_out()).find("; left out '"), std::string::npos);
  EXPECT_EQ(
      error_of([&] { (void)tar_in({write("d.tar", TarWriter().file("README", "").open())}); }),
      "there are no samples in the archives: no file has a name like 0001.jpg");
  EXPECT_EQ(
      error_of([&] { (void)TarIndex::of({file}); }),
      "the archive 'a.tar', at byte 2048: it has no end marker: it was truncated, or is still "
      "being written");
  // A header for the next file is no end.
  const std::string cut = TarWriter().file("1.jpg", "one").pax("path", "2.jpg").open();
  EXPECT_NE(error_of([&] {
              (void)tar_in<Bytes>({write("b.tar", cut)}, {.columns = {"jpg"}});
            }).find("it has no end marker"),
            std::string::npos);
}

TEST_F(TarTest, OptionsThatCannotBeAreRefused) {
  const std::string a = write("a.tar", two_samples(""));
  EXPECT_EQ(error_of([&] { tar_in({}); }), "tar_in: no archives are named");
  EXPECT_EQ(error_of([&] {
              tar_in({a}, {.columns = {"jpg;", "cls"}});
            }),
            "tar_in: a name is missing in the column 'jpg;'");
  EXPECT_EQ(error_of([&] { tar_in({a}, {.columns = {"jpg"}}); }),
            "tar_in: .columns names 1, but there are types for 2; give as many: tar_in<Bytes, "
            "std::int64_t>(archives, {.columns = {\"jpg;jpeg\", \"cls\"}})");
}

TEST_F(TarTest, ABadSampleFailsAlone) {
  struct Case {
    std::string archive;  // between two samples that are as they should be
    const char* error;
  };
  const Case cases[] = {
      {TarWriter().file("x.jpg", "x").open(),
       "the sample 'a.tar/x', column 'cls': there is none; the files of a sample follow each other "
       "(tar --sort=name), and here are 'jpg'"},
      {TarWriter().file("x.cls", "1").open(),
       "the sample 'a.tar/x', column 'jpg;jpeg': there is none; the files of a sample follow each "
       "other (tar --sort=name), and here are 'cls'"},
      {TarWriter().file("x.jpg", "x").file("x.cls", "1").file("x.cls", "2").open(),
       "the sample 'a.tar/x', column 'cls': it is there more than once; the sample has 'jpg', "
       "'cls', "
       "'cls'"},
      {TarWriter().file("x.jpg", "x").file("x.cls", "cat\n").open(),
       "the sample 'a.tar/x', column 'cls': 'cat\\n' is not a whole number"},
  };
  for (const Case& c : cases) {
    const std::string good = TarWriter().file("1.jpg", "one").file("1.cls", "1").open();
    const auto tar = tar_in({write("a.tar", good + c.archive + good + std::string(1024, '\0'))});
    ASSERT_EQ(tar.size(), 3);
    EXPECT_EQ(error_of([&] { static_cast<void>(tar.read(1)); }), c.error);
    for (const std::int64_t i : {0, 2}) EXPECT_EQ(text_of(std::get<0>(tar.read(i))), "one");
  }
}

// Every prefix: the whole samples are read, and the missing part is reported.
TEST_F(TarTest, OfACutArchiveTheSamplesBeforeTheCutAreRead) {
  const std::string all = two_samples("s");
  const std::string whole = write("whole.tar", two_samples(""));
  for (std::size_t size = 0; size < all.size(); size += size % 512 == 0 ? 1 : 511) {
    const std::string a = write("a.tar", all.substr(0, size));
    const auto tar = tar_in({a, whole}, {.unreadable = Unreadable::leave_out});
    const bool is_ended = size >= all.size() - 512;
    EXPECT_EQ(tar.left_out().size(), is_ended ? 0U : 1U) << size;
    // The files end at these blocks.
    const bool is_between =
        size == 2 * 512 || size == 4 * 512 || size == 7 * 512 || size == 9 * 512;
    EXPECT_EQ(is_ended || is_between, error_of([&] { tar_in({a, whole}); }) == "no error") << size;
    std::int64_t read = 0;
    for (std::int64_t i = 0; i < tar.size(); ++i)
      read += error_of([&] { static_cast<void>(tar.read(i)); }) == "no error" ? 1 : 0;
    // Each file has a block for its header, and one or two for its content.
    EXPECT_EQ(read, 2 + (size >= 4 * 512 - 510 ? 1 : 0) + (size >= 9 * 512 - 509 ? 1 : 0)) << size;
  }
}

TEST_F(TarTest, WhereNothingIsLeftTheErrorIsWhy) {
  const std::string a = write("a.tar", "\x1f\x8b" + std::string(600, 'x'));
  EXPECT_EQ(error_of([&] { tar_in({a}, {.unreadable = Unreadable::leave_out}); }),
            "the archive 'a.tar' is compressed (gzip), so its samples cannot be read individually; "
            "decompress it with gunzip, or read it sequentially with tar_stream");
}

TEST_F(TarTest, AnArchiveThatIsCutWhileItIsInUseFailsWhatItHasLost) {
  const std::string a = write("a.tar", two_samples(""));
  const auto tar = tar_in({a});
  std::filesystem::resize_file(a, 512 * 5 + 20);
  EXPECT_EQ(text_of(std::get<0>(tar.read(0))), "one");
  EXPECT_EQ(error_of([&] { static_cast<void>(tar.read(1)); }),
            "the sample 'a.tar/2', column 'jpg;jpeg': the archive has become shorter since it was "
            "opened: it ends at byte 2580");
  std::filesystem::remove(a);
  EXPECT_EQ(error_of([&] { static_cast<void>(tar.read(0)); }),
            "'a.tar' cannot be opened: No such file or directory");
}

TEST_F(TarTest, AnArchiveThatIsWrittenOverWhileItIsInUseIsNoticed) {
  const std::string a = write("a.tar", two_samples("a"));
  const auto tar = tar_in({a});
  write("a.tar", two_samples("b"));
  EXPECT_EQ(error_of([&] { static_cast<void>(tar.read(1)); }),
            "the sample 'a.tar/a2', column 'jpg;jpeg': the archive has changed since its headers "
            "were read: another file lies at byte 2560");
}

TEST_F(TarTest, APipelineShufflesByWindows) {
  std::vector<std::string> archives;
  for (const char* name : {"a.tar", "b.tar", "c.tar"}) {
    TarWriter writer;
    for (int i = 0; i < 20; ++i) {
      const std::string stem = std::to_string(i);
      writer.file(stem + ".jpg", stem).file(stem + ".cls", stem);
    }
    archives.push_back(write(name, writer.whole()));
  }
  auto pipeline = make_pipeline({.batch_size = 60, .seed = 3}, [&](Graph& g) {
    auto [bytes, label] = g.read(tar_in(archives), {.shuffle = true, .window = 8});
    return label;
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  std::vector<bool> seen(60);
  bool moved = false;
  for (std::size_t i = 0; i < batch->size(); ++i) {
    const std::int64_t index = batch->keys()[i].index;
    EXPECT_EQ(batch->get<0>()[i], index % 20);
    EXPECT_LT(std::abs(index - static_cast<std::int64_t>(i)), 8);
    moved = moved || index != static_cast<std::int64_t>(i);
    seen[static_cast<std::size_t>(index)] = true;
  }
  EXPECT_TRUE(moved);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 60);
}

TEST_F(TarTest, TheBytesCarryTheIndex) {
  const auto index = JpegIndex::in_memory();
  const auto tar = tar_in({write("a.tar", two_samples(""))}, {.index = index});
  EXPECT_EQ(std::get<0>(tar.read(0)).index(), index.get());
}

}  // namespace tar_test
}  // namespace sluice
