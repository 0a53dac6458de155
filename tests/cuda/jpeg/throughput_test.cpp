// Measures how quickly photographs are decoded. It checks nothing. Times of the stand-in would mean
// nothing, so it is for GPUs only.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/packed_files.h"
#include "tests/io/corpus.h"
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/synchronize.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <new>

namespace sluice::device {
namespace throughput_test {

using JpegFilesOnDevice = JpegCorpus;

// Seconds of one call of `work` on the stream, from the second on.
double seconds_of(DeviceStream& stream, DeviceEvent& event, const std::function<void()>& work) {
  constexpr int kTimes = 8;
  std::chrono::steady_clock::time_point begin;
  for (int i = 0; i <= kTimes; ++i) {
    if (i == 1) begin = std::chrono::steady_clock::now();
    work();
    if (i != 0 && i != kTimes) continue;
    stream.record(event);
    while (!event.over()) {
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kTimes;
}

// A batch to measure: whole images or regions, of files that an index knows or not, or of packed
// JPEGs.
struct Measured {
  std::size_t count;
  bool regions, indexed, packed;
};

void measure(Device& device, const std::vector<File>& files, const Measured& what) {
  struct Planned {
    const File& file;
    JpegPlan plan = {};
  };
  std::deque<Planned> all_planned;
  JpegBatch batch;
  std::vector<std::optional<JpegIndexEntry>> entries(files.size());
  for (std::size_t i = 0; what.indexed && i < files.size(); ++i) entries[i] = learnt(files[i]);
  std::size_t pixel_bytes = 0;
  double plan_seconds = 0;
  for (std::size_t i = 0; i < what.count; ++i) {
    const File& file = files[i % files.size()];
    const JpegHeader header = peek_jpeg(file);
    const int height = header.oriented_height(), width = header.oriented_width();
    const Rectangle middle{height / 6, width / 6, height * 2 / 3, width * 2 / 3};
    const auto region = what.regions ? std::optional<Rectangle>(middle) : std::nullopt;
    const auto& entry = entries[i % files.size()];
    JpegPlan& plan = all_planned.emplace_back(Planned{file}).plan;
    // The second time, all memory that it needs is allocated.
    static_cast<void>(plan.make(file, header, entry ? &*entry : nullptr, region));
    const auto begin = std::chrono::steady_clock::now();
    const bool taken = plan.make(file, header, entry ? &*entry : nullptr, region);
    plan_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!taken || plan.segments().empty() == (what.indexed || what.packed)) {
      all_planned.pop_back();
      continue;
    }
    pixel_bytes += static_cast<std::size_t>(plan.out_height() * plan.out_width() * 3 + 256);
  }
  const Memory pixels(device.memory(), pixel_bytes);
  auto* at = reinterpret_cast<std::uint8_t*>(pixels.get());
  for (const Planned& planned : all_planned) {
    const int row_bytes = planned.plan.out_width() * 3;
    batch.add(planned.plan, planned.file, {at, row_bytes});
    at += (planned.plan.out_height() * row_bytes + 255) / 256 * 256;
  }
  const Memory upload(device.pinned(), batch.upload_bytes());
  const Memory uploaded(device.memory(), batch.upload_bytes());
  const Memory scratch(device.memory(), batch.scratch_bytes());
  const Memory damage(device.pinned(), 4 * batch.size());
  auto* words = reinterpret_cast<std::uint32_t*>(damage.get());
  batch.fill(upload.get());
  const auto begin = std::chrono::steady_clock::now();
  batch.fill(upload.get());
  const double fill_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const JpegBatch::Memory memory{upload.get(), uploaded.get(), scratch.get(), words};
  const JpegLaunch launch = batch.arguments(memory);
  const auto stream = device.make_stream();
  const auto event = device.make_event();
  const auto time = [&](const std::function<void()>& work) {
    return 1e6 * seconds_of(*stream, *event, work) / static_cast<double>(batch.size());
  };
  const auto time_kernel = [&](const Kernel& kernel) {
    return time([&] { stream->launch(kernel, std::as_bytes(std::span(&launch, 1))); });
  };
  const double all = time([&] { batch.enqueue(*stream, memory); });
  const double up = time([&] { batch.enqueue_upload(*stream, memory); });
  const double decode = time([&] { batch.enqueue_decode(*stream, memory); });
  const double clear = time([&] { stream->fill(scratch.get(), 0, launch.planes_at); });
  // Each kernel uses the results of the one before.
  const double guess = time_kernel(kJpegSynchronize);
  const double synchronize = time([&] {
    stream->launch(kJpegSynchronize, std::as_bytes(std::span(&launch, 1)));
    for (int i = 0; i < kJpegMoreLaunches; ++i)
      stream->launch(kJpegSynchronizeMore, std::as_bytes(std::span(&launch, 1)));
  });
  const double starts = time_kernel(kJpegFindStarts);
  const double codes = time_kernel(kJpegCodes), unindexed = time_kernel(kJpegHuffmanUnindexed);
  const double huffman = time_kernel(what.packed ? kJpegTokens : kJpegHuffman),
               dct = time_kernel(kJpegInverseDct);
  const double color = time_kernel(kJpegPixels);
  const auto damaged = std::count_if(words, words + batch.size(), [](auto w) { return w != 0; });
  std::printf(
      "%4zu %s%s: %.0f/s; us each: all %.3f, upload %.3f (%.1f KB), decoding %.3f: clear %.3f, "
      "codes %.3f, huffman or tokens %.3f, inverse dct %.3f, pixels %.3f; %ld damaged; on the "
      "host: plan "
      "%.1f, fill %.1f\n",
      batch.size(), what.regions ? "regions" : "images",
      what.packed    ? ", packed"
      : what.indexed ? ""
                     : ", no index",
      1e6 / all, all, up,
      static_cast<double>(batch.upload_bytes()) / 1e3 / static_cast<double>(batch.size()), decode,
      clear, codes, what.indexed || what.packed ? huffman : unindexed, dct, color,
      static_cast<long>(damaged), 1e6 * plan_seconds / static_cast<double>(batch.size()),
      1e6 * fill_seconds / static_cast<double>(batch.size()));
  if (what.indexed || what.packed) return;
  std::printf(
      "     before huffman: synchronize %.3f, of it the first launch %.3f; find starts %.3f\n",
      synchronize, guess, starts);
}

TEST_F(JpegFilesOnDevice, HowFast) {
  if (!on_gpu()) GTEST_SKIP() << "this measures a GPU: SLUICE_TEST_DEVICE is not set";
  const auto device = test_device();
  const std::vector<File> files = photos();
  const File words = dictionary_of({files.begin(), files.begin() + 12});
  std::vector<File> packs;
  for (const File& file : files) {
    if (JpegCoefficients::read(file)) packs.push_back(packed(file, words));
  }
  struct Kind {
    bool indexed, packed;
  };
  for (const std::size_t count : {16u, 64u, 256u, 1024u}) {
    for (const Kind& kind : {Kind{true, false}, Kind{false, false}, Kind{false, true}}) {
      for (const bool regions : {false, true}) {
        try {
          measure(*device, kind.packed ? packs : files,
                  {count, regions, kind.indexed, kind.packed});
        } catch (const std::bad_alloc&) {
          std::printf("%zu: the device has too little memory\n", count);
        }
      }
    }
  }
}

}  // namespace throughput_test
}  // namespace sluice::device
