// Pipelines whose steps run on a device: the samples equal those of the same pipeline on the host,
// bit for bit.
#include "tests/cuda/jpeg/test_files.h"
#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace pipeline_test {

constexpr std::int64_t kSamples = 40;

Value<Image> drawn(Graph& g) {
  return g.map(
      "draw",
      [](std::int64_t i) {
        const int n = static_cast<int>(i);
        return draw_image(20 + n % 7 * 9, 30 + n % 5 * 11, 1 + n % 4,
                          static_cast<std::uint64_t>(i));
      },
      g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
}
Value<Image> there(Value<Image> image, bool move) { return move ? image.gpu() : image; }
template <class T>
Value<T> back(Value<T> value, bool move) {
  return move ? value.cpu() : value;
}

// The same program on the host and on the device.
using Program = std::function<Value<Tensor>(Graph&, bool move)>;
Value<Tensor> as_tensor(Graph& g, Value<Image> image) {
  return g.map(
      "as_tensor", [](const Image& in) { return in.clone().tensor().clone(); }, image);
}

std::vector<Tensor> run(const Program& program, bool move, PipelineOptions options) {
  if (move) options.device = test_device();
  auto pipeline = make_pipeline(options, [&](Graph& g) { return program(g, move); });
  std::vector<Tensor> all;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_TRUE(batch.errors().empty());
    for (std::size_t i = 0; i < batch.size(); ++i) all.push_back(batch.get<0>()[i].clone());
  }
  return all;
}

const std::vector<std::pair<std::string, Program>>& programs() {
  static const std::vector<std::pair<std::string, Program>> all{
      {"there and back",
       [](Graph& g, bool move) { return as_tensor(g, back(there(drawn(g), move), move)); }},
      {"flip by a value",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         return as_tensor(
             g, back(flip(image, {.horizontal = g.coin_flip(0.5f), .vertical = g.coin_flip(0.5f)}),
                     move));
       }},
      {"a chain",
       [](Graph& g, bool move) {
         auto image = resize(there(drawn(g), move), {.shorter = 33});
         image = rotate(image, g.uniform(-30.f, 30.f), {.fill = 9});
         image = brightness_contrast(image, {.brightness = g.uniform(0.5f, 1.5f)});
         image = center_crop(image, {.height = 20, .width = 16});
         return as_tensor(g, back(invert(image), move));
       }},
      {"a choice on the device",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         auto angle = g.uniform(10.f, 30.f);
         auto turned = g.if_else(
             g.coin_flip(0.4f), [&] { return rotate(image, angle); }, [&] { return image; });
         return as_tensor(g, back(resize(turned, {.height = 24, .width = 24}), move));
       }},
      {"C36: back from the device in both branches",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         auto one = g.if_else(
             g.coin_flip(0.5f), [&] { return back(flip(image), move); },
             [&] { return back(image, move); });
         return as_tensor(g, one);
       }},
      {"C39: chosen on the host, used on the device",
       [](Graph& g, bool move) {
         auto image = drawn(g);
         auto one = g.if_else(
             g.coin_flip(0.5f), [&] { return invert(image); }, [&] { return image; });
         return as_tensor(g, back(flip(there(one, move)), move));
       }},
      {"C20: one branch goes there",
       [](Graph& g, bool move) {
         auto image = drawn(g);
         auto one = g.select(
             g.random("branch", [](Random& r) { return r.below(3); }),
             [&] { return back(flip(there(image, move)), move); }, [&] { return invert(image); },
             [&] { return back(invert(there(image, move)), move); });
         return as_tensor(g, one);
       }},
      {"a loop on the device",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         auto turned = g.for_loop(
             g.random("n", [](Random& r) { return r.below(4); }), image,
             [&](Value<std::int64_t>, Value<Image> state) { return rotate(state, 90.f); });
         return as_tensor(g, back(turned, move));
       }},
      {"normalized",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         return back(resize_mirror_normalize(image, {.height = 13,
                                                     .width = 17,
                                                     .mirror = g.coin_flip(0.5f),
                                                     .mean = {0.3f, 0.3f, 0.3f, 0.4f},
                                                     .std = {0.2f, 0.2f, 0.2f, 0.3f},
                                                     .dtype = DType::f16}),
                     move);
       }},
      {"cut and normalized",
       [](Graph& g, bool move) {
         return back(crop_mirror_normalize(there(drawn(g), move),
                                           {.height = 8, .width = 9, .layout = Layout::hwc}),
                     move);
       }},
      {"cut, padded, u8",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         return back(crop_mirror_normalize(image, {.mirror = g.coin_flip(0.5f),
                                                   .dtype = DType::u8,
                                                   .layout = Layout::hwc,
                                                   .scale = 200,
                                                   .shift = 80,
                                                   .pad_output = true}),
                     move);
       }},
      {"resized, padded, i8",
       [](Graph& g, bool move) {
         auto image = there(drawn(g), move);
         return back(resize_mirror_normalize(image, {.height = 5,
                                                     .width = 12,
                                                     .mean = {0.5f, 0.5f, 0.5f, 0.2f},
                                                     .dtype = DType::i8,
                                                     .scale = 300,
                                                     .pad_output = true}),
                     move);
       }},
  };
  return all;
}

