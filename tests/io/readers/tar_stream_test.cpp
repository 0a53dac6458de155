// Streams of good and bad archives. Orders: tar_stream_order_test.cpp; pipes, ends and limits:
// tar_stream_limits_test.cpp.
#include "tests/io/readers/tar_streams.h"
#include "tests/tried.h"
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace sluice {
namespace tar_stream_test {

// The good and bad samples of tar_in, with the same messages.
Strings of_tar_in(const std::string& archive,
                  const std::function<std::string(const std::function<void()>&)>& error_of) {
  const auto tar = tar_in<Bytes, std::int64_t>({archive}, {.columns = {"jpg;jpeg", "cls"}});
  Strings all;
  for (std::int64_t i = 0; i < tar.size(); ++i) {
    std::string text;
    const std::string error = error_of([&] {
      const auto [file, label] = tar.read(i);
      const std::string stem = tar.name(i).substr(archive.size() + 1);
      text = stem + "=" + text_of(file) + "," + std::to_string(label);
    });
    all.push_back(error == "no error" ? text : error);
  }
  return all;
}

TEST_F(TarStreamTest, GivesWhatTarInGives) {
  const std::string long_name = std::string(150, 'd') + "/" + std::string(200, 'n') + ".jpg";
  const std::string content(700, 'c');
  const std::string archive = TarWriter()
                                  .file("x/1.jpg", "one")
                                  .file("x/1.cls", "1\n")
                                  .file("README", "nothing")
                                  .file("x/2.txt", std::string(3000, 't'))
                                  .file("x/2.cls", "-2")
                                  .file("x/2.JPEG", "two")
                                  .file("notes.txt", "no column of ours")
                                  .file(".hidden.jpg", "no sample")
                                  .header({"x/", octal(0), '5'})
                                  .file("lacks.jpg", "x")
                                  .file("twice.jpg", "x")
                                  .file("twice.cls", "1")
                                  .file("twice.cls", "2")
                                  .file("word.jpg", "x")
                                  .file("word.cls", "cat")
                                  .gnu_name(long_name)
                                  .file("short", content)
                                  .pax("path", long_name.substr(0, long_name.size() - 3) + "cls")
                                  .file("short", "3")
                                  .file("both.jpeg", "jpeg")
                                  .file("both.jpg", "jpg")
                                  .file("both.cls", "4")
                                  .link("link.jpg", "x/1.jpg")
                                  .link("link.cls", "both.cls")
                                  .file("late.jpg", "late")
                                  .link("late.cls", "both.cls")
                                  .link("later.jpg", "late.jpg")
                                  .link("later.cls", "late.cls")
                                  .file("../../etc/1.jpg", "")
                                  .file("../../etc/1.cls", "5")
                                  .whole();
  const std::string plain = write("a.tar", archive);
  const Strings expected = of_tar_in(plain, [&](const auto& f) { return error_of(f); });
  ASSERT_EQ(expected.size(), 11u);
  const auto read_all = [&](const std::string& path) {
    auto pipeline = pipeline_of(tar_stream<std::string, Bytes, std::int64_t>(
        {path}, {.columns = {"__key__", "jpg;jpeg", "cls"}}));
    return epoch_of(pipeline);
  };
  EXPECT_EQ(read_all(plain), expected);
  if (kReadsCompressed) {
    for (const char* how : {"gzip", "zstd", "xz", "bzip2"}) {
      write("a.tar", compressed(archive, how));
      EXPECT_EQ(read_all(plain), expected) << how;
    }
  }
  for (const bool is_compressed : {false, true}) {
    std::filesystem::remove(plain);
    const Writer writer(plain, is_compressed ? compressed(archive, "gzip") : archive);
    EXPECT_EQ(read_all(plain), expected);
  }
}

TEST_F(TarStreamTest, AFileMayBeSeveralColumns) {
  const std::string a = write("a.tar", TarWriter().file("1.jpg", "12").whole());
  auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
    auto [text, number] =
        g.read(tar_stream<std::string, std::int64_t>({a}, {.columns = {"jpg", "png;jpg"}}));
    return std::tuple{text, number};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->get<0>()[0], "12");
  EXPECT_EQ(batch->get<1>()[0], 12);
}

// A bad archive before a good one, and the results of both.
TEST_F(TarStreamTest, WhatIsDamagedIsTheErrorOfItsPlace) {
  const std::string one = TarWriter().file("1.jpg", "one").file("1.cls", "1").open();
  const std::string two = TarWriter().file("2.jpg", "two").file("2.cls", "2").open();
  const std::string end(1024, '\0');
  std::string broken = one + two + end;
  broken[2 * 1024 + 6] = '!';
  const std::string eight_gib = std::string("\x80\0\0\0\0\0\0\2\0\0\0\0", 12);
  struct Case {
    const char* what;
    std::string archive;
    Strings read;
  };
  const Strings none = {};
  const Case cases[] = {
      {"empty", "", {"the archive 'a.tar', at byte 0: it is too short for a tar archive"}},
      {"no archive",
       std::string(600, 'x'),
       {"the archive 'a.tar', at byte 0: this is not a tar archive"}},
      {"no samples", end, none},
      {"no end",
       one,
       {"1=one,1",
        "the archive 'a.tar', at byte 2048: it has no end marker: it was truncated, or is still "
        "being written; the last sample before it is 'a.tar/1'"}},
      {"cut in a header",
       one + "2.jpg",
       {"1=one,1",
        "the archive 'a.tar', at byte 2048: it ends in the middle of a header: it was truncated; "
        "the last sample before it is 'a.tar/1'"}},
      {"cut in a file",
       one + two.substr(0, 514),
       {"1=one,1",
        "the archive 'a.tar', at byte 2048: '2.jpg' is said to have 3 bytes, but the archive ends "
        "after 2 of them: it was truncated, or is damaged; the last sample before it is "
        "'a.tar/1'"}},
      {"cut in a sample",
       one + two.substr(0, 1024),
       {"1=one,1",
        "the sample 'a.tar/2': the archive 'a.tar', at byte 3072: it has no end marker: it was "
        "truncated, or is still being written"}},
      {"damaged in the middle",
       broken,
       {"1=one,1",
        "the archive 'a.tar', at byte 2048: a header is missing here: the archive is damaged; the "
        "last sample before it is 'a.tar/1'"}},
      {"a size that cannot be",
       one + TarWriter().header({"2.jpg", eight_gib}).open() + two + end,
       {"1=one,1",
        "the archive 'a.tar', at byte 2048: '2.jpg' is said to have 8589934592 bytes, but the "
        "archive ends after 3072 of them: it was truncated, or is damaged; the last sample before "
        "it is 'a.tar/1'"}},
      {"holes",
       one + TarWriter().add({"2.jpg", octal(3), 'S'}, "two").file("2.cls", "2").open() + end,
       {"1=one,1",
        "the sample 'a.tar/2', column 'jpg': '2.jpg' is stored as a sparse file; make the archive "
        "without --sparse"}},
      {"holes, pax",
       one + TarWriter().pax("GNU.sparse.major", "1").file("2.jpg", "2").open() + two + end,
       {"1=one,1",
        "the sample 'a.tar/2', column 'jpg': it is there more than once; the sample has 'jpg', "
        "'jpg', 'cls'"}},
      {"a link to what follows",
       one + TarWriter().link("2.jpg", "3.jpg").file("2.cls", "2").file("3.jpg", "").open() + end,
       {"1=one,1",
        "the sample 'a.tar/2', column 'jpg': it is a link to '3.jpg', and no such file comes "
        "before "
        "it in the archive",
        "the sample 'a.tar/3', column 'cls': there is none; the files of a sample follow each "
        "other (tar --sort=name), and here are 'jpg'"}},
  };
  for (const Case& c : cases) {
    const std::string a = write("a.tar", c.archive);
    Strings expected = c.read;
    expected.push_back("3=xxxxxxxxxx3,3");
    EXPECT_EQ(read({a, write("b.tar", numbered(3, 4))}), expected) << c.what;
  }
}

// Also if the error is in a short batch, and short batches are dropped.
TEST_F(TarStreamTest, ACutArchiveIsHeardOfOnce) {
  const std::string cut = numbered(3, 6);
  const std::vector<std::string> archives = {write("a.tar", numbered(0, 3)),
                                             write("b.tar", cut.substr(0, cut.size() - 1500))};
  for (int batch_size = 1; batch_size <= 7; ++batch_size) {
    for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
      for (const bool compact : {false, true}) {
        for (const OnError& policy : {OnError::fail, OnError::skip}) {
          auto pipeline = make_pipeline({.batch_size = batch_size,
                                         .threads = 2,
                                         .last_batch = last,
                                         .compact = compact,
                                         .on_error = policy},
                                        [&](Graph& g) {
                                          auto [file, label] = g.read(tar_stream(archives));
                                          return label;
                                        });
          auto epoch = pipeline.epoch();
          int told = 0, thrown = 0;
          for (bool over = false; !over;) {
            try {
              const auto batch = epoch.next();
              over = !batch;
              if (batch) told += static_cast<int>(batch->errors().size());
            } catch (const BatchError& error) {
              thrown += static_cast<int>(error.errors().size());
            }
          }
          EXPECT_EQ(told, 1) << batch_size;
          EXPECT_EQ(thrown, policy.policy == OnError::Policy::fail ? 1 : 0) << batch_size;
        }
      }
    }
  }
}

