#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/arguments.h>

#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

kernels::LevelTable inverted() {
  kernels::LevelTable table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = static_cast<std::uint8_t>(255 - x);
  return table;
}

}  // namespace

const detail::OperatorPtr& detail::invert_operator() {
  static const OperatorPtr op = composes_colours(
      declare_operator("invert")
          .family("colour")
          .summary("Each level x becomes 255 - x.")
          .in_cpp("invert(image)")
          .input<Image>("image")
          .output<Image>("image")
          .maps_levels([](const Arguments&) { return inverted(); })
          .defers(defers_by([](kernels::DeferredImage& picture) {
            picture.check("invert");
            picture.map_levels(inverted());
          }))
          .runs([](const Image& in, Image& out) {
            kernels::check_pixels("invert", in);
            out.create(in.height(), in.width(), in.channels());
            for (int y = 0; y < in.height(); ++y) {
              const std::uint8_t* from = in.row(y);
              std::uint8_t* to = out.row(y);
              for (std::size_t i = 0; i < in.row_bytes(); ++i)
                to[i] = static_cast<std::uint8_t>(255 - from[i]);
            }
          }),
      [](kernels::ComposedColours& colours) {
        colours.check_pixels("invert");
        colours.map_levels(-1, 255);
      },
      true);
  return op;
}

Value<Image> invert(Value<Image> image) {
  return apply_operator<Image>(detail::invert_operator(), image);
}

}  // namespace sluice
