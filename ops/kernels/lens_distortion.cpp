#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/place_sampler.h>

namespace sluice::kernels {

Lens lens_for(const Image& in, float k1, float k2, const WarpOptions& options) {
  PlaceSampler::check("lens_distortion", in, options);
  check_finite("lens_distortion", "k1", static_cast<double>(k1));
  check_finite("lens_distortion", "k2", static_cast<double>(k2));
  const double middle_x = in.width() / 2.0, middle_y = in.height() / 2.0;
  return {middle_x, middle_y, middle_x * middle_x + middle_y * middle_y, static_cast<double>(k1),
          static_cast<double>(k2)};
}

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out) {
  const Lens lens = lens_for(in, k1, k2, options);
  out.create(in.height(), in.width(), in.channels());
  warp_places(
      in, options,
      [&](double x, double y) {
        const double dx = x - lens.middle_x, dy = y - lens.middle_y;
        const double r2 = (dx * dx + dy * dy) / lens.corner;
        const double longer = 1 + r2 * (lens.k1 + r2 * lens.k2);
        return PicturePlace{lens.middle_x + dx * longer, lens.middle_y + dy * longer};
      },
      out);
}

}  // namespace sluice::kernels
