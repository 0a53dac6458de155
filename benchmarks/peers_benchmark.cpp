// The kernels that benchmarks/peers/kernels compares with other libraries: on an image of 375 x 500
// with three channels, on one thread. An iteration is one image, including the allocation of its
// output.
#include "noise_image.h"
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <string>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

void perspective(const Image& in, Interpolation interpolation, Image& out) {
  const kernels::PerspectiveMap map{0.9, 0.1, 5, -0.1, 1.1, 9, 1e-4, -2e-4, 1};
  kernels::warp_perspective("perspective", in, map, in.height(), in.width(), {interpolation}, out);
}

// A sharpening filter of `side` x `side` weights.
void filter(const Image& in, int side, Image& out) {
  kernels::FilterWeights weights{side, side, {}};
  for (int i = 0; i < side * side; ++i)
    weights.weights[static_cast<std::size_t>(i)] =
        i == side * side / 2 ? 1.5f : 0.01f * static_cast<float>(i % 7 - 3);
  kernels::filter_2d(in, weights, out);
}

void paste(const Image& in, float alpha, Image& out) {
  static const Image patch = noise(200, 200, 3);
  kernels::paste(in, patch, nullptr, {100, 100, alpha}, out);
}

// Normalizes with ImageNet's mean and deviation, to f32 planes. The output image is not used.
void normalize(const Image& in, Image&) {
  const kernels::NormalizeParams params{.mean = {123.7f, 116.3f, 103.5f},
                                        .std = {58.4f, 57.1f, 57.4f}};
  Tensor out;
  kernels::crop_mirror_normalize(in, {0, 0, in.height(), in.width()}, params, out);
  benchmark::DoNotOptimize(out.bytes());
}

void resize(const Image& in, Interpolation interpolation, Image& out) {
  kernels::resize(in, 400, 400, interpolation, out);
}

void rotate(const Image& in, Interpolation interpolation, Image& out) {
  kernels::rotate(in, 20, {.interpolation = interpolation}, out);
}

