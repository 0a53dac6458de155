#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/gamma_correction.h>

#include <cmath>

namespace sluice::kernels {

LevelTable gamma_correction_table(float gamma, float gain) {
  check_not_negative("gamma_correction", "gamma", gamma);
  check_not_negative("gamma_correction", "gain", gain);
  const double power = gamma;
  const double scale = 255.0 * gain;
  return level_table_of([&](double x) { return scale * std::pow(x / 255.0, power); });
}

void gamma_correction(const Image& in, float gamma, float gain, Image& out) {
  check_pixels("gamma_correction", in);
  map_levels(in, gamma_correction_table(gamma, gain), out);
}

}  // namespace sluice::kernels
