// Pipes, early ends, limits of memory and size, and archives that change while a stream reads them.
#include "tests/io/readers/tar_streams.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/tar_readers.h>
#include <sluice/runtime/memory.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace sluice {
namespace tar_stream_limits_test {

class TarStreamLimitsTest : public TarStreamTest {};

TEST_F(TarStreamLimitsTest, APipeIsReadForOneEpoch) {
  const std::string pipe = path("pipe");
  const Writer writer(pipe, numbered(0, 50));
  const Strings paths = {write("a.tar", numbered(50, 60)), pipe};
  auto pipeline = pipeline_of(labeled(paths, {.interleave = 2}));
  EXPECT_EQ(epoch_of(pipeline).size(), 60u);
  EXPECT_EQ(error_of([&] { (void)pipeline.epoch(); }),
            "'pipe' can be read once, and has been read: it has no other epoch");
}

TEST_F(TarStreamLimitsTest, AfterItsOneEpochAPipeMayBeEmpty) {
  const std::string pipe = path("pipe");
  const Writer writer(pipe, numbered(0, 5));
  auto pipeline = pipeline_of(labeled({pipe}, {.cycle = Cycle::off}));
  EXPECT_EQ(epoch_of(pipeline).size(), 5u);
  EXPECT_EQ(epoch_of(pipeline), Strings());
}

// Its writer is not cut off while it fills the last record of its archive.
TEST_F(TarStreamLimitsTest, APipeIsReadToItsEnd) {
  const std::string pipe = path("pipe");
  const Writer writer(pipe, numbered(0, 5) + std::string(std::size_t{200} << 10, '\0'));
  EXPECT_EQ(read({pipe}).size(), 5u);
}

TEST_F(TarStreamLimitsTest, TheStandardInputIsAPipeToo) {
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(write("a.tar", numbered(0, 7)).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(::dup2(file, STDIN_FILENO), 0);
  EXPECT_EQ(read({"-"}).size(), 7u);
  // It is at its end now.
  EXPECT_EQ(read({"-"}),
            (Strings{"the archive '-' (the standard input), at byte 0: it is too short "
                     "for a tar archive"}));
  if (before >= 0) ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

// The writer can go on in one pipe only if the other one is read, too: each has its own reader
// thread.
TEST_F(TarStreamLimitsTest, APipeThatIsSilentKeepsNoOtherWaiting) {
  constexpr std::size_t kBytes = 200'000;  // more than a pipe holds
  const Strings pipes = {path("0"), path("1")};
  for (const std::string& pipe : pipes) ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream files[2];
    for (std::size_t i = 0; i < 2; ++i) files[i].open(pipes[i], std::ios::binary);
    for (int sample = 0; sample < 10; ++sample) {
      const std::string stem = std::to_string(sample);
      files[sample % 2] << TarWriter()
                               .file(stem + ".jpg", std::string(kBytes, 'x'))
                               .file(stem + ".cls", stem)
                               .open()
                        << std::flush;
    }
    for (std::ofstream& file : files) file << std::string(1024, '\0');
  });
  EXPECT_EQ(numbers(read(pipes, {.interleave = 2, .threads = 1})),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  writer.join();
}

// The pipe is open for writing, but nothing is written. Destruction does not wait for it.
TEST_F(TarStreamLimitsTest, AStreamThatWaitsForAPipeCanBeDestroyed) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int silent = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(silent, 0);
  const Strings paths = {write("a.tar", numbered(0, 8)), pipe};
  for (const int taken : {0, 1, 2}) {
    auto pipeline = pipeline_of(labeled(paths));
    auto run = pipeline.epoch();
    for (int i = 0; i < taken; ++i) EXPECT_TRUE(run.next().has_value());
  }
  ::close(silent);
}

TEST_F(TarStreamLimitsTest, ItMayBeDestroyedAnywhere) {
  const Strings paths = archives({40, 40, 40, 40});
  for (const int taken : {0, 1, 3, 20}) {
    for (const int threads : {1, 3}) {
      auto pipeline = pipeline_of(
          labeled(paths, {.shuffle = true, .window = 10, .threads = threads, .read_ahead = 100}));
      for (int epoch = 0; epoch < 3; ++epoch) {
        auto run = pipeline.epoch();
        for (int i = 0; i < taken; ++i) EXPECT_TRUE(run.next().has_value());
      }
    }
  }
}

TEST_F(TarStreamLimitsTest, ASampleThatIsTooLargeFailsAlone) {
  const std::string large(5000, 'l');
  const std::string archive = TarWriter()
                                  .file("1.jpg", "one")
                                  .file("1.cls", "1")
                                  .file("2.jpg", large)
                                  .file("2.cls", "2")
                                  .file("3.jpg", std::string(999, 'm'))
                                  .file("3.txt", large)
                                  .file("3.cls", "34")
                                  .file("4.jpg", "four")
                                  .file("4.cls", "4")
                                  .whole();
  const Strings expected = {
      "1=one,1",
      "the sample 'a.tar/2', column 'jpg': '2.jpg' has 5000 bytes, with which the sample has more "
      "than .max_sample_bytes, 1000",
      "the sample 'a.tar/3', column 'cls': '3.cls' has 2 bytes, with which the sample has more "
      "than .max_sample_bytes, 1000",
      "4=four,4"};
  for (const char* how : {"", "gzip"}) {
    if (*how != '\0' && !kReadsCompressed) continue;
    const std::string a = write("a.tar", *how == '\0' ? archive : compressed(archive, how));
    EXPECT_EQ(read({a}, {.max_sample_bytes = 1000}), expected) << how;
  }
}

// Memory is taken for the received data, not for the claimed size.
TEST_F(TarStreamLimitsTest, AHeaderAloneTakesNoMemory) {
  const std::string one_gib = std::string("\x80\0\0\0\0\0\0\0\x40\0\0\0", 12);
  const std::string pipe = path("pipe");
  BufferPool& pool = BufferPool::current();
  const std::size_t before = pool.stats().bytes_peak;
  const Writer writer(pipe, TarWriter().header({"1.jpg", one_gib}).open() + "a little");
  EXPECT_EQ(
      read({pipe}),
      (Strings{
          "the sample 'pipe/1': the archive 'pipe', at byte 0: '1.jpg' is said to have 1073741824 "
          "bytes, but the archive ends after 8 of them: it was truncated, or is damaged"}));
  EXPECT_LT(pool.stats().bytes_peak, before + (std::size_t{64} << 20));
}

TEST_F(TarStreamLimitsTest, WhatComesOfALargeFileInAPipeIsAllOfIt) {
  std::string large(std::size_t{20} << 20, '\0');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>(i / 1000);
  const std::string pipe = path("pipe");
  const Writer writer(pipe, TarWriter().file("1.jpg", large).file("1.cls", "1").whole());
  EXPECT_EQ(read({pipe}), (Strings{"1=" + large + ",1"}));
}

TEST_F(TarStreamLimitsTest, AnArchiveThatGrowsTooMuchIsRefused) {
  if (!kReadsCompressed) GTEST_SKIP() << "built without libarchive";
  const std::string zeros(std::size_t{40} << 20, '\0');
  const std::string bomb = compressed(
      TarWriter().file("1.jpg", "one").file("1.cls", "1").file("2.txt", zeros).whole(), "gzip");
  const std::string good = write("b.tar", numbered(3, 4));
  const Strings texts = read({write("a.tar", bomb), good});
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], "1=one,1");
  EXPECT_NE(texts[1].find("it has become more than 200 times as large as the bytes read"),
            std::string::npos)
      << texts[1];
  EXPECT_EQ(texts[2], "3=xxxxxxxxxx3,3");
  EXPECT_EQ(read({path("a.tar"), good}, {.max_expansion = 2000}).size(), 2u);
}

