// Batches of the JPEG decoder: files of all kinds in one, filled by several threads, repeatedly.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/failing_allocations.h"

#include <cstring>
#include <thread>

namespace sluice::device {
namespace batch_test {

struct Prepared {
  explicit Prepared(int count) : files(), entries(), plans(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) {
      files.push_back(encode_test_jpeg(kSamplings[i % 5], 40 + 7 * i, 150 - 5 * i, 50 + i, i % 4, 2,
                                       i % 3 == 0));
      entries.push_back(learnt(files.back(), 4));
    }
  }
  // An index does not know every third file.
  bool plan(std::size_t i) {
    const JpegIndexEntry* const entry = i % 3 == 1 ? nullptr : &*entries[i];
    return plans[i].make(files[i], peek_jpeg(files[i]), entry, {});
  }
  std::vector<File> files;
  std::vector<std::optional<JpegIndexEntry>> entries;
  std::vector<JpegPlan> plans;
};

TEST(JpegBatch, MixesAllKinds) {
  Prepared all(20);
  std::vector<DeviceWork> work;
  for (std::size_t i = 0; i < all.files.size(); ++i) {
    ASSERT_TRUE(all.plan(i)) << all.plans[i].refusal();
    work.push_back({&all.plans[i], all.files[i]});
  }
  const auto device = test_device();
  JpegBatch batch;
  for (int round = 0; round < 2; ++round) {
    const auto images = decode_on(*device, work, batch);
    for (std::size_t i = 0; i < work.size(); ++i) {
      Image whole;
      decode_jpeg_image(all.files[i], {}, whole);
      EXPECT_FALSE(images[i].damaged);
      EXPECT_EQ(difference(images[i].image, whole, {0, 0, whole.height(), whole.width()}), "");
    }
    work.resize(7);
  }
}

TEST(JpegBatch, OfNothingIsNothing) {
  const auto device = test_device();
  const auto stream = device->make_stream();
  const auto event = device->make_event();
  JpegBatch batch;
  batch.enqueue(*stream, {});
  stream->record(*event);
  while (!event->over()) {
  }
  EXPECT_EQ(batch.upload_bytes(), 0u);
}

TEST(JpegBatch, SaysWhichSampleIsDamaged) {
  Prepared all(6);
  const auto damaged = [](std::size_t i) { return i == 3 || i == 4; };
  std::vector<DeviceWork> work;
  for (std::size_t i = 0; i < all.files.size(); ++i) {
    ASSERT_TRUE(all.plan(i));
    if (damaged(i)) {
      const auto& piece = all.plans[i].pieces()[0];
      std::memset(&all.files[i][piece.begin + piece.bytes / 2], 0xff, 20);
    }
    work.push_back({&all.plans[i], all.files[i]});
  }
  const auto device = test_device();
  JpegBatch batch;
  const auto images = decode_on(*device, work, batch);
  for (std::size_t i = 0; i < work.size(); ++i) EXPECT_EQ(images[i].damaged, damaged(i)) << i;
}

TEST(JpegBatch, SamplesAreFilledByThreads) {
  Prepared all(16);
  JpegBatch batch;
  for (std::size_t i = 0; i < all.files.size(); ++i) {
    ASSERT_TRUE(all.plan(i));
    ASSERT_TRUE(batch.add(all.plans[i], all.files[i], {nullptr, 0}));
  }
  std::vector<std::byte> one(batch.upload_bytes()), other(batch.upload_bytes());
  batch.fill(one.data());
  batch.fill_head(other.data());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < batch.size(); i += 4) batch.fill_sample(other.data(), i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(one, other);
}

TEST(JpegBatch, AllocatesNothingOnceWarm) {
  Prepared all(10);
  JpegBatch batch;
  std::vector<std::byte> upload;
  const auto round = [&] {
    batch.clear();
    for (std::size_t i = 0; i < all.files.size(); ++i) {
      if (!all.plan(i) || !batch.add(all.plans[i], all.files[i], {nullptr, 0})) return false;
    }
    upload.resize(batch.upload_bytes());
    batch.fill(upload.data());
    return true;
  };
  ASSERT_TRUE(round());
  const std::uint64_t before = testing::allocations();
  ASSERT_TRUE(round());
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace batch_test
}  // namespace sluice::device
