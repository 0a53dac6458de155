#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/random_bbox_crop.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using Thresholds = std::array<float, 7>;

ParameterOptions<float> share(float otherwise, const char* help) {
  return {.value = otherwise, .low = 0, .high = 1, .low_open = true, .help = help};
}
ParameterOptions<float> ratio(float otherwise, const char* help) {
  return {.value = otherwise, .low = 0, .low_open = true, .help = help};
}

// The arguments are boxes, labels, height, width, thresholds, then min_scale, max_scale, min_ratio,
// max_ratio.
void check_ranges(const detail::Arguments& arguments) {
  constexpr std::size_t kFirst = 5;
  for (std::size_t i = kFirst; i < kFirst + 4; i += 2) {
    const auto* low = detail::constant_of<float>(arguments.at(i));
    const auto* high = detail::constant_of<float>(arguments.at(i + 1));
    if (low == nullptr || high == nullptr || *low <= *high) continue;
    throw BuildError(fmt::format("random_bbox_crop: min_{0} is {1}, above max_{0}, which is {2}",
                                 i == kFirst ? "scale" : "ratio", *low, *high));
  }
}

}  // namespace

const detail::OperatorPtr& detail::random_bbox_crop_operator() {
  static const OperatorPtr op = [] {
    const RandomBboxCropOptions o;
    OperatorDeclaration declaration("random_bbox_crop");
    declaration.family("boxes")
        .summary("A random region that shows enough of a box, and the boxes within it.")
        .in_cpp("random_bbox_crop(boxes, labels, canvas_size(image))")
        .input<Tensor>("boxes")
        .input<Tensor>("labels");
    return add_size(declaration)
        .constant<Thresholds>("thresholds",
                              {.value = o.thresholds,
                               .low = 0,
                               .high = 1,
                               .help = "overlap of the region and a box; 1: the whole picture"})
        .constant<float>("min_scale", share(o.min_scale, "of width and height"))
        .constant<float>("max_scale", share(o.max_scale, "of width and height"))
        .constant<float>("min_ratio", ratio(o.min_ratio, "width / height"))
        .constant<float>("max_ratio", ratio(o.max_ratio, "width / height"))
        .constant<std::int32_t>(
            "attempts",
            {.value = o.attempts, .low = 1, .high = 10000, .help = "with each threshold"})
        .constant<std::int32_t>(
            "rounds", {.value = o.rounds, .low = 1, .high = 10000, .help = "so many thresholds"})
        .output<Rectangle>("region")
        .output<Tensor>("boxes")
        .output<Tensor>("labels")
        .checks(check_ranges)
        .infers([](const Arguments&, const std::vector<TensorSpec>& of) {
          return std::vector<TensorSpec>{
              {}, {.dtype = DType::f32, .layout = Layout::none, .rank = 2}, of.at(1)};
        })
        .runs([](Random& random, const Tensor& in, const Tensor& in_labels, std::int32_t height,
                 std::int32_t width, const Thresholds& thresholds, float min_scale, float max_scale,
                 float min_ratio, float max_ratio, std::int32_t attempts, std::int32_t rounds,
                 Rectangle& region, Tensor& boxes, Tensor& labels) {
          const char* const name = "random_bbox_crop";
          const auto all = kernels::read_boxes(name, in);
          const kernels::CropOfBoxes crop =
              kernels::random_bbox_crop(random, all, height, width,
                                        {.thresholds = thresholds,
                                         .min_scale = static_cast<double>(min_scale),
                                         .max_scale = static_cast<double>(max_scale),
                                         .min_ratio = static_cast<double>(min_ratio),
                                         .max_ratio = static_cast<double>(max_ratio),
                                         .attempts = attempts,
                                         .rounds = rounds});
          region = crop.region;
          kernels::write_boxes(crop.boxes, boxes);
          kernels::take_rows(name, in_labels, static_cast<std::int64_t>(all.size()), crop.kept,
                             labels);
        });
  }();
  return op;
}

BboxCrop random_bbox_crop(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                          const RandomBboxCropOptions& o) {
  const auto [region, kept, kept_labels] = apply_operator<std::tuple<Rectangle, Tensor, Tensor>>(
      detail::random_bbox_crop_operator(), boxes, labels, size.height, size.width, o.thresholds,
      o.min_scale, o.max_scale, o.min_ratio, o.max_ratio, o.attempts, o.rounds);
  return {region, kept, kept_labels};
}

}  // namespace sluice
