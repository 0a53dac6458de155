// Files that are read in parts: which parts are read, and what happens to files that change.
#include "tests/in_child.h"
#include "tests/io/images.h"
#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace file_parts_test {
namespace fs = std::filesystem;

constexpr int kFiles = 9;
constexpr Rectangle kRegion{60, 40, 30, 50};

// Files that were written just now count as settled.
ImageReader::Clock::time_point later() {
  return ImageReader::Clock::now() + std::chrono::seconds(100);
}
constexpr ImageReader::Options kParts{.parts = ReadParts::always, .now = later};

std::string image_text(int i) {
  return text_of(encode_jpeg(draw_image(400 + i, 300, 3, static_cast<std::uint64_t>(i) + 1)));
}

class FilePartsTest : public ScratchTest {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    ScratchTest::SetUp();
    for (int i = 0; i < kFiles; ++i) {
      write(name(i), image_text(i));
      learn_jpeg(read_file(path(name(i))), *index_);
    }
  }
  static std::string name(int i) { return std::to_string(i) + ".jpg"; }
  std::size_t size(int i) const { return fs::file_size(path(name(i))); }
  std::size_t header(int i) const {
    return index_->find(digest_of(read_file(path(name(i)))))->records.front().place / 8;
  }
  // Returns the bytes once the file's hash is known, if that is possible here.
  std::optional<Bytes> begun(const ImageReader& reader, int i) const {
    const auto n = static_cast<std::size_t>(i);
    (void)reader.read(n, path(name(i)));
    Bytes bytes = reader.read(n, path(name(i)));
    if (!OpenFile(path(name(i))).is_local()) return {};
    return bytes;
  }

  std::shared_ptr<JpegIndex> index_ = JpegIndex::in_memory();
};

TEST_F(FilePartsTest, TheHeaderFirstThenTheRegionAndNoMore) {
  const ImageReader reader(index_, kFiles, kParts);
  SourceReads expected;
  for (int i = 0; i < kFiles; ++i) {
    const auto bytes_of_file = static_cast<std::int64_t>(size(i));
    const std::optional<Bytes> bytes = begun(reader, i);
    if (!bytes) GTEST_SKIP() << "the file system does not keep the times itself";
    ASSERT_TRUE(bytes->is_on_demand());
    EXPECT_EQ(bytes->prefix().size(), header(i));
    const auto in_header = static_cast<std::int64_t>(header(i));
    expected += {2, 2 * bytes_of_file, bytes_of_file + in_header};
    EXPECT_EQ(reader.reads(), expected);
    EXPECT_EQ(peek_jpeg(*bytes).height, 400 + i);
    EXPECT_EQ(reader.reads(), expected);
    Image image, plain;
    EXPECT_EQ(decode_jpeg_region(*bytes, kRegion, {}, image).path, JpegPath::indexed);
    decode_jpeg_region(read_file(path(name(i))), kRegion, {}, plain);
    EXPECT_TRUE(image == plain);
    const std::int64_t read = reader.reads().bytes_read - expected.bytes_read;
    EXPECT_GT(read, 0);
    EXPECT_LT(read * 4, bytes_of_file);
    // The rest, each byte once.
    EXPECT_EQ(text_of(*bytes), image_text(i));
    expected += {0, 0, bytes_of_file - in_header};
    EXPECT_EQ(reader.reads(), expected);
  }
}

TEST_F(FilePartsTest, WhatIsNotKnownOrNotWantedIsReadWhole) {
  const auto other = JpegIndex::in_memory();
  const ImageReader readers[] = {
      {nullptr, kFiles, kParts},
      {other, kFiles, kParts},
      {index_, kFiles, {.parts = ReadParts::never, .now = later}},
      {index_, kFiles, {.parts = ReadParts::always}}};  // written a moment ago
  for (const ImageReader& reader : readers) {
    for (int round = 0; round < 2; ++round) {
      const Bytes bytes = reader.read(0, path(name(0)));
      EXPECT_FALSE(bytes.is_on_demand());
      EXPECT_EQ(text_of(bytes), image_text(0));
    }
    const auto all = 2 * static_cast<std::int64_t>(size(0));
    EXPECT_EQ(reader.reads(), (SourceReads{2, all, all}));
  }
}

