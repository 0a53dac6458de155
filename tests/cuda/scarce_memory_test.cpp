// A device with less memory than the started samples would take: they wait for each other, and only
// one that is too large by itself is lost. If a step's result is larger than
// PipelineOptions::max_image_bytes, its sample fails before memory is taken. This holds on the host
// and on a device.
#include "tests/cuda/test_device.h"
#include "tests/ops/kernels/reference.h"
#include "tests/tried.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace scarce_memory_test {

constexpr std::int64_t kSamples = 60;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Image drawn(std::int64_t i, int side) {
  Image image(side, side, 3);
  for (int y = 0; y < side; ++y)
    std::memset(image.row(y), static_cast<int>((i * 7 + y) & 255), image.row_bytes());
  return image;
}

struct Made {
  std::vector<std::pair<std::int64_t, std::vector<std::uint8_t>>> images;
  std::vector<SampleError> errors;
};

Made epoch_of(Pipeline<Image>& pipeline) {
  Made made;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Image image = batch.get<0>()[i];
      made.images.emplace_back(
          batch.ids()[i], std::vector<std::uint8_t>(
                              image.data(), image.data() + image.height() * image.row_bytes()));
    }
    made.errors.insert(made.errors.end(), batch.errors().begin(), batch.errors().end());
  }
  return made;
}

// Images of `side`, and one of `large` in the middle.
Made make(const std::shared_ptr<Device>& device, std::int64_t most, int side, int large,
          int threads) {
  auto pipeline = make_pipeline(
      {.batch_size = 4,
       .seed = 3,
       .threads = threads,
       .device = device,
       .max_device_bytes = most,
       .on_error = OnError::skip},
      [&](Graph& g) {
        auto number =
            g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
        auto image = g.map(
            "draw", [=](std::int64_t i) { return drawn(i, i == kSamples / 2 ? large : side); },
            number);
        const bool there = device != nullptr;
        auto placed = there ? image.gpu() : image;
        auto small = resize(invert(placed), {.height = 10, .width = 20});
        return there ? small.cpu() : small;
      });
  return epoch_of(pipeline);
}

TEST(ScarceMemory, SamplesWaitForEachOther) {
  // 60 images of 0.75 MB with their results take some 90 MB. Device batches keep up to 16 MB.
  constexpr int kSide = 512;
  const Made expected = make(nullptr, 0, kSide, kSide, 2);
  ASSERT_EQ(expected.images.size(), static_cast<std::size_t>(kSamples));
  for (const std::int64_t most : {24 * kMiB, 60 * kMiB}) {
    for (const int threads : {1, 3}) {
      testing::tried("gpu-memory");
      const Made made = make(test_device(), most, kSide, kSide, threads);
      EXPECT_TRUE(made.errors.empty())
          << most << ": " << made.errors.size() << ", " << made.errors.front().what;
      EXPECT_TRUE(made.images == expected.images) << most;
    }
  }
}

// One sample's refused request says nothing about the others.
TEST(ScarceMemory, OneThatIsTooLargeDoesNotMakeDeviceBatchesSmall) {
  auto pipeline =
      make_pipeline({.batch_size = 16,
                     .threads = 2,
                     .device = test_device(),
                     .max_device_bytes = 24 * kMiB,
                     .on_error = OnError::skip},
                    [&](Graph& g) {
                      auto side = g.source(4 * kSamples, [](const SampleInfo& info) {
                        return info.epoch == 0 && info.index_in_epoch == 0 ? 4000 : 16;
                      });
                      auto image = g.map(
                          "draw", [](int pixels) { return drawn(0, pixels); }, side);
                      return resize(invert(image.gpu()), {.height = 10, .width = 20}).cpu();
                    });
  std::int64_t batches = 0, samples = 0;
  std::size_t lost = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (const auto& batch : pipeline.epoch()) lost += batch.errors().size();
    const DeviceStats now = pipeline.stats().device;
    if (epoch == 0) {
      batches = now.batches;
      samples = now.samples;
    } else if (epoch == 3) {
      EXPECT_LT(now.batches - batches, now.samples - samples);
    }
  }
  EXPECT_EQ(lost, 1u);
}