// For each prefix of an archive, all samples are right. The stream ends with an error, unless no
// sample is missing.
TEST_F(TarStreamTest, OfAnyPrefixTheSamplesBeforeTheCutAreRight) {
  const std::string all = numbered(0, 12);
  const Strings whole = read({write("whole.tar", all)});
  for (const char* how : {"", "gzip", "zstd", "xz", "bzip2"}) {
    if (*how != '\0' && !kReadsCompressed) continue;
    const std::string bytes = *how == '\0' ? all : compressed(all, how);
    for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 40 + 1) {
      const Strings texts = read({write("a.tar", bytes.substr(0, size))});
      testing::tried("damaged-input");
      ASSERT_FALSE(texts.empty());
      const bool failed = texts.back().find("archive 'a.tar'") != std::string::npos;
      const std::size_t good = texts.size() - (failed ? 1 : 0);
      EXPECT_EQ(Strings(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(good)),
                Strings(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(good)))
          << how << size;
      // The end marker may be there although the bytes after it are cut.
      EXPECT_TRUE(failed || good == whole.size()) << how << size;
    }
  }
}

// They have checksums of their content, which are checked after it was delivered: wrong bytes are
// followed by an error. (zstd's is optional.)
TEST_F(TarStreamTest, WrongBytesOfACompressedArchiveAreFollowedByAnError) {
  if (!kReadsCompressed) GTEST_SKIP() << "built without libarchive";
  TarWriter writer;
  Random random({.seed = 1});
  for (int i = 0; i < 8; ++i) {
    std::string noise(3000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random.below(256));
    writer.file(std::to_string(i) + ".jpg", noise).file(std::to_string(i) + ".cls", "1");
  }
  const std::string all = writer.whole();
  const Strings whole = read({write("whole.tar", all)});
  int wrong = 0;
  for (const char* how : {"gzip", "xz", "bzip2"}) {
    const std::string bytes = compressed(all, how);
    for (std::size_t at = 8; at < bytes.size(); at += bytes.size() / 40 + 1) {
      std::string bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ 16);
      const Strings texts = read({write("a.tar", bad)});
      if (texts == whole) continue;
      ++wrong;
      EXPECT_NE(texts.back().find("the archive 'a.tar'"), std::string::npos) << how << at;
      EXPECT_LE(texts.size(), whole.size() + 1) << how << at;
    }
  }
  EXPECT_GE(wrong, 100);
}

