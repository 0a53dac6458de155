#include <sluice/ops/kernels/one_hot.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void one_hot(std::int64_t label, int classes, float smoothing, Tensor& out) {
  if (label < 0 || label >= classes) {
    throw std::invalid_argument(
        fmt::format("one_hot: label is {}; it must lie between 0 and {}", label, classes - 1));
  }
  const double share = static_cast<double>(smoothing) / classes;
  out.create({classes}, DType::f32);
  auto* const numbers = out.data<float>();
  std::fill(numbers, numbers + classes, static_cast<float>(share));
  numbers[label] = static_cast<float>(1 - static_cast<double>(smoothing) + share);
}

}  // namespace sluice::kernels