// For compressed archives, the last files are kept for links.
TEST_F(TarStreamLimitsTest, LinksReachBackSoFar) {
  if (!kReadsCompressed) GTEST_SKIP() << "built without libarchive";
  const std::string a = write("a.tar", compressed(TarWriter()
                                                      .file("1.jpg", std::string(1000, '1'))
                                                      .file("1.cls", "1")
                                                      .file("2.jpg", std::string(3000, '2'))
                                                      .link("2.cls", "1.cls")
                                                      .link("3.jpg", "1.jpg")
                                                      .link("3.cls", "2.cls")
                                                      .whole(),
                                                  "gzip"));
  const std::string two = "2=" + std::string(3000, '2') + ",1";
  EXPECT_EQ(read({a})[2], "3=" + std::string(1000, '1') + ",1");
  const Strings less = read({a}, {.max_link_bytes = 4000});
  EXPECT_EQ(less[1], two);
  EXPECT_EQ(less[2],
            "the sample 'a.tar/3', column 'jpg': it is a link to '1.jpg', which is not among the "
            "files before it; of an archive that is compressed or a pipe, only the last ones of "
            "the columns that are read are kept for links: make the archive with "
            "--hard-dereference, or see .max_link_bytes");
}

// The memory held at once does not grow with the archives.
TEST_F(TarStreamLimitsTest, MemoryIsThatOfTheWindow) {
  constexpr std::size_t kBytes = 20'000;
  constexpr std::size_t kWindow = 16;
  const Strings paths = archives({100, 100, 100}, kBytes);
  for (const int threads : {1, 3}) {
    const TarStreamOptions options{.columns = {"jpg", "cls"},
                                   .shuffle = true,
                                   .window = kWindow,
                                   .interleave = 2,
                                   .threads = threads,
                                   .read_ahead = kBytes};
    // Each open archive has one sample more than it may read ahead, and one that is being read.
    const std::size_t open = static_cast<std::size_t>(std::max(2, threads));
    const std::size_t most = kWindow + 1 + open * 3;
    const EpochInfo info{.epoch = 0, .window = 1};
    const BufferPool& pool = BufferPool::current();
    const std::size_t before = pool.stats().bytes_in_use;
    std::size_t live = 0;
    {
      const auto held = std::make_shared<detail::TarStreaming>(paths, options, 2);
      held->begin_epoch(info);
      detail::TarPass<Bytes, std::int64_t> pass(held);
      std::size_t samples = 0;
      while (const auto sample = pass.next()) {
        ++samples;
        live = std::max(live, pool.stats().bytes_in_use - before);
      }
      EXPECT_EQ(samples, 300u);
      EXPECT_LE(held->most_bytes(), most * (kBytes + 100));
      EXPECT_GE(held->most_bytes(), kWindow * kBytes);
    }
    // Blocks of the pool are a little larger than requested.
    EXPECT_LE(live, most * (kBytes + kBytes / 4));
    EXPECT_GE(live, kWindow * kBytes);
    EXPECT_EQ(pool.stats().bytes_in_use, before);
  }
}

