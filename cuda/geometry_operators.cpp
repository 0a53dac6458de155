// Device versions of operators that move pixels: crops, resize, warps, perspectives, and covers.
#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/kernels/warp_fields.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/warp_fields.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::DeviceBatch;
using Numbers = std::array<float, 4>;

void crop(DeviceBatch& device_batch, const Image& in, const Rectangle& region, Image& out) {
  kernels::check_region("crop", region, in);
  move_pixels(device_batch, in, cropped(pixels_of(in), region), region.height, region.width, out);
}

void add_resize(DeviceBatch& device_batch, const Image& in, const kernels::Box& box,
                const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& to, void* out) {
  ResizeJob job = resize_job(in.height(), in.width(), box, filter, mirror, to);
  place_resize(job, in.data(), in.row_stride(), out, device_batch.scratch(resize_scratch(job)));
  device_batch.launch_of_step<ResizeLaunch>().add(job);
}

void downscale(DeviceBatch& device_batch, const Image& in, float scale, Interpolation interpolation,
               Image& out) {
  kernels::check_pixels("downscale", in);
  const int channels = in.channels();
  const auto [height, width] = kernels::downscaled_size(in.height(), in.width(), scale);
  const std::int64_t stride = std::int64_t{width} * channels;
  auto* const small = reinterpret_cast<std::uint8_t*>(
      device_batch.scratch(static_cast<std::size_t>(height * stride)));
  ResizeJob first = resize_job(in.height(), in.width(), kernels::whole_box(in), interpolation,
                               false, pixels_out(height, width, channels));
  place_resize(first, in.data(), in.row_stride(), small,
               device_batch.scratch(resize_scratch(first)));
  const kernels::Box all{0, 0, static_cast<double>(height), static_cast<double>(width)};
  ResizeJob second = resize_job(height, width, all, Interpolation::nearest, false,
                                pixels_out(in.height(), in.width(), channels));
  out.create(in.height(), in.width(), channels);
  place_resize(second, small, stride, out.data(), device_batch.scratch(resize_scratch(second)));
  auto& launch = device_batch.launch_of_step<DownscaleLaunch>();
  launch.add<0>(first);
  launch.add<1>(second);
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

void move(DeviceBatch& device_batch, const char* op, const Image& in,
          const kernels::Symmetry& symmetry, Image& out) {
  kernels::check_pixels(op, in);
  PixelsIn what = pixels_of(in);
  if (symmetry.from_right) what = mirrored(what, in.width());
  if (symmetry.from_bottom) what = upside_down(what, in.height());
  if (!symmetry.transposes)
    return move_pixels(device_batch, in, what, in.height(), in.width(), out);
  move_pixels(device_batch, in, transposed(what), in.width(), in.height(), out);
}

void add_symmetries() {
  add_device_version(detail::flip_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                 bool horizontal, bool vertical, Image& out) {
    move(device_batch, "flip", in, {.from_right = horizontal, .from_bottom = vertical}, out);
  });
  add_device_version(detail::transpose_operator(),
                     [](DeviceBatch& device_batch, const Image& in, Image& out) {
                       move(device_batch, "transpose", in, {.transposes = true}, out);
                     });
  add_device_version(detail::rot90_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                  std::int32_t turns, Image& out) {
    move(device_batch, "rot90", in, kernels::symmetry_of_turns(turns), out);
  });
  add_device_version(detail::d4_operator(), [](DeviceBatch& device_batch, const Image& in,
                                               std::int32_t element, Image& out) {
    move(device_batch, "d4", in, kernels::symmetry_of(element), out);
  });
}

void add_crops_and_resize() {
  add_device_version(detail::crop_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                 const Rectangle& region, OutOfBounds what,
                                                 Image& out) {
    const bool trim = what == OutOfBounds::trim;
    crop(device_batch, in, trim ? kernels::trimmed(region, in.height(), in.width()) : region, out);
  });
  add_device_version(
      detail::center_crop_operator(), [](DeviceBatch& device_batch, const Image& in,
                                         std::int32_t height, std::int32_t width, Image& out) {
        crop(device_batch, in, kernels::center_crop_region(in.height(), in.width(), height, width),
             out);
      });
  add_device_version(
      detail::resize_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t height, std::int32_t width,
         std::int32_t shorter, ResizeMode mode, std::int32_t max_size, float start_y, float start_x,
         float end_y, float end_x, bool relative, Interpolation interpolation, bool antialias,
         Image& out) {
        kernels::check_pixels("resize", in);
        const auto [box, size] = kernels::plan_resize(
            {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
            in.height(), in.width());
        kernels::check_size("resize", size.height, size.width);
        out.create(size.height, size.width, in.channels());
        add_resize(device_batch, in, box, {interpolation, antialias}, false,
                   pixels_out(size.height, size.width, in.channels()), out.data());
      });
}

