// Files that the device fetches itself: which ones, that they end up in memory it can access, and
// that pixels are the same.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/cuda/test_device.h"
#include <sluice/cuda/device_view.h>
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace fetch_test {

constexpr std::int64_t kFiles = 12;

File file_of(std::int64_t i) {
  return encode_test_jpeg(kSamplings[i % 5], 60 + static_cast<int>(i) * 7, 90, 80,
                          static_cast<int>(i % 3) * 4, static_cast<std::uint64_t>(i), i % 2 == 0);
}

TEST(JpegFetch, TakesFilesThatTheDeviceReadsInWholeLines) {
  const std::shared_ptr<Device> device = test_device();
  const File file = file_of(0);
  const auto entry = learnt(file);
  const Memory pinned(device->pinned(), file.size() + 64), own(host_memory(), file.size() + 64);
  struct Case {
    const char* name;
    const Memory& memory;
    std::size_t offset;
    bool fetched;
  };
  const Case cases[] = {{"pinned", pinned, 0, true},
                        {"pinned, at a line", pinned, 48, true},
                        {"pinned, between lines", pinned, 8, false},
                        {"of the host", own, 0, false}};
  for (const Case& c : cases) {
    auto* const at = reinterpret_cast<std::uint8_t*>(c.memory.get() + c.offset);
    std::memcpy(at, file.data(), file.size());
    const std::span<const std::uint8_t> there(at, file.size());
    for (const JpegIndexEntry* known :
         {entry ? &*entry : nullptr, (const JpegIndexEntry*)nullptr}) {
      JpegPlan plan;
      ASSERT_TRUE(plan.make(there, peek_jpeg(there), known, std::nullopt)) << plan.refusal();
      EXPECT_EQ(plan.fetch(there, *device), c.fetched) << c.name;
      EXPECT_EQ(plan.sample().fetched > 0, c.fetched) << c.name;
    }
  }
  EXPECT_FALSE(device->reads(pinned.get(), 0));
}

// The stand-in knows which memory is pinned, and when it is gone.
TEST(JpegFetch, PinnedMemoryThatIsGoneIsAnErrorOfTheWork) {
  struct Arguments {
    const std::byte* from;
  };
  const Kernel reads{"reads", [](const void* arguments) {
                       (void)*pinned_view(static_cast<const Arguments*>(arguments)->from, 16);
                     }};
  for (const bool gone : {false, true}) {
    HostDevice device({.manual = true});
    auto pinned = std::make_unique<Memory>(device.pinned(), 64);
    const Arguments arguments{pinned->get() + 48};
    const auto stream = device.make_stream();
    const auto event = device.make_event();
    stream->launch(reads, std::as_bytes(std::span(&arguments, 1)));
    stream->record(*event);
    if (gone) pinned.reset();
    while (device.step(0)) {
    }
    if (gone) {
      EXPECT_THROW((void)event->over(), DeviceError);
    } else {
      EXPECT_TRUE(event->over());
    }
  }
}

struct Way {
  const char* name;
  bool copies;  // the source makes the bytes; otherwise, they are views
  bool waits;   // the source blocks: on a thread of its own
  bool indexed;
  bool fetched;
};

template <class Function>
struct Waiting {
  static constexpr bool blocks = true;
  Function one;
  std::int64_t size() const { return kFiles; }
  std::string name(std::int64_t i) const { return std::to_string(i); }
  Bytes operator()(const SampleInfo& info) const { return one(info); }
};

// Returns the images, and sets the number of times that files were fetched: by a kernel with an
// index, by copies without one.
std::vector<Image> decode_all(const Way& way, bool on_device, int& fetches) {
  const auto index = way.indexed ? JpegIndex::in_memory() : nullptr;
  std::vector<File> all;
  for (std::int64_t i = 0; i < kFiles; ++i) {
    all.push_back(file_of(i));
    if (index != nullptr) (void)learn_jpeg(all.back(), *index);
  }
  std::atomic<int> seen{0};
  HostDevice::Options how;
  how.before = [&](const HostDevice::Call& call) {
    const bool by_kernel = std::strcmp(call.kernel, "jpeg fetch") == 0;
    if (by_kernel || std::strcmp(call.what, "copy_all") == 0) ++seen;
    EXPECT_TRUE(way.indexed || !by_kernel);
  };
  PipelineOptions options{.batch_size = 4, .threads = 2};
  if (on_device) options.device = std::make_shared<HostDevice>(std::move(how));
  const auto one = [&all, &way, index](const SampleInfo& info) {
    const File& of = all[static_cast<std::size_t>(info.index_in_epoch)];
    Bytes bytes = way.copies ? Bytes::copy_of(of) : Bytes::view_of(of);
    bytes.set_index(index);
    return bytes;
  };
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto file = way.waits ? g.read(Waiting<decltype(one)>{one}) : g.source(kFiles, one);
    if (!on_device) return decode_jpeg(file);
    return decode_jpeg(file.gpu()).cpu();
  });
  std::vector<Image> images;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_TRUE(batch.errors().empty());
      for (std::size_t i = 0; i < batch.size(); ++i) images.push_back(batch.get<0>()[i].clone());
    }
  }
  fetches = seen;
  return images;
}