// However much has been read ahead, the window stays within its limit.
TEST_F(TarStreamLimitsTest, AWindowTakesNoMoreThanItGives) {
  constexpr std::int64_t kSamples = 90;
  constexpr std::int64_t kWindow = 16;
  const auto held = std::make_shared<detail::HeldBytes>();
  detail::TarReaders readers({.archives = archives({kSamples}),
                              .columns = {{"jpg"}},
                              .limits = {.sample_bytes = 1000},
                              .read_ahead = 1 << 20},
                             held, std::make_shared<detail::LeftOutCounter>());
  detail::TarWindow window(readers, kWindow, {}, held);
  const auto first = window.next();
  ASSERT_TRUE(first.has_value());
  std::uint64_t all = 0;
  for (int i = 0; i < kSamples; ++i) {
    const std::string stem = std::to_string(i);
    all += path("n0.tar/" + stem).size() + 10 + stem.size();
  }
  while (held->now() + first->bytes < all) std::this_thread::yield();
  std::int64_t given = 1;
  for (; given < 40; ++given) ASSERT_TRUE(window.next().has_value());
  std::int64_t left = 0;
  while (readers.next()) ++left;
  EXPECT_EQ(kSamples - left - given, kWindow + 1);
}

// A graph works with a copy of the stream.
TEST_F(TarStreamLimitsTest, TellsOfTheMemoryOfItsCopies) {
  const auto stream = labeled(archives({50}, 1000), {.shuffle = true, .window = 20});
  auto pipeline = pipeline_of(stream);
  EXPECT_EQ(stream.most_bytes(), 0u);
  EXPECT_EQ(epoch_of(pipeline).size(), 50u);
  EXPECT_GE(stream.most_bytes(), 20'000u);
  EXPECT_LT(stream.most_bytes(), 130'000u);
}

TEST_F(TarStreamLimitsTest, AnArchiveThatIsCutWhileItIsReadSaysSo) {
  const std::string a = write("a.tar", numbered(0, 400, 20'000));
  auto pipeline =
      pipeline_of(labeled({a}, {.threads = 1, .read_ahead = 1}), {.batch_size = 1, .prefetch = 1});
  auto run = pipeline.epoch();
  EXPECT_TRUE(run.next().has_value());
  std::filesystem::resize_file(a, 200 * 22'016 + 600);
  std::size_t samples = 1;
  std::string error;
  while (const auto batch = run.next()) {
    samples += batch->size();
    for (const SampleError& one : batch->errors()) error = one.what;
  }
  EXPECT_EQ(samples, 200u);
  EXPECT_EQ(error_of([&] { throw Error(error); }),
            "the sample 'a.tar/200': the archive 'a.tar', at byte 4403200: '200.jpg' is said to "
            "have 20003 bytes, but the archive ends after 88 of them: it was truncated, or is "
            "damaged; it has changed since it was opened");
}

TEST_F(TarStreamLimitsTest, AnArchiveThatChangesWhileItIsReadSaysSo) {
  const std::string content = numbered(0, 400, 20'000);
  const std::string a = write("a.tar", content);
  auto pipeline =
      pipeline_of(labeled({a, write("b.tar", numbered(0, 1))}, {.threads = 1, .read_ahead = 1}),
                  {.batch_size = 1, .prefetch = 1});
  auto run = pipeline.epoch();
  EXPECT_TRUE(run.next().has_value());
  {
    std::fstream file(a, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(300 * 22'016 + 600);
    file << "another";
  }
  std::filesystem::last_write_time(a,
                                   std::filesystem::last_write_time(a) + std::chrono::seconds(5));
  Strings errors;
  std::size_t samples = 1;
  while (const auto batch = run.next()) {
    samples += batch->size();
    for (const SampleError& one : batch->errors())
      errors.push_back(error_of([&] { throw Error(one.what); }));
  }
  EXPECT_EQ(samples, 401u);
  EXPECT_EQ(errors, (Strings{"the archive 'a.tar' has changed while it was read: the data may mix "
                             "both states; the last sample before it is 'a.tar/399'"}));
}

TEST_F(TarStreamLimitsTest, AnArchiveThatIsGoneWhenItsTurnComesIsAnError) {
  const Strings paths = archives({2, 2, 2});
  auto pipeline = pipeline_of(labeled(paths));
  std::filesystem::remove(paths[1]);
  EXPECT_EQ(epoch_of(pipeline)[2], "'n1.tar' cannot be opened: No such file or directory");
}

TEST_F(TarStreamLimitsTest, TheBytesCarryTheIndex) {
  const auto index = JpegIndex::in_memory();
  auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    auto [file] = g.read(
        tar_stream<Bytes>({write("a.tar", numbered(0, 1))}, {.columns = {"jpg"}, .index = index}));
    return g.map(
        "has index", [&](const Bytes& bytes) { return bytes.index() == index.get(); }, file);
  });
  EXPECT_TRUE(pipeline.epoch().next()->get<0>()[0]);
}

TEST_F(TarStreamLimitsTest, WhatThisBuildCannotReadIsSaid) {
  if (kReadsCompressed) GTEST_SKIP() << "built with libarchive";
  EXPECT_EQ(read({write("a.tar", "\x1f\x8b" + std::string(600, 'x'))}),
            (Strings{"the archive 'a.tar' is compressed (gzip), and this build of Sluice cannot "
                     "read that: install libarchive-dev and build it again, or decompress the "
                     "archive with gunzip"}));
}

}  // namespace tar_stream_limits_test
}  // namespace sluice
