// The operators that decode pass on an index's knowledge of their bytes.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace decode_index_test {

constexpr std::int64_t kFiles = 10;

// Two epochs, and the first once more.
template <class Describe>
std::vector<Image> run(const std::vector<Bytes>& files, const std::shared_ptr<JpegIndex>& index,
                       int threads, const Describe& describe) {
  auto pipeline = make_pipeline({.batch_size = 4, .seed = 3, .threads = threads}, [&](Graph& g) {
    auto jpeg = g.source(kFiles, [&files, index](const SampleInfo& info) {
      Bytes bytes = Bytes::view_of(files[static_cast<std::size_t>(info.index_in_epoch)]);
      bytes.set_index(index);
      return bytes;
    });
    return describe(jpeg);
  });
  std::vector<Image> all;
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (epoch == 2) pipeline.reset();
    for (const auto& [images] : pipeline.epoch()) {
      for (std::size_t i = 0; i < images.size(); ++i) all.push_back(images[i].clone());
    }
  }
  return all;
}

TEST(DecodeIndex, TheOperatorsTeachItAndGiveTheSamePixels) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  std::vector<Bytes> files;
  for (int i = 0; i < kFiles; ++i)
    files.push_back(encode_jpeg(draw_image(90 + i, 120, 3, static_cast<std::uint64_t>(i) + 1),
                                {.orientation = i % 8 + 1}));
  const auto check = [&](const auto& describe) {
    const auto plain = run(files, nullptr, 2, describe);
    ASSERT_EQ(plain.size(), std::size_t{3 * kFiles});
    for (const int threads : {1, 4}) {
      const auto index = JpegIndex::in_memory();
      const auto with = run(files, index, threads, describe);
      EXPECT_EQ(index->files(), kFiles);
      ASSERT_EQ(with.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(with[i] == plain[i]) << i;
    }
  };
  check([](Value<Bytes> jpeg) { return decode_jpeg(jpeg); });
  check([](Value<Bytes> jpeg) { return decode_jpeg(jpeg, Rectangle{20, 30, 40, 50}); });
  check([](Value<Bytes> jpeg) { return decode_jpeg(jpeg, random_region(jpeg)); });
  check([](Value<Bytes> jpeg) { return random_resized_crop(jpeg, {.height = 32, .width = 32}); });
}

// Under the hash that its bytes carry, whatever they are.
TEST(DecodeIndex, TheOperatorsTakeTheHashThatAFileCarries) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  const Bytes file = encode_jpeg(draw_image(90, 120, 3, 1), {});
  const auto check = [&](const auto& describe) {
    const auto index = JpegIndex::in_memory();
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
      return describe(g.source(4, [&](const SampleInfo&) {
        Bytes bytes = Bytes::view_of(file);
        bytes.set_index(index, 5);
        return bytes;
      }));
    });
    for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
    EXPECT_TRUE(index->find({5, file.size()}));
    EXPECT_EQ(index->files(), 1);
  };
  check([](Value<Bytes> jpeg) { return decode_jpeg(jpeg); });
  check([](Value<Bytes> jpeg) { return decode_jpeg(jpeg, Rectangle{20, 30, 40, 50}); });
  check([](Value<Bytes> jpeg) { return random_resized_crop(jpeg, {.height = 32, .width = 32}); });
}

// An index whose file was cut once it had been opened: all samples are delivered, each that it
// could not help is counted, and one warning says why, however long the pipeline runs.
TEST(DecodeIndex, ADamagedOneIsCountedAndSaidOnce) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  std::vector<Bytes> files;
  const auto learnt = JpegIndex::in_memory();
  for (int i = 0; i < kFiles; ++i) {
    files.push_back(encode_jpeg(draw_image(90 + i, 120, 3, static_cast<std::uint64_t>(i) + 1)));
    Image image;
    decode_jpeg_image(files.back(), {}, image, learnt.get());
  }
  const std::string path = ::testing::TempDir() + "/sluice_cut_" + std::to_string(::getpid());
  learnt->save(path);
  const std::shared_ptr<JpegIndex> index = JpegIndex::open(path, 0);
  std::filesystem::resize_file(path, 100);

  const auto check = [&](const std::string& step, const auto& describe) {
    const auto plain = run(files, nullptr, 1, describe);
    auto pipeline = make_pipeline({.batch_size = 4, .seed = 3, .threads = 3}, [&](Graph& g) {
      return describe(g.source(kFiles, [&](const SampleInfo& info) {
        Bytes bytes = Bytes::view_of(files[static_cast<std::size_t>(info.index_in_epoch)]);
        bytes.set_index(index);
        return bytes;
      }));
    });
    std::vector<SampleError> warnings;
    std::size_t delivered = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& batch : pipeline.epoch()) {
        warnings.insert(warnings.end(), batch.warnings().begin(), batch.warnings().end());
        for (std::size_t i = 0; i < batch.size(); ++i, ++delivered)
          EXPECT_TRUE(batch.template get<0>()[i] == plain[delivered]) << delivered;
      }
    }
    EXPECT_EQ(delivered, std::size_t{2 * kFiles});
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].step, step);
    EXPECT_TRUE(warnings[0].kept);
    EXPECT_NE(warnings[0].what.find("the index '" + path + "' is damaged"), std::string::npos)
        << warnings[0].what;
    std::int64_t counted = 0;
    for (const EventStats& e : pipeline.stats().events) {
      EXPECT_TRUE(e.name == "index_damaged" || e.name == "fast") << e.name;
      if (e.name == "index_damaged") counted += e.count;
    }
    EXPECT_EQ(counted, 2 * kFiles);
  };
  const Rectangle region{20, 30, 40, 50};
  check("decode_jpeg", [&](Value<Bytes> jpeg) { return decode_jpeg(jpeg, region); });
  check("decode_jpeg", [&](Value<Bytes> jpeg) { return crop(decode_jpeg(jpeg), region); });
  check("random_resized_crop", [](Value<Bytes> jpeg) {
    return random_resized_crop(jpeg, {.height = 8, .width = 8, .shrink = true});
  });
  std::filesystem::remove(path);
}

}  // namespace decode_index_test
}  // namespace sluice
