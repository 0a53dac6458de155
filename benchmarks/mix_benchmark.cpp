// Kernels that mix images, on one thread. An iteration is one image, including the allocation of
// its output; for MixSamples and CutSamples it is a batch of 64.
#include "noise_picture.h"
#include <sluice/ops/kernels/blend.h>
#include <sluice/ops/kernels/mix_samples.h>

#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

void Blend(benchmark::State& state) {
  const Image a = noise(224, 224, 3), b = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::blend(a, b, 0.3f, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Blend);

// The argument is the number of images: AugMix sums four.
void WeightedSum(benchmark::State& state) {
  std::vector<Image> pictures;
  for (std::int64_t i = 0; i < state.range(0); ++i) pictures.push_back(noise(224, 224, 3));
  const std::vector<float> weights(pictures.size(), 1.f / static_cast<float>(pictures.size()));
  for (auto _ : state) {
    Image out;
    kernels::weighted_sum(pictures, weights, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(WeightedSum)->Arg(4);

// 64 images of 224 x 224 as numbers of type `dtype`.
struct Samples {
  explicit Samples(DType dtype)
      : bytes(64 * ValueSpec{{3, 224, 224}, dtype, Layout::chw}.bytes()),
        block{bytes.data(), 64, {{3, 224, 224}, dtype, Layout::chw}} {}
  std::vector<std::byte> bytes;
  kernels::SampleBlock block;
};

void MixSamples(benchmark::State& state, DType dtype) {
  const Samples samples(dtype);
  for (auto _ : state) {
    kernels::mix_samples(samples.block, kernels::last_sample(samples.block), 0.7);
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(MixSamples, u8, DType::u8);
BENCHMARK_CAPTURE(MixSamples, f16, DType::f16);
BENCHMARK_CAPTURE(MixSamples, f32, DType::f32);

void CutSamples(benchmark::State& state) {
  const Samples samples(DType::f32);
  for (auto _ : state) {
    kernels::cut_samples(samples.block, kernels::last_sample(samples.block), {50, 60, 112, 112});
    benchmark::ClobberMemory();
  }
}
BENCHMARK(CutSamples);

}  // namespace
}  // namespace sluice
