#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/elastic.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/perspective.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::FillNumbers;
using detail::Gather;

void warp_perspective(Gather& gather, const char* op, const Image& in,
                      const kernels::PerspectiveMap& from, int height, int width,
                      const kernels::WarpOptions& options, Image& out) {
  kernels::check_perspective(op, in, from, height, width, options);
  out.create(height, width, in.channels());
  PlacesJob job = places_job(picture_in(in), picture_out(out), options);
  from_matrix(job, from);
  gather.launch_of_step<PlacesLaunch>().add(job);
}

void add_perspectives() {
  add_device_version(
      detail::perspective_operator(),
      [](Gather& gather, const Image& in, float from_ax, float from_ay, float from_bx,
         float from_by, float from_cx, float from_cy, float from_dx, float from_dy, float to_ax,
         float to_ay, float to_bx, float to_by, float to_cx, float to_cy, float to_dx, float to_dy,
         Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
        const kernels::PerspectivePoints from{
            {{from_ax, from_ay}, {from_bx, from_by}, {from_cx, from_cy}, {from_dx, from_dy}}};
        const kernels::PerspectivePoints to{
            {{to_ax, to_ay}, {to_bx, to_by}, {to_cx, to_cy}, {to_dx, to_dy}}};
        warp_perspective(gather, "perspective", in, kernels::map_of_points("perspective", to, from),
                         in.height(), in.width(), detail::warp_options(interpolation, border, fill),
                         out);
      });
  add_device_version(
      detail::warp_perspective_operator(),
      [](Gather& gather, const Image& in, float xx, float xy, float x0, float yx, float yy,
         float y0, float wx, float wy, float w0, std::int32_t height, std::int32_t width,
         Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
        warp_perspective(gather, "warp_perspective", in, {xx, xy, x0, yx, yy, y0, wx, wy, w0},
                         height != 0 ? height : in.height(), width != 0 ? width : in.width(),
                         detail::warp_options(interpolation, border, fill), out);
      });
}

void add_lens() {
  add_device_version(
      detail::lens_distortion_operator(),
      [](Gather& gather, const Image& in, float k1, float k2, Interpolation interpolation,
         Border border, const FillNumbers& fill, Image& out) {
        const kernels::WarpOptions options = detail::warp_options(interpolation, border, fill);
        const kernels::Lens lens = kernels::lens_for(in, k1, k2, options);
        PlacesJob job = places_job(picture_in(in), create_like(in, out), options);
        from_lens(job, lens);
        gather.launch_of_step<PlacesLaunch>().add(job);
      });
}

float* scratch_numbers(Gather& gather, std::size_t count) {
  return reinterpret_cast<float*>(gather.scratch(count * sizeof(float)));
}

void add_elastic() {
  add_device_version(
      detail::elastic_operator(),
      [](Gather& gather, Random& random, const Image& in, float alpha, float sigma,
         Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
        const kernels::WarpOptions options = detail::warp_options(interpolation, border, fill);
        kernels::check_elastic(in, {alpha, sigma}, options);
        ShiftsJob shifts = shifts_job(in.height(), in.width(), random.words());
        shifts.shifts = scratch_numbers(gather, shifts_of(shifts));
        if (sigma != 0) {
          const std::vector<float> weights = kernels::elastic_weights(sigma);
          shifts.weights = upload_all(gather, weights.data(), weights.size());
          shifts.count = static_cast<std::int32_t>(weights.size());
          shifts.between = scratch_numbers(gather, shifts_of(shifts));
        }
        PlacesJob job = places_job(picture_in(in), create_like(in, out), options);
        from_shifts(job, shifts.shifts, static_cast<double>(alpha) / 2);
        auto& launch = gather.launch_of_step<ElasticLaunch>();
        launch.add_first(shifts);
        launch.add_second(job);
      });
}

}  // namespace

bool add_places() {
  add_perspectives();
  add_lens();
  add_elastic();
  return true;
}

}  // namespace sluice::device