TEST(DevicePipeline, GivesWhatTheHostGives) {
  for (const auto& [name, program] : programs()) {
    const auto expected = run(program, false, {.batch_size = 7, .seed = 5, .threads = 1});
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(kSamples));
    for (const int threads : {1, 3}) {
      const auto actual = run(program, true, {.batch_size = 7, .seed = 5, .threads = threads});
      ASSERT_EQ(actual.size(), expected.size()) << name;
      for (std::size_t i = 0; i < actual.size(); ++i)
        EXPECT_TRUE(actual[i] == expected[i]) << name << ", sample " << i;
    }
  }
}

// Files of every kind that the device takes, and of some that it does not.
std::vector<Bytes> files(const std::shared_ptr<JpegIndex>& index) {
  std::vector<Bytes> all;
  for (const Sampling& sampling : kSamplings) {
    for (int i = 0; i < 6; ++i) {
      const File file =
          turned(encode_test_jpeg(sampling, 40 + 13 * i, 90 - 7 * i, 60 + 5 * i, i % 3 * 4,
                                  static_cast<std::uint64_t>(i), i % 2 == 0),
                 1 + i);
      Bytes bytes = Bytes::copy_of(file);
      bytes.set_index(index);
      all.push_back(std::move(bytes));
    }
  }
  return all;
}

Value<Image> decoded(Graph& g, const std::vector<Bytes>& all, bool move) {
  auto jpeg = g.source(static_cast<std::int64_t>(all.size()), [&all](const SampleInfo& info) {
    const Bytes& file = all[static_cast<std::size_t>(info.index_in_epoch)];
    Bytes view = Bytes::copy_of(file);
    view.set_index(file.index() != nullptr
                       ? std::shared_ptr<JpegIndex>(std::shared_ptr<void>(), file.index())
                       : nullptr);
    return view;
  });
  auto region = random_region(jpeg);
  return decode_jpeg(move ? jpeg.gpu() : jpeg, region);
}

// The device decodes files that the index in memory knows, and files that it does not know.
TEST(DevicePipeline, DecodesFilesAsTheHostDoes) {
  const auto index = JpegIndex::in_memory();
  const std::vector<Bytes> all = files(index);
  const auto samples_of = [&](bool move, std::int64_t epoch) {
    PipelineOptions options{.batch_size = 8, .seed = 3, .threads = 2, .profile = true};
    if (move) options.device = test_device();
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image = resize(decoded(g, all, move), {.height = 24, .width = 32});
      return move ? image.cpu() : image;
    });
    std::vector<Image> images;
    pipeline.reset(epoch);
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_TRUE(batch.errors().empty());
      for (std::size_t i = 0; i < batch.size(); ++i) images.push_back(batch.get<0>()[i].clone());
    }
    std::int64_t on_device = 0;
    for (const EventStats& event : pipeline.stats().events)
      on_device += event.name == "on_device" ? event.count : 0;
    return std::pair(std::move(images), on_device);
  };
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto [expected, none] = samples_of(false, epoch);
    const auto [actual, on_device] = samples_of(true, epoch);
    EXPECT_EQ(none, 0);
    EXPECT_GT(on_device, 8);
    ASSERT_EQ(expected.size(), all.size());
    ASSERT_EQ(actual.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(expected[i] == actual[i]) << "epoch " << epoch << ", file " << i;
  }
}

