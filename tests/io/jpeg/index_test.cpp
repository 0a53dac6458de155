#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include "tests/mutants.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace sluice {
namespace index_test {

class JpegIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    for (int i = 0; i < 3; ++i) {
      files_.push_back(
          encode_jpeg(draw_image(90 + 30 * i, 150, 3, 7 + static_cast<std::uint64_t>(i)),
                      {.subsampling = i == 1 ? Subsampling::s420 : Subsampling::s444}));
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  void teach(JpegIndex& index) const {
    int number = 0;
    for (const Bytes& file : files_) {
      outcome_of(file, {}, {}, kFast, &index);
      index.keep_name("class/" + std::to_string(number++) + ".jpg", digest_of(file));
    }
  }
  // Returns the error of opening the index and using all of it; empty if there is none.
  std::string failure(const std::string& index_path) const {
    try {
      const auto index = JpegIndex::open(index_path);
      for (const Bytes& file : files_) static_cast<void>(index->find(digest_of(file)));
      (void)index->matches("class/0.jpg", {});
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
  std::vector<Bytes> files_;
};

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(JpegDigest, SeesEveryByteAndTheSize) {
  std::vector<std::uint8_t> bytes(300, 0);
  const JpegDigest zeros = digest_of(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = 1;
    EXPECT_NE(digest_of(bytes).hash, zeros.hash) << i;
    bytes[i] = 0;
  }
  bytes.push_back(0);
  EXPECT_NE(digest_of(bytes).hash, zeros.hash);
  EXPECT_EQ(digest_of({}).size, 0u);
}

// A file is stored and found under the given hash, whatever the hash of its bytes is.
TEST_F(JpegIndexTest, AHashThatIsGivenIsNotComputed) {
  const Bytes& file = files_[0];
  const auto index = JpegIndex::in_memory();
  const Rectangle corner{0, 0, 8, 8};
  Image image;
  const auto path_of = [&](std::optional<std::uint64_t> hash, int shrink) {
    return shrink == 1
               ? decode_jpeg_region(file, corner, {}, image, index.get(), hash).path
               : decode_jpeg_shrunk(file, corner, shrink, {}, image, index.get(), hash).path;
  };
  decode_jpeg_image(file, {}, image, index.get(), 5);
  EXPECT_EQ(digest_of(file, 5), (JpegDigest{5, file.size()}));
  EXPECT_TRUE(index->find({5, file.size()}));
  EXPECT_FALSE(index->find(digest_of(file)));
  for (const int shrink : {1, 2}) EXPECT_EQ(path_of(5, shrink), JpegPath::indexed);
  EXPECT_EQ(path_of(6, 1), JpegPath::fast);
  EXPECT_EQ(path_of({}, 1), JpegPath::fast);
  EXPECT_TRUE(index->find(digest_of(file)));
}

TEST_F(JpegIndexTest, AFileGivesBackWhatWasSaved) {
  for (const std::uint32_t grain : {0u, 1u, 16u}) {
    const auto index = JpegIndex::in_memory({.grain = grain});
    teach(*index);
    index->save(path("index"));
    const auto opened = JpegIndex::open(path("index"));
    EXPECT_EQ(opened->files(), 3);
    EXPECT_EQ(opened->records(), index->records());
    EXPECT_FALSE(opened->grows());
    for (const Bytes& file : files_) {
      const auto a = index->find(digest_of(file));
      const auto b = opened->find(digest_of(file));
      ASSERT_TRUE(a && b);
      EXPECT_TRUE(a->complete && b->complete);
      EXPECT_EQ(a->grain, b->grain);
      EXPECT_EQ(a->per_row, b->per_row);
      EXPECT_EQ(std::vector(a->records.begin(), a->records.end()),
                std::vector(b->records.begin(), b->records.end()));
      const Rectangle w{40, 70, 30, 50};
      const DecodeOutcome part = outcome_of(file, w, {}, kFast, opened.get());
      EXPECT_EQ(part.path, JpegPath::indexed);
      EXPECT_TRUE(part.same_as(outcome_of(file, w, {}, JpegEntropyDecoder::library)));
    }
  }
}

TEST_F(JpegIndexTest, DigestsAreKeptUnderTheirNames) {
  const auto index = JpegIndex::in_memory();
  EXPECT_EQ(index->names(), 0);
  teach(*index);
  index->save(path("index"));
  const JpegDigest digests[] = {digest_of(files_[0]), digest_of(files_[1])};
  for (const auto& one : {index, JpegIndex::open(path("index"))}) {
    EXPECT_EQ(one->names(), 3);
    EXPECT_EQ(one->matches("class/0.jpg", digests[0]), true);
    EXPECT_EQ(one->matches("class/0.jpg", digests[1]), false);
    EXPECT_EQ(one->matches("class/0.jpg", {digests[0].hash, digests[0].size + 1}), false);
    EXPECT_EQ(one->matches("0.jpg", digests[0]), std::nullopt);
    EXPECT_TRUE(one->knows_name("class/2.jpg"));
    EXPECT_FALSE(one->knows_name(""));
  }
}

TEST_F(JpegIndexTest, AChangedFileIsNotKnown) {
  const auto index = JpegIndex::in_memory();
  teach(*index);
  std::vector<std::uint8_t> changed(files_[0].begin(), files_[0].end());
  changed[changed.size() / 2] = static_cast<std::uint8_t>(changed[changed.size() / 2] ^ 4);
  index->save(path("index"));
  const auto opened = JpegIndex::open(path("index"));
  EXPECT_FALSE(opened->find(digest_of(changed)));
  JpegOptions tolerant;
  tolerant.damage = DamagePolicy::tolerant;
  const Rectangle w{50, 20, 30, 60};
  EXPECT_TRUE(outcome_of(changed, w, tolerant, kFast, opened.get())
                  .same_as(outcome_of(changed, w, tolerant, JpegEntropyDecoder::library)));
}

TEST_F(JpegIndexTest, TheBudgetHolds) {
  const auto all = JpegIndex::in_memory();
  teach(*all);
  const auto index = JpegIndex::in_memory({.bytes = all->bytes() * 2 / 3});
  teach(*index);
  EXPECT_LT(index->files(), 3);
  EXPECT_GT(index->files(), 0);
  EXPECT_LE(index->bytes(), all->bytes() * 2 / 3);
}

TEST_F(JpegIndexTest, DamagedFilesAreErrorsThatSaySo) {
  const auto index = JpegIndex::in_memory();
  teach(*index);
  index->save(path("index"));
  const std::string sound = read_all(path("index"));
  ASSERT_EQ(failure(path("index")), "");
  for (std::size_t i = 0; i < sound.size(); i += i < 200 ? 1 : 7) {
    std::string bytes = sound;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    write_all(path("flipped"), bytes);
    const std::string error = failure(path("flipped"));
    EXPECT_NE(error, "") << "byte " << i;
    EXPECT_NE(error.find(path("flipped")), std::string::npos) << error;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{55}, std::size_t{100},
                                 sound.size() - 12, sound.size() - 1}) {
    write_all(path("cut"), sound.substr(0, size));
    EXPECT_NE(failure(path("cut")), "") << size;
  }
  std::string older = sound;
  older[8] = 2;  // its version; the checksum of its header stood elsewhere
  write_all(path("older"), older);
  EXPECT_NE(failure(path("older")).find("has version 2"), std::string::npos);
  write_all(path("long"), sound + "x");
  EXPECT_NE(failure(path("long")), "");
  write_all(path("foreign"), std::string(1000, 'a'));
  EXPECT_NE(failure(path("foreign")).find("is not an index file"), std::string::npos);
  EXPECT_NE(failure(path("missing")).find("cannot be opened"), std::string::npos);
  EXPECT_NE(failure(folder_.string()).find("is not a file"), std::string::npos);
  EXPECT_THROW(index->save(path("no/such/folder")), IoError);
}

// Corrects the checksums in an index, as far as the file has the bytes that they cover.
void seal(std::string& file) {
  constexpr std::size_t kHeader = 56, kRow = 48, kName = 24, kRecord = 12;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, file.data() + at, sizeof(value));
    return value;
  };
  const auto hash_of = [](const void* data, std::size_t bytes) {
    return digest_of({static_cast<const std::uint8_t*>(data), bytes}).hash;
  };
  const auto put = [&](std::size_t at, std::uint64_t hash) {
    std::memcpy(file.data() + at, &hash, sizeof(hash));
  };
  if (file.size() < kHeader) return;
  std::size_t room = file.size() - kHeader;
  const std::size_t rows = std::min<std::uint64_t>(number(16), room / kRow);
  room -= rows * kRow;
  const std::size_t names = std::min<std::uint64_t>(number(32), room / kName);
  const std::size_t records = (room - names * kName) / kRecord;
  const char* const tables = file.data() + kHeader;
  const char* const first_record = tables + rows * kRow + names * kName;
  for (std::size_t row = kHeader; row < kHeader + rows * kRow; row += kRow) {
    const std::uint64_t first = number(row + 16), count = number(row + 24) & 0xffffffffU;
    if (first > records || count > records - first) continue;
    put(row + 40, hash_of(first_record + first * kRecord, count * kRecord));
  }
  const std::uint64_t both[] = {hash_of(tables, rows * kRow),
                                hash_of(tables + rows * kRow, names * kName)};
  put(40, hash_of(both, sizeof both));
  put(48, hash_of(file.data(), 48));
}

