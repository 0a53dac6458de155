// The image kernels on one thread, at typical training sizes. An iteration is one image, including
// the allocation of its output; for MixSamples and CutSamples it is a batch of 64. ThreeColors and
// ThreeWarps compare three steps with one composed map, on an image of 375 x 500: colors by
// color_twist, saturation and brightness_contrast; geometry by shear, rotate and translate.
#include "noise_image.h"
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

kernels::NormalizeParams image_net(DType dtype, Layout layout, bool mirror) {
  return {.mirror = mirror,
          .mean = {0.485f, 0.456f, 0.406f, 0.0f},
          .std = {0.229f, 0.224f, 0.225f, 1.0f},
          .dtype = dtype,
          .layout = layout};
}

// The arguments are the height and width of the input, and those of the output.
void Resize(benchmark::State& state, Interpolation interpolation, int channels) {
  const Image in =
      noise(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), channels);
  for (auto _ : state) {
    Image out;
    kernels::resize(in, static_cast<int>(state.range(2)), static_cast<int>(state.range(3)),
                    interpolation, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(Resize, bilinear, Interpolation::bilinear, 3)
    ->Args({260, 320, 224, 224})
    ->Args({150, 160, 224, 224})
    ->Args({374, 499, 224, 224})
    ->Args({1600, 2400, 224, 224})
    ->Args({375, 500, 400, 400});
BENCHMARK_CAPTURE(Resize, box, Interpolation::box, 3)->Args({260, 320, 224, 224});
BENCHMARK_CAPTURE(Resize, bicubic, Interpolation::bicubic, 3)->Args({260, 320, 224, 224});
BENCHMARK_CAPTURE(Resize, lanczos, Interpolation::lanczos, 3)->Args({260, 320, 224, 224});
BENCHMARK_CAPTURE(Resize, nearest, Interpolation::nearest, 3)->Args({260, 320, 224, 224});
BENCHMARK_CAPTURE(Resize, bilinear_gray, Interpolation::bilinear, 1)->Args({260, 320, 224, 224});

void ResizeMirrorNormalize(benchmark::State& state, DType dtype, Layout layout, bool mirror) {
  const Image in = noise(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), 3);
  const kernels::NormalizeParams params = image_net(dtype, layout, mirror);
  Tensor out;
  for (auto _ : state) {
    kernels::resize_mirror_normalize(in, 224, 224, Interpolation::bilinear, params, out);
    benchmark::DoNotOptimize(out.bytes());
  }
}
BENCHMARK_CAPTURE(ResizeMirrorNormalize, f32_chw, DType::f32, Layout::chw, false)
    ->Args({260, 320})
    ->Args({150, 160})
    ->Args({374, 499});
BENCHMARK_CAPTURE(ResizeMirrorNormalize, f32_chw_mirror, DType::f32, Layout::chw, true)
    ->Args({260, 320});
BENCHMARK_CAPTURE(ResizeMirrorNormalize, f16_chw, DType::f16, Layout::chw, false)->Args({260, 320});
BENCHMARK_CAPTURE(ResizeMirrorNormalize, f16_hwc, DType::f16, Layout::hwc, false)->Args({260, 320});

void CropMirrorNormalize(benchmark::State& state, DType dtype, Layout layout, bool mirror) {
  const Image in = noise(256, 341, 3);
  const kernels::NormalizeParams params = image_net(dtype, layout, mirror);
  Tensor out;
  for (auto _ : state) {
    kernels::crop_mirror_normalize(in, {16, 58, 224, 224}, params, out);
    benchmark::DoNotOptimize(out.bytes());
  }
}
BENCHMARK_CAPTURE(CropMirrorNormalize, f32_chw, DType::f32, Layout::chw, false);
BENCHMARK_CAPTURE(CropMirrorNormalize, f32_chw_mirror, DType::f32, Layout::chw, true);
BENCHMARK_CAPTURE(CropMirrorNormalize, f16_chw, DType::f16, Layout::chw, false);
BENCHMARK_CAPTURE(CropMirrorNormalize, f32_hwc, DType::f32, Layout::hwc, false);

// resize, center_crop, flip and crop_mirror_normalize: as separate steps, or fused as in a
// pipeline.
void Evaluate(benchmark::State& state, bool fused) {
  const Image in = noise(375, 500, 3);
  const Rectangle middle{16, 58, 224, 224};
  const kernels::NormalizeParams params = image_net(DType::f32, Layout::chw, false);
  Image small, cut, mirrored;
  Tensor out;
  for (auto _ : state) {
    if (fused) {
      kernels::DeferredImage image(in);
      image.resize("resize", 256, 341, Interpolation::bilinear);
      image.crop("crop", middle);
      image.flip(true, false);
      kernels::normalize("crop_mirror_normalize", image, params, out);
    } else {
      kernels::resize(in, 256, 341, Interpolation::bilinear, small);
      kernels::crop(small, middle, cut);
      kernels::flip(cut, true, false, mirrored);
      kernels::crop_mirror_normalize(mirrored, {0, 0, 224, 224}, params, out);
    }
    benchmark::DoNotOptimize(out.bytes());
  }
}
BENCHMARK_CAPTURE(Evaluate, steps, false);
BENCHMARK_CAPTURE(Evaluate, fused, true);

void Rotate(benchmark::State& state, Interpolation interpolation, float degrees) {
  const Image in = noise(375, 500, 3);
  for (auto _ : state) {
    Image out;
    kernels::rotate(in, degrees, {.interpolation = interpolation}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
void RotateSquare(benchmark::State& state, Interpolation interpolation) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    kernels::rotate(in, 20, {.keep_size = true, .interpolation = interpolation}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(Rotate, bilinear_20, Interpolation::bilinear, 20.0f);
BENCHMARK_CAPTURE(Rotate, nearest_20, Interpolation::nearest, 20.0f);
BENCHMARK_CAPTURE(RotateSquare, bilinear, Interpolation::bilinear);
BENCHMARK_CAPTURE(RotateSquare, nearest, Interpolation::nearest);
BENCHMARK_CAPTURE(Rotate, quarter, Interpolation::bilinear, 90.0f);

void WarpAffine(benchmark::State& state, const kernels::WarpOptions& options) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    kernels::warp_affine("warp_affine", in, {0.9, 0.2, 10, -0.1, 1.1, 20}, 400, 400, options, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(WarpAffine, bilinear, {Interpolation::bilinear});
BENCHMARK_CAPTURE(WarpAffine, bilinear_edge, {Interpolation::bilinear, Border::edge});
BENCHMARK_CAPTURE(WarpAffine, nearest, {Interpolation::nearest});

void Shear(benchmark::State& state) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    kernels::shear(in, {.x = 0.3}, {}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Shear);

void Translate(benchmark::State& state) {
  const Image in = noise(400, 400, 3);
  for (auto _ : state) {
    Image out;
    kernels::translate(in, 31.5, -17.25, false, {}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Translate);

void Pad(benchmark::State& state, Border border) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::pad(in, {16, 16, 16, 16}, border, 128, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(Pad, constant, Border::constant);
BENCHMARK_CAPTURE(Pad, reflect, Border::reflect);

void Transpose(benchmark::State& state) {
  const Image in = noise(375, 500, static_cast<int>(state.range(0)));
  for (auto _ : state) {
    Image out;
    kernels::transpose(in, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Transpose)->Arg(1)->Arg(3);

void Flip(benchmark::State& state, bool horizontal, bool vertical) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::flip(in, horizontal, vertical, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(Flip, horizontal, true, false);
BENCHMARK_CAPTURE(Flip, vertical, false, true);

void Crop(benchmark::State& state) {
  const Image in = noise(256, 341, 3);
  for (auto _ : state) {
    Image out;
    kernels::crop(in, {16, 58, 224, 224}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(Crop);

void BrightnessContrast(benchmark::State& state) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernels::brightness_contrast(in, 1.2f, 0.8f, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BrightnessContrast);

// Operators that are a lookup table take the same time for every table.
void Posterize(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::posterize(in, 4, out); });
}
BENCHMARK(Posterize);

void Solarize(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::solarize(in, 128, out); });
}
BENCHMARK(Solarize);

void GammaCorrection(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::gamma_correction(in, 2.2f, 1, out); });
}
BENCHMARK(GammaCorrection);

void Grayscale(benchmark::State& state, int channels) {
  on_image(state, [&](const Image& in, Image& out) { kernels::grayscale(in, channels, out); });
}
BENCHMARK_CAPTURE(Grayscale, one_channel, 1);
BENCHMARK_CAPTURE(Grayscale, three_channels, 3);

void Contrast(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::contrast(in, 1.5f, out); });
}
BENCHMARK(Contrast);

void Saturation(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::saturation(in, 1.5f, out); });
}
BENCHMARK(Saturation);

void Hue(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) { kernels::hue(in, 30, out); });
}
BENCHMARK(Hue);

void ColorTwist(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) {
    kernels::color_twist(in, {1.2f, 0.8f, 1.5f, 30}, out);
  });
}
BENCHMARK(ColorTwist);

void Autocontrast(benchmark::State& state) { on_image(state, kernels::autocontrast); }
BENCHMARK(Autocontrast);

void Equalize(benchmark::State& state) { on_image(state, kernels::equalize); }
BENCHMARK(Equalize);

void PermuteChannels(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) {
    kernels::permute_channels(in, {2, 1, 0}, out);
  });
}
BENCHMARK(PermuteChannels);