const struct {
  const char* name;
  void (*change)(const Image& in, Image& out);
} kWork[] = {
    {"resize_nearest",
     [](const Image& in, Image& out) { resize(in, Interpolation::nearest, out); }},
    {"resize_box", [](const Image& in, Image& out) { resize(in, Interpolation::box, out); }},
    {"resize_bilinear",
     [](const Image& in, Image& out) { resize(in, Interpolation::bilinear, out); }},
    {"resize_bicubic",
     [](const Image& in, Image& out) { resize(in, Interpolation::bicubic, out); }},
    {"resize_lanczos",
     [](const Image& in, Image& out) { resize(in, Interpolation::lanczos, out); }},
    {"rotate_nearest",
     [](const Image& in, Image& out) { rotate(in, Interpolation::nearest, out); }},
    {"rotate_bilinear",
     [](const Image& in, Image& out) { rotate(in, Interpolation::bilinear, out); }},
    {"flip_horizontal", [](const Image& in, Image& out) { kernels::flip(in, true, false, out); }},
    {"flip_vertical", [](const Image& in, Image& out) { kernels::flip(in, false, true, out); }},
    {"transpose", kernels::transpose},
    {"rot90", [](const Image& in, Image& out) { kernels::rot90(in, 1, out); }},
    {"downscale", [](const Image& in,
                     Image& out) { kernels::downscale(in, 0.25f, Interpolation::nearest, out); }},
    {"filter_3x3", [](const Image& in, Image& out) { filter(in, 3, out); }},
    {"filter_5x5", [](const Image& in, Image& out) { filter(in, 5, out); }},
    {"perspective_nearest",
     [](const Image& in, Image& out) { perspective(in, Interpolation::nearest, out); }},
    {"perspective_bilinear",
     [](const Image& in, Image& out) { perspective(in, Interpolation::bilinear, out); }},
    {"perspective_bicubic",
     [](const Image& in, Image& out) { perspective(in, Interpolation::bicubic, out); }},
    {"random_perspective",
     [](const Image& in, Image& out) {
       Random random({.seed = 1});
       kernels::random_perspective(random, in, {.probability = 1}, {}, out);
     }},
    {"lens_distortion",
     [](const Image& in, Image& out) { kernels::lens_distortion(in, 0.2f, 0.1f, {}, out); }},
    {"elastic",
     [](const Image& in, Image& out) {
       Random random({.seed = 1});
       kernels::elastic(random, in, {50, 5}, {}, out);
     }},
    {"gaussian_noise",
     [](const Image& in, Image& out) {
       Random random({.seed = 1});
       kernels::gaussian_noise(random, in, 0, 10, out);
     }},
    {"iso_noise",
     [](const Image& in, Image& out) {
       Random random({.seed = 1});
       kernels::iso_noise(random, in, {}, out);
     }},
    {"paste", [](const Image& in, Image& out) { paste(in, 1, out); }},
    {"paste_half", [](const Image& in, Image& out) { paste(in, 0.5f, out); }},
    {"erase",
     [](const Image& in, Image& out) {
       kernels::erase(in, {50, 60, 200, 160}, 128, out);
     }},
    {"coarse_dropout",
     [](const Image& in, Image& out) {
       Random random({.seed = 1});
       kernels::coarse_dropout(random, in, {.holes = 8, .height = 40, .width = 40}, 128, out);
     }},
    {"pad",
     [](const Image& in, Image& out) {
       kernels::pad(in, {32, 32, 32, 32}, Border::constant, 128, out);
     }},
    {"pad_reflect",
     [](const Image& in, Image& out) {
       kernels::pad(in, {32, 32, 32, 32}, Border::reflect, 0, out);
     }},
    {"gaussian_blur_1",
     [](const Image& in, Image& out) { kernels::gaussian_blur(in, {.sigma = 1}, out); }},
    {"gaussian_blur_3",
     [](const Image& in, Image& out) { kernels::gaussian_blur(in, {.sigma = 3}, out); }},
    {"gaussian_blur_8",
     [](const Image& in, Image& out) { kernels::gaussian_blur(in, {.sigma = 8}, out); }},
    {"box_blur_5", [](const Image& in, Image& out) { kernels::box_blur(in, 5, out); }},
    {"motion_blur_15", [](const Image& in, Image& out) { kernels::motion_blur(in, 15, 30, out); }},
    {"defocus_3", [](const Image& in, Image& out) { kernels::defocus(in, 3, 0.1f, out); }},
    {"defocus_10", [](const Image& in, Image& out) { kernels::defocus(in, 10, 0.5f, out); }},
    {"zoom_blur", [](const Image& in, Image& out) { kernels::zoom_blur(in, 1.11f, 0.01f, out); }},
    {"median_blur_3", [](const Image& in, Image& out) { kernels::median_blur(in, 3, out); }},
    {"median_blur_5", [](const Image& in, Image& out) { kernels::median_blur(in, 5, out); }},
    {"dilate_3",
     [](const Image& in, Image& out) {
       kernels::dilate(in, {3, 3}, out);
     }},
    {"sharpness", [](const Image& in, Image& out) { kernels::sharpness(in, 1.7f, out); }},
    {"table", [](const Image& in, Image& out) { kernels::gamma_correction(in, 1.5f, 1, out); }},
    {"matrix", [](const Image& in, Image& out) { kernels::saturation(in, 1.4f, out); }},
    {"channel_dropout",
     [](const Image& in, Image& out) { kernels::channel_dropout(in, 1, 0, out); }},
    {"rgb_shift",
     [](const Image& in, Image& out) {
       kernels::rgb_shift(in, {.red = 20, .green = -10, .blue = 5}, out);
     }},
    {"hue", [](const Image& in, Image& out) { kernels::hue(in, 30, out); }},
    {"grayscale", [](const Image& in, Image& out) { kernels::grayscale(in, 3, out); }},
    {"normalize", normalize},
    {"equalize", kernels::equalize},
    {"autocontrast", kernels::autocontrast},
};

[[maybe_unused]] const bool registered = [] {
  for (const auto& work : kWork) {
    benchmark::RegisterBenchmark((std::string("Peers/") + work.name).c_str(),
                                 [&work](benchmark::State& state) {
                                   const Image in = noise(375, 500, 3);
                                   for (auto _ : state) {
                                     Image out;
                                     work.change(in, out);
                                     benchmark::DoNotOptimize(out.data());
                                   }
                                 });
  }
  return true;
}();

}  // namespace
}  // namespace sluice
