// Kernels on the work that benchmarks/peers/kernels gives to other libraries, too: a picture of
// 375 x 500 with three channels, on one thread. The time of one iteration is that of one picture,
// the memory of its output included.
#include "noise_picture.h"
#include <sluice/ops/kernels/autocontrast.h>
#include <sluice/ops/kernels/elastic.h>
#include <sluice/ops/kernels/equalize.h>
#include <sluice/ops/kernels/erase.h>
#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/pad.h>
#include <sluice/ops/kernels/paste.h>
#include <sluice/ops/kernels/perspective.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/transpose.h>
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

// A sharpening one of rows x columns weights.
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

const struct {
  const char* name;
  void (*change)(const Image& in, Image& out);
} kWork[] = {
    {"resize", [](const Image& in,
                  Image& out) { kernels::resize(in, 400, 400, Interpolation::bilinear, out); }},
    {"rotate", [](const Image& in, Image& out) { kernels::rotate(in, 20, {}, out); }},
    {"transpose", kernels::transpose},
    {"filter_3x3", [](const Image& in, Image& out) { filter(in, 3, out); }},
    {"filter_5x5", [](const Image& in, Image& out) { filter(in, 5, out); }},
    {"perspective_nearest",
     [](const Image& in, Image& out) { perspective(in, Interpolation::nearest, out); }},
    {"perspective_bilinear",
     [](const Image& in, Image& out) { perspective(in, Interpolation::bilinear, out); }},
    {"perspective_bicubic",
     [](const Image& in, Image& out) { perspective(in, Interpolation::bicubic, out); }},
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
    {"paste", [](const Image& in, Image& out) { paste(in, 1, out); }},
    {"paste_half", [](const Image& in, Image& out) { paste(in, 0.5f, out); }},
    {"erase",
     [](const Image& in, Image& out) {
       kernels::erase(in, {50, 60, 200, 160}, 128, out);
     }},
    {"pad",
     [](const Image& in, Image& out) {
       kernels::pad(in, {32, 32, 32, 32}, Border::constant, 128, out);
     }},
    {"pad_reflect",
     [](const Image& in, Image& out) {
       kernels::pad(in, {32, 32, 32, 32}, Border::reflect, 0, out);
     }},
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