void ColorSpaceConversion(benchmark::State& state) {
  on_image(state, [](const Image& in, Image& out) {
    kernels::color_space_conversion(in, PixelFormat::rgb, PixelFormat::ycbcr, out);
  });
}
BENCHMARK(ColorSpaceConversion);

// Converts tensors back to images.
void ToImage(benchmark::State& state, DType dtype, Layout layout) {
  const Image image = noise(375, 500, 3);
  Tensor in;
  kernels::crop_mirror_normalize(
      image, {0, 0, 375, 500},
      {.std = {1 / 255.f, 1 / 255.f, 1 / 255.f, 1}, .dtype = dtype, .layout = layout}, in);
  for (auto _ : state) {
    Image out;
    kernels::to_image(in, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(ToImage, f32_hwc, DType::f32, Layout::hwc);
BENCHMARK_CAPTURE(ToImage, f32_chw, DType::f32, Layout::chw);
BENCHMARK_CAPTURE(ToImage, f16_chw, DType::f16, Layout::chw);
BENCHMARK_CAPTURE(ToImage, u8_chw, DType::u8, Layout::chw);

void RandomResizedCropRectangle(benchmark::State& state) {
  std::uint32_t sample = 0;
  for (auto _ : state) {
    Random random({.seed = 1, .sample = sample++});
    benchmark::DoNotOptimize(kernels::random_resized_crop_region(random, 375, 500));
  }
}
BENCHMARK(RandomResizedCropRectangle);

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
  std::vector<Image> images;
  for (std::int64_t i = 0; i < state.range(0); ++i) images.push_back(noise(224, 224, 3));
  const std::vector<float> weights(images.size(), 1.f / static_cast<float>(images.size()));
  for (auto _ : state) {
    Image out;
    kernels::weighted_sum(images, weights, out);
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

constexpr int kHeight = 375, kWidth = 500;

void ThreeColors(benchmark::State& state, bool composed) {
  const kernels::ColorTwist twist{.hue = 20};
  const Image in = noise(kHeight, kWidth, 3);
  Image first, second, out;
  for (auto _ : state) {
    if (composed) {
      kernels::ComposedColors colors(in);
      colors.apply(kernels::color_twist_matrix(twist));
      colors.apply(kernels::saturation_matrix(1.3f));
      colors.map_levels(0.9, 5);
      colors.write_to(out);
    } else {
      kernels::color_twist(in, twist, first);
      kernels::saturation(first, 1.3f, second);
      kernels::brightness_contrast(second, 0.9f, 1, out);
    }
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(ThreeColors, steps, false);
BENCHMARK_CAPTURE(ThreeColors, composed, true);

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
