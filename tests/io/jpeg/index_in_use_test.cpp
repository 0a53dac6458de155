// Index files that are cut, overwritten, deleted or replaced while decoders use them.
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace index_in_use_test {
namespace fs = std::filesystem;

constexpr std::int64_t kNothingInMemory = 0;

class JpegIndexInUse : public ::testing::Test {
 protected:
  // A file, and regions of it as the library decodes them.
  struct Drawn {
    Bytes file;
    std::vector<Rectangle> regions;
    std::vector<Image> parts;
  };

  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    folder_ = fs::path(::testing::TempDir()) /
              ("sluice_in_use_" + std::to_string(::getpid()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    const auto index = JpegIndex::in_memory({.grain = 4});
    const auto other = JpegIndex::in_memory({.grain = 1});
    Random random({.seed = 5});
    for (std::uint64_t i = 0; i < 12; ++i) {
      Drawn drawn;
      const int height = 100 + 9 * static_cast<int>(i);
      drawn.file = encode_jpeg(draw_image(height, 160, 3, i),
                               {.subsampling = i % 2 == 0 ? Subsampling::s420 : Subsampling::s444});
      for (JpegIndex* learner : {index.get(), other.get()})
        outcome_of(drawn.file, {}, {}, kFast, learner);
      for (int k = 0; k < 6; ++k) {
        drawn.regions.push_back(any_region(random, height, 160, k == 5));
        drawn.parts.push_back(
            outcome_of(drawn.file, drawn.regions.back(), {}, kLibrary).image.clone());
      }
      all_drawn_.push_back(std::move(drawn));
    }
    index->save(path("index"));
    other->save(path("other"));
    sound_ = read_all(path("index"));
    other_ = read_all(path("other"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // Writes into the existing file.
  static void write_over(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  }

  struct Counts {
    std::atomic<int> indexed{0};
    std::atomic<int> damaged{0};
  };
  void decode_all(JpegIndex& index, Counts& counts) const {
    for (const Drawn& drawn : all_drawn_) {
      for (std::size_t k = 0; k < drawn.regions.size(); ++k) {
        Image part;
        const JpegReport report =
            decode_jpeg_region(drawn.file, drawn.regions[k], {}, part, &index);
        EXPECT_TRUE(part == drawn.parts[k]);
        EXPECT_EQ(report.path, report.index_damage.empty() ? JpegPath::indexed : JpegPath::fast);
        ++(report.index_damage.empty() ? counts.indexed : counts.damaged);
      }
    }
  }

  fs::path folder_;
  std::vector<Drawn> all_drawn_;
  std::string sound_;  // the index's bytes
  std::string other_;  // those of another index of the same files
};

// Changes of the file since it was opened, and the part of it that is still of use.
TEST_F(JpegIndexInUse, WhatIsGoneIsDoneWithout) {
  enum class Left { all, some, nothing };
  struct Case {
    const char* what;
    std::function<void(const std::string&)> change;
    Left left;
  };
  const std::size_t table_end = 48 + 48 * all_drawn_.size();
  const auto changed = [&](std::size_t from, std::size_t step) {
    std::string bytes = sound_;
    for (std::size_t i = from; i < bytes.size(); i += step)
      bytes[i] = static_cast<char>(bytes[i] ^ 0x11);
    return bytes;
  };
  const Case cases[] = {
      {"nothing", [](const std::string&) {}, Left::all},
      {"cut to nothing", [](const std::string& file) { fs::resize_file(file, 0); }, Left::nothing},
      {"cut in its table", [](const std::string& file) { fs::resize_file(file, 100); },
       Left::nothing},
      {"cut in its records",
       [&](const std::string& file) { fs::resize_file(file, (table_end + sound_.size()) / 2); },
       Left::some},
      {"longer", [&](const std::string& file) { fs::resize_file(file, sound_.size() + 9999); },
       Left::all},
      {"another header and table",
       [&](const std::string& file) {
         write_over(file, std::string(table_end, 'x') + sound_.substr(table_end));
       },
       Left::all},
      {"other records", [&](const std::string& file) { write_over(file, changed(table_end, 12)); },
       Left::nothing},
      {"one other byte",
       [&](const std::string& file) { write_over(file, changed(sound_.size() - 1, 12)); },
       Left::some},
      {"another index", [&](const std::string& file) { write_over(file, other_); }, Left::nothing},
      {"deleted", [](const std::string& file) { fs::remove(file); }, Left::all},
      {"replaced", [&](const std::string& file) { fs::rename(path("other"), file); }, Left::all},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    fs::remove(path("used"));
    fs::copy_file(path("index"), path("used"));
    const auto index = JpegIndex::open(path("used"), kNothingInMemory);
    const auto in_memory = JpegIndex::open(path("used"));
    c.change(path("used"));
    Counts counts;
    decode_all(*index, counts);
    EXPECT_EQ(counts.damaged > 0, c.left != Left::all);
    EXPECT_EQ(counts.indexed > 0, c.left != Left::nothing);
    Counts all;
    decode_all(*in_memory, all);
    EXPECT_EQ(all.damaged, 0);
  }
}

// Entries that have been found do not change any more, and do not lie in the file.
TEST_F(JpegIndexInUse, WhatWasFoundStaysAsItIs) {
  std::string noise = sound_;
  for (char& byte : noise) byte = static_cast<char>(byte ^ 0x42);
  const std::function<void()> changes[] = {[&] { write_over(path("index"), noise); },
                                           [&] { fs::resize_file(path("index"), 0); },
                                           [&] { fs::remove(path("index")); }};
  auto index = JpegIndex::open(path("index"), kNothingInMemory);
  std::vector<JpegIndexEntry> found;
  std::vector<std::vector<JpegIndexRecord>> wanted;
  for (const Drawn& drawn : all_drawn_) {
    found.push_back(index->find(digest_of(drawn.file)).value());
    wanted.emplace_back(found.back().records.begin(), found.back().records.end());
  }
  const auto check = [&] {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& records = found[i].records;
      EXPECT_EQ(std::vector(records.begin(), records.end()), wanted[i]);
    }
  };
  for (const auto& change : changes) {
    change();
    check();
  }
  index.reset();
  check();
}

// The file changes while others decode: no pixel is wrong, and no process dies.
TEST_F(JpegIndexInUse, ChangesMayHappenWhileOthersDecode) {
  using Change = std::function<void(const std::string&)>;
  std::string noise = sound_;
  for (std::size_t i = 0; i < noise.size(); i += 3) noise[i] = static_cast<char>(noise[i] ^ 0x42);
  const Change changes[] = {
      [&](const std::string& file) { write_over(file, noise); },
      [&](const std::string& file) { write_over(file, sound_); },
      [](const std::string& file) { fs::resize_file(file, 0); },
      [&](const std::string& file) { write_over(file, sound_); },
      [&](const std::string& file) { fs::resize_file(file, sound_.size() * 2 / 3); },
      [&](const std::string& file) { write_over(file, other_); },
      [&](const std::string& file) { fs::resize_file(file, sound_.size()); },
      [&](const std::string& file) { write_over(file, sound_); },
  };
  Counts counts;
  for (int round = 0; round < 4; ++round) {
    fs::copy_file(path("index"), path("used"), fs::copy_options::overwrite_existing);
    const auto index = JpegIndex::open(path("used"), kNothingInMemory);
    std::atomic<int> at_work{2};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
      readers.emplace_back([&] {
        for (int pass = 0; pass < 5; ++pass) decode_all(*index, counts);
        --at_work;
      });
    }
    while (at_work > 0) {
      for (const Change& change : changes) change(path("used"));
    }
    for (std::thread& reader : readers) reader.join();
    fs::remove(path("used"));
  }
  EXPECT_GT(counts.indexed + counts.damaged, 0);
}

// Opening a file while it is overwritten returns a correct index, or fails.
TEST_F(JpegIndexInUse, OpeningMayHappenMeanwhileToo) {
  fs::copy_file(path("index"), path("used"));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    while (!done) {
      write_over(path("used"), other_);
      fs::resize_file(path("used"), sound_.size());
      write_over(path("used"), sound_);
    }
  });
  for (int i = 0; i < 200; ++i) {
    Counts counts;
    try {
      const auto index = JpegIndex::open(path("used"), kNothingInMemory);
      if (i % 20 == 0) decode_all(*index, counts);
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(path("used")), std::string::npos) << error.what();
    }
  }
  done = true;
  writer.join();
}

}  // namespace index_in_use_test
}  // namespace sluice
