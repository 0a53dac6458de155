#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/boxes.h>

#include <array>
#include <vector>

namespace sluice {
namespace {

using Four = std::array<double, 4>;

template <class F>
void for_each_box(const char* op, const Tensor& in, Tensor& out, F change) {
  const std::int64_t count = kernels::check_rows(op, "boxes", in, 4);
  out.create({count, 4}, DType::f32);
  auto* numbers = out.data<float>();
  for (std::int64_t i = 0; i < count; ++i) {
    kernels::check_finite_row(op, "boxes", in, i, 4);
    const Four box = change(Four{kernels::element(in, i, 0), kernels::element(in, i, 1),
                                 kernels::element(in, i, 2), kernels::element(in, i, 3)});
    for (const double number : box) {
      kernels::check_in_range(op, "box", i, number);
      *numbers++ = static_cast<float>(number);
    }
  }
}

Four to_edges(const Four& box, BoxFormat from) {
  const auto [a, b, c, d] = box;
  if (from == BoxFormat::xywh) return {a, b, a + c, b + d};
  if (from == BoxFormat::cxcywh) return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
  return box;
}

Four from_edges(const Four& box, BoxFormat to) {
  const auto [x0, y0, x1, y1] = box;
  if (to == BoxFormat::xywh) return {x0, y0, x1 - x0, y1 - y0};
  if (to == BoxFormat::cxcywh) return {(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0};
  return box;
}

std::vector<TensorSpec> of_boxes(const detail::Arguments& /*all*/,
                                 const std::vector<TensorSpec>& /*of_inputs*/) {
  return {{.dtype = DType::f32, .layout = Layout::none, .rank = 2}};
}

OperatorPtr scaled(const char* name, const char* summary, bool to_pixels) {
  OperatorDeclaration declaration(name);
  declaration.family("boxes")
      .summary(summary)
      .in_cpp(std::string(name) + "(boxes, canvas_size(image))")
      .input<Tensor>("boxes");
  return detail::add_size(declaration)
      .output<Tensor>("boxes")
      .infers(of_boxes)
      .runs([name, to_pixels](const Tensor& in, std::int32_t height, std::int32_t width,
                              Tensor& out) {
        for_each_box(name, in, out, [&](const Four& box) {
          const auto [a, b, c, d] = box;
          if (to_pixels) return Four{a * width, b * height, c * width, d * height};
          return Four{a / width, b / height, c / width, d / height};
        });
      });
}

}  // namespace

const char* name_of(BoxFormat format) {
  switch (format) {
    case BoxFormat::xyxy:
      return "xyxy";
    case BoxFormat::xywh:
      return "xywh";
    case BoxFormat::cxcywh:
      return "cxcywh";
  }
  return "?";
}

const detail::OperatorPtr& detail::convert_boxes_operator() {
  static const OperatorPtr op = [] {
    const std::vector<BoxFormat> all{BoxFormat::xyxy, BoxFormat::xywh, BoxFormat::cxcywh};
    return declare_operator("convert_boxes")
        .family("boxes")
        .summary("Boxes in another format: edges, corner and size, or middle and size.")
        .in_cpp("convert_boxes(boxes, {.from = BoxFormat::xywh})")
        .input<Tensor>("boxes")
        .choice("from", BoxFormat::xyxy, all, "what they are")
        .choice("to", BoxFormat::xyxy, all, "what they become")
        .output<Tensor>("boxes")
        .infers(of_boxes)
        .runs([](const Tensor& in, BoxFormat from, BoxFormat to, Tensor& out) {
          for_each_box("convert_boxes", in, out,
                       [&](const Four& box) { return from_edges(to_edges(box, from), to); });
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::absolute_boxes_operator() {
  static const OperatorPtr op =
      scaled("absolute_boxes", "Boxes in pixels, of boxes in shares of width and height.", true);
  return op;
}

const detail::OperatorPtr& detail::relative_boxes_operator() {
  static const OperatorPtr op =
      scaled("relative_boxes", "Boxes in shares of width and height, of boxes in pixels.", false);
  return op;
}

Value<Tensor> convert_boxes(Value<Tensor> boxes, const ConvertBoxesOptions& options) {
  return apply_operator<Tensor>(detail::convert_boxes_operator(), boxes, options.from, options.to);
}
Value<Tensor> absolute_boxes(Value<Tensor> boxes, const CanvasSize& size) {
  return apply_operator<Tensor>(detail::absolute_boxes_operator(), boxes, size.height, size.width);
}
Value<Tensor> relative_boxes(Value<Tensor> boxes, const CanvasSize& size) {
  return apply_operator<Tensor>(detail::relative_boxes_operator(), boxes, size.height, size.width);
}

}  // namespace sluice
