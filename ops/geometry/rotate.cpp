#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/rotate.h>

#include <cmath>

namespace sluice {

Fill detail::fill_of(const FillNumbers& numbers) {
  const auto level = [&](std::size_t c) { return static_cast<int>(std::lround(numbers.at(c))); };
  return {level(0), level(1), level(2), level(3)};
}

const detail::OperatorPtr& detail::rotate_operator() {
  static const OperatorPtr op = composes_warp(
      declare_operator("rotate")
          .family("geometry")
          .summary("Turned counter-clockwise about the centre.")
          .in_cpp("rotate(image, g.uniform(-10.f, 10.f), {.keep_size = true})")
          .input<Image>("image")
          .parameter<float>("degrees", {.help = "counter-clockwise"})
          .constant<bool>("keep_size",
                          {.value = false, .help = "else the picture grows to hold all of it"})
          .parameter("fill",
                     fill_option("the colour of pixels that have no source, for each channel"))
          .choice("interpolation", Interpolation::bilinear, warp_interpolations(), "of pixels")
          .output<Image>("image")
          .runs([](const Image& in, float degrees, bool keep_size, const FillNumbers& fill,
                   Interpolation interpolation, Image& out) {
            kernels::rotate(in, degrees, {keep_size, detail::fill_of(fill), interpolation}, out);
          }),
      [](kernels::ComposedWarp& warp, float degrees, bool keep_size, const FillNumbers& fill,
         Interpolation interpolation) {
        warp.rotate(degrees, {keep_size, detail::fill_of(fill), interpolation});
      },
      [](const Arguments& arguments) {
        return warp_manner(arguments.at(4), Constant(std::string(name_of(Border::constant))),
                           arguments.at(3));
      });
  return op;
}

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options) {
  return apply_operator<Image>(detail::rotate_operator(), image, degrees, options.keep_size,
                               detail::numbers_of_fill(options.fill), options.interpolation);
}

}  // namespace sluice
