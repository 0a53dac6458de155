#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <cstdint>

namespace sluice {
namespace {

// The numbers follow the input; inverse_map comes after them and the size.
void check_matrix(const detail::Arguments& arguments) {
  const auto* inverse_map = detail::constant_of<bool>(arguments.at(9));
  if (inverse_map == nullptr || *inverse_map) return;
  double numbers[6];
  for (std::size_t i = 0; i < 6; ++i) {
    const auto* number = detail::constant_of<float>(arguments.at(1 + i));
    if (number == nullptr) return;
    numbers[i] = static_cast<double>(*number);
  }
  (void)kernels::inverse("warp_affine",
                         {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]});
}

}  // namespace

const detail::OperatorPtr& detail::warp_affine_operator() {
  static const OperatorPtr op = composes_warp(
      with_warp_options(
          with_matrix(
              declare_operator("warp_affine")
                  .family("geometry")
                  .summary("Pixels from where a matrix leads: turned, sheared, scaled, moved.")
                  .in_cpp(
                      "warp_affine(image, {.xx = 1, .xy = 0.3f}, {.width = 224, .height = 224})")
                  .input<Image>("image"))
              .parameter("height", warped_size())
              .parameter("width", warped_size())
              .constant<bool>("inverse_map",
                              {.value = true,
                               .help = "the matrix leads from the output to the source; else "
                                       "from the source to the output"}))
          .output<Image>("image")
          .checks(check_matrix)
          .runs([](const Image& in, float xx, float xy, float x0, float yx, float yy, float y0,
                   std::int32_t height, std::int32_t width, bool inverse_map,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
            kernels::warp_affine(
                "warp_affine", in, inverse_map ? map : kernels::inverse("warp_affine", map),
                height != 0 ? height : in.height(), width != 0 ? width : in.width(),
                warp_options(interpolation, border, fill), out);
          }),
      [](kernels::ComposedWarp& warp, float xx, float xy, float x0, float yx, float yy, float y0,
         std::int32_t height, std::int32_t width, bool inverse_map, Interpolation interpolation,
         Border border, const FillNumbers& fill) {
        const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
        warp.warp("warp_affine", inverse_map ? map : kernels::inverse("warp_affine", map),
                  height != 0 ? height : warp.height(), width != 0 ? width : warp.width(),
                  warp_options(interpolation, border, fill));
      },
      last_warp_manner);
  return op;
}

Value<Image> warp_affine(Value<Image> image, const AffineMatrix& matrix,
                         const WarpAffineOptions& options) {
  return apply_operator<Image>(detail::warp_affine_operator(), image, matrix.xx, matrix.xy,
                               matrix.x0, matrix.yx, matrix.yy, matrix.y0, options.height,
                               options.width, options.inverse_map, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
