#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/ops/kernels/occlusion.h>

#include <cstdint>

namespace sluice {
namespace detail {

const OperatorPtr& blend_operator() {
  static const OperatorPtr op =
      declare_operator("blend")
          .family("composition")
          .summary("Blends two images.")
          .in_cpp("blend(image, flip(image), 0.5f)")
          .input<Image>("a")
          .input<Image>("b")
          .parameter<float>(
              "weight",
              {.value = 0.5f, .low = 0, .high = 1, .help = "weight of b; that of a is 1 - weight"})
          .output<Image>("image")
          .runs([](const Image& a, const Image& b, float weight, Image& out) {
            kernels::blend(a, b, weight, out);
          });
  return op;
}

const OperatorPtr& weighted_sum_operator() {
  static const OperatorPtr op =
      declare_operator("weighted_sum")
          .family("composition")
          .summary("Adds several images, each multiplied by its weight.")
          .in_cpp("weighted_sum(images, weights)")
          .input<std::vector<Image>>("images")
          .input<std::vector<float>>("weights")
          .output<Image>("image")
          .runs([](const std::vector<Image>& images, const std::vector<float>& weights,
                   Image& out) { kernels::weighted_sum(images, weights, out); });
  return op;
}

}  // namespace detail

Value<Image> blend(Value<Image> a, Value<Image> b, Param<float> weight) {
  return apply_operator<Image>(detail::blend_operator(), a, b, weight);
}

Value<Image> weighted_sum(Value<std::vector<Image>> images, Value<std::vector<float>> weights) {
  return apply_operator<Image>(detail::weighted_sum_operator(), images, weights);
}

namespace {

OperatorDeclaration with_place(OperatorDeclaration declaration) {
  constexpr int kFar = 65535;
  declaration
      .parameter<std::int32_t>(
          "y",
          {.value = 0, .low = -kFar, .high = kFar, .help = "row of the patch's upper left corner"})
      .parameter<std::int32_t>("x", {.value = 0,
                                     .low = -kFar,
                                     .high = kFar,
                                     .help = "column of the patch's upper left corner"})
      .parameter<float>("alpha",
                        {.value = 1.f, .low = 0, .high = 1, .help = "opacity of the patch"});
  return declaration;
}

}  // namespace

namespace detail {

const OperatorPtr& paste_operator() {
  static const OperatorPtr op =
      with_place(declare_operator("paste")
                     .family("composition")
                     .summary("Pastes `patch` onto the image at (y, x).")
                     .in_cpp("paste(image, invert(image), {.y = 10, .x = -5})")
                     .input<Image>("image")
                     .input<Image>("patch"))
          .output<Image>("image")
          .runs([](const Image& in, const Image& patch, std::int32_t y, std::int32_t x, float alpha,
                   Image& out) {
            kernels::paste(in, patch, nullptr, {y, x, alpha}, out);
          });
  return op;
}

const OperatorPtr& paste_masked_operator() {
  static const OperatorPtr op =
      with_place(declare_operator("paste_masked")
                     .family("composition")
                     .summary("Pastes `patch` onto the image through a grayscale mask.")
                     .in_cpp("paste(image, invert(image), grayscale(image))")
                     .input<Image>("image")
                     .input<Image>("patch")
                     .input<Image>("mask"))
          .output<Image>("image")
          .runs([](const Image& in, const Image& patch, const Image& mask, std::int32_t y,
                   std::int32_t x, float alpha, Image& out) {
            kernels::paste(in, patch, &mask, {y, x, alpha}, out);
          });
  return op;
}

}  // namespace detail

Value<Image> paste(Value<Image> image, Value<Image> patch, const PasteOptions& options) {
  return apply_operator<Image>(detail::paste_operator(), image, patch, options.y, options.x,
                               options.alpha);
}

Value<Image> paste(Value<Image> image, Value<Image> patch, Value<Image> mask,
                   const PasteOptions& options) {
  return apply_operator<Image>(detail::paste_masked_operator(), image, patch, mask, options.y,
                               options.x, options.alpha);
}

}  // namespace sluice
