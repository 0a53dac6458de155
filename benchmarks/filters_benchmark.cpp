// Kernels of filters, noise, occlusion and distortion, on one thread. An iteration is one image,
// including the allocation of its output.
#include "noise_image.h"
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/places.h>

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

// Runs a kernel on an image of 400 x 400 pixels.
template <class F>
void change_image(benchmark::State& state, const F& change) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    change(in, out);
    benchmark::DoNotOptimize(out.data());
  }
}

void Perspective(benchmark::State& state, Interpolation interpolation) {
  const kernels::PerspectiveMap map{0.9, 0.1, 5, -0.1, 1.1, 9, 1e-4, -2e-4, 1};
  change_image(state, [&](const Image& in, Image& out) {
    kernels::warp_perspective("perspective", in, map, 400, 400, {interpolation}, out);
  });
}
BENCHMARK_CAPTURE(Perspective, nearest, Interpolation::nearest);
BENCHMARK_CAPTURE(Perspective, bilinear, Interpolation::bilinear);
BENCHMARK_CAPTURE(Perspective, bicubic, Interpolation::bicubic);

void LensDistortion(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) {
    kernels::lens_distortion(in, 0.2f, 0.1f, {}, out);
  });
}
BENCHMARK(LensDistortion);

void Elastic(benchmark::State& state) {
  Random random({.seed = 1});
  change_image(state, [&](const Image& in, Image& out) {
    kernels::elastic(random, in, {50, 5}, {}, out);
  });
}
BENCHMARK(Elastic);

void Expand(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) {
    kernels::expand(in, {2, 0.5f, 0.5f}, 128, out);
  });
}
BENCHMARK(Expand);

void Paste(benchmark::State& state, float alpha) {
  const Image patch = noise(200, 200, 3);
  change_image(state, [&](const Image& in, Image& out) {
    kernels::paste(in, patch, nullptr, {100, 100, alpha}, out);
  });
}
BENCHMARK_CAPTURE(Paste, opaque, 1.0f);
BENCHMARK_CAPTURE(Paste, half, 0.5f);

void Clahe(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) { kernels::clahe(in, {2, 8, 8}, out); });
}
BENCHMARK(Clahe);

void JpegDistortion(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) { kernels::jpeg_distortion(in, 50, out); });
}
BENCHMARK(JpegDistortion);

void MotionBlur(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) { kernels::motion_blur(in, 15, 30, out); });
}
BENCHMARK(MotionBlur);

void Laplacian(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) { kernels::laplacian(in, 3, 1, out); });
}
BENCHMARK(Laplacian);

void Dilate(benchmark::State& state) {
  change_image(state, [](const Image& in, Image& out) { kernels::dilate(in, {5, 5}, out); });
}
BENCHMARK(Dilate);

void Jitter(benchmark::State& state) {
  Random random({.seed = 1});
  change_image(state, [&](const Image& in, Image& out) { kernels::jitter(random, in, 5, out); });
}
BENCHMARK(Jitter);

}  // namespace
}  // namespace sluice