// In the first epoch, the host teaches the index. In the second, the device finds the files. Both
// use the hash that the bytes carry, whatever the bytes are.
TEST(DevicePipeline, FindsFilesByTheHashThatTheyCarry) {
  const auto index = JpegIndex::in_memory();
  const Bytes file =
      Bytes::copy_of(encode_test_jpeg(kSamplings[0], 60, 70, 80, 0, std::uint64_t{1}, false));
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .device = test_device()}, [&](Graph& g) {
        auto jpeg = g.source(4, [&](const SampleInfo&) {
          Bytes copy = Bytes::copy_of(file);
          copy.set_index(index, 5);
          return copy;
        });
        return decode_jpeg(jpeg.gpu(), Rectangle{8, 8, 20, 30}).cpu();
      });
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
    EXPECT_TRUE(index->find({5, file.size()}));
    EXPECT_EQ(index->files(), 1);
  }
  std::int64_t on_device = 0;
  for (const EventStats& event : pipeline.stats().events)
    on_device += event.name == "on_device" ? event.count : 0;
  EXPECT_GE(on_device, 4);
}

std::string refused(const std::function<void(Graph&)>& describe, bool with_device = true) {
  try {
    PipelineOptions options{.batch_size = 2};
    if (with_device) options.device = test_device();
    (void)make_pipeline(options, [&](Graph& g) {
      describe(g);
      return g.source(4, [](const SampleInfo& info) { return info.index_in_epoch; });
    });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "nothing";
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A fourth channel has no std here: the sample fails with the same message on the host and on the
// device.
TEST(DevicePipeline, NumbersThatCannotBeAreToldInTheSameWords) {
  const auto told = [](bool move, bool crops) {
    PipelineOptions options{.batch_size = 8, .on_error = OnError::skip};
    if (move) options.device = test_device();
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image = there(drawn(g), move);
      auto tensor =
          crops ? crop_mirror_normalize(image, {.height = 7, .width = 9, .std = {1, 1, 1}})
                : resize_mirror_normalize(image, {.height = 7, .width = 9, .std = {1, 1, 1}});
      return back(tensor, move);
    });
    std::vector<std::string> all;
    for (const auto& batch : pipeline.epoch()) {
      for (const SampleError& error : batch.errors()) all.push_back(to_string(error));
    }
    return all;
  };
  for (const bool crops : {false, true}) {
    EXPECT_EQ(told(true, crops), told(false, crops));
    EXPECT_EQ(told(true, crops).size(), static_cast<std::size_t>(kSamples / 4));
  }
}

Value<Bytes> source_of_files(Graph& g) {
  return g.source(4, [](const SampleInfo&) { return Bytes(1); });
}

TEST(DevicePipeline, WrongProgramsAreRefusedWhileTheyAreDescribed) {
  const struct {
    const char* says;
    std::function<void(Graph&)> describe;
  } cases[] = {
      {"a function that runs on the host",
       [](Graph& g) {
         g.map(
             "look", [](const Image& in) { return in.height(); }, drawn(g).gpu());
       }},
      {"'if_else': the result lies in host memory in the branch 'otherwise', but on the GPU in the "
       "branch 'then'; make both agree, by .gpu() of one, or .cpu() of an image or tensor",
       [](Graph& g) {
         auto image = drawn(g);
         g.if_else(
             g.coin_flip(0.5f), [&] { return image.gpu(); }, [&] { return image; });
       }},
      {"'if_else': the result lies on the GPU in the branch 'otherwise', but in host memory in the "
       "branch 'then'",
       [](Graph& g) {
         auto file = source_of_files(g);
         g.if_else(
             g.coin_flip(0.5f), [&] { return file; }, [&] { return file.gpu(); });
       }},
      {"as the body gives it",
       [](Graph& g) {
         g.for_loop(2, source_of_files(g),
                    [](Value<std::int64_t>, Value<Bytes> state) { return state.gpu(); });
       }},
      {"as it begins",
       [](Graph& g) {
         g.for_loop(2, drawn(g),
                    [](Value<std::int64_t>, Value<Image> state) { return state.gpu(); });
       }},
  };
  for (const auto& c : cases) EXPECT_TRUE(says(refused(c.describe), c.says)) << refused(c.describe);
  try {
    (void)make_pipeline({.batch_size = 2}, [](Graph& g) { return drawn(g).gpu().cpu(); });
    ADD_FAILURE();
  } catch (const BuildError& error) {
    EXPECT_TRUE(says(error.what(), "PipelineOptions::device")) << error.what();
  }
}

