#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/gaussian_blur.h>
#include <sluice/ops/kernels/laplacian.h>
#include <sluice/ops/kernels/median_blur.h>
#include <sluice/ops/kernels/morphology.h>
#include <sluice/ops/kernels/motion_blur.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <cstddef>
#include <cstdint>
#include <vector>

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

void add_blur(Gather& gather, const Image& in, const BlurSide& down, const BlurSide& across,
              Image& out) {
  BlurJob job = blur_job(picture_in(in), create_like(in, out));
  job.down = down;
  job.across = across;
  job.levels =
      reinterpret_cast<std::uint16_t*>(gather.scratch(levels_of(job) * sizeof(std::uint16_t)));
  gather.launch_of_step<BlurLaunch>().add(job);
}

bool add_blurs() {
  add_device_version(detail::box_blur_operator(),
                     [](Gather& gather, const Image& in, std::int32_t window, Image& out) {
                       kernels::check_pixels("box_blur", in);
                       kernels::check_window("box_blur", window);
                       add_blur(gather, in, box_side(window), box_side(window), out);
                     });
  add_device_version(detail::gaussian_blur_operator(), [](Gather& gather, const Image& in,
                                                          float sigma, float sigma_y,
                                                          std::int32_t window, Image& out) {
    kernels::check_pixels("gaussian_blur", in);
    const kernels::GaussianWindows windows = kernels::gaussian_windows({sigma, sigma_y, window});
    add_blur(gather, in, upload_side(gather, windows.down, windows.weight_down),
             upload_side(gather, windows.across, windows.weight_across), out);
  });
  return true;
}

void add_filter(Gather& gather, const Image& in, const kernels::FilterWeights& filter, Image& out) {
  kernels::check_filter(filter);
  gather.launch_of_step<WindowLaunch>().add(
      filter_job(picture_in(in), create_like(in, out), filter));
}

void add_motion(Gather& gather, const Image& in, int length, float degrees, Image& out) {
  std::vector<WindowStep> steps;
  for (const kernels::MotionWeight& one : kernels::motion_weights(length, degrees))
    steps.push_back({one.row, one.column, one.weight});
  gather.launch_of_step<MotionLaunch>().add(
      motion_job(picture_in(in), create_like(in, out),
                 upload_all(gather, steps.data(), steps.size()), static_cast<int>(steps.size())));
}

bool add_windows() {
  add_device_version(detail::filter_2d_operator(),
                     [](Gather& gather, const Image& in, std::int32_t rows, std::int32_t columns,
                        const decltype(kernels::FilterWeights::weights)& weights, Image& out) {
                       kernels::check_pixels("filter_2d", in);
                       add_filter(gather, in, {rows, columns, weights}, out);
                     });
  add_device_version(
      detail::laplacian_operator(),
      [](Gather& gather, const Image& in, std::int32_t window, float scale, Image& out) {
        kernels::check_pixels("laplacian", in);
        add_filter(gather, in, kernels::laplacian_weights(window, scale), out);
      });
  add_device_version(detail::median_blur_operator(),
                     [](Gather& gather, const Image& in, std::int32_t window, Image& out) {
                       kernels::check_pixels("median_blur", in);
                       kernels::check_median_window(window);
                       gather.launch_of_step<MedianLaunch>().add(
                           median_job(picture_in(in), create_like(in, out), window));
                     });
  add_device_version(
      detail::motion_blur_operator(),
      [](Gather& gather, const Image& in, std::int32_t length, float degrees, Image& out) {
        kernels::check_pixels("motion_blur", in);
        kernels::check_size("motion_blur", in.height(), in.width());
        add_motion(gather, in, length, degrees, out);
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

bool add_morphology() {
  for (const bool largest : {true, false}) {
    add_device_version(
        largest ? detail::dilate_operator() : detail::erode_operator(),
        [largest](Gather& gather, const Image& in, std::int32_t height, std::int32_t width,
                  Image& out) {
          kernels::check_morphology(largest ? "dilate" : "erode", in, {height, width});
          MorphologyJob job =
              morphology_job(picture_in(in), create_like(in, out), {height, width}, largest);
          job.between = reinterpret_cast<std::uint8_t*>(gather.scratch(levels_of(job)));
          gather.launch_of_step<MorphologyLaunch>().add(job);
        });
  }
  return true;
}

}  // namespace

bool add_filters() { return add_blurs() && add_windows() && add_morphology(); }

}  // namespace sluice::device
