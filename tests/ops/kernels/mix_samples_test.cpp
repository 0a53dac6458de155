#include <sluice/ops/kernels/mix_samples.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace mix_samples_test {

using kernels::cut_samples;
using kernels::last_sample;
using kernels::mix_samples;
using kernels::SampleBlock;

template <class T>
struct Samples {
  std::vector<T> numbers;
  SampleBlock block;

  Samples(std::size_t count, const Shape& shape, Layout layout) {
    const auto each = static_cast<std::size_t>(shape.elements());
    for (std::size_t i = 0; i < count * each; ++i)
      numbers.push_back(T(static_cast<float>((i * 37 + i / 7) % 256)));
    block = {
        reinterpret_cast<std::byte*>(numbers.data()), count, {shape, dtype_of<T>::value, layout}};
  }
  std::size_t each() const { return static_cast<std::size_t>(block.sample.shape.elements()); }
};

template <class T>
void expect_mixed(double tolerance) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u}) {
    for (const Shape& shape : {Shape{1}, Shape{3, 5, 7}, Shape{1000}}) {
      for (const double weight : {0.0, 0.25, 0.7, 1.0}) {
        Samples<T> samples(count, shape, Layout::none);
        const Samples<T> before(count, shape, Layout::none);
        mix_samples(samples.block, last_sample(samples.block), weight);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t other = (i + count - 1) % count;
          for (std::size_t k = 0; k < samples.each(); ++k) {
            const auto own = static_cast<double>(float(before.numbers[i * samples.each() + k]));
            const auto from =
                static_cast<double>(float(before.numbers[other * samples.each() + k]));
            ASSERT_NEAR(static_cast<double>(float(samples.numbers[i * samples.each() + k])),
                        weight * own + (1 - weight) * from, tolerance)
                << count << " samples, weight " << weight << ": " << i << ", " << k;
          }
        }
      }
    }
  }
}

TEST(MixSamples, EachGetsAShareOfTheOneBefore) {
  expect_mixed<std::uint8_t>(0.516);
  expect_mixed<float>(1e-4);
  expect_mixed<Half>(0.13);
}

TEST(CutSamples, TheRegionIsThatOfTheOneBefore) {
  const Rectangle regions[] = {{}, {0, 0, 5, 4}, {1, 2, 3, 1}, {4, 3, 1, 1}, {2, 0, 0, 3}};
  for (const Layout layout : {Layout::hwc, Layout::chw}) {
    for (const std::size_t count : {1u, 2u, 5u}) {
      for (const Rectangle& region : regions) {
        const bool chw = layout == Layout::chw;
        const Shape shape = chw ? Shape{3, 5, 4} : Shape{5, 4, 3};
        Samples<float> samples(count, shape, layout);
        const Samples<float> before(count, shape, layout);
        cut_samples(samples.block, last_sample(samples.block), region);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t other = (i + count - 1) % count;
          for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 4; ++x) {
              const bool inside = y >= region.y && y < region.y + region.height && x >= region.x &&
                                  x < region.x + region.width;
              for (int c = 0; c < 3; ++c) {
                const auto k =
                    static_cast<std::size_t>(chw ? (c * 5 + y) * 4 + x : (y * 4 + x) * 3 + c);
                ASSERT_EQ(samples.numbers[i * 60 + k],
                          before.numbers[(inside ? other : i) * 60 + k])
                    << i << ": " << y << ", " << x << ", " << c;
              }
            }
          }
        }
      }
    }
  }
}

TEST(CutSamples, RefusesWhatCannotBe) {
  const auto error_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  Samples<float> pictures(2, {5, 4, 3}, Layout::hwc), flat(2, {60}, Layout::none),
      none(2, {5, 4, 3}, Layout::none);
  const auto cut = [&](Samples<float>& samples, const Rectangle& region) {
    return error_of([&] { cut_samples(samples.block, last_sample(samples.block), region); });
  };
  EXPECT_NE(cut(flat, {}).find("pictures have 3 dimensions, HWC or CHW"), std::string::npos);
  EXPECT_NE(cut(none, {}).find("HWC or CHW"), std::string::npos);
  for (const Rectangle& region :
       {Rectangle{0, 0, 6, 1}, Rectangle{0, 0, 1, 5}, Rectangle{-1, 0, 1, 1}, Rectangle{4, 0, 2, 1},
        Rectangle{0, 0, 1, -1}, Rectangle{0, 2147483647, 1, 2147483647}})
    EXPECT_NE(cut(pictures, region).find("does not lie inside pictures of 4 x 5"),
              std::string::npos);
  std::int64_t numbers[2] = {};
  const SampleBlock whole{reinterpret_cast<std::byte*>(numbers), 2, {{1}, DType::i64}};
  EXPECT_NE(error_of([&] {
              mix_samples(whole, last_sample(whole), 0.5);
            }).find("elements are i64; only u8, f16 and f32 can be mixed"),
            std::string::npos);
}

}  // namespace mix_samples_test
}  // namespace sluice
