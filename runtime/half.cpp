#include <sluice/runtime/half.h>

#include <Eigen/Core>

namespace sluice {

std::uint16_t Half::from_float(float value) {
  return Eigen::half_impl::float_to_half_rtne(value).x;
}

float Half::to_float(std::uint16_t half) {
  return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(half));
}

}  // namespace sluice
