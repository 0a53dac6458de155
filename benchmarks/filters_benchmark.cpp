// Kernels of filters, noise and occlusion, on one thread. An iteration is one image, including the
// allocation of its output.
#include "noise_picture.h"
#include <sluice/ops/kernels/box_blur.h>
#include <sluice/ops/kernels/erase.h>
#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/ops/kernels/gaussian_blur.h>
#include <sluice/ops/kernels/grid_mask.h>
#include <sluice/ops/kernels/median_blur.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/sharpness.h>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

// The argument is sigma.
void GaussianBlur(benchmark::State& state) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::gaussian_blur(in, {.sigma = static_cast<float>(state.range(0))}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(GaussianBlur)->Arg(1)->Arg(2)->Arg(8);

// The argument is the window's size.
void BoxBlur(benchmark::State& state) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::box_blur(in, static_cast<int>(state.range(0)), out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BoxBlur)->Arg(3)->Arg(15)->Arg(63);

void Filter2d(benchmark::State& state) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::filter_2d(in, {.weights = {0, -1, 0, -1, 5, -1, 0, -1, 0}}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Filter2d);

void MedianBlur(benchmark::State& state) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::median_blur(in, static_cast<int>(state.range(0)), out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(MedianBlur)->Arg(3)->Arg(5);

template <class F>
void Noise(benchmark::State& state, F add) {
  const Image in = noise(375, 500, 3);
  Random random({.seed = 1});
  for (auto _ : state) {
    Image out;
    add(random, in, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(Noise, gaussian, [](Random& random, const Image& in, Image& out) {
  kernels::gaussian_noise(random, in, 0, 10, out);
});
BENCHMARK_CAPTURE(Noise, salt_and_pepper, [](Random& random, const Image& in, Image& out) {
  kernels::salt_and_pepper_noise(random, in, {}, out);
});
BENCHMARK_CAPTURE(Noise, shot, [](Random& random, const Image& in, Image& out) {
  kernels::shot_noise(random, in, 5, out);
});

void GridMask(benchmark::State& state) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::grid_mask(in, {.tile = 40, .degrees = 20}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(GridMask);

void Erase(benchmark::State& state) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::erase(in, {50, 60, 100, 80}, 128, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Erase);

void Sharpness(benchmark::State& state) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::sharpness(in, 1.9f, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Sharpness);

}  // namespace
}  // namespace sluice