TEST(JpegFetch, WhatSourcesMakeLiesWhereTheDeviceReadsIt) {
  const Way ways[] = {{"made, index", true, false, true, true},
                      {"made, no index", true, false, false, true},
                      {"made on another thread", true, true, true, true},
                      {"shown, index", false, false, true, false},
                      {"shown, no index", false, false, false, false}};
  for (const Way& way : ways) {
    int fetches = 0;
    const std::vector<Image> expected = decode_all(way, false, fetches);
    const std::vector<Image> actual = decode_all(way, true, fetches);
    EXPECT_EQ(fetches > 0, way.fetched) << way.name;
    ASSERT_EQ(actual.size(), expected.size()) << way.name;
    for (std::size_t i = 0; i < actual.size(); ++i)
      EXPECT_TRUE(actual[i] == expected[i]) << way.name << ", " << i;
  }
}

// For every way in which a file comes to the decoder; only files are put there.
TEST(JpegFetch, FilesAreWhereTheDeviceReadsThemWhicheverWayTheyCome) {
  struct Row {
    const char* name;
    Value<Bytes> (*come)(Graph& g, Value<Bytes> a, Value<Bytes> b);
  };
  const Row rows[] = {
      {"one", [](Graph&, Value<Bytes> a, Value<Bytes>) { return a; }},
      {"either",
       [](Graph& g, Value<Bytes> a, Value<Bytes> b) {
         return g.if_else(
             g.coin_flip(0.5f), [&] { return a; }, [&] { return b; });
       }},
      {"a loop's",
       [](Graph& g, Value<Bytes> a, Value<Bytes> b) {
         return g.for_loop(2, a, [&](Value<std::int64_t>, Value<Bytes>) {
           return g.map(
               "copy", [](const Bytes& of) { return Bytes::copy_of(of); }, b);
         });
       }},
  };
  for (const Row& row : rows) {
    const auto device = std::make_shared<HostDevice>();
    std::atomic<int> read{0}, others{0};
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .device = device}, [&](Graph& g) {
      const auto made = [](const SampleInfo& info) {
        return Bytes::copy_of(file_of(info.index_in_epoch));
      };
      auto file = row.come(g, g.source(kFiles, made), g.source(kFiles, made));
      auto region = g.map(
          "region",
          [&](const Bytes& of) {
            read += device->reads(of.data(), of.size()) ? 1 : 0;
            const Bytes scratch(100);
            others += device->reads(scratch.data(), scratch.size()) ? 1 : 0;
            return Rectangle{0, 0, 20, 20};
          },
          file);
      return decode_jpeg(file.gpu(), region).cpu();
    });
    for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty()) << row.name;
    EXPECT_EQ(read, kFiles) << row.name;
    EXPECT_EQ(others, 0) << row.name;
  }
}

}  // namespace fetch_test
}  // namespace sluice::device
