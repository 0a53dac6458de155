// The operators of boxes.h on boxes themselves: sizes, formats, anchors, filters, rows of numbers.
// Those that move boxes or draw and compute regions are in boxes_moving.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using TwoNumbers = std::tuple<std::int32_t, std::int32_t>;

CanvasSize size_by(const OperatorPtr& op, const auto& of) {
  const auto [height, width] = apply_operator<TwoNumbers>(op, of);
  return {.height = height, .width = width};
}

}  // namespace

const detail::OperatorPtr& detail::canvas_size_operator() {
  static const OperatorPtr op = declare_operator("canvas_size")
                                    .family("boxes")
                                    .summary("Returns the height and width of an image.")
                                    .in_cpp("canvas_size(image)")
                                    .input<Image>("image")
                                    .output<std::int32_t>("height")
                                    .output<std::int32_t>("width")
                                    .sees_size()
                                    .runs([](const Image& in) {
                                      return TwoNumbers{in.height(), in.width()};
                                    });
  return op;
}

const detail::OperatorPtr& detail::region_size_operator() {
  static const OperatorPtr op =
      declare_operator("region_size")
          .family("boxes")
          .summary("Returns the size of the image that crop makes of a region.")
          .in_cpp("canvas_size(region)")
          .input<Rectangle>("region")
          .output<std::int32_t>("height")
          .output<std::int32_t>("width")
          .runs([](const Rectangle& region) {
            return TwoNumbers{region.height, region.width};
          });
  return op;
}

const detail::OperatorPtr& detail::center_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("center_region");
    declaration.family("boxes")
        .summary("Returns the rectangle that center_crop cuts from an image of this size.")
        .in_cpp("center_region(canvas_size(image), {.height = 224, .width = 224})");
    return add_size(declaration)
        .parameter<std::int32_t>("crop_height", {.low = 1, .help = "height of the crop, in pixels"})
        .parameter<std::int32_t>("crop_width", {.low = 1, .help = "width of the crop, in pixels"})
        .output<Rectangle>("region")
        .runs([](std::int32_t height, std::int32_t width, std::int32_t crop_height,
                 std::int32_t crop_width) {
          return kernels::center_crop_region(height, width, crop_height, crop_width);
        });
  }();
  return op;
}

CanvasSize canvas_size(Value<Image> image) {
  return size_by(detail::canvas_size_operator(), image);
}
CanvasSize canvas_size(Value<Rectangle> region) {
  return size_by(detail::region_size_operator(), region);
}

Value<Rectangle> center_region(const CanvasSize& size, const CenterCropOptions& options) {
  return apply_operator<Rectangle>(detail::center_region_operator(), size.height, size.width,
                                   options.height, options.width);
}

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

// Returns the spec of boxes, and of other rows of f32.
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
        .summary("Converts boxes between the formats xyxy, xywh and cxcywh.")
        .in_cpp("convert_boxes(boxes, {.from = BoxFormat::xywh})")
        .input<Tensor>("boxes")
        .choice("from", BoxFormat::xyxy, all, "format of the input")
        .choice("to", BoxFormat::xyxy, all, "format of the output")
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
  static const OperatorPtr op = scaled(
      "absolute_boxes", "Converts boxes from fractions of width and height to pixels.", true);
  return op;
}

