#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/boxes.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using kernels::BoxEdges;

BoxEdges picture_of(std::int32_t height, std::int32_t width) {
  return {0, 0, static_cast<double>(width), static_cast<double>(height)};
}

// A box outside the image collapses onto its nearest border.
BoxEdges clipped(const BoxEdges& box, const BoxEdges& picture) {
  const auto between = [](double number, double high) {
    return number < 0 ? 0 : number > high ? high : number;
  };
  return {between(box.x0, picture.x1), between(box.y0, picture.y1), between(box.x1, picture.x1),
          between(box.y1, picture.y1)};
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
        [&](const detail::Branch& branch) {
          for (const detail::Block& arm : branch.arms) {
            add_followers(made, arm);
            for (std::size_t i = 0; i < arm.results.size(); ++i) {
              if (made.count(arm.results[i]) > 0) made.insert(branch.results[i]);
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
      "take_rows: boxes are those that filter_boxes has left, and rows counts those that it was "
      "given; give take_rows the boxes from before filter_boxes");
}

}  // namespace

const detail::OperatorPtr& detail::clip_boxes_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("clip_boxes");
    declaration.family("boxes")
        .summary("Boxes cut to the picture.")
        .in_cpp("clip_boxes(boxes, canvas_size(image))")
        .input<Tensor>("boxes");
    return add_size(declaration)
        .output<Tensor>("boxes")
        .infers([](const Arguments&, const std::vector<TensorSpec>&) {
          return std::vector<TensorSpec>{{.dtype = DType::f32, .layout = Layout::none, .rank = 2}};
        })
        .runs([](const Tensor& in, std::int32_t height, std::int32_t width, Tensor& out) {
          std::vector<BoxEdges> boxes = kernels::read_boxes("clip_boxes", in);
          for (BoxEdges& box : boxes) box = clipped(box, picture_of(height, width));
          kernels::write_boxes(boxes, out);
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::filter_boxes_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("filter_boxes");
    declaration.family("boxes")
        .summary("Boxes cut to the picture, without those of which too little is left.")
        .in_cpp("filter_boxes(boxes, canvas_size(image), {.min_visibility = 0.3f})")
        .in_cpp("filter_boxes(boxes, labels, canvas_size(image), {.min_area = 16.f})")
        .input<Tensor>("boxes");
    return add_size(declaration)
        .constant<float>("min_area", at_least_zero("pixels of the box inside the picture"))
        .constant<float>(
            "min_visibility",
            {.value = 0.f, .low = 0, .high = 1, .help = "share of the box inside the picture"})
        .constant<float>("min_width", at_least_zero("pixels, inside the picture"))
        .constant<float>("min_height", at_least_zero("pixels, inside the picture"))
        .output<Tensor>("boxes")
        .output<Tensor>("kept")
        .infers([](const Arguments&, const std::vector<TensorSpec>&) {
          return std::vector<TensorSpec>{{.dtype = DType::f32, .layout = Layout::none, .rank = 2},
                                         {.dtype = DType::i64, .layout = Layout::none, .rank = 1}};
        })
        .runs([](const Tensor& in, std::int32_t height, std::int32_t width, float min_area,
                 float min_visibility, float min_width, float min_height, Tensor& out,
                 Tensor& kept) {
          const auto boxes = kernels::read_boxes("filter_boxes", in);
          const BoxEdges picture = picture_of(height, width);
          std::vector<BoxEdges> left;
          std::vector<std::int64_t> rows;
          for (std::size_t i = 0; i < boxes.size(); ++i) {
            const BoxEdges part = clipped(boxes[i], picture);
            const double area = part.area();
            if (area > 0 && area >= static_cast<double>(min_area) &&
                area >= static_cast<double>(min_visibility) * boxes[i].area() &&
                part.width() >= static_cast<double>(min_width) &&
                part.height() >= static_cast<double>(min_height)) {
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
          .summary("Some rows of a tensor that has one for each box: labels, say.")
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
      options.min_visibility, options.min_width, options.min_height);
  return {left, kept};
}

LabelledBoxes filter_boxes(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                           const FilterBoxesOptions& options) {
  const FilteredBoxes filtered = filter_boxes(boxes, size, options);
  return {filtered.boxes, take_rows(labels, boxes, filtered.kept)};
}

Value<Tensor> take_rows(Value<Tensor> tensor, Value<Tensor> boxes, Value<Tensor> rows) {
  return apply_operator<Tensor>(detail::take_rows_operator(), tensor, boxes, rows);
}

}  // namespace sluice