// Changes of a file between the reads of its header and of the rest.
TEST_F(FilePartsTest, AFileThatChangesInBetweenIsAnError) {
  const std::string file = path(name(2));
  const auto cut = [&] { fs::resize_file(file, size(2) / 2); };
  const auto put = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::in) << content;
  };
  const auto times = [&] {
    const timespec old[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), old, 0), 0);
  };
  const struct {
    const char* what;
    std::function<void()> change;
    std::string error;
  } kCases[] = {
      {"cut", cut, "'2.jpg' has changed since its sample was begun: it had "},
      {"grown", [&] { std::ofstream(file, std::ios::app) << "x"; }, "'2.jpg' has changed"},
      {"written over", [&] { put(image_text(2).substr(0, 100)); },
       "'2.jpg' has changed since its sample was begun: it was written, replaced, or given other "
       "rights or names; do not change files while a pipeline reads them"},
      {"written over, with old times",
       [&] {
         put(image_text(5).substr(0, 3000));
         times();
       },
       "'2.jpg' has changed"},
      {"replaced", [&] { write(name(2), image_text(2)); }, "'2.jpg' has changed"},
      {"removed", [&] { fs::remove(file); }, "'2.jpg' cannot be opened: No such file or directory"},
      {"a folder",
       [&] {
         fs::remove(file);
         fs::create_directory(file);
       },
       "'2.jpg' is a folder, not a file"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    fs::remove_all(file);
    write(name(2), image_text(2));
    const ImageReader reader(index_, kFiles, kParts);
    std::optional<Bytes> bytes = begun(reader, 2);
    if (!bytes) GTEST_SKIP() << "the file system does not keep the times itself";
    Image image = filled(3, 3, 3, 1);
    decode_jpeg_region(*bytes, {10, 10, 5, 5}, {}, image);  // a part has been read
    // Waits until the file system's clock has advanced.
    const std::string clock = path("clock");
    const FileState before = OpenFile(file).state();
    do write("clock", "");
    while (OpenFile(clock).state().changed == before.changed);
    c.change();
    for (int round = 0; round < 2; ++round) {
      const std::string error = error_of([&] { decode_jpeg_region(*bytes, kRegion, {}, image); });
      EXPECT_TRUE(error.starts_with(c.error)) << error;
      EXPECT_TRUE(image.empty());
      EXPECT_TRUE(error_of([&] { (void)bytes->data(); }).starts_with(c.error));
    }
    // The part that was read before is still that of the unchanged file.
    decode_jpeg_region(*bytes, {10, 10, 5, 5}, {}, image);
    EXPECT_EQ(image.height(), 5);
  }
}

// A file that is written while it is read: the read parts count as the earlier content.
TEST_F(FilePartsTest, AFileThatChangesWhileItIsReadIsRefused) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "a thread watches memory that another one fills";
  constexpr std::size_t kSize = std::size_t{32} << 20;
  bool refused = false;
  for (int round = 0; round < 200 && !refused; ++round) {
    const std::string file = write("large", "x");  // and zeros
    fs::resize_file(file, kSize);
    const FileState before = OpenFile(file).state();
    do write("clock", "");
    while (OpenFile(path("clock")).state().changed == before.changed);
    std::vector<std::uint8_t> bytes(kSize);
    std::atomic<bool> over{false};
    std::thread writer([&] {
      // libc++ has no std::atomic_ref before version 19.
      while (__atomic_load_n(bytes.data(), __ATOMIC_RELAXED) == 0 && !over) continue;
      std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
      out.seekp(static_cast<std::streamoff>(kSize) - 1).put('y');
    });
    const ByteRange all[] = {{0, 1}, {1, kSize}};
    try {
      FileParts(file, before, 0, std::make_shared<ReadCounts>()).read(all, bytes);
      EXPECT_EQ(bytes.back(), 0);
    } catch (const IoError&) {
      refused = true;
    }
    over = true;
    writer.join();
  }
  EXPECT_TRUE(refused);
}

