#include <sluice/ops/colour/normalize.h>
#include <sluice/ops/kernels/crop_windows.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/operator.h>
#include <sluice/ops/picture_steps.h>
#include <sluice/runtime/error.h>

#include <cstddef>
#include <string>

namespace sluice {
namespace {

// Numbers in units of 0 .. 255 would give pictures that are all but one colour, without a word.
void check_scale(const std::string& name, const char* which, int channel, float number, float min) {
  if (number >= min && number <= 1.f) return;
  throw BuildError(name +
                   ": mean and std are in units of 0 .. 1, since pixels are divided by 255 "
                   "first, but " +
                   which + "[" + std::to_string(channel) + "] is " + std::to_string(number) +
                   "; divide both by 255");
}

template <class Options>
kernels::NormalizeParams params_of(const std::string& name, const Options& options) {
  for (int c = 0; c < 4; ++c) {
    check_scale(name, "mean", c, options.mean.at(static_cast<std::size_t>(c)), -1.f);
    check_scale(name, "std", c, options.std.at(static_cast<std::size_t>(c)), 0.f);
  }
  kernels::NormalizeParams params;
  params.mean = options.mean;
  params.std = options.std;
  params.dtype = options.dtype;
  params.layout = options.layout;
  return params;
}

template <class Options>
TensorSpec spec_of(const Options& options) {
  return {.dtype = options.dtype, .layout = options.layout, .rank = 3};
}

}  // namespace

Value<Tensor> crop_mirror_normalize(Value<Image> image, const CropMirrorNormalizeOptions& options) {
  const auto is_all = [](const Param<int>& size) {
    return size.is_constant() && size.constant() == 0;
  };
  const auto normalized = detail::window_step<Tensor>(
      {.name = "crop_mirror_normalize",
       .sees_all = is_all(options.height) && is_all(options.width)},
      image,
      [](const Image& in, int height, int width, bool) {
        return kernels::center_crop_window(in.height(), in.width(),
                                           height == 0 ? in.height() : height,
                                           width == 0 ? in.width() : width);
      },
      [params = params_of("crop_mirror_normalize", options)](
          const Image& in, const Rectangle& window, int, int, bool mirror, Tensor& out) {
        kernels::NormalizeParams mine = params;
        mine.mirror = mirror;
        kernels::crop_mirror_normalize(in, window, mine, out);
      },
      options.height, options.width, options.mirror);
  return Graph(image.recorder()).declare(normalized, spec_of(options));
}

Value<Tensor> resize_mirror_normalize(Value<Image> image,
                                      const ResizeMirrorNormalizeOptions& options) {
  Graph g = detail::graph_of(image, "resize_mirror_normalize");
  const auto normalized = g.map_into<Tensor>(
      "resize_mirror_normalize",
      [params = params_of("resize_mirror_normalize", options),
       interpolation = options.interpolation](const Image& in, int height, int width, bool mirror,
                                              Tensor& out) {
        kernels::NormalizeParams mine = params;
        mine.mirror = mirror;
        kernels::resize_mirror_normalize(in, height, width, interpolation, mine, out);
      },
      image, options.height, options.width, options.mirror);
  return g.declare(normalized, spec_of(options));
}

}  // namespace sluice
