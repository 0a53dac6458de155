#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/erase.h>
#include <sluice/ops/kernels/expand.h>
#include <sluice/ops/kernels/grid_mask.h>
#include <sluice/ops/kernels/pad.h>
#include <sluice/ops/occlusion.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;
using Numbers = std::array<float, 4>;

CoverJob covered(const Image& in, const Numbers& fill, Image& out) {
  return cover_job(picture_in(in), create_like(in, out), detail::fill_of(fill));
}

void erase(Gather& gather, const Image& in, const Rectangle& region, const Numbers& fill,
           Image& out) {
  CoverJob job = covered(in, fill, out);
  cover_rectangle(job, region);
  gather.launch_of_step<CoverLaunch>().add(job);
}

void pad(Gather& gather, const Image& in, const kernels::Margins& margins, Border border,
         const Numbers& fill, Image& out) {
  const int height = in.height() + margins.top + margins.bottom;
  const int width = in.width() + margins.left + margins.right;
  kernels::check_size("pad_image", height, width);
  out.create(height, width, in.channels());
  CoverJob job = cover_job(picture_in(in), picture_out(out), detail::fill_of(fill));
  cover_margins(job, margins.top, margins.left, border);
  gather.launch_of_step<CoverLaunch>().add(job);
}

// As crop_padded() of ops/. A region far outside of the image shows none of it, like one just
// outside, so the offsets can be clamped.
void crop_padded(Gather& gather, const Image& in, const Rectangle& region, const Fill& fill,
                 Image& out) {
  kernels::check_pixels("crop", in);
  kernels::check_size("crop", region.height, region.width);
  out.create(region.height, region.width, in.channels());
  constexpr int kOutside = 65536;
  CoverJob job = cover_job(picture_in(in), picture_out(out), fill);
  cover_margins(job, -std::clamp(region.y, -kOutside, kOutside),
                -std::clamp(region.x, -kOutside, kOutside), Border::constant);
  gather.launch_of_step<CoverLaunch>().add(job);
}

}  // namespace

bool add_covers() {
  add_device_version(
      detail::crop_padded_operator(),
      [](Gather& gather, const Image& in, const Rectangle& region, const Numbers& fill,
         Image& out) { crop_padded(gather, in, region, detail::fill_of(fill), out); });
  add_device_version(
      detail::expand_operator(), [](Gather& gather, const Image& in, float ratio, float y, float x,
                                    const Numbers& fill, Image& out) {
        kernels::check_pixels("expand", in);
        const kernels::Expanded to = kernels::expanded({ratio, y, x}, in.height(), in.width());
        crop_padded(gather, in, {-to.picture.y, -to.picture.x, to.canvas.height, to.canvas.width},
                    detail::fill_of(fill), out);
      });
  add_device_version(detail::erase_operator(), [](Gather& gather, const Image& in, float y, float x,
                                                  float height, float width, bool normalized,
                                                  bool centered, const Numbers& fill, Image& out) {
    kernels::check_pixels("erase", in);
    erase(gather, in,
          kernels::erased_region({y, x, height, width, normalized, centered}, in.height(),
                                 in.width()),
          fill, out);
  });
  add_device_version(detail::erase_region_operator(),
                     [](Gather& gather, const Image& in, const Rectangle& region,
                        const Numbers& fill, Image& out) {
                       kernels::check_pixels("erase", in);
                       erase(gather, in, region, fill, out);
                     });
  add_device_version(
      detail::grid_mask_operator(),
      [](Gather& gather, const Image& in, std::int32_t tile, float ratio, float degrees,
         float shift_x, float shift_y, const Numbers& fill, Image& out) {
        kernels::check_pixels("grid_mask", in);
        CoverJob job = covered(in, fill, out);
        cover_grid(job, {tile, ratio, degrees, shift_x, shift_y});
        gather.launch_of_step<CoverLaunch>().add(job);
      });
  add_device_version(detail::pad_image_operator(),
                     [](Gather& gather, const Image& in, std::int32_t left, std::int32_t top,
                        std::int32_t right, std::int32_t bottom, std::int32_t height,
                        std::int32_t width, Border border, const Numbers& fill, Image& out) {
                       kernels::check_pixels("pad_image", in);
                       pad(gather, in,
                           kernels::margins_up_to({left, top, right, bottom}, in.height(),
                                                  in.width(), height, width),
                           border, fill, out);
                     });
  return true;
}

}  // namespace sluice::device