// By default files that were read a moment ago, and so are in memory.
TEST_F(FilePartsTest, CachedFilesUnlessAllAreWanted) {
  const ImageReader reader(index_, kFiles, {.parts = ReadParts::cached, .now = later});
  const std::optional<Bytes> bytes = begun(reader, 1);
  const OpenFile file(path(name(1)));
  EXPECT_FALSE(file.is_cached(size(1))) << "there is no such byte";
  if (!bytes || !file.is_cached(0)) GTEST_SKIP() << "the file system does not tell";
  EXPECT_TRUE(bytes->is_on_demand());
  EXPECT_EQ(text_of(*bytes), image_text(1));
}

TEST_F(FilePartsTest, NoDescriptorIsKept) {
  const auto open_now = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const ImageReader reader(index_, kFiles, kParts);
  if (!begun(reader, 0)) GTEST_SKIP() << "the file system does not keep the times itself";
  const auto before = open_now();
  std::vector<Bytes> many;
  for (int i = 0; i < 500; ++i) many.push_back(reader.read(0, path(name(0))));
  EXPECT_TRUE(many.back().is_on_demand());
  EXPECT_EQ(open_now(), before);
  Image image;
  for (const Bytes& bytes : many) decode_jpeg_region(bytes, kRegion, {}, image);
  EXPECT_EQ(open_now(), before);
}

// An image inside a larger file, as in archives.
TEST_F(FilePartsTest, AnImageWithinAFile) {
  const std::string content = image_text(3);
  const std::string file =
      write("many", std::string(12'345, 'x') + content + std::string(999, 'y'));
  const ImageReader reader(index_, 1, kParts);
  const ImageReader::Place place{.offset = 12'345, .size = content.size()};
  const OpenFile open(file);
  if (!open.is_local()) GTEST_SKIP() << "the file system does not keep the times itself";
  const auto read = [&] {
    return reader.read(0, open, place, [&] {
      Bytes all(content.size());
      EXPECT_EQ(open.read(place.offset, {all.data(), all.size()}), content.size());
      return all;
    });
  };
  EXPECT_FALSE(read().is_on_demand());
  const Bytes bytes = read();
  EXPECT_TRUE(bytes.is_on_demand());
  Image image, plain;
  EXPECT_EQ(decode_jpeg_region(bytes, kRegion, {}, image).path, JpegPath::indexed);
  decode_jpeg_region(read_file(path(name(3))), kRegion, {}, plain);
  EXPECT_TRUE(image == plain);
  EXPECT_TRUE(bytes.is_on_demand());
  EXPECT_EQ(text_of(bytes), content);
}

// In a pipeline.
struct ImageSet {
  std::shared_ptr<ImageReader> reader;
  std::vector<std::string> paths;
  std::function<void(std::int64_t)> after = [](std::int64_t) {};  // the file has been begun
  std::int64_t size() const { return kFiles; }
  std::string name(std::int64_t i) const { return paths[static_cast<std::size_t>(i)]; }
  Bytes operator()(const SampleInfo& info) const {
    Bytes bytes = reader->read(static_cast<std::size_t>(info.index), name(info.index));
    after(info.index);
    return bytes;
  }
  SourceReads reads() const { return reader->reads(); }
};

class FilePartsInPipelines : public FilePartsTest {
 protected:
  ImageSet image_set() const {
    ImageSet set;
    set.reader = std::make_shared<ImageReader>(index_, kFiles, kParts);
    for (int i = 0; i < kFiles; ++i) set.paths.push_back(path(name(i)));
    return set;
  }
  std::int64_t all_bytes() const {
    std::int64_t sum = 0;
    for (int i = 0; i < kFiles; ++i) sum += static_cast<std::int64_t>(size(i));
    return sum;
  }
  bool local() const { return OpenFile(path(name(0))).is_local(); }
};

TEST_F(FilePartsInPipelines, StatsTellWhatWasRead) {
  if (!local()) GTEST_SKIP() << "the file system does not keep the times itself";
  const ImageSet set = image_set();
  (void)set(SampleInfo{});  // before the pipeline: not its business
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    return random_resized_crop(g.read(set), {.height = 16, .width = 16, .max_area = 0.1f});
  });
  const auto run = [&] {
    std::vector<std::vector<std::uint8_t>> all;
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_TRUE(batch.errors().empty());
      const auto& images = batch.template get<0>();
      for (std::size_t i = 0; i < images.size(); ++i)
        all.emplace_back(images[i].data(), images[i].data() + 16 * 16 * 3);
    }
    return all;
  };
  EXPECT_EQ(run().size(), std::size_t{kFiles});
  const std::int64_t all = all_bytes();
  ASSERT_EQ(pipeline.stats().sources.size(), 1U);
  EXPECT_EQ(pipeline.stats().sources[0].step, "read");
  const SourceReads first = pipeline.stats().sources[0].reads;
  EXPECT_EQ(first.files, kFiles);
  EXPECT_EQ(first.file_bytes, all);
  EXPECT_LE(first.bytes_read, all);  // one of them was known
  EXPECT_GT(first.bytes_read, all - static_cast<std::int64_t>(size(0)));
  const auto parts = run();
  const SourceReads both = pipeline.stats().sources[0].reads;
  EXPECT_EQ(both.files, 2 * kFiles);
  EXPECT_EQ(both.file_bytes, 2 * all);
  EXPECT_LT((both.bytes_read - first.bytes_read) * 2, all);
  const std::string text = to_string(pipeline.stats());
  EXPECT_NE(text.find("\nread: 18 files of 1.2 MB, of which 0."), std::string::npos) << text;

  // The same pixels as of files that are read whole.
  auto whole = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(root_.string()));
    return random_resized_crop(jpeg, {.height = 16, .width = 16, .max_area = 0.1f});
  });
  std::size_t i = 0;
  whole.reset(1);
  for (const auto& batch : whole.epoch()) {
    const auto& images = batch.get<0>();
    for (std::size_t k = 0; k < images.size(); ++k, ++i)
      EXPECT_TRUE(std::equal(parts[i].begin(), parts[i].end(), images[k].data())) << i;
  }
  EXPECT_EQ(i, parts.size());
  EXPECT_EQ(whole.stats().sources[0].reads, (SourceReads{kFiles, all, all}));
}

