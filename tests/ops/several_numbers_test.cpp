// Parameters of several numbers that differ from sample to sample: each is a tensor.
#include "tests/cuda/test_device.h"
#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include "tests/ops/tensor_of.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/occlusion.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace several_numbers_test {

using testing::tensor_of;

constexpr int kSamples = 4;

Image image_of(int i) { return testing::make_image(12 + i, 17, 3, 5u + static_cast<unsigned>(i)); }

Tensor color(int i) {
  const auto level = static_cast<float>(40 * i);
  return tensor_of<float>({level, level + 20, level + 90});
}
Fill fill_of(int i) { return {40 * i, 40 * i + 20, 40 * i + 90}; }

Tensor means(int i) { return tensor_of<float>({0.1f * static_cast<float>(i), 0.5f, 0.25f}); }
Tensor deviations(int i) { return tensor_of<double>({0.25 + 0.125 * static_cast<double>(i)}); }
kernels::NormalizeParams normalized_by(int i) {
  const float std = 0.25f + 0.125f * static_cast<float>(i);
  return {.mean = {0.1f * static_cast<float>(i), 0.5f, 0.25f},
          .std = {std, std, std, std},
          .scale = static_cast<float>(1 + i),
          .shift = static_cast<float>(-i)};
}

template <class F>
auto values_of(Graph& g, const F& describe) {
  auto index = g.source(
      kSamples, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  return describe(index, g.map("image", image_of, index));
}

TEST(SeveralNumbers, OfEachSampleAreWhatTheKernelIsGiven) {
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    return values_of(g, [&](Value<int> index, Value<Image> image) {
      auto fill = g.map("color", color, index);
      auto number = cast<float>(index);
      return std::tuple{rotate(image, 30.f, {.keep_size = true, .fill = fill}),
                        erase(image, Rectangle{2, 3, 5, 6}, {.fill = fill}),
                        crop_mirror_normalize(image, {.mean = g.map("means", means, index),
                                                      .std = g.map("std", deviations, index),
                                                      .scale = number + 1.f,
                                                      .shift = -number})};
    });
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), std::size_t{kSamples});
  for (int i = 0; i < kSamples; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Image turned, erased;
    kernels::rotate(image_of(i), 30, {.keep_size = true, .fill = fill_of(i)}, turned);
    EXPECT_EQ(batch->get<0>()[k], turned) << i;
    kernels::erase(image_of(i), {2, 3, 5, 6}, fill_of(i), erased);
    EXPECT_EQ(batch->get<1>()[k], erased) << i;
    Tensor tensor;
    kernels::crop_mirror_normalize(image_of(i), {0, 0, 12 + i, 17}, normalized_by(i), tensor);
    EXPECT_EQ(batch->get<2>()[k], tensor) << i;
  }
}

// Operators that are fused read the same numbers.
TEST(SeveralNumbers, AreReadBySeveralOperatorsThatBecomeOne) {
  const auto run = [](bool one_by_one) {
    std::vector<Tensor> tensors;
    auto pipeline = make_pipeline({.batch_size = kSamples}, [&](Graph& g) {
      return values_of(g, [&](Value<int> index, Value<Image> image) {
        auto small = resize(image, {.height = 8, .width = 9});
        if (one_by_one)
          small = g.map(
              "as it is", [](const Image& in) { return in.clone(); }, small);
        return crop_mirror_normalize(
            small, {.mean = g.map("means", means, index), .std = g.map("std", deviations, index)});
      });
    });
    const auto batch = pipeline.epoch().next();
    for (std::size_t k = 0; k < batch->size(); ++k) tensors.push_back(batch->get<0>()[k].clone());
    return tensors;
  };
  const auto fused = run(false), apart = run(true);
  ASSERT_EQ(fused.size(), std::size_t{kSamples});
  EXPECT_EQ(fused, apart);
}

// Two warps with one fill become one. With a fill that is not known yet, they stay two.
TEST(SeveralNumbers, KeepWarpsApartThatWouldBeComposed) {
  const auto plan = [](bool constant) {
    const auto pipeline = make_pipeline({.compose = true}, [&](Graph& g) {
      return values_of(g, [&](Value<int> index, Value<Image> image) {
        const Param<Fill> fill = constant ? Param<Fill>(7) : g.map("color", color, index);
        return rotate(rotate(image, 10.f, {.fill = fill}), 20.f, {.fill = fill});
      });
    });
    return to_string(pipeline.plan());
  };
  EXPECT_NE(plan(true).find("[composed of"), std::string::npos);
  EXPECT_EQ(plan(false).find("[composed of"), std::string::npos);
}

