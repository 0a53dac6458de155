#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/filter/box_blur.h>
#include <sluice/ops/filter/filter_2d.h>
#include <sluice/ops/filter/gaussian_blur.h>
#include <sluice/ops/filter/sharpness.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/gaussian_blur.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;

BlurSide upload_side(Gather& gather, int window, const kernels::WeightOf& weight_of) {
  thread_local kernels::WindowSide side;
  side.build(window, weight_of);
  const kernels::SideWeights weights = side.view();
  return {upload_all(gather, weights.weights, static_cast<std::size_t>(weights.count)),
          weights.count, weights.bits};
}

void add_blur(Gather& gather, const Image& in, const kernels::GaussianWindows& windows,
              Image& out) {
  BlurJob job = blur_job(picture_in(in), create_like(in, out));
  job.down = upload_side(gather, windows.down, windows.weight_down);
  job.across = upload_side(gather, windows.across, windows.weight_across);
  job.levels =
      reinterpret_cast<std::int16_t*>(gather.scratch(levels_of(job) * sizeof(std::int16_t)));
  gather.launch_of_step<BlurLaunch>().add(job);
}

bool add_blurs() {
  add_device_version(detail::box_blur_operator(),
                     [](Gather& gather, const Image& in, std::int32_t window, Image& out) {
                       kernels::check_pixels("box_blur", in);
                       kernels::check_window("box_blur", window);
                       const auto same = [](int) { return 1.0; };
                       add_blur(gather, in, {window, window, same, same}, out);
                     });
  add_device_version(
      detail::gaussian_blur_operator(), [](Gather& gather, const Image& in, float sigma,
                                           float sigma_y, std::int32_t window, Image& out) {
        kernels::check_pixels("gaussian_blur", in);
        add_blur(gather, in, kernels::gaussian_windows({sigma, sigma_y, window}), out);
      });
  return true;
}

bool add_windows() {
  add_device_version(detail::filter_2d_operator(),
                     [](Gather& gather, const Image& in, std::int32_t rows, std::int32_t columns,
                        const decltype(kernels::FilterWeights::weights)& weights, Image& out) {
                       kernels::check_pixels("filter_2d", in);
                       const kernels::FilterWeights filter{rows, columns, weights};
                       kernels::check_filter(filter);
                       gather.launch_of_step<WindowLaunch>().add(
                           filter_job(picture_in(in), create_like(in, out), filter));
                     });
  add_device_version(detail::sharpness_operator(),
                     [](Gather& gather, const Image& in, float factor, Image& out) {
                       kernels::check_pixels("sharpness", in);
                       const kernels::FixedFactor fixed = kernels::sharpness_factor(factor);
                       gather.launch_of_step<WindowLaunch>().add(
                           sharpness_job(picture_in(in), create_like(in, out), fixed));
                     });
  return true;
}

}  // namespace

bool add_filters() { return add_blurs() && add_windows(); }

}  // namespace sluice::device