void add_downscale() {
  add_device_version(
      detail::downscale_operator(),
      [](DeviceBatch& device_batch, const Image& in, float scale, Interpolation interpolation,
         Image& out) { downscale(device_batch, in, scale, interpolation, out); });
}

void add_zoom_blur() {
  add_device_version(
      detail::zoom_blur_operator(), [](DeviceBatch& device_batch, const Image& in, float max_factor,
                                       float step_factor, Image& out) {
        kernels::check_pixels("zoom_blur", in);
        std::vector<ZoomedCopy> copies;
        for (const kernels::ZoomedCopy& one :
             kernels::zoomed_copies(in.height(), in.width(), max_factor, step_factor))
          copies.push_back({one.x, one.dx, one.y, one.dy});
        const ZoomedCopy* const uploaded =
            copies.empty() ? nullptr : upload_all(device_batch, copies.data(), copies.size());
        device_batch.launch_of_step<ZoomBlurLaunch>().add(zoom_blur_job(
            image_in(in), create_like(in, out), uploaded, static_cast<int>(copies.size())));
      });
}

// Operators that only need the image's size, which the host knows.
void add_regions() {
  add_device_version(detail::canvas_size_operator(), [](DeviceBatch&, const Image& in) {
    return std::tuple<std::int32_t, std::int32_t>{in.height(), in.width()};
  });
  add_device_version(detail::random_region_operator(),
                     [](DeviceBatch&, Random& random, const Image& in, float min_area,
                        float max_area, float min_ratio, float max_ratio) {
                       return kernels::random_resized_crop_region(random, in.height(), in.width(),
                                                                  {.scale_low = min_area,
                                                                   .scale_high = max_area,
                                                                   .ratio_low = min_ratio,
                                                                   .ratio_high = max_ratio});
                     });
  add_device_version(detail::random_erasing_region_operator(),
                     [](DeviceBatch&, Random& random, const Image& in, float probability,
                        float min_area, float max_area, float min_ratio, float max_ratio) {
                       return kernels::random_erasing_region(random, in.height(), in.width(),
                                                             {.probability = probability,
                                                              .min_area = min_area,
                                                              .max_area = max_area,
                                                              .min_ratio = min_ratio,
                                                              .max_ratio = max_ratio});
                     });
}

