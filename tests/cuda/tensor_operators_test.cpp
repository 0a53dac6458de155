// Operators on tensors that have a version for devices, against the host's: elements of all types,
// images of up to 16 channels, the same bits and the same errors.
#include "tests/cuda/same_operator.h"
#include "tests/cuda/test_device.h"
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace tensor_operators_test {

constexpr std::int64_t kTensors = 40;

// Numbers over the range of the type, from a generator.
Tensor numbers(const Shape& shape, DType type, std::uint32_t seed) {
  Tensor words(shape, DType::i64), made;
  std::uint32_t state = seed * 2654435761u + 1;
  std::int64_t most = 255, least = 0;
  if (type == DType::i8) most = 127, least = -128;
  if (type == DType::u16) most = 65535;
  if (type == DType::i16) most = 32767, least = -32768;
  if (type == DType::boolean) most = 1;
  for (std::int64_t i = 0; i < words.elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    words.data<std::int64_t>()[i] = least + (state >> 8) % (most - least + 1);
  }
  kernels::cast(words, type, made);
  return made;
}

// An image of a size, number of channels and type that differ from sample to sample; with
// `type`, of this one.
Tensor pixels(std::int64_t i, DType type) {
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {1, 1}, {1, 37}, {23, 1}, {2, 3}, {5, 7}, {31, 40}, {64, 33}, {97, 101}};
  constexpr std::int64_t kChannels[] = {1, 3, 4, 5, 16, 2, 7};
  const auto n = static_cast<std::size_t>(i);
  const auto [height, width] = kSizes[n % 8];
  const std::int64_t channels = kChannels[n % 7];
  const Shape shape = n % 11 == 10 ? Shape{height, width} : Shape{height, width, channels};
  return numbers(shape, type, static_cast<std::uint32_t>(i));
}

using Make = std::function<Tensor(std::int64_t)>;
using Change = std::function<Value<Tensor>(Graph&, Value<Tensor>)>;

struct Run {
  std::vector<std::int64_t> ids;
  std::vector<Tensor> tensors;
  std::vector<std::string> errors;
};

Run run(const Make& make, const Change& change, bool there) {
  const PipelineOptions options{.batch_size = 8,
                                .seed = 11,
                                .threads = 2,
                                .device = there ? test_device() : nullptr,
                                .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto tensor =
        g.map("draw", make,
              g.source(kTensors, [](const SampleInfo& info) { return info.index_in_epoch; }));
    auto changed = change(g, there ? tensor.gpu() : tensor);
    return there ? changed.cpu() : changed;
  });
  Run ended;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ended.ids.push_back(batch.ids()[i]);
      ended.tensors.push_back(batch.template get<0>()[i].clone());
    }
    for (const SampleError& error : batch.errors())
      ended.errors.push_back(std::to_string(error.id) + " " + error.what);
  }
  return ended;
}

void expect_same(const Make& make, const Change& change, bool some = true) {
  const Run host = run(make, change, false), there = run(make, change, true);
  EXPECT_EQ(there.errors, host.errors);
  ASSERT_EQ(there.ids, host.ids);
  if (some) {
    EXPECT_GE(host.ids.size(), 5u);
  }
  for (std::size_t i = 0; i < host.ids.size(); ++i) {
    const Tensor &a = host.tensors[i], &b = there.tensors[i];
    ASSERT_EQ(a.shape(), b.shape()) << "sample " << host.ids[i];
    ASSERT_EQ(a.dtype(), b.dtype());
    EXPECT_EQ(a.layout(), b.layout());
    ASSERT_EQ(a.nbytes(), b.nbytes());
    EXPECT_EQ(std::memcmp(a.bytes(), b.bytes(), a.nbytes()), 0) << "sample " << host.ids[i];
  }
}

constexpr DType kAll[] = {DType::u8,  DType::i8,  DType::i16,    DType::u16,
                          DType::i32, DType::i64, DType::f16,    DType::bf16,
                          DType::f32, DType::f64, DType::boolean};
constexpr DType kBlended[] = {DType::u8, DType::i8, DType::i16, DType::u16, DType::f32};

Value<Rectangle> rectangle(Graph& g, int low, int high) {
  return g.map(
      "rectangle",
      [](int y, int x, int height, int width) {
        return Rectangle{y, x, height, width};
      },
      whole(g, low, high), whole(g, low, high), whole(g, 1, 30), whole(g, 1, 30));
}

class DeviceTensors : public ::testing::TestWithParam<DType> {};

