// Each allocation that may fail does, one after the other. The call ends with std::bad_alloc,
// nothing leaks, and the same thread succeeds the next time.
#include "tests/failing_allocations.h"
#include "tests/io/images.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace allocation_test {
namespace fs = std::filesystem;
using sluice::testing::FailingAllocations;
using sluice::testing::live_allocations;
using Of = FailingAllocations::Of;

// Does the work. Throws whatever it throws. Results are compared.
using Work = std::function<std::uint64_t()>;

struct Ending {
  bool reached = false;  // an allocation failed
  bool threw = false;
  bool said_so = false;  // by another error than std::bad_alloc
  std::uint64_t gave = 0;
  std::uint64_t gave_again = 0;
};

// Runs on a thread of its own, so that nothing is kept from before, and with a pool of its own.
Ending run(const Work& work, std::uint64_t first, std::uint64_t count, Of of) {
  Ending ending;
  std::thread([&] {
    BufferPool pool;
    const BufferPoolScope scope(pool);
    {
      const FailingAllocations failing(first, count, of);
      try {
        ending.gave = work();
      } catch (const std::bad_alloc&) {
        ending.threw = true;
      } catch (const Error& error) {
        FailingAllocations::stop();
        ending.threw = ending.said_so = true;
        EXPECT_STRNE(error.what(), "");
      }
    }
    ending.reached = FailingAllocations::reached();
    ending.gave_again = work();
  }).join();
  return ending;
}

// Fails the n-th allocation, and the n-th and the 24 after it, for n = 1 and so on until there is
// none left, or each `step`-th of them. `may_say_so`: a system call in between may report its own
// error.
void check(const Work& work, bool may_say_so = false, std::uint64_t step = 1) {
  const std::uint64_t wanted = work();
  for (const Of of : {Of::operator_new, Of::all}) {
    for (const std::uint64_t count : {1u, 25u}) {
      bool reached = true;
      int failures = 0;
      for (std::uint64_t n = 1; reached; n += step) {
        SCOPED_TRACE(::testing::Message() << "allocations " << n << " to " << n + count - 1
                                          << (of == Of::all ? ", malloc too" : ""));
        testing::tried("no-memory");
        const std::int64_t live = live_allocations();
        const Ending ending = run(work, n, count, of);
        reached = ending.reached;
        ASSERT_EQ(live_allocations(), live);
        ASSERT_EQ(ending.gave_again, wanted);
        if (!ending.threw) {
          ASSERT_EQ(ending.gave, wanted);
        }
        ASSERT_FALSE(ending.said_so && !may_say_so);
        ASSERT_FALSE(ending.threw && !reached);
        failures += ending.threw ? 1 : 0;
      }
      EXPECT_GT(failures, 0);
    }
  }
}

std::uint64_t sum_of(std::span<const std::uint8_t> bytes) { return digest_of(bytes).hash; }
std::uint64_t sum_of(const Image& image) {
  std::uint64_t sum = 0;
  for (int y = 0; y < image.height(); ++y)
    sum = sum * 31 + sum_of(std::span(image.row(y), image.row_bytes()));
  return sum;
}