void add_normalize() {
  add_device_version(
      detail::crop_mirror_normalize_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t height, std::int32_t width,
         bool mirror, const Numbers& mean, const Numbers& std, DType dtype, Layout layout,
         float scale, float shift, bool pad_output, Tensor& out) {
        const Rectangle middle =
            kernels::center_crop_region(in.height(), in.width(), height == 0 ? in.height() : height,
                                        width == 0 ? in.width() : width);
        PixelsIn what = cropped(pixels_of(in), middle);
        if (mirror) what = mirrored(what, middle.width);
        const PixelsOut to =
            normalized("crop_mirror_normalize", middle.height, middle.width, in,
                       {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
        add_pixels(device_batch, copy_pixels_job(what, to), in, out.bytes());
      });
  add_device_version(detail::resize_mirror_normalize_operator(),
                     [](DeviceBatch& device_batch, const Image& in, std::int32_t height,
                        std::int32_t width, bool mirror, const Numbers& mean, const Numbers& std,
                        DType dtype, Layout layout, float scale, float shift, bool pad_output,
                        Interpolation interpolation, bool antialias, Tensor& out) {
                       const PixelsOut to = normalized(
                           "resize_mirror_normalize", height, width, in,
                           {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
                       add_resize(device_batch, in, kernels::whole_box(in),
                                  {interpolation, antialias}, mirror, to, out.bytes());
                     });
}

void add_warp(DeviceBatch& device_batch, WarpJob job, const Image& in, Image& out) {
  out.create(job.out.height, job.out.width, in.channels());
  place_warp(job, in.data(), in.row_stride(), out.data());
  device_batch.launch_of_step<WarpLaunch>().add(job);
}

void add_affine_places(DeviceBatch& device_batch, const Image& in, const kernels::AffineMap& from,
                       int height, int width, const kernels::WarpOptions& options, Image& out) {
  out.create(height, width, in.channels());
  RemapJob job = remap_job(image_in(in), image_out(out), options);
  from_matrix(job, {from.xx, from.xy, from.x0, from.yx, from.yy, from.y0, 0, 0, 1});
  device_batch.launch_of_step<RemapLaunch>().add(job);
}

// All arguments have been checked. A bicubic affine map is computed as a perspective one, as in
// ops/.
void add_map(DeviceBatch& device_batch, const Image& in, const kernels::AffineMap& from, int height,
             int width, const kernels::WarpOptions& options, Image& out) {
  if (options.interpolation != Interpolation::bicubic) {
    add_warp(
        device_batch,
        warp_job(in.height(), in.width(), from, options, pixels_out(height, width, in.channels())),
        in, out);
    return;
  }
  add_affine_places(device_batch, in, from, height, width, options, out);
}

// A step has one kind of launch, so rotations by multiples of 90 degrees use it, too.
void rotate_bicubic(DeviceBatch& device_batch, const Image& in, float degrees,
                    const kernels::RotateOptions& options, Image& out) {
  const auto& [from, height, width, whole] =
      rotation_of(in.height(), in.width(), degrees, options.keep_size);
  kernels::check_size("rotate", height, width);
  add_affine_places(
      device_batch, in, {from.xx, from.xy, from.x0, from.yx, from.yy, from.y0}, height, width,
      {whole ? Interpolation::nearest : options.interpolation, options.border, options.fill}, out);
}

void warp(DeviceBatch& device_batch, const char* op, const Image& in,
          const kernels::AffineMap& from, int height, int width,
          const kernels::WarpOptions& options, Image& out) {
  kernels::check_affine(op, in, from, height, width, options);
  add_map(device_batch, in, from, height, width, options, out);
}

void add_rotate() {
  add_device_version(detail::rotate_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                   float degrees, bool keep_size,
                                                   const Numbers& fill, Interpolation interpolation,
                                                   Border border, Image& out) {
    kernels::check_pixels("rotate", in);
    const kernels::RotateOptions options{keep_size, detail::fill_of(fill), interpolation, border};
    if (interpolation == Interpolation::bicubic)
      return rotate_bicubic(device_batch, in, degrees, options, out);
    add_warp(device_batch, rotate_job(in.height(), in.width(), in.channels(), degrees, options), in,
             out);
  });
}

void add_shear() {
  add_device_version(
      detail::shear_operator(), [](DeviceBatch& device_batch, const Image& in, float y, float x,
                                   float center_y, float center_x, Interpolation interpolation,
                                   Border border, const Numbers& fill, Image& out) {
        kernels::check_pixels("shear", in);
        warp(device_batch, "shear", in,
             kernels::shear_map(in.height(), in.width(), {x, y, center_x, center_y}), in.height(),
             in.width(), detail::warp_options(interpolation, border, fill), out);
      });
}

void add_translate() {
  add_device_version(
      detail::translate_operator(),
      [](DeviceBatch& device_batch, const Image& in, float y, float x, bool relative,
         bool whole_pixels, Interpolation interpolation, Border border, const Numbers& fill,
         Image& out) {
        kernels::check_pixels("translate", in);
        warp(device_batch, "translate", in,
             kernels::translate_map(in.height(), in.width(), x, y, relative, whole_pixels),
             in.height(), in.width(), detail::warp_options(interpolation, border, fill), out);
      });
}

void add_affine() {
  add_device_version(
      detail::affine_operator(),
      [](DeviceBatch& device_batch, const Image& in, float degrees, float y, float x, bool relative,
         float scale, float shear_y, float shear_x, float center_y, float center_x,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        kernels::check_pixels("affine", in);
        warp(device_batch, "affine", in,
             kernels::affine_map(
                 in.height(), in.width(),
                 {degrees, x, y, relative, scale, shear_x, shear_y, center_x, center_y}),
             in.height(), in.width(), detail::warp_options(interpolation, border, fill), out);
      });
}

void add_warp_affine() {
  add_device_version(
      detail::warp_affine_operator(),
      [](DeviceBatch& device_batch, const Image& in, float xx, float xy, float x0, float yx,
         float yy, float y0, std::int32_t height, std::int32_t width, bool inverse_map,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
        warp(device_batch, "warp_affine", in,
             inverse_map ? map : kernels::inverse("warp_affine", map),
             height != 0 ? height : in.height(), width != 0 ? width : in.width(),
             detail::warp_options(interpolation, border, fill), out);
      });
}

void add_composed_warp() {
  add_device_version(detail::composed_warp_operator(),
                     [](DeviceBatch& device_batch, const kernels::ComposedWarp& map, Image& out) {
                       map.check_made();
                       add_map(device_batch, map.from(), map.map(), map.height(), map.width(),
                               map.options(), out);
                     });
}

void warp_perspective(DeviceBatch& device_batch, const char* op, const Image& in,
                      const kernels::PerspectiveMap& from, int height, int width,
                      const kernels::WarpOptions& options, Image& out) {
  kernels::check_perspective(op, in, from, height, width, options);
  out.create(height, width, in.channels());
  RemapJob job = remap_job(image_in(in), image_out(out), options);
  from_matrix(job, from);
  device_batch.launch_of_step<RemapLaunch>().add(job);
}

void add_perspectives() {
  add_device_version(
      detail::perspective_operator(),
      [](DeviceBatch& device_batch, const Image& in, float from_ax, float from_ay, float from_bx,
         float from_by, float from_cx, float from_cy, float from_dx, float from_dy, float to_ax,
         float to_ay, float to_bx, float to_by, float to_cx, float to_cy, float to_dx, float to_dy,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        const kernels::PerspectivePoints from{
            {{from_ax, from_ay}, {from_bx, from_by}, {from_cx, from_cy}, {from_dx, from_dy}}};
        const kernels::PerspectivePoints to{
            {{to_ax, to_ay}, {to_bx, to_by}, {to_cx, to_cy}, {to_dx, to_dy}}};
        warp_perspective(device_batch, "perspective", in,
                         kernels::map_of_points("perspective", to, from), in.height(), in.width(),
                         detail::warp_options(interpolation, border, fill), out);
      });
  add_device_version(detail::random_perspective_operator(),
                     [](DeviceBatch& device_batch, Random& random, const Image& in,
                        float distortion_scale, float probability, Interpolation interpolation,
                        Border border, const Numbers& fill, Image& out) {
                       const kernels::WarpOptions options =
                           detail::warp_options(interpolation, border, fill);
                       kernels::PlaceSampler::check("random_perspective", in, options);
                       const auto map = kernels::random_perspective_map(
                           random, in.height(), in.width(), {distortion_scale, probability});
                       // A step has one kind of launch; this one copies the image.
                       if (!map)
                         return add_affine_places(device_batch, in, {}, in.height(), in.width(),
                                                  {Interpolation::nearest}, out);
                       warp_perspective(device_batch, "random_perspective", in, *map, in.height(),
                                        in.width(), options, out);
                     });
  add_device_version(
      detail::warp_perspective_operator(),
      [](DeviceBatch& device_batch, const Image& in, float xx, float xy, float x0, float yx,
         float yy, float y0, float wx, float wy, float w0, std::int32_t height, std::int32_t width,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        warp_perspective(device_batch, "warp_perspective", in, {xx, xy, x0, yx, yy, y0, wx, wy, w0},
                         height != 0 ? height : in.height(), width != 0 ? width : in.width(),
                         detail::warp_options(interpolation, border, fill), out);
      });
}

void add_lens() {
  add_device_version(
      detail::lens_distortion_operator(),
      [](DeviceBatch& device_batch, const Image& in, float k1, float k2,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        const kernels::WarpOptions options = detail::warp_options(interpolation, border, fill);
        const kernels::Lens lens = kernels::lens_for(in, k1, k2, options);
        RemapJob job = remap_job(image_in(in), create_like(in, out), options);
        from_lens(job, lens);
        device_batch.launch_of_step<RemapLaunch>().add(job);
      });
}

float* scratch_numbers(DeviceBatch& device_batch, std::size_t count) {
  return reinterpret_cast<float*>(device_batch.scratch(count * sizeof(float)));
}

void add_elastic() {
  add_device_version(
      detail::elastic_operator(),
      [](DeviceBatch& device_batch, Random& random, const Image& in, float alpha, float sigma,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        const kernels::WarpOptions options = detail::warp_options(interpolation, border, fill);
        kernels::check_elastic(in, {alpha, sigma}, options);
        DisplacementJob shifts = displacement_job(in.height(), in.width(), random.words());
        shifts.shifts = scratch_numbers(device_batch, displacement_size(shifts));
        if (sigma != 0) {
          const std::vector<float> weights = kernels::elastic_weights(sigma);
          shifts.weights = upload_all(device_batch, weights.data(), weights.size());
          shifts.count = static_cast<std::int32_t>(weights.size());
          shifts.between = scratch_numbers(device_batch, displacement_size(shifts));
        }
        RemapJob job = remap_job(image_in(in), create_like(in, out), options);
        from_displacement(job, shifts.shifts, static_cast<double>(alpha) / 2);
        auto& launch = device_batch.launch_of_step<ElasticLaunch>();
        launch.add<0>(shifts);
        launch.add<1>(job);
      });
}

void remap(DeviceBatch& device_batch, const Image& in, const float* field,
           const kernels::WarpOptions& options, Image& out) {
  RemapJob job = remap_job(image_in(in), create_like(in, out), options);
  from_field(job, field);
  device_batch.launch_of_step<RemapLaunch>().add(job);
}

void add_remap() {
  add_device_version(detail::remap_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                  const Tensor& field, Interpolation interpolation,
                                                  Border border, const Numbers& fill, Image& out) {
    const kernels::WarpOptions options = detail::warp_options(interpolation, border, fill);
    kernels::check_remap("remap", in, field, options);
    if (!field.contiguous()) {
      throw std::invalid_argument(
          "remap: on a GPU the elements of the field must lie side by side");
    }
    remap(device_batch, in, field.data<float>(), options, out);
  });
  add_device_version(detail::grid_distortion_operator(),
                     [](DeviceBatch& device_batch, Random& random, const Image& in,
                        std::int32_t steps, float limit, Interpolation interpolation, Image& out) {
                       const kernels::WarpOptions options{interpolation, Border::edge, 0};
                       kernels::PlaceSampler::check("grid_distortion", in, options);
                       const kernels::GridShifts shifts = kernels::grid_shifts(
                           "grid_distortion", random, in.height(), in.width(), {steps, limit});
                       std::vector<float> field(2 * shifts.along_x.size() * shifts.along_y.size());
                       kernels::write_field(shifts, field.data());
                       remap(device_batch, in, upload_all(device_batch, field.data(), field.size()),
                             options, out);
                     });
}

FillRectsJob filled(const Image& in, const Numbers& fill, Image& out) {
  return fill_rects_job(image_in(in), create_like(in, out), detail::fill_of(fill));
}

void erase(DeviceBatch& device_batch, const Image& in, const Rectangle& region, const Numbers& fill,
           const RandomWords& words, float noise, Image& out) {
  FillRectsJob job = filled(in, fill, out);
  fill_rectangle(job, region);
  fill_with_noise(job, words, noise);
  device_batch.launch_of_step<FillRectsLaunch>().add(job);
}

void coarse_dropout(DeviceBatch& device_batch, Random& random, const Image& in,
                    const kernels::CoarseDropout& params, const Numbers& fill, Image& out) {
  kernels::check_pixels("coarse_dropout", in);
  kernels::check_fill_noise("coarse_dropout", params.noise);
  std::vector<FillRect> holes;
  for (const Rectangle& hole :
       kernels::coarse_dropout_holes(random, in.height(), in.width(), params))
    holes.push_back({hole.y, hole.y + hole.height, hole.x, hole.x + hole.width});
  FillRectsJob job = filled(in, fill, out);
  if (!holes.empty()) {
    fill_rectangles(job, upload_all(device_batch, holes.data(), holes.size()),
                    static_cast<int>(holes.size()));
  }
  fill_with_noise(job, random.words(), params.noise);
  device_batch.launch_of_step<FillRectsLaunch>().add(job);
}

void pad(DeviceBatch& device_batch, const Image& in, const kernels::Margins& margins, Border border,
         const Numbers& fill, Image& out) {
  const int height = in.height() + margins.top + margins.bottom;
  const int width = in.width() + margins.left + margins.right;
  kernels::check_size("pad_image", height, width);
  out.create(height, width, in.channels());
  FillRectsJob job = fill_rects_job(image_in(in), image_out(out), detail::fill_of(fill));
  fill_margins(job, margins.top, margins.left, border);
  device_batch.launch_of_step<FillRectsLaunch>().add(job);
}

// As crop_padded() of ops/. A region far outside of the image shows none of it, like one just
// outside, so the offsets can be clamped.
void crop_padded(DeviceBatch& device_batch, const Image& in, const Rectangle& region,
                 const Fill& fill, Image& out) {
  kernels::check_pixels("crop", in);
  kernels::check_size("crop", region.height, region.width);
  out.create(region.height, region.width, in.channels());
  constexpr int kOutside = 65536;
  FillRectsJob job = fill_rects_job(image_in(in), image_out(out), fill);
  fill_margins(job, -std::clamp(region.y, -kOutside, kOutside),
               -std::clamp(region.x, -kOutside, kOutside), Border::constant);
  device_batch.launch_of_step<FillRectsLaunch>().add(job);
}

void add_fill_rects() {
  add_device_version(
      detail::crop_padded_operator(),
      [](DeviceBatch& device_batch, const Image& in, const Rectangle& region, const Numbers& fill,
         Image& out) { crop_padded(device_batch, in, region, detail::fill_of(fill), out); });
  add_device_version(
      detail::expand_operator(), [](DeviceBatch& device_batch, const Image& in, float ratio,
                                    float y, float x, const Numbers& fill, Image& out) {
        kernels::check_pixels("expand", in);
        const kernels::Expanded to = kernels::expanded({ratio, y, x}, in.height(), in.width());
        crop_padded(device_batch, in, {-to.image.y, -to.image.x, to.canvas.height, to.canvas.width},
                    detail::fill_of(fill), out);
      });
  add_device_version(
      detail::erase_operator(),
      [](DeviceBatch& device_batch, const Image& in, float y, float x, float height, float width,
         bool normalized, bool centered, const Numbers& fill, Image& out) {
        kernels::check_pixels("erase", in);
        erase(device_batch, in,
              kernels::erased_region({y, x, height, width, normalized, centered}, in.height(),
                                     in.width()),
              fill, {}, 0, out);
      });
  add_device_version(detail::erase_region_operator(),
                     [](DeviceBatch& device_batch, const Image& in, const Rectangle& region,
                        const Numbers& fill, Image& out) {
                       kernels::check_pixels("erase", in);
                       erase(device_batch, in, region, fill, {}, 0, out);
                     });
  add_device_version(detail::erase_with_noise_operator(),
                     [](DeviceBatch& device_batch, Random& random, const Image& in,
                        const Rectangle& region, const Numbers& fill, float noise, Image& out) {
                       kernels::check_pixels("erase_with_noise", in);
                       kernels::check_fill_noise("erase_with_noise", noise);
                       erase(device_batch, in, region, fill, random.words(), noise, out);
                     });
  add_device_version(detail::coarse_dropout_operator(), [](DeviceBatch& device_batch,
                                                           Random& random, const Image& in,
                                                           std::int32_t holes, float height,
                                                           float width, bool normalized,
                                                           const Numbers& fill, float noise,
                                                           Image& out) {
    coarse_dropout(device_batch, random, in, {holes, height, width, normalized, noise}, fill, out);
  });
  add_device_version(
      detail::grid_mask_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t tile, float ratio, float degrees,
         float shift_y, float shift_x, const Numbers& fill, Image& out) {
        kernels::check_pixels("grid_mask", in);
        FillRectsJob job = filled(in, fill, out);
        fill_grid(job, {tile, ratio, degrees, shift_x, shift_y});
        device_batch.launch_of_step<FillRectsLaunch>().add(job);
      });
  add_device_version(detail::pad_image_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                      std::int32_t left, std::int32_t top,
                                                      std::int32_t right, std::int32_t bottom,
                                                      std::int32_t height, std::int32_t width,
                                                      Border border, const Numbers& fill,
                                                      Image& out) {
    kernels::check_pixels("pad_image", in);
    pad(device_batch, in,
        kernels::margins_up_to({left, top, right, bottom}, in.height(), in.width(), height, width),
        border, fill, out);
  });
}

}  // namespace

void add_geometry_operators() {
  add_symmetries();
  add_crops_and_resize();
  add_downscale();
  add_zoom_blur();
  add_regions();
  add_normalize();
  add_rotate();
  add_shear();
  add_translate();
  add_affine();
  add_warp_affine();
  add_composed_warp();
  add_perspectives();
  add_lens();
  add_elastic();
  add_remap();
  add_fill_rects();
}

}  // namespace sluice::device