TEST_P(DeviceTensors, AreMovedAsTheHostDoes) {
  const Make make = [type = GetParam()](std::int64_t i) { return pixels(i, type); };
  expect_same(make, [](Graph& g, Value<Tensor> in) {
    return flip(in, {.horizontal = g.coin_flip(0.5f), .vertical = g.coin_flip(0.5f)});
  });
  expect_same(make, [](Graph& g, Value<Tensor> in) {
    return crop(in, rectangle(g, 0, 20));  // some are outside
  });
  expect_same(make, [](Graph& g, Value<Tensor> in) {
    return crop(in, rectangle(g, -9, 20), {.out_of_bounds = OutOfBounds::trim});
  });
  expect_same(make, [](Graph& g, Value<Tensor> in) {
    return crop(in, rectangle(g, -40, 90), {.out_of_bounds = OutOfBounds::pad, .fill = 1});
  });
  for (const std::vector<int>& axes :
       {std::vector{2, 0, 1}, {0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}})
    expect_same(make, [&](Graph&, Value<Tensor> in) { return permute(in, axes); });
}
INSTANTIATE_TEST_SUITE_P(All, DeviceTensors, ::testing::ValuesIn(kAll),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST(DeviceTensorShapes, ArePermutedAsTheHostDoes) {
  for (const DType type : {DType::u16, DType::f64}) {
    const Make make = [type](std::int64_t i) {
      return numbers({1 + i % 3, 2, 5, 1 + i % 4, 3, 2}, type, static_cast<std::uint32_t>(i));
    };
    expect_same(make, [](Graph&, Value<Tensor> in) { return permute(in, {5, 3, 1, 0, 4, 2}); });
    expect_same(make, [](Graph&, Value<Tensor> in) { return permute(in, {4, 5, 0, 1, 2, 3}); });
  }
}

class DeviceTensorImages : public ::testing::TestWithParam<DType> {};

TEST_P(DeviceTensorImages, AreResizedAsTheHostDoes) {
  const Make make = [type = GetParam()](std::int64_t i) { return pixels(i, type); };
  for (const Interpolation way : {Interpolation::nearest, Interpolation::box,
                                  Interpolation::bilinear, Interpolation::bicubic}) {
    for (const bool antialias : {false, true}) {
      SCOPED_TRACE(std::string(name_of(way)) + (antialias ? ", antialias" : ""));
      expect_same(make, [&](Graph& g, Value<Tensor> in) {
        return resize(in, {.height = whole(g, 1, 60),
                           .width = whole(g, 1, 60),
                           .interpolation = way,
                           .roi_start_y = g.uniform(0.f, 0.4f),
                           .roi_end_x = g.uniform(0.5f, 1.f),
                           .roi_relative = true,
                           .antialias = antialias});
      });
    }
  }
  expect_same(make, [](Graph&, Value<Tensor> in) { return resize(in, {.shorter = 12}); });
}

TEST_P(DeviceTensorImages, AreRotatedAsTheHostDoes) {
  const Make make = [type = GetParam()](std::int64_t i) { return pixels(i, type); };
  for (const Interpolation way :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    for (const bool keep_size : {false, true}) {
      expect_same(make, [&](Graph& g, Value<Tensor> in) {
        return rotate(in, g.uniform(-200.f, 200.f),
                      {.keep_size = keep_size, .fill = 7, .interpolation = way});
      });
    }
    expect_same(make,
                [&](Graph&, Value<Tensor> in) { return rotate(in, 90.f, {.interpolation = way}); });
  }
}
INSTANTIATE_TEST_SUITE_P(All, DeviceTensorImages, ::testing::ValuesIn(kBlended),
                         [](const auto& given) { return std::string(name_of(given.param)); });

// Images of 8 bits and few channels take another way than others, in one step.
TEST(DeviceTensorKinds, MayBeMixedInOneStep) {
  const Make make = [](std::int64_t i) {
    return pixels(i, kBlended[static_cast<std::size_t>(i) % std::size(kBlended)]);
  };
  expect_same(make, [](Graph&, Value<Tensor> in) {
    return cast<float>(resize(in, {.height = 19, .width = 23}));
  });
  for (const Interpolation way : {Interpolation::bilinear, Interpolation::bicubic}) {
    expect_same(make, [way](Graph& g, Value<Tensor> in) {
      return cast<float>(rotate(in, g.uniform(-30.f, 30.f), {.interpolation = way}));
    });
  }
}

TEST(DeviceTensorKinds, OfOtherTypesAreRefusedAlike) {
  for (const DType type : {DType::i32, DType::f16, DType::boolean}) {
    const Make make = [type](std::int64_t i) { return pixels(i, type); };
    expect_same(
        make, [](Graph&, Value<Tensor> in) { return resize(in, {.height = 5, .width = 4}); },
        false);
    expect_same(
        make, [](Graph&, Value<Tensor> in) { return rotate(in, 5.f); }, false);
  }
}

TEST(DeviceTensorKinds, AreNormalizedAsTheHostDoes) {
  const auto step = static_cast<std::size_t>(testing::one_in(1, 3));
  for (std::size_t k = 0; k < std::size(kAll); k += step) {
    const DType type = kAll[k];
    const Make make = [type](std::int64_t i) { return pixels(i, type); };
    const bool whole = type == DType::u8 || type == DType::u16;
    for (const DType to : {DType::f32, DType::f16, DType::bf16}) {
      for (const Layout layout : {Layout::chw, Layout::hwc}) {
        expect_same(
            make,
            [&](Graph&, Value<Tensor> in) {
              return normalize(in, {.mean = {whole ? 0.45f : 100.f},
                                    .std = {whole ? 0.225f : 17.f},
                                    .dtype = to,
                                    .layout = layout});
            },
            type != DType::boolean);
      }
    }
    expect_same(
        make,
        [](Graph&, Value<Tensor> in) {
          return normalize(in,
                           {.mean = {0.1f, 0.2f, 0.3f}, .std = {0.5f}});  // others have no three
        },
        type != DType::boolean);
  }
}

}  // namespace tensor_operators_test
}  // namespace sluice::device