TEST_F(TarStreamTest, OptionsThatCannotBeAreRefused) {
  const std::string a = write("a.tar", numbered(0, 1));
  struct Case {
    Strings archives;
    TarStreamOptions options;
    const char* error;
  };
  const Case cases[] = {
      {{}, {}, "tar_stream: no archives are named"},
      {{a},
       {.columns = {"jpg"}},
       "tar_stream: .columns names 1, but there are types for 2; give as many: "
       "tar_stream<Bytes, std::int64_t>(archives, {.columns = {\"jpg;jpeg\", \"cls\"}})"},
      {{a}, {.columns = {"jpg;", "cls"}}, "tar_stream: a name is missing in the column 'jpg;'"},
      {{a}, {.window = 0}, "tar_stream: .window is 0; it is 1 or more"},
      {{a}, {.interleave = -1}, "tar_stream: .interleave is -1; it is 0 or more"},
      {{a}, {.threads = 0}, "tar_stream: .threads is 0; it is 1 or more"},
      {{a}, {.max_sample_bytes = 0}, "tar_stream: .max_sample_bytes is 0: no sample would be read"},
      {{a}, {.max_expansion = 0}, "tar_stream: .max_expansion is 0; it is 1 or more"},
      {{a}, {.shard = {2, 2}}, "tar_stream: shard 2 of 2 cannot be; shards are numbered from 0"},
      {{a},
       {.shard = {0, 2}},
       "tar_stream: 1 archive is dealt to 2 shards, of which some would have none; write at least "
       "as many archives, or read them with tar_in, whose shards are parts of archives"},
      {{"-", "-"}, {}, "tar_stream: '-' is named twice, but can be read once"},
      {{"-"},
       {.cycle = Cycle::quiet},
       "tar_stream: '-' can be read once, so it cannot begin again as Cycle::quiet says"},
      {{path("gone.tar")}, {}, "'gone.tar' cannot be opened: No such file or directory"},
      {{root_.string() + "/."}, {}, "'.' is a folder, not a file"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of([&] { tar_stream(c.archives, c.options); }), c.error);
}

TEST_F(TarStreamTest, WhereThereAreNoSamplesThatIsAnError) {
  const std::string a = write("a.tar", TarWriter().file("1.png", "").whole());
  EXPECT_EQ(
      read({a}),
      (Strings{
          "there are no samples in the archives: no file has a name like 0001.jpg and "
          "is in a column that is read; left out 1 of samples without a wanted column (first: '"
          "a.tar/1.png')"}));
}

// As with tar_in, and counted in each epoch.
TEST_F(TarStreamTest, NamesWithSeveralDotsAreToldOf) {
  TarWriter mixed;
  for (const char* name : {"1.jpg", "1.2.jpg", "README", "._1.jpg", "notes.txt", "notes.md",
                           "v1.2.jpg", "v1.3.jpg", "2.jpg"})
    mixed.file(name, name);
  Strings archives = {write("a.tar", mixed.whole()), write("b.tar", mixed.whole())};
  if (kReadsCompressed) archives[1] = write("b.tar", compressed(mixed.whole(), "gzip"));
  const auto stream =
      tar_stream<std::string, Bytes>(archives, {.columns = {"__key__", "jpg"}, .threads = 2});
  auto pipeline = make_pipeline({.batch_size = 100, .on_error = OnError::skip}, [&](Graph& g) {
    auto [key, file] = g.read(stream);
    return key;
  });
  for (int epoch = 0; epoch < 2; ++epoch) {
    Strings keys, failed;
    for (const auto& batch : pipeline.epoch()) {
      for (const std::string& key : batch.get<0>()) keys.push_back(key);
      for (const SampleError& error : batch.errors()) {
        failed.push_back(error.source);
        EXPECT_NE(error.what.find("ends at the first dot"), std::string::npos) << error.what;
      }
    }
    EXPECT_EQ(keys, (Strings{"1", "2", "1", "2"}));
    EXPECT_EQ(failed, (Strings{archives[0] + "/v1", archives[1] + "/v1"}));
    Strings left_out;
    for (const LeftOut& one : stream.left_out())
      left_out.push_back(std::to_string(one.count) + " " + one.path.substr(archives[0].size()));
    EXPECT_EQ(left_out, (Strings{"2 /._1.jpg", "2 /1.2.jpg", "2 /README", "4 /notes.txt"}));
  }
}

// Errors of later steps name the sample, too.
TEST_F(TarStreamTest, SamplesHaveNames) {
  const Strings paths = archives({3, 3});
  auto pipeline =
      make_pipeline({.batch_size = 6, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
        auto [file, label] = g.read(tar_stream(paths, {.columns = {"jpg", "cls"}}));
        return g.map(
            "odd",
            [](std::int64_t n) {
              if (n % 2 == 1) throw Error("odd");
              return n;
            },
            label);
      });
  Strings names;
  for (const auto& batch : pipeline.epoch())
    for (const SampleError& error : batch.errors()) names.push_back(error.source);
  EXPECT_EQ(names, (Strings{paths[0] + "/1", paths[1] + "/3", paths[1] + "/5"}));
}

}  // namespace tar_stream_test
}  // namespace sluice