class JpegAllocation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    folder_ = fs::path(::testing::TempDir()) /
              ("sluice_allocation_" + std::to_string(::getpid()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    // Noise at the highest quality, so that there are many stuffed zeros.
    Image noise(100, 120, 3);
    Random random({.seed = 3});
    for (int i = 0; i < 100 * 120 * 3; ++i)
      noise.data()[i] = static_cast<std::uint8_t>(random.below(256));
    files_.push_back(encode_jpeg(noise, {.quality = 100, .orientation = 6}));
    files_.push_back(encode_jpeg(draw_image(50, 60, 3), {.restart_rows = 1}));
    files_.push_back(encode_jpeg(draw_image(40, 60, 1), {.progressive = true}));
    const std::span<const std::uint8_t> whole = files_[0];
    files_.push_back(Bytes::copy_of(whole.first(whole.size() / 2)));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  // Decodes whole, as a region, shrunk; with or without an index, which learns.
  std::uint64_t decode(std::size_t file, const std::optional<Rectangle>& region, int shrink,
                       JpegIndex* index) const {
    Image image;
    const JpegReport report = decode_jpeg_shrunk(files_[file], region, shrink,
                                                 {.damage = DamagePolicy::tolerant}, image, index);
    return sum_of(image) + static_cast<std::uint64_t>(report.damaged);
  }

  static constexpr Rectangle kRegion{10, 7, 20, 25};
  fs::path folder_;
  std::vector<Bytes> files_;
};

TEST_F(JpegAllocation, Decoding) {
  for (std::size_t file = 0; file < files_.size(); ++file) {
    for (const auto& region : {std::optional<Rectangle>(), std::optional<Rectangle>(kRegion)}) {
      for (const int shrink : {1, 4}) {
        for (const bool with_index : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << "file " << file << (region ? ", region" : "") << ", shrunk by " << shrink
                       << (with_index ? ", learning" : ""));
          check([&] {
            const auto index = with_index ? JpegIndex::in_memory({.grain = 1}) : nullptr;
            return decode(file, region, shrink, index.get());
          });
        }
      }
    }
  }
}

TEST_F(JpegAllocation, DecodingWithASavedIndex) {
  const auto learnt = JpegIndex::in_memory();
  for (const Bytes& file : files_) learn_jpeg(file, *learnt);
  learnt->save(path("index"));
  const auto index = JpegIndex::open(path("index"));
  check([&] { return decode(0, kRegion, 1, index.get()); });
  fs::resize_file(path("index"), 100);
  check([&] { return decode(0, kRegion, 1, index.get()); }, true);
}

// If an allocation fails, the index keeps what it has learnt intact.
TEST_F(JpegAllocation, Learning) {
  const auto all = JpegIndex::in_memory();
  for (const Bytes& file : files_) learn_jpeg(file, *all);
  for (const Bytes& file : files_) {
    const auto clean = JpegIndex::in_memory();
    learn_jpeg(file, *clean);
    check([&] {
      const auto index = JpegIndex::in_memory();
      try {
        static_cast<void>(learn_jpeg(file, *index));
      } catch (const std::bad_alloc&) {
        EXPECT_EQ(index->files(), 0);
        EXPECT_EQ(index->records(), 0);
        EXPECT_EQ(index->bytes(), 0);
        throw;
      }
      EXPECT_EQ(index->bytes(), clean->bytes());
      return static_cast<std::uint64_t>(index->records());
    });
  }
}

TEST_F(JpegAllocation, Encoding) {
  const Image image = draw_image(70, 90, 3);
  const JpegEncodeOptions kinds[] = {
      {}, {.quality = 100, .subsampling = Subsampling::s444}, {.progressive = true}};
  for (const JpegEncodeOptions& kind : kinds)
    check([&] { return sum_of(encode_jpeg(image, kind)); });
}

TEST_F(JpegAllocation, SavingAndOpeningAnIndex) {
  const auto index = JpegIndex::in_memory();
  for (const Bytes& file : files_) learn_jpeg(file, *index);
  check(
      [&] {
        const auto files = [&] { return std::distance(fs::directory_iterator(folder_), {}); };
        try {
          index->save(path("index"));
        } catch (const std::exception&) {
          FailingAllocations::stop();
          EXPECT_EQ(files(), fs::exists(path("index")) ? 1 : 0);
          throw;
        }
        return static_cast<std::uint64_t>(JpegIndex::open(path("index"))->records());
      },
      true);
}

// A shortage of memory is not mistaken for an unknown library.
TEST_F(JpegAllocation, TheSelfTest) {
  check([] { return static_cast<std::uint64_t>(jpeg_entropy_works()); }, false, 11);
}

}  // namespace allocation_test
}  // namespace sluice
