// Compares three steps with one composed map, on an image of 375 x 500: colors by color_twist,
// saturation and brightness_contrast; geometry by shear, rotate and translate.
#include "noise_picture.h"
#include <sluice/ops/kernels/brightness_contrast.h>
#include <sluice/ops/kernels/color_twist.h>
#include <sluice/ops/kernels/composed_colours.h>
#include <sluice/ops/kernels/composed_warp.h>
#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/saturation.h>
#include <sluice/ops/kernels/shear.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/runtime/image.h>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

constexpr int kHeight = 375, kWidth = 500;

void ThreeColours(benchmark::State& state, bool composed) {
  const kernels::ColorTwist twist{.hue = 20};
  const Image in = noise(kHeight, kWidth, 3);
  Image first, second, out;
  for (auto _ : state) {
    if (composed) {
      kernels::ComposedColours colours(in);
      colours.apply(kernels::color_twist_matrix(twist));
      colours.apply(kernels::saturation_matrix(1.3f));
      colours.map_levels(0.9, 5);
      colours.write_to(out);
    } else {
      kernels::color_twist(in, twist, first);
      kernels::saturation(first, 1.3f, second);
      kernels::brightness_contrast(second, 0.9f, 1, out);
    }
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(ThreeColours, steps, false);
BENCHMARK_CAPTURE(ThreeColours, composed, true);

void ThreeWarps(benchmark::State& state, bool composed) {
  const Image in = noise(kHeight, kWidth, 3);
  const kernels::WarpOptions options;
  Image first, second, out;
  for (auto _ : state) {
    if (composed) {
      kernels::ComposedWarp warp(in);
      warp.warp("shear", kernels::shear_map(kHeight, kWidth, {.x = 0.2}), kHeight, kWidth, options);
      warp.rotate(12, {.keep_size = true});
      warp.warp("translate", kernels::translate_map(kHeight, kWidth, 7.5, -4.25, false), kHeight,
                kWidth, options);
      warp.write_to(out);
    } else {
      kernels::shear(in, {.x = 0.2}, options, first);
      kernels::rotate(first, 12, {.keep_size = true}, second);
      kernels::translate(second, 7.5, -4.25, false, options, out);
    }
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(ThreeWarps, steps, false);
BENCHMARK_CAPTURE(ThreeWarps, composed, true);

}  // namespace
}  // namespace sluice