// A process with several devices has a pipeline for each. They may share threads and a dataset.
TEST(DevicePipeline, EachDeviceHasAPipelineOfItsOwn) {
  constexpr int kDevices = 3;
  constexpr std::int64_t kAll = 90;
  const auto threads = std::make_shared<ThreadPool>(2);
  std::vector<std::shared_ptr<HostDevice>> devices;
  std::vector<std::vector<std::int64_t>> delivered(kDevices);
  {
    std::vector<std::thread> consumers;
    for (int d = 0; d < kDevices; ++d) {
      HostDevice::Options how;
      how.index = d;
      devices.push_back(std::make_shared<HostDevice>(std::move(how)));
      consumers.emplace_back([&, d, device = devices.back()] {
        auto pipeline = make_pipeline(
            {.batch_size = 6, .thread_pool = threads, .device = device}, [&](Graph& g) {
              auto index = g.source(kAll, [](const SampleInfo& info) { return info.index; },
                                    {.sampler = {.shuffle = true, .shard = {d, kDevices}}});
              auto image = g.map(
                  "draw",
                  [](std::int64_t i) { return draw_image(8, 8, 3, static_cast<std::uint64_t>(i)); },
                  index);
              return std::tuple{invert(image.gpu()), index};
            });
        for (const auto& [images, numbers] : pipeline.epoch()) {
          EXPECT_EQ(images.place(), (MemoryPlace{MemoryKind::device, d}));
          const ImageBatch here = images.to_host();
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto drawn = draw_image(8, 8, 3, static_cast<std::uint64_t>(numbers[i]));
            EXPECT_EQ(here[i].at(7, 5, 1), 255 - drawn.at(7, 5, 1));
            delivered[static_cast<std::size_t>(d)].push_back(numbers[i]);
          }
        }
      });
    }
    for (std::thread& consumer : consumers) consumer.join();
  }
  std::vector<std::int64_t> all;
  for (const auto& some : delivered) {
    EXPECT_EQ(some.size(), static_cast<std::size_t>(kAll / kDevices));
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  for (std::int64_t i = 0; i < kAll; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
  for (const auto& device : devices) {
    EXPECT_EQ(device->violations(), std::vector<std::string>{});
    EXPECT_EQ(device->bytes_in_use(), 0u);
  }
}

TEST(DevicePipeline, ADeviceThatNoStepUsesIsToldOnce) {
  const auto told = [](const std::function<Value<Image>(Graph&)>& describe) {
    ::testing::internal::CaptureStderr();
    auto pipeline = make_pipeline({.batch_size = 2, .device = test_device()}, describe);
    (void)pipeline.epoch().next();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told([](Graph& g) { return drawn(g); }),
            "sluice: device is '" + test_device()->name() +
                "', but no step of the pipeline runs on a GPU: call .gpu() on a value, set "
                "deliver_on_device, or leave "
                "device out\n");
  EXPECT_EQ(told([](Graph& g) { return drawn(g).gpu(); }), "");
  EXPECT_EQ(told([](Graph& g) {  // it is not needed
              (void)drawn(g).gpu();
              return drawn(g);
            }),
            "");
}

TEST(DevicePipeline, ABoundForADeviceThatNobodyUsesIsRefused) {
  for (const bool given : {false, true}) {
    PipelineOptions options{.batch_size = 2, .max_device_bytes = 1 << 20};
    if (given) options.device = test_device();
    try {
      (void)make_pipeline(options, [](Graph& g) { return drawn(g); });
      ADD_FAILURE();
    } catch (const BuildError& error) {
      EXPECT_STREQ(error.what(),
                   "max_device_bytes is 1048576, but no step of the pipeline runs on a GPU: call "
                   ".gpu() on a value, or leave max_device_bytes out");
    }
  }
}

}  // namespace pipeline_test
}  // namespace sluice::device
