#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/place_sampler.h>

namespace sluice::kernels {

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out) {
  PlaceSampler::check("lens_distortion", in, options);
  check_finite("lens_distortion", "k1", static_cast<double>(k1));
  check_finite("lens_distortion", "k2", static_cast<double>(k2));
  out.create(in.height(), in.width(), in.channels());
  const double middle_x = in.width() / 2.0, middle_y = in.height() / 2.0;
  const double corner = middle_x * middle_x + middle_y * middle_y;  // its distance, squared
  const double first = static_cast<double>(k1), second = static_cast<double>(k2);
  warp_places(
      in, options,
      [&](double x, double y) {
        const double dx = x - middle_x, dy = y - middle_y;
        const double r2 = (dx * dx + dy * dy) / corner;
        const double longer = 1 + r2 * (first + r2 * second);
        return PicturePlace{middle_x + dx * longer, middle_y + dy * longer};
      },
      out);
}

}  // namespace sluice::kernels
