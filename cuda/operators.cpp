#include <sluice/cuda/gpu.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/erase.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/ops/occlusion.h>

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;
using Numbers = std::array<float, 4>;

void crop(Gather& gather, const Image& in, const Rectangle& region, Image& out) {
  kernels::check_region("crop", region, in);
  move_pixels(gather, in, cropped(pixels_of(in), region), region.height, region.width, {}, out);
}

void add_resize(Gather& gather, const Image& in, const kernels::Box& box,
                const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& to, void* out) {
  ResizeJob job = resize_job(in.height(), in.width(), box, filter, mirror, to);
  place_resize(job, in.data(), in.row_stride(), out, gather.scratch(resize_scratch(job)));
  gather.launch_of_step<ResizeLaunch>().add(job);
}

PixelsOut normalized(const char* op, int height, int width, const Image& in,
                     const kernels::NormalizeParams& params, Tensor& out) {
  kernels::check_pixels(op, in);
  const int channels = in.channels();
  (void)kernels::channel_scale(op, params, channels);
  out.create(kernels::normalized_shape(op, params, height, width, channels), params.dtype,
             params.layout);
  return normalized_out(height, width, channels, params);
}

bool add_geometry() {
  add_device_version(
      detail::crop_operator(),
      [](Gather& gather, const Image& in, const Rectangle& region, OutOfBounds what, Image& out) {
        const bool trim = what == OutOfBounds::trim;
        crop(gather, in, trim ? kernels::trimmed(region, in.height(), in.width()) : region, out);
      });
  add_device_version(
      detail::center_crop_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width, Image& out) {
        crop(gather, in, kernels::center_crop_region(in.height(), in.width(), height, width), out);
      });
  add_device_version(detail::flip_operator(), [](Gather& gather, const Image& in, bool horizontal,
                                                 bool vertical, Image& out) {
    kernels::check_pixels("flip", in);
    PixelsIn what = pixels_of(in);
    if (horizontal) what = mirrored(what, in.width());
    if (vertical) what = upside_down(what, in.height());
    move_pixels(gather, in, what, in.height(), in.width(), {}, out);
  });
  add_device_version(detail::transpose_operator(), [](Gather& gather, const Image& in, Image& out) {
    kernels::check_pixels("transpose", in);
    move_pixels(gather, in, transposed(pixels_of(in)), in.width(), in.height(), {}, out);
  });
  add_device_version(
      detail::resize_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width,
         std::int32_t shorter, ResizeMode mode, std::int32_t max_size, float start_y, float start_x,
         float end_y, float end_x, bool relative, Interpolation interpolation, bool antialias,
         Image& out) {
        kernels::check_pixels("resize", in);
        const auto [box, size] = kernels::plan_resize(
            {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
            in.height(), in.width());
        kernels::check_size("resize", size.height, size.width);
        out.create(size.height, size.width, in.channels());
        add_resize(gather, in, box, {interpolation, antialias}, false,
                   pixels_out(size.height, size.width, in.channels()), out.data());
      });
  return true;
}

// Operators that only need the image's size, which the host knows.
bool add_regions() {
  add_device_version(detail::canvas_size_operator(), [](Gather&, const Image& in) {
    return std::tuple<std::int32_t, std::int32_t>{in.height(), in.width()};
  });
  add_device_version(detail::random_region_operator(),
                     [](Gather&, Random& random, const Image& in, float min_area, float max_area,
                        float min_ratio, float max_ratio) {
                       return kernels::random_resized_crop_region(random, in.height(), in.width(),
                                                                  {.scale_low = min_area,
                                                                   .scale_high = max_area,
                                                                   .ratio_low = min_ratio,
                                                                   .ratio_high = max_ratio});
                     });
  add_device_version(detail::random_erasing_region_operator(),
                     [](Gather&, Random& random, const Image& in, float probability, float min_area,
                        float max_area, float min_ratio, float max_ratio) {
                       return kernels::random_erasing_region(random, in.height(), in.width(),
                                                             {.probability = probability,
                                                              .min_area = min_area,
                                                              .max_area = max_area,
                                                              .min_ratio = min_ratio,
                                                              .max_ratio = max_ratio});
                     });
  return true;
}

bool add_normalize() {
  add_device_version(detail::crop_mirror_normalize_operator(),
                     [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width,
                        bool mirror, const Numbers& mean, const Numbers& std, DType dtype,
                        Layout layout, float scale, float shift, bool pad_output, Tensor& out) {
                       const Rectangle middle = kernels::center_crop_region(
                           in.height(), in.width(), height == 0 ? in.height() : height,
                           width == 0 ? in.width() : width);
                       PixelsIn what = cropped(pixels_of(in), middle);
                       if (mirror) what = mirrored(what, middle.width);
                       const PixelsOut to = normalized(
                           "crop_mirror_normalize", middle.height, middle.width, in,
                           {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
                       add_pixels(gather, pixels_job(what, to), in, out.bytes());
                     });
  add_device_version(
      detail::resize_mirror_normalize_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width, bool mirror,
         const Numbers& mean, const Numbers& std, DType dtype, Layout layout, float scale,
         float shift, bool pad_output, Interpolation interpolation, bool antialias, Tensor& out) {
        const PixelsOut to =
            normalized("resize_mirror_normalize", height, width, in,
                       {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
        add_resize(gather, in, kernels::whole_box(in), {interpolation, antialias}, mirror, to,
                   out.bytes());
      });
  return true;
}

}  // namespace

bool add_device_operators() {
  static const bool once = add_geometry() && add_regions() && add_normalize() && add_decoders() &&
                           add_warps() && add_places() && add_colours() && add_filters() &&
                           add_covers() && add_compositions() && add_noises() && add_tensors() &&
                           add_reductions() && add_choices();
  return once;
}

}  // namespace sluice::device
