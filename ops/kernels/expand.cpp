#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/expand.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

int scaled(int length, float ratio) {
  const double exact = std::round(static_cast<double>(length) * static_cast<double>(ratio));
  return static_cast<int>(std::min(exact, 1e9));  // larger than any image
}

int before(int free, float share) {
  return static_cast<int>(std::round(static_cast<double>(free) * static_cast<double>(share)));
}

void check_share(const char* name, float share) {
  if (share >= 0 && share <= 1) return;
  throw std::invalid_argument(
      fmt::format("expand: {} is {}; it must lie between 0 and 1", name, share));
}

}  // namespace

Expanded expanded(const ExpandParams& params, int height, int width) {
  if (!(params.ratio >= 1)) {
    throw std::invalid_argument(
        fmt::format("expand: ratio is {}; it must be at least 1", params.ratio));
  }
  check_share("y", params.y);
  check_share("x", params.x);
  const ImageSize canvas{scaled(height, params.ratio), scaled(width, params.ratio)};
  check_size("expand", canvas.height, canvas.width);
  return {canvas,
          {before(canvas.height - height, params.y), before(canvas.width - width, params.x), height,
           width}};
}

void expand(const Image& in, const ExpandParams& params, const Fill& fill, Image& out) {
  check_pixels("expand", in);
  const auto [canvas, picture] = expanded(params, in.height(), in.width());
  crop_padded(in, {-picture.y, -picture.x, canvas.height, canvas.width}, fill, out);
}

}  // namespace sluice::kernels
