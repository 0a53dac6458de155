#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/hue.h>

#include <cmath>

namespace sluice::kernels {

void hue(const Image& in, float degrees, Image& out) {
  check_colours("hue", in);
  check_finite("hue", "degrees", degrees);
  if (in.channels() == 1) return crop(in, {0, 0, in.height(), in.width()}, out);
  const double turn = std::fmod(static_cast<double>(degrees), 360.0);
  const auto sixths = static_cast<float>((turn < 0 ? turn + 360 : turn) / 60);
  map_planes(in, out,
             [&](Planes& planes, std::size_t count) { hue_of_planes(sixths, count, planes); });
}

}  // namespace sluice::kernels