// Several device batches, one after the other: each keeps some memory while it is idle, and another
// one needs it.
TEST(ScarceMemory, WhatIdleDeviceBatchesKeepIsGivenToThoseThatWait) {
  const auto run = [](const std::shared_ptr<Device>& device, std::int64_t most, int threads) {
    auto pipeline =
        make_pipeline({.batch_size = 4,
                       .threads = threads,
                       .window = 8,
                       .device = device,
                       .max_device_bytes = most,
                       .on_error = OnError::skip},
                      [&](Graph& g) {
                        auto number = g.source(
                            kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
                        auto image = g.map(
                            "draw", [=](std::int64_t i) { return drawn(i, 256); }, number);
                        const bool there = device != nullptr;
                        auto placed = there ? image.gpu() : image;
                        for (int i = 0; i < 4; ++i) {  // each filter ends a device batch
                          g.filter(mean(placed) < 1000.f);
                          placed = invert(placed);
                        }
                        auto small = resize(placed, {.height = 10, .width = 20});
                        return there ? small.cpu() : small;
                      });
    return epoch_of(pipeline);
  };
  const Made expected = run(nullptr, 0, 2);
  ASSERT_EQ(expected.images.size(), static_cast<std::size_t>(kSamples));
  for (const int threads : {1, 3}) {
    const std::int64_t most = threads == 1 ? 12 * kMiB : 20 * kMiB;
    const Made made = run(test_device(), most, threads);
    EXPECT_TRUE(made.errors.empty())
        << most << ": " << made.errors.size() << ", " << made.errors.front().what;
    EXPECT_TRUE(made.images == expected.images) << most;
  }
}

TEST(ScarceMemory, OneThatIsTooLargeCostsItself) {
  const Made made = make(test_device(), 48 * kMiB, 256, 3000, 2);
  EXPECT_EQ(made.images.size(), static_cast<std::size_t>(kSamples - 1));
  ASSERT_EQ(made.errors.size(), 1U);
  EXPECT_EQ(made.errors.front().key.index, kSamples / 2);
  EXPECT_NE(made.errors.front().what.find("max_device_bytes"), std::string::npos)
      << made.errors.front().what;
}

}  // namespace scarce_memory_test
}  // namespace sluice::device