const detail::OperatorPtr& detail::relative_boxes_operator() {
  static const OperatorPtr op = scaled(
      "relative_boxes", "Converts boxes from pixels to fractions of width and height.", false);
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
        .summary("Encodes boxes and labels as offsets and labels of a detector's anchors.")
        .in_cpp("encode_anchors(boxes, labels, anchors, {.iou = 0.5f})")
        .input<Tensor>("boxes")
        .input<Tensor>("labels")
        .input<Tensor>("anchors")
        .constant<float>("iou", {.value = o.iou,
                                 .low = 0,
                                 .high = 1,
                                 .low_open = true,
                                 .help = "least overlap of an anchor with its box"})
        .constant<FourNumbers>("mean", {.value = o.mean, .help = "subtracted from the offsets"})
        .constant<FourNumbers>(
            "std", {.value = o.std, .low = 0, .low_open = true, .help = "divisor of the offsets"})
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

namespace {

using kernels::BoxEdges;

BoxEdges image_of(std::int32_t height, std::int32_t width) {
  return {0, 0, static_cast<double>(width), static_cast<double>(height)};
}

// A box outside the image collapses onto its nearest border.
BoxEdges clipped(const BoxEdges& box, const BoxEdges& image) {
  const auto between = [](double number, double high) {
    return number < 0 ? 0 : number > high ? high : number;
  };
  return {between(box.x0, image.x1), between(box.y0, image.y1), between(box.x1, image.x1),
          between(box.y1, image.y1)};
}

ParameterOptions<float> at_least_zero(const char* help) {
  return {.value = 0.f, .low = 0, .help = help};
}

std::vector<std::int64_t> read_row_numbers(const Tensor& rows, std::int64_t count) {
  std::vector<std::int64_t> all;
  if (rows.elements() == 0) return all;
  if (rows.dtype() != DType::i64 || rows.shape().rank != 1) {
    throw std::invalid_argument(fmt::format(
        "take_rows: numbers of rows are a tensor of i64 and one dimension, not of {} and {}",
        name_of(rows.dtype()), to_string(rows.shape())));
  }
  for (std::int64_t i = 0; i < rows.shape()[0]; ++i) {
    const std::int64_t row = rows.data<std::int64_t>()[i * rows.strides()[0]];
    if (row < 0 || row >= count) {
      throw std::invalid_argument(
          fmt::format("take_rows: there is no row {}; there are {}, from 0", row, count));
    }
    all.push_back(row);
  }
  return all;
}

// Adds the slots that operators on boxes, and branches, compute from these boxes.
void add_followers(std::set<detail::SlotId>& made, const detail::Block& block) {
  for (const detail::Node& node : block.nodes) {
    detail::visit(
        node,
        [&](const detail::Stage& stage) {
          for (const detail::Step& step : stage.steps) {
            if (step.op == nullptr || step.op->schema().family != "boxes") continue;
            const bool follows = std::any_of(step.reads.begin(), step.reads.end(),
                                             [&](auto read) { return made.count(read) > 0; });
            if (follows) made.insert(step.writes.begin(), step.writes.end());
          }
        },
        [&](const detail::Choice& choice) {
          for (const detail::Block& branch : choice.branches) {
            add_followers(made, branch);
            for (std::size_t i = 0; i < branch.results.size(); ++i) {
              if (made.count(branch.results[i]) > 0) made.insert(choice.results[i]);
            }
          }
        },
        [](const detail::Loop&) {});
  }
}

// The boxes from filter_boxes have the wrong number of rows, except by chance.
void refuse_filtered_boxes(const detail::Arguments& arguments,
                           std::span<const detail::Block* const> blocks) {
  const auto slot_at = [&](std::size_t i) {
    return std::get<detail::SlotArgument>(arguments.at(i)).slot;
  };
  const detail::SlotId boxes = slot_at(1), rows = slot_at(2);
  std::set<detail::SlotId> left;
  for (const detail::Block* block : blocks) {
    detail::for_each<detail::Step>(*block, [&](const detail::Step& step) {
      if (step.op == detail::filter_boxes_operator() && step.writes.at(1) == rows)
        left.insert(step.writes.at(0));
    });
  }
  for (const detail::Block* block : blocks) add_followers(left, *block);
  if (left.count(boxes) == 0) return;
  throw BuildError(
      "take_rows: boxes are those after filter_boxes, but rows counts those before it; give "
      "take_rows the boxes from before filter_boxes");
}

}  // namespace

const detail::OperatorPtr& detail::clip_boxes_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("clip_boxes");
    declaration.family("boxes")
        .summary("Clips boxes to the image.")
        .in_cpp("clip_boxes(boxes, canvas_size(image))")
        .input<Tensor>("boxes");
    return add_size(declaration)
        .output<Tensor>("boxes")
        .infers(of_boxes)
        .runs([](const Tensor& in, std::int32_t height, std::int32_t width, Tensor& out) {
          std::vector<BoxEdges> boxes = kernels::read_boxes("clip_boxes", in);
          for (BoxEdges& box : boxes) box = clipped(box, image_of(height, width));
          kernels::write_boxes(boxes, out);
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::filter_boxes_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("filter_boxes");
    declaration.family("boxes")
        .summary("Clips boxes to the image and drops those with too little left.")
        .in_cpp("filter_boxes(boxes, canvas_size(image), {.min_visibility = 0.3f})")
        .in_cpp("filter_boxes(boxes, labels, canvas_size(image), {.min_area = 16.f})")
        .input<Tensor>("boxes");
    return add_size(declaration)
        .constant<float>("min_area", at_least_zero("least area inside the image, in pixels"))
        .constant<float>("min_visibility", {.value = 0.f,
                                            .low = 0,
                                            .high = 1,
                                            .help = "least fraction of the box inside the image"})
        .constant<float>("min_height", at_least_zero("least size inside the image, in pixels"))
        .constant<float>("min_width", at_least_zero("least size inside the image, in pixels"))
        .output<Tensor>("boxes")
        .output<Tensor>("kept")
        .infers([](const Arguments&, const std::vector<TensorSpec>&) {
          return std::vector<TensorSpec>{{.dtype = DType::f32, .layout = Layout::none, .rank = 2},
                                         {.dtype = DType::i64, .layout = Layout::none, .rank = 1}};
        })
        .runs([](const Tensor& in, std::int32_t height, std::int32_t width, float min_area,
                 float min_visibility, float min_height, float min_width, Tensor& out,
                 Tensor& kept) {
          const auto boxes = kernels::read_boxes("filter_boxes", in);
          const BoxEdges image = image_of(height, width);
          std::vector<BoxEdges> left;
          std::vector<std::int64_t> rows;
          for (std::size_t i = 0; i < boxes.size(); ++i) {
            const BoxEdges part = clipped(boxes[i], image);
            const double area = part.area();
            if (area > 0 && area >= static_cast<double>(min_area) &&
                area >= static_cast<double>(min_visibility) * boxes[i].area() &&
                part.height() >= static_cast<double>(min_height) &&
                part.width() >= static_cast<double>(min_width)) {
              left.push_back(part);
              rows.push_back(static_cast<std::int64_t>(i));
            }
          }
          kernels::write_boxes(left, out);
          kernels::write_rows(rows, kept);
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::take_rows_operator() {
  static const OperatorPtr op =
      declare_operator("take_rows")
          .family("boxes")
          .summary("Selects rows of a tensor with one row per box, such as labels.")
          .in_cpp("take_rows(labels, boxes, filter_boxes(boxes, canvas_size(image)).kept)")
          .input<Tensor>("tensor")
          .input<Tensor>("boxes")
          .input<Tensor>("rows")
          .output<Tensor>("tensor")
          .infers([](const Arguments&, const std::vector<TensorSpec>& of) {
            return std::vector<TensorSpec>{of.at(0)};
          })
          .checks_makers(refuse_filtered_boxes)
          .runs([](const Tensor& in, const Tensor& boxes, const Tensor& rows, Tensor& out) {
            const std::int64_t count = kernels::check_rows("take_rows", "boxes", boxes, 4);
            kernels::take_rows("take_rows", in, count, read_row_numbers(rows, count), out);
          });
  return op;
}

Value<Tensor> clip_boxes(Value<Tensor> boxes, const CanvasSize& size) {
  return apply_operator<Tensor>(detail::clip_boxes_operator(), boxes, size.height, size.width);
}

FilteredBoxes filter_boxes(Value<Tensor> boxes, const CanvasSize& size,
                           const FilterBoxesOptions& options) {
  const auto [left, kept] = apply_operator<std::tuple<Tensor, Tensor>>(
      detail::filter_boxes_operator(), boxes, size.height, size.width, options.min_area,
      options.min_visibility, options.min_height, options.min_width);
  return {left, kept};
}

LabeledBoxes filter_boxes(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                          const FilterBoxesOptions& options) {
  const FilteredBoxes filtered = filter_boxes(boxes, size, options);
  return {filtered.boxes, take_rows(labels, boxes, filtered.kept)};
}

Value<Tensor> take_rows(Value<Tensor> tensor, Value<Tensor> boxes, Value<Tensor> rows) {
  return apply_operator<Tensor>(detail::take_rows_operator(), tensor, boxes, rows);
}

const detail::OperatorPtr& detail::rows_of_operator() {
  static const OperatorPtr op =
      declare_operator("rows_of")
          .family("boxes")
          .summary("Converts a list of numbers to a tensor with rows, such as boxes or points.")
          .in_cpp("rows_of(weights, 4)")
          .input<std::vector<float>>("numbers")
          .constant<std::int32_t>("columns", {.low = 1, .high = 65535, .help = "numbers per row"})
          .output<Tensor>("rows")
          .infers(of_boxes)
          .runs([](const std::vector<float>& numbers, std::int32_t columns, Tensor& out) {
            const auto count = static_cast<std::int64_t>(numbers.size());
            if (count % columns != 0) {
              throw std::invalid_argument(
                  fmt::format("rows_of: {} numbers do not make rows of {}", count, columns));
            }
            out.create({count / columns, columns}, DType::f32);
            std::copy(numbers.begin(), numbers.end(), out.data<float>());
          });
  return op;
}

const detail::OperatorPtr& detail::labels_of_operator() {
  static const OperatorPtr op = declare_operator("labels_of")
                                    .family("boxes")
                                    .summary("Converts a list of integers to a tensor.")
                                    .in_cpp("labels_of(classes)")
                                    .input<std::vector<std::int64_t>>("numbers")
                                    .output<Tensor>("labels")
                                    .infers([](const Arguments&, const std::vector<TensorSpec>&) {
                                      return std::vector<TensorSpec>{
                                          {.dtype = DType::i64, .layout = Layout::none, .rank = 1}};
                                    })
                                    .runs([](const std::vector<std::int64_t>& numbers,
                                             Tensor& out) { kernels::write_rows(numbers, out); });
  return op;
}

Value<Tensor> rows_of(Value<std::vector<float>> numbers, int columns) {
  return apply_operator<Tensor>(detail::rows_of_operator(), numbers, columns);
}
Value<Tensor> labels_of(Value<std::vector<std::int64_t>> numbers) {
  return apply_operator<Tensor>(detail::labels_of_operator(), numbers);
}

}  // namespace sluice
