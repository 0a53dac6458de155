// Kernels that warp, blur and distort images, on one thread. An iteration is one image of 400 x
// 400, including the allocation of its output.
#include "noise_picture.h"
#include <sluice/ops/kernels/clahe.h>
#include <sluice/ops/kernels/elastic.h>
#include <sluice/ops/kernels/expand.h>
#include <sluice/ops/kernels/jitter.h>
#include <sluice/ops/kernels/jpeg_distortion.h>
#include <sluice/ops/kernels/laplacian.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/morphology.h>
#include <sluice/ops/kernels/motion_blur.h>
#include <sluice/ops/kernels/paste.h>
#include <sluice/ops/kernels/perspective.h>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

template <class F>
void change_picture(benchmark::State& state, const F& change) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    change(in, out);
    benchmark::DoNotOptimize(out.data());
  }
}

void Perspective(benchmark::State& state, Interpolation interpolation) {
  const kernels::PerspectiveMap map{0.9, 0.1, 5, -0.1, 1.1, 9, 1e-4, -2e-4, 1};
  change_picture(state, [&](const Image& in, Image& out) {
    kernels::warp_perspective("perspective", in, map, 400, 400, {interpolation}, out);
  });
}
BENCHMARK_CAPTURE(Perspective, nearest, Interpolation::nearest);
BENCHMARK_CAPTURE(Perspective, bilinear, Interpolation::bilinear);
BENCHMARK_CAPTURE(Perspective, bicubic, Interpolation::bicubic);

void LensDistortion(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) {
    kernels::lens_distortion(in, 0.2f, 0.1f, {}, out);
  });
}
BENCHMARK(LensDistortion);

void Elastic(benchmark::State& state) {
  Random random({.seed = 1});
  change_picture(state, [&](const Image& in, Image& out) {
    kernels::elastic(random, in, {50, 5}, {}, out);
  });
}
BENCHMARK(Elastic);

void Expand(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) {
    kernels::expand(in, {2, 0.5f, 0.5f}, 128, out);
  });
}
BENCHMARK(Expand);

void Paste(benchmark::State& state, float alpha) {
  const Image patch = noise(200, 200, 3);
  change_picture(state, [&](const Image& in, Image& out) {
    kernels::paste(in, patch, nullptr, {100, 100, alpha}, out);
  });
}
BENCHMARK_CAPTURE(Paste, opaque, 1.0f);
BENCHMARK_CAPTURE(Paste, half, 0.5f);

void Clahe(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) { kernels::clahe(in, {2, 8, 8}, out); });
}
BENCHMARK(Clahe);

void JpegDistortion(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) { kernels::jpeg_distortion(in, 50, out); });
}
BENCHMARK(JpegDistortion);

void MotionBlur(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) { kernels::motion_blur(in, 15, 30, out); });
}
BENCHMARK(MotionBlur);

void Laplacian(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) { kernels::laplacian(in, 3, 1, out); });
}
BENCHMARK(Laplacian);

void Dilate(benchmark::State& state) {
  change_picture(state, [](const Image& in, Image& out) { kernels::dilate(in, {5, 5}, out); });
}
BENCHMARK(Dilate);

void Jitter(benchmark::State& state) {
  Random random({.seed = 1});
  change_picture(state, [&](const Image& in, Image& out) { kernels::jitter(random, in, 5, out); });
}
BENCHMARK(Jitter);

}  // namespace
}  // namespace sluice
