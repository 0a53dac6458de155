// files_in with an index: the decoder of the bytes receives the index's knowledge.
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace files_index_test {
namespace fs = std::filesystem;

constexpr int kFiles = 12;
const Rectangle kRegion{60, 40, 50, 70};

struct Sample {
  Image image;
  JpegPath path = JpegPath::library;
  std::string index_damage;
};
using Samples = std::vector<Sample>;

class FilesIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    folder_ = fs::path(::testing::TempDir()) /
              ("sluice_index_" + std::to_string(getpid()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    for (int i = 0; i < kFiles; ++i) write(i, static_cast<std::uint64_t>(i) + 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string name(int i) const {
    return (folder_ / ("image" + std::to_string(10 + i) + ".jpg")).string();
  }
  std::string index_path() const { return (folder_ / "images.index").string(); }

  void write(int i, std::uint64_t seed) const {
    const Bytes file =
        encode_jpeg(draw_image(130 + i, 150, 3, seed),
                    {.subsampling = i % 2 == 1 ? Subsampling::s420 : Subsampling::s444});
    std::ofstream(name(i), std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  }
  std::shared_ptr<JpegIndex> learn_all() const {
    auto index = JpegIndex::in_memory();
    for (int i = 0; i < kFiles; ++i) learn_jpeg(read_file(name(i)), *index);
    return index;
  }

  // The same region of all files, for each epoch.
  std::vector<Samples> run(const std::shared_ptr<JpegIndex>& index, int epochs,
                           int threads = 2) const {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = threads}, [&](Graph& g) {
      auto [jpeg, label] = g.read(files_in(folder_.string(), {.index = index}));
      return g.map(
          "region",
          [](const Bytes& file) {
            Sample sample;
            const JpegReport report =
                decode_jpeg_region(file, kRegion, {}, sample.image, file.index());
            sample.path = report.path;
            sample.index_damage = report.index_damage;
            return sample;
          },
          jpeg);
    });
    std::vector<Samples> all(static_cast<std::size_t>(epochs));
    for (Samples& samples : all) {
      for (auto epoch = pipeline.epoch(); auto batch = epoch.next();) {
        for (std::size_t i = 0; i < batch->size(); ++i) {
          const Sample& sample = batch->get<0>()[i];
          samples.push_back({sample.image.clone(), sample.path, sample.index_damage});
        }
      }
    }
    return all;
  }

  // Each sample is the region of its file, and was read in the way of `path`. The exception is a
  // file that the index does not know.
  void expect(const Samples& samples, JpegPath path, int unknown = -1) const {
    ASSERT_EQ(samples.size(), std::size_t{kFiles});
    for (int i = 0; i < kFiles; ++i) {
      const Sample& sample = samples[static_cast<std::size_t>(i)];
      const DecodeOutcome plain =
          outcome_of(read_file(name(i)), kRegion, {}, JpegEntropyDecoder::library);
      EXPECT_TRUE(sample.image == plain.image) << i;
      EXPECT_EQ(sample.path, i == unknown ? JpegPath::fast : path) << i;
    }
  }

  fs::path folder_;
};

TEST_F(FilesIndexTest, WithoutOneNothingIsKnown) {
  for (const Samples& samples : run(nullptr, 2)) expect(samples, JpegPath::fast);
}

TEST_F(FilesIndexTest, InMemoryItIsOfUseFromTheSecondEpochOn) {
  for (const int threads : {1, 2, 5}) {
    const auto index = JpegIndex::in_memory();
    const auto epochs = run(index, 3, threads);
    expect(epochs[0], JpegPath::fast);
    expect(epochs[1], JpegPath::indexed);
    expect(epochs[2], JpegPath::indexed);
    EXPECT_EQ(index->files(), kFiles);
  }
}

TEST_F(FilesIndexTest, FromAFileItIsOfUseAtOnce) {
  learn_all()->save(index_path());
  for (const int threads : {1, 5})
    expect(run(JpegIndex::open(index_path()), 1, threads)[0], JpegPath::indexed);
}

TEST_F(FilesIndexTest, AFileThatHasChangedDecodesWithoutItAndRight) {
  learn_all()->save(index_path());
  write(4, 99);
  expect(run(JpegIndex::open(index_path()), 1)[0], JpegPath::indexed, 4);
}

// Damage in an index is noticed when the index is used. Its file then decodes without it.
TEST_F(FilesIndexTest, WhereTheIndexIsDamagedFilesDecodeWithoutIt) {
  learn_all()->save(index_path());
  std::fstream file(index_path(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
  file.close();
  const auto index = JpegIndex::open(index_path());
  const std::vector<Samples> epochs = run(index, 1);
  const Samples& samples = epochs[0];
  const auto damaged = std::find_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return !sample.index_damage.empty();
  });
  ASSERT_NE(damaged, samples.end());
  EXPECT_EQ(damaged->index_damage, "the index '" + index_path() +
                                       "' is damaged (records of a file); make it again with "
                                       "'sluice index'");
  expect(samples, JpegPath::indexed, static_cast<int>(damaged - samples.begin()));
  EXPECT_EQ(std::count_if(samples.begin(), samples.end(),
                          [](const Sample& sample) { return sample.index_damage.empty(); }),
            kFiles - 1);
}

// The bytes of a batch can be decoded when all else is gone.
TEST_F(FilesIndexTest, ABatchThatOutlivesItsPipelineKeepsTheIndex) {
  auto index = learn_all();
  const std::weak_ptr<JpegIndex> watched = index;
  const auto first_batch = [&] {
    auto pipeline = make_pipeline({.batch_size = kFiles}, [&](Graph& g) {
      return std::get<0>(g.read(files_in(folder_.string(), {.index = std::move(index)})));
    });
    return pipeline.epoch().next();
  };
  {
    const auto batch = first_batch();
    ASSERT_TRUE(batch.has_value());
    ASSERT_FALSE(watched.expired());
    for (std::size_t i = 0; i < batch->size(); ++i) {
      const Bytes& file = batch->get<0>()[i];
      Image image;
      EXPECT_EQ(decode_jpeg_region(file, kRegion, {}, image, file.index()).path, JpegPath::indexed);
    }
  }
  EXPECT_TRUE(watched.expired());
}

// Files of the system, which have not been written recently, behind a link.
TEST_F(FilesIndexTest, TheBytesCarryTheHashOfTheirContent) {
  const std::string link = (folder_ / "a_link.jpg").string();
  fs::create_symlink("/bin/sh", link);
  const Files files = files_in(folder_.string(), {.index = JpegIndex::in_memory()});
  ASSERT_EQ(files.name(0), link);
  for (const char* content : {"/bin/sh", "/bin/ls", "/bin/sh"}) {
    fs::remove(link);
    fs::create_symlink(content, link);
    const JpegDigest wanted = digest_of(read_file(content));
    for (int time = 0; time < 3; ++time) {
      const Bytes bytes = std::get<Bytes>(files.read(0));
      // There is no hash if the file is new, or if its file system does not keep times itself.
      EXPECT_EQ(bytes.content_hash().value_or(wanted.hash), wanted.hash) << content;
      EXPECT_EQ(bytes.size(), wanted.size) << content;
    }
  }
  // One that was written just now, and then once more.
  for (const std::uint64_t seed : {50, 51}) {
    write(3, seed);
    const Bytes bytes = std::get<Bytes>(files.read(4));
    EXPECT_EQ(bytes.content_hash().value_or(digest_of(bytes).hash), digest_of(bytes).hash);
  }
  EXPECT_FALSE(std::get<Bytes>(files_in(folder_.string()).read(0)).content_hash());
}

// So the caller need not keep it.
TEST_F(FilesIndexTest, TheSourceAndItsBytesKeepTheIndex) {
  auto index = JpegIndex::in_memory();
  const std::weak_ptr<JpegIndex> watched = index;
  {
    Bytes kept;
    const Files files = files_in(folder_.string(), {.index = index});
    index.reset();
    EXPECT_FALSE(watched.expired());
    kept = std::get<Bytes>(files({.index = 3}));
    EXPECT_EQ(kept.index(), watched.lock().get());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace files_index_test
}  // namespace sluice
