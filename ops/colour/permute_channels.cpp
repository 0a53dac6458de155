#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/permute_channels.h>

namespace sluice {

const detail::OperatorPtr& detail::permute_channels_operator() {
  static const OperatorPtr op = composes_colours(
      declare_operator("permute_channels")
          .family("colour")
          .summary("The three colours of each pixel in another order.")
          .in_cpp("permute_channels(image, {.first = 2, .third = 0})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "first", {.value = 0, .low = 0, .high = 2, .help = "which channel becomes the first"})
          .parameter<std::int32_t>(
              "second", {.value = 1, .low = 0, .high = 2, .help = "which becomes the second"})
          .parameter<std::int32_t>(
              "third", {.value = 2, .low = 0, .high = 2, .help = "which becomes the third"})
          .output<Image>("image")
          .checks([](const Arguments& arguments) {
            const auto* first = constant_of<std::int32_t>(arguments[1]);
            const auto* second = constant_of<std::int32_t>(arguments[2]);
            const auto* third = constant_of<std::int32_t>(arguments[3]);
            if (first == nullptr || second == nullptr || third == nullptr) return;
            kernels::check_channel_order({*first, *second, *third});
          })
          .runs([](const Image& in, std::int32_t first, std::int32_t second, std::int32_t third,
                   Image& out) {
            kernels::permute_channels(in, {first, second, third}, out);
          }),
      [](kernels::ComposedColours& colours, std::int32_t first, std::int32_t second,
         std::int32_t third) {
        colours.check_three_colours("permute_channels");
        colours.apply(kernels::channel_order_matrix({first, second, third}));
      });
  return op;
}

Value<Image> permute_channels(Value<Image> image, const PermuteChannelsOptions& options) {
  return apply_operator<Image>(detail::permute_channels_operator(), image, options.first,
                               options.second, options.third);
}

}  // namespace sluice
