#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/shear.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/ops/kernels/turn.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <array>
#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;
using Numbers = std::array<float, 4>;

void add_warp(Gather& gather, WarpJob job, const Image& in, Image& out) {
  out.create(job.out.height, job.out.width, in.channels());
  place_warp(job, in.data(), in.row_stride(), out.data());
  gather.launch_of_step<WarpLaunch>().add(job);
}

void add_places(Gather& gather, const Image& in, const kernels::AffineMap& from, int height,
                int width, const kernels::WarpOptions& options, Image& out) {
  out.create(height, width, in.channels());
  PlacesJob job = places_job(picture_in(in), picture_out(out), options);
  from_matrix(job, {from.xx, from.xy, from.x0, from.yx, from.yy, from.y0, 0, 0, 1});
  gather.launch_of_step<PlacesLaunch>().add(job);
}

// All arguments have been checked. A bicubic affine map is computed as a perspective one, as in
// ops/.
void add_map(Gather& gather, const Image& in, const kernels::AffineMap& from, int height, int width,
             const kernels::WarpOptions& options, Image& out) {
  if (options.interpolation != Interpolation::bicubic) {
    add_warp(
        gather,
        warp_job(in.height(), in.width(), from, options, pixels_out(height, width, in.channels())),
        in, out);
    return;
  }
  add_places(gather, in, from, height, width, options, out);
}

// A step has one kind of launch, so rotations by multiples of 90 degrees use it, too.
void rotate_bicubic(Gather& gather, const Image& in, float degrees,
                    const kernels::RotateOptions& options, Image& out) {
  const auto& [from, height, width, whole] =
      rotation_of(in.height(), in.width(), degrees, options.keep_size);
  kernels::check_size("rotate", height, width);
  if (whole) {
    add_places(gather, in, {from.xx, from.xy, from.x0, from.yx, from.yy, from.y0}, height, width,
               {Interpolation::nearest, Border::constant, options.fill}, out);
    return;
  }
  const kernels::Turn turn = kernels::turn_of(in.height(), in.width(), degrees, options.keep_size);
  add_places(gather, in, turn.from_canvas, height, width,
             {options.interpolation, Border::constant, options.fill}, out);
}

void warp(Gather& gather, const char* op, const Image& in, const kernels::AffineMap& from,
          int height, int width, const kernels::WarpOptions& options, Image& out) {
  kernels::check_affine(op, in, from, height, width, options);
  add_map(gather, in, from, height, width, options, out);
}

void add_rotate() {
  add_device_version(detail::rotate_operator(), [](Gather& gather, const Image& in, float degrees,
                                                   bool keep_size, const Numbers& fill,
                                                   Interpolation interpolation, Image& out) {
    kernels::check_pixels("rotate", in);
    const kernels::RotateOptions options{keep_size, detail::fill_of(fill), interpolation};
    if (interpolation == Interpolation::bicubic)
      return rotate_bicubic(gather, in, degrees, options, out);
    add_warp(gather, rotate_job(in.height(), in.width(), in.channels(), degrees, options), in, out);
  });
}

void add_shear() {
  add_device_version(
      detail::shear_operator(),
      [](Gather& gather, const Image& in, float x, float y, float center_x, float center_y,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        kernels::check_pixels("shear", in);
        warp(gather, "shear", in,
             kernels::shear_map(in.height(), in.width(), {x, y, center_x, center_y}), in.height(),
             in.width(), detail::warp_options(interpolation, border, fill), out);
      });
}

void add_translate() {
  add_device_version(detail::translate_operator(), [](Gather& gather, const Image& in, float x,
                                                      float y, bool relative,
                                                      Interpolation interpolation, Border border,
                                                      const Numbers& fill, Image& out) {
    kernels::check_pixels("translate", in);
    warp(gather, "translate", in, kernels::translate_map(in.height(), in.width(), x, y, relative),
         in.height(), in.width(), detail::warp_options(interpolation, border, fill), out);
  });
}

void add_affine() {
  add_device_version(
      detail::warp_affine_operator(),
      [](Gather& gather, const Image& in, float xx, float xy, float x0, float yx, float yy,
         float y0, std::int32_t height, std::int32_t width, bool inverse_map,
         Interpolation interpolation, Border border, const Numbers& fill, Image& out) {
        const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
        warp(gather, "warp_affine", in, inverse_map ? map : kernels::inverse("warp_affine", map),
             height != 0 ? height : in.height(), width != 0 ? width : in.width(),
             detail::warp_options(interpolation, border, fill), out);
      });
}

void add_composed() {
  add_device_version(detail::composed_warp_operator(),
                     [](Gather& gather, const kernels::ComposedWarp& map, Image& out) {
                       map.check_made();
                       add_map(gather, map.from(), map.map(), map.height(), map.width(),
                               map.options(), out);
                     });
}

}  // namespace

bool add_warps() {
  add_rotate();
  add_shear();
  add_translate();
  add_affine();
  add_composed();
  return true;
}

}  // namespace sluice::device
