// Random programs of operators on images, with legal and illegal numbers, constants and values, in
// branches and outside, mean the same whether kernels are fused or not: digests, errors, and how
// often each step runs.
//
//   SLUICE_RANDOM_PROGRAMS=100000   the number of programs to try (300, or 75 under a sanitizer)
//   SLUICE_RANDOM_SEED=5            the first seed; a failure names its seed
#include "tests/one_in.h"
#include "tests/ops/fuse_kernels.h"
#include <sluice/graph/graph.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace fuse_kernels_random_test {

using testing::Digest;
using testing::digest;
using testing::NumberedImage;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Program {
 public:
  Program(Graph& g, const NumberedImage& given, std::uint64_t seed)
      : g_(g), given_(given), random_(seed), values_{given.image} {}

  Value<Digest> describe() {
    for (int steps = below(9) + 2; steps > 0; --steps) {
      // Mostly the latest value, so that sequences arise.
      const std::size_t at =
          one_in(6) ? static_cast<std::size_t>(below(count())) : values_.size() - 1;
      values_.push_back(step(values_[at], true));
    }
    auto sum = g_.constant(Digest{1});
    for (int ends = 1 + below(2); ends > 0; --ends) {
      const auto& value =
          ends == 1 ? values_.back() : values_[static_cast<std::size_t>(below(count()))];
      auto one = one_in(2) ? digest(g_, value) : digest(g_, tensor(value));
      sum = g_.map(
          "add", [](Digest a, Digest b) { return a * 3 + b; }, sum, one);
    }
    return sum;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  int count() const { return static_cast<int>(values_.size()); }

  // A number from `low` on, for one program in eight and a few samples also below that.
  Param<int> number(int low, int range) {
    const int first = low - (one_in(8) ? 2 : 0);
    const int value = low + below(range);
    if (one_in(2)) return value;
    return g_.map(
        "number", [=](int i) { return first + (i * 7 + value) % range; }, given_.index);
  }
  Param<float> real(float low, float high) {
    const float from = one_in(8) ? low - 0.3f * (high - low) : low;
    if (one_in(2)) return low + (high - low) * static_cast<float>(below(100)) / 100.f;
    return g_.map(
        "real", [=](int i) { return from + (high - from) * static_cast<float>(i % 11) / 11.f; },
        given_.index);
  }
  Param<bool> truth() {
    if (one_in(3)) return one_in(2);
    return g_.coin_flip(0.5f);
  }
  Interpolation interpolation() {
    constexpr Interpolation kAll[] = {Interpolation::nearest,  Interpolation::box,
                                      Interpolation::bilinear, Interpolation::hamming,
                                      Interpolation::bicubic,  Interpolation::lanczos};
    return kAll[below(6)];
  }

  Value<Image> step(const Value<Image>& in, bool may_branch) {
    switch (below(may_branch ? 13 : 11)) {
      case 0:
        return resize(in, {.height = number(1, 40),
                           .width = number(1, 40),
                           .interpolation = interpolation(),
                           .antialias = !one_in(3)});
      case 1:
        return resize(
            in,
            {.shorter = number(1, 30), .interpolation = interpolation(), .antialias = !one_in(3)});
      case 2:
        return random_resized_crop(in, {.height = number(1, 20), .width = number(1, 20)});
      case 3:
        return crop(in, Rectangle{below(2), below(2), 1 + below(12), 1 + below(12)});
      case 4:
        return center_crop(in, {.height = number(1, 12), .width = number(1, 12)});
      case 5:
        return flip(in, {.horizontal = truth(), .vertical = truth()});
      case 6:
        return invert(in);
      case 7:
        return posterize(in, number(1, 8));
      case 8:
        return solarize(in, real(0, 256));
      case 9:
        return brightness_contrast(in, {.brightness = real(0, 2), .contrast = real(0, 2)});
      case 10:
        return gamma_correction(in, real(0, 2), real(0, 2));
      case 11:
        return g_.tap(
            "look",
            [](const Image& image) {
              if (image.width() == 13) throw std::runtime_error("13");
            },
            in);
      default:
        return g_.if_else(
            g_.coin_flip(0.5f), [&] { return step(step(in, false), false); },
            [&] { return one_in(2) ? in : step(in, false); });
    }
  }

  Value<Tensor> tensor(const Value<Image>& in) {
    constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16, DType::u8, DType::i8};
    const DType dtype = kTypes[below(5)];
    const Layout layout = one_in(2) ? Layout::chw : Layout::hwc;
    const float scale = one_in(2) ? 1.f : 90.f, shift = one_in(2) ? 0.f : 20.5f;
    const bool padded = one_in(3);
    if (one_in(4)) {
      return resize_mirror_normalize(in, {.height = number(1, 20),
                                          .width = number(1, 20),
                                          .mirror = truth(),
                                          .dtype = dtype,
                                          .layout = layout,
                                          .scale = scale,
                                          .shift = shift,
                                          .pad_output = padded,
                                          .interpolation = interpolation(),
                                          .antialias = !one_in(3)});
    }
    return crop_mirror_normalize(in, {.height = number(0, 9),
                                      .width = number(0, 9),
                                      .mirror = truth(),
                                      .mean = kImageNetMean,
                                      .std = kImageNetStd,
                                      .dtype = dtype,
                                      .layout = layout,
                                      .scale = scale,
                                      .shift = shift,
                                      .pad_output = padded});
  }

  Graph& g_;
  NumberedImage given_;
  std::mt19937_64 random_;
  std::vector<Value<Image>> values_;
};

TEST(FuseKernels, RandomProgramsMeanTheSame) {
  const std::uint64_t begin = from_environment("SLUICE_RANDOM_SEED", 1);
  const std::uint64_t programs = from_environment(
      "SLUICE_RANDOM_PROGRAMS", 300u / static_cast<unsigned>(testing::one_in(1, 4)));
  std::size_t fused = 0;
  for (std::uint64_t seed = begin; seed < begin + programs; ++seed) {
    SCOPED_TRACE("SLUICE_RANDOM_SEED=" + std::to_string(seed));
    fused += testing::expect_as_inspected([&](Graph& g, const NumberedImage& given) {
               return Program(g, given, seed).describe();
             }).size();
    if (HasFailure()) return;
  }
  EXPECT_GT(fused, programs / 2);
}

}  // namespace fuse_kernels_random_test
}  // namespace sluice