TEST(SeveralNumbers, MayNotDifferForAnImageOfOneChannel) {
  const auto errors_of = [](int channels, const std::function<Param<Fill>(Graph&)>& fill) {
    auto pipeline = make_pipeline({.on_error = OnError::skip}, [&](Graph& g) {
      auto image =
          g.source(1, [=](const SampleInfo&) { return testing::make_image(6, 7, channels, 5); });
      return std::tuple{rotate(image, 30.f, {.fill = fill(g)}),
                        erase(image, Rectangle{1, 1, 2, 2}, {.fill = fill(g)})};
    });
    const auto batch = pipeline.epoch().next();
    return batch->errors().empty() ? std::string() : batch->errors()[0].what;
  };
  const auto constant = [](const Fill& fill) { return [=](Graph&) { return Param<Fill>(fill); }; };
  const auto computed = [](const std::vector<float>& numbers) {
    return [=](Graph& g) {
      return Param<Fill>(g.random("color", [=](Random&) {
        Tensor color({static_cast<std::int64_t>(numbers.size())}, DType::f32);
        std::copy(numbers.begin(), numbers.end(), color.data<float>());
        return color;
      }));
    };
  };
  const std::string three = "rotate: fill has 3 values but the image has 1 channel; pass one value";
  const std::string four = "rotate: fill has 4 values but the image has 1 channel; pass one value";
  const struct {
    int channels;
    std::function<Param<Fill>(Graph&)> fill;
    std::string error;
  } cases[] = {{1, constant({1, 2, 3}), three},
               {1, constant({1, 2, 3, 4}), four},
               {1, constant({200, 0, 0}), three},
               {1, constant({7, 7, 7, 8}), four},
               {1, computed({1, 2, 3}), three},
               {1, computed({1, 2, 3, 4}), four},
               {1, constant(0), ""},
               {1, constant(7), ""},
               {1, constant({7, 7, 7}), ""},
               {1, computed({7}), ""},
               {2, constant({1, 2, 3}), ""},
               {3, constant({1, 2, 3}), ""},
               {3, constant({1, 2, 3, 4}), ""},
               {4, computed({1, 2, 3, 4}), ""}};
  for (const auto& c : cases) EXPECT_EQ(errors_of(c.channels, c.fill), c.error) << c.channels;
}

TEST(SeveralNumbers, ThatCannotBeAreTheErrorOfTheirSample) {
  struct Case {
    std::function<Tensor()> make;
    std::string words;
  };
  const std::vector<Case> cases{
      {[] {
         return tensor_of<float>({1, 2});
       },
       "erase_region: fill is given a tensor of shape (2); give one dimension of 3 or 4 numbers, "
       "or one "
       "number for all"},
      {[] {
         return Tensor({1, 3}, DType::f32);
       },
       "erase_region: fill is given a tensor of shape (1, 3); give one dimension of 3 or 4 "
       "numbers, or "
       "one number for all"},
      {[] { return Tensor({0}, DType::f32); },
       "erase_region: fill is given a tensor of shape (0); give one dimension of 3 or 4 numbers, "
       "or one "
       "number for all"},
      {[] {
         return tensor_of<std::int16_t>({1, 300, 2});
       },
       "erase_region: fill[1] must lie between 0 and 255, not 300"},
      {[] { return tensor_of<float>({std::numeric_limits<float>::quiet_NaN()}); },
       "erase_region: fill[0] must lie between 0 and 255, not nan"},
      {[] { return Tensor({3}, DType::boolean); },
       "erase_region: fill is given a tensor of bool; give one of numbers"},
  };
  auto pipeline = make_pipeline({.batch_size = 16, .on_error = OnError::skip}, [&](Graph& g) {
    auto index = g.source(static_cast<std::int64_t>(cases.size()) + 1,
                          [](const SampleInfo& info) { return info.index_in_epoch; });
    auto fill = g.map(
        "color",
        [&](std::int64_t i) {
          const auto k = static_cast<std::size_t>(i);
          return k < cases.size() ? cases[k].make() : tensor_of<std::uint8_t>({9});
        },
        index);
    auto image = g.map(
        "image", [](std::int64_t) { return image_of(0); }, index);
    return erase(image, Rectangle{2, 3, 5, 6}, {.fill = fill});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 1u);
  Image expected;
  kernels::erase(image_of(0), {2, 3, 5, 6}, 9, expected);
  EXPECT_EQ(batch->get<0>()[0], expected);
  ASSERT_EQ(batch->errors().size(), cases.size());
  for (std::size_t k = 0; k < cases.size(); ++k) EXPECT_EQ(batch->errors()[k].what, cases[k].words);
}

TEST(SeveralNumbers, OfASampleAreReadByTheHostForAGpu) {
  const auto run = [](const std::shared_ptr<Device>& device) {
    std::vector<Image> images;
    std::vector<Tensor> tensors;
    auto pipeline = make_pipeline({.batch_size = kSamples, .device = device}, [&](Graph& g) {
      return values_of(g, [&](Value<int> index, Value<Image> image) {
        if (device != nullptr) image = image.gpu();
        auto turned = rotate(image, 30.f, {.fill = g.map("color", color, index)});
        auto tensor = crop_mirror_normalize(image, {.mean = g.map("means", means, index),
                                                    .std = g.map("std", deviations, index),
                                                    .scale = cast<float>(index) + 1.f});
        return device == nullptr ? std::tuple{turned, tensor}
                                 : std::tuple{turned.cpu(), tensor.cpu()};
      });
    });
    const auto batch = pipeline.epoch().next();
    for (std::size_t k = 0; k < batch->size(); ++k) {
      images.push_back(batch->get<0>()[k].clone());
      tensors.push_back(batch->get<1>()[k].clone());
    }
    return std::pair{std::move(images), std::move(tensors)};
  };
  const auto here = run(nullptr), there = run(device::test_device());
  ASSERT_EQ(here.first.size(), std::size_t{kSamples});
  EXPECT_EQ(here, there);
  const auto on_gpu = [] {
    (void)make_pipeline({.device = device::test_device()}, [](Graph& g) {
      return values_of(g, [&](Value<int> index, Value<Image> image) {
        auto fill = g.map("color", color, index).gpu();
        return rotate(image.gpu(), 30.f, {.fill = fill});
      });
    });
  };
  EXPECT_EQ(error_of<BuildError>(on_gpu),
            "'rotate' is given 'gpu', which lies on the GPU, as a parameter; call .cpu() on it");
}

}  // namespace several_numbers_test
}  // namespace sluice
