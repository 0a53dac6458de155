#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/encode_anchors.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using FourNumbers = std::array<float, 4>;

std::array<double, 4> as_doubles(const FourNumbers& numbers) {
  std::array<double, 4> doubles{};
  for (std::size_t i = 0; i < 4; ++i) doubles[i] = static_cast<double>(numbers[i]);
  return doubles;
}

std::vector<std::int64_t> read_labels(const Tensor& labels, std::size_t boxes) {
  const auto count = static_cast<std::size_t>(labels.elements());
  if (count != boxes || (count > 0 && labels.shape().rank != 1)) {
    throw std::invalid_argument(
        fmt::format("encode_anchors: there are {} boxes, but labels of the shape {}; each box has "
                    "one",
                    boxes, to_string(labels.shape())));
  }
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) * labels.strides()[0];
    if (labels.dtype() == DType::i64) {
      all.push_back(labels.data<std::int64_t>()[at]);
    } else if (labels.dtype() == DType::i32) {
      all.push_back(labels.data<std::int32_t>()[at]);
    } else {
      throw std::invalid_argument(
          fmt::format("encode_anchors: labels are i64 or i32, not {}", name_of(labels.dtype())));
    }
    if (all.back() < 1) {
      throw std::invalid_argument(fmt::format(
          "encode_anchors: label {} is {}; it must be at least 1, since 0 is the background", i,
          all.back()));
    }
  }
  return all;
}

}  // namespace

const detail::OperatorPtr& detail::encode_anchors_operator() {
  static const OperatorPtr op = [] {
    const EncodeAnchorsOptions o;
    return declare_operator("encode_anchors")
        .family("boxes")
        .summary("Boxes as offsets and labels of a detector's anchors.")
        .in_cpp("encode_anchors(boxes, labels, anchors, {.iou = 0.5f})")
        .input<Tensor>("boxes")
        .input<Tensor>("labels")
        .input<Tensor>("anchors")
        .constant<float>("iou", {.value = o.iou,
                                 .low = 0,
                                 .high = 1,
                                 .low_open = true,
                                 .help = "an anchor takes a box that it overlaps by so much"})
        .constant<FourNumbers>("mean", {.value = o.mean, .help = "taken from the offsets"})
        .constant<FourNumbers>(
            "std",
            {.value = o.std, .low = 0, .low_open = true, .help = "what offsets are divided by"})
        .output<Tensor>("offsets")
        .output<Tensor>("labels")
        .infers([](const Arguments&, const std::vector<TensorSpec>&) {
          return std::vector<TensorSpec>{{.dtype = DType::f32, .layout = Layout::none, .rank = 2},
                                         {.dtype = DType::i64, .layout = Layout::none, .rank = 1}};
        })
        .runs([](const Tensor& in, const Tensor& in_labels, const Tensor& anchors, float iou,
                 const FourNumbers& mean, const FourNumbers& std, Tensor& offsets, Tensor& labels) {
          const char* const name = "encode_anchors";
          const auto boxes = kernels::read_boxes(name, in);
          kernels::encode_anchors(kernels::read_boxes(name, anchors), boxes,
                                  read_labels(in_labels, boxes.size()), static_cast<double>(iou),
                                  {as_doubles(mean), as_doubles(std)}, offsets, labels);
        });
  }();
  return op;
}

Value<Tensor> anchor_boxes(Graph& g, const std::vector<std::array<float, 4>>& anchors) {
  const auto count = static_cast<std::int64_t>(anchors.size());
  // All samples share the anchors.
  const auto all = std::make_shared<Tensor>(Shape{count, 4}, DType::f32);
  auto* numbers = all->data<float>();
  for (const FourNumbers& anchor : anchors)
    numbers = std::copy(anchor.begin(), anchor.end(), numbers);
  return g.declare(g.map("anchors",
                         [all] {
                           Tensor shared = Tensor::shared(all, all->bytes(), all->spec());
                           shared.make_read_only();
                           return shared;
                         }),
                   {.dtype = DType::f32, .layout = Layout::none, .rank = 2});
}

EncodedAnchors encode_anchors(Value<Tensor> boxes, Value<Tensor> labels, Value<Tensor> anchors,
                              const EncodeAnchorsOptions& options) {
  const auto [offsets, anchor_labels] =
      apply_operator<std::tuple<Tensor, Tensor>>(detail::encode_anchors_operator(), boxes, labels,
                                                 anchors, options.iou, options.mean, options.std);
  return {offsets, anchor_labels};
}

}  // namespace sluice