namespace sluice::device {
namespace size_limit_test {

constexpr std::int64_t kBytes = 8000;  // an image of 40 x 50 x 3 has 6000

// Returns the pipeline's result for the image, which lies on the device or not.
using Change = std::function<Value<Tensor>(Graph&, const Value<Image>&, bool there)>;
struct Case {
  std::string step;
  Change change;
  bool on_device = true;
};

template <class T>
Value<T> back(const Value<T>& value, bool there) {
  return there ? value.cpu() : value;
}
template <class F>
Change image_case(F f) {
  return [f](Graph& g, const Value<Image>& image, bool there) {
    return g.map(
        "as_tensor", [](const Image& in) { return in.tensor().clone(); }, back(f(g, image), there));
  };
}
template <class F>
Change tensor_case(F f) {
  return [f](Graph& g, const Value<Image>& image, bool there) { return back(f(g, image), there); };
}

std::vector<Case> cases() {
  const auto size = [](Graph& g) { return cast<std::int32_t>(g.uniform(200.f, 201.f)); };
  return {
      {"resize", image_case([=](Graph& g, Value<Image> image) {
         return resize(image, {.height = size(g), .width = size(g)});
       })},
      {"resize",
       image_case([](Graph&, Value<Image> image) { return resize(image, {.shorter = 200}); })},
      {"resize",
       image_case([](Graph&, Value<Image> image) { return resize(image, {.height = 200}); })},
      {"resize", image_case([](Graph&, Value<Image> image) {
         // The result does not depend on whether the image between the two is made.
         return crop(resize(image, {.height = 200, .width = 200}), Rectangle{0, 0, 9, 9});
       })},
      {"rotate", image_case([](Graph& g, Value<Image> image) {
         return rotate(image, g.uniform(44.f, 46.f));
       })},
      {"pad_image", image_case([=](Graph& g, Value<Image> image) {
         return pad_image(image, {.left = size(g)});
       })},
      {"expand",
       image_case([](Graph&, Value<Image> image) { return expand(image, {.ratio = 3.f}); })},
      {"crop_padded", image_case([](Graph&, Value<Image> image) {
         return crop(image, Rectangle{-50, -50, 100, 100}, {.out_of_bounds = OutOfBounds::pad});
       })},
      {"warp_affine", image_case([=](Graph& g, Value<Image> image) {
         return warp_affine(image, {}, {.height = size(g), .width = size(g)});
       })},
      {"warp_perspective", image_case([=](Graph& g, Value<Image> image) {
         return warp_perspective(image, {}, {.height = size(g), .width = size(g)});
       })},
      {"grayscale", image_case([](Graph&, Value<Image> image) {
         return grayscale(pad_image(grayscale(image), {.right = 50}), {.channels = 3});
       })},
      {"crop_mirror_normalize", tensor_case([](Graph&, Value<Image> image) {
         return crop_mirror_normalize(image, {.dtype = DType::f16});
       })},
      {"stack", tensor_case([](Graph&, Value<Image> image) {
         return stack({image, image});
       }),
       false},
      {"cat", tensor_case([](Graph&, Value<Image> image) {
         const Value<Tensor> small = crop_mirror_normalize(image, {.dtype = DType::u8});
         return cat(small, small);
       }),
       false},
      {"pad_tensor", tensor_case([](Graph&, Value<Image> image) {
         const Value<Tensor> small = crop_mirror_normalize(image, {.dtype = DType::u8});
         return pad_tensor(small, {{.axis = 0, .length = 5}});
       }),
       false},
      {"one_hot", tensor_case([](Graph& g, const Value<Image>& image) {
         const auto label = g.map(
             "label", [](const Image& in) { return std::int64_t{in.width()}; }, image);
         return one_hot(label, {.classes = 3000});
       }),
       false},
      {"of the user", tensor_case([](Graph& g, const Value<Image>& image) {
         return g.map(
             "of the user",
             [](const Image&) {
               return Tensor({100, 100}, DType::u8);
             },
             image);
       }),
       false},
  };
}

struct Outcome {
  std::vector<SampleError> errors;
  std::size_t delivered = 0;
};

Outcome run(const Change& change, bool there, std::int64_t most) {
  auto pipeline = make_pipeline({.batch_size = 2,
                                 .threads = 1,
                                 .prefetch = 0,
                                 .device = there ? test_device() : nullptr,
                                 .max_image_bytes = most,
                                 .on_error = OnError::skip},
                                [&](Graph& g) {
                                  const auto image = g.source(2, [](const SampleInfo&) {
                                    return testing::make_image(40, 50, 3, 7);
                                  });
                                  return change(g, there ? image.gpu() : image, there);
                                });
  Outcome outcome;
  for (const auto& batch : pipeline.epoch()) {
    outcome.delivered += batch.size();
    for (const SampleError& error : batch.errors()) outcome.errors.push_back(error);
  }
  return outcome;
}

TEST(SizeLimit, WhatIsLargerIsTheSamplesError) {
  for (const bool there : {false, true}) {
    for (const Case& one : cases()) {
      if (there && !one.on_device) continue;
      SCOPED_TRACE(one.step + (there ? " on the device" : " on the host"));
      const Outcome outcome = run(one.change, there, kBytes);
      EXPECT_EQ(outcome.delivered, 0u);
      ASSERT_EQ(outcome.errors.size(), 2u);
      const SampleError& error = outcome.errors.front();
      EXPECT_EQ(error.step.substr(0, error.step.find('#')), one.step);
      EXPECT_EQ(error.what.rfind(one.step + ": a value of shape (", 0), 0u) << error.what;
      EXPECT_NE(error.what.find("expected at most max_image_bytes = 8000"), std::string::npos)
          << error.what;
      EXPECT_EQ(run(one.change, there, 1 << 20).errors.size(), 0u);
    }
  }
}

TEST(SizeLimit, InspectGivesTheSameError) {
  auto pipeline = make_pipeline({.max_image_bytes = kBytes}, [](Graph& g) {
    const auto image =
        g.source(2, [](const SampleInfo&) { return testing::make_image(40, 50, 3, 7); });
    return crop(resize(image, {.height = 200, .width = 200}), Rectangle{0, 0, 9, 9});
  });
  const Inspection sample = pipeline.inspect(0);
  ASSERT_NE(sample.error(), nullptr);
  EXPECT_EQ(sample.error()->what,
            "resize: a value of shape (200, 200, 3) and type u8 is too large (got 120000 bytes, "
            "expected at most max_image_bytes = 8000); ask for a smaller one, or raise "
            "max_image_bytes");
}

// A file of 65500 x 1 pixels has 17 KB. Rotated by 45 degrees, the image would have 6.4 GB.
TEST(SizeLimit, ASmallFileAsksForNoGigabytes) {
  const auto bytes = std::make_shared<Bytes>(encode_jpeg(Image(1, 65500, 3)));
  ASSERT_LT(bytes->size(), std::size_t{1} << 18);
  const std::vector<std::pair<std::string, Change>> changes = {
      {"rotate", image_case([](Graph& g, Value<Image> image) {
         return rotate(image, g.uniform(44.f, 46.f));
       })},
      {"resize", image_case([](Graph&, Value<Image> image) {
         return resize(image, {.height = 40000, .width = 65000});
       })},
      {"expand", image_case([](Graph&, Value<Image> image) {
         return pad_image(expand(image, {.ratio = 1.f}), {.top = 30000});
       })}};
  for (const bool there : {false, true}) {
    for (const auto& [step, change] : changes) {
      SCOPED_TRACE(step + (there ? " on the device" : " on the host"));
      auto pipeline = make_pipeline({.threads = 1,
                                     .prefetch = 0,
                                     .device = there ? test_device() : nullptr,
                                     .on_error = OnError::skip},
                                    [&, &change = change](Graph& g) {
                                      const auto file = g.source(1, [bytes](const SampleInfo&) {
                                        return Bytes::copy_of(*bytes);
                                      });
                                      const auto image = decode_jpeg(file);
                                      return change(g, there ? image.gpu() : image, there);
                                    });
      for (const auto& batch : pipeline.epoch()) {
        ASSERT_EQ(batch.errors().size(), 1u);
        EXPECT_NE(batch.errors()[0].what.find("max_image_bytes = 536870912"), std::string::npos)
            << batch.errors()[0].what;
      }
      const Stats stats = pipeline.stats();
      EXPECT_LT(stats.memory.bytes_peak, std::size_t{4} << 20);
      EXPECT_LT(stats.device.memory.bytes_peak, std::size_t{16} << 20);
    }
  }
}

}  // namespace size_limit_test
}  // namespace sluice::device