TEST_F(FilePartsInPipelines, AFileThatChangesCostsItsSampleAlone) {
  if (!local()) GTEST_SKIP() << "the file system does not keep the times itself";
  ImageSet set = image_set();
  for (const bool decodes : {true, false}) {
    write(name(4), image_text(4));
    set.after = [](std::int64_t) {};
    for (int i = 0; i < kFiles; ++i) {
      SampleInfo info;
      info.index = i;
      (void)set(info);
    }
    set.after = [this](std::int64_t i) {
      if (i == 4) fs::resize_file(path(name(4)), 1000);
    };
    auto pipeline =
        make_pipeline({.batch_size = 3, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
          auto jpeg = g.read(set);
          auto height = g.map(
              "look",
              [decodes](const Bytes& file) {
                Image image(1, 1, 3);
                if (decodes) decode_jpeg_region(file, kRegion, {}, image);
                return static_cast<std::int64_t>(image.height());
              },
              jpeg);
          return std::tuple{height, jpeg};
        });
    std::vector<SampleError> errors;
    std::size_t delivered = 0;
    for (const auto& batch : pipeline.epoch()) {
      errors.insert(errors.end(), batch.errors().begin(), batch.errors().end());
      for (const Bytes& bytes : batch.get<1>()) {
        EXPECT_FALSE(bytes.is_on_demand()) << "what is delivered needs no file any more";
        EXPECT_EQ(bytes.end()[-1], 0xd9);
        ++delivered;
      }
    }
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].what.find("has changed since its sample was begun"), std::string::npos)
        << errors[0].what;
    EXPECT_EQ(errors[0].source, path(name(4)));
    EXPECT_EQ(delivered, std::size_t{kFiles - 1});
  }
}

}  // namespace file_parts_test
}  // namespace sluice