// Also with correct checksums: an index may come from anywhere.
TEST_F(JpegIndexTest, MutantsAreUsedOrRefused) {
  const auto index = JpegIndex::in_memory();
  teach(*index);
  index->save(path("index"));
  testing::Mutants mutants(read_all(path("index")));
  const Rectangle window{40, 70, 30, 50};
  for (int i = 20'000 / testing::one_in(20, 100); i > 0; --i) {
    std::string text = mutants.next();
    testing::tried("damaged-input");
    if (i % 4 != 0) seal(text);
    write_all(path("mutant"), text);
    ASSERT_EQ(testing::foreign_error([&] {
                const auto opened = JpegIndex::open(path("mutant"));
                for (const Bytes& file : files_) outcome_of(file, window, {}, kFast, opened.get());
              }),
              "")
        << i;
  }
}

TEST_F(JpegIndexTest, WhoWritesOverAFileInUseIsNoticed) {
  const auto index = JpegIndex::in_memory();
  teach(*index);
  index->save(path("index"));
  const std::string sound = read_all(path("index"));
  const auto opened = JpegIndex::open(path("index"), 0);
  index->save(path("index"));  // another file under the same name
  EXPECT_TRUE(opened->find(digest_of(files_[0])));
  const auto again = JpegIndex::open(path("index"), 0);
  write_all(path("index"), sound.substr(0, 100));
  EXPECT_THROW(static_cast<void>(again->find(digest_of(files_[0]))), IoError);
  EXPECT_TRUE(opened->find(digest_of(files_[0])));
}

TEST_F(JpegIndexTest, SavingLeavesNothingElseBehind) {
  const auto index = JpegIndex::in_memory();
  teach(*index);
  write_all(path("index.part"), "somebody's");
  index->save(path("index"));
  EXPECT_EQ(read_all(path("index.part")), "somebody's");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
  // An opened index has nothing to save.
  const auto opened = JpegIndex::open(path("index"));
  EXPECT_THROW(opened->save(path("index")), IoError);
  EXPECT_EQ(JpegIndex::open(path("index"))->files(), 3);
}

TEST_F(JpegIndexTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(failure(path("pipe")).find("is not a file"), std::string::npos);
  EXPECT_FALSE(JpegIndex::is_one(path("pipe")));
}

}  // namespace index_test
}  // namespace sluice
