#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/recorder.h>
#include <sluice/graph/graph_templates.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>

namespace sluice {
namespace {

// Sizes are whole numbers up to 2^24, so floats hold them.
using Sizes = std::array<float, Shape::kMaxRank>;
constexpr double kLargestSize = 16777216;

template <class Range>
kernels::NewShape shape_of(const Range& sizes, std::int32_t rank, Layout layout) {
  kernels::NewShape shape;
  shape.rank = rank;
  shape.layout = layout;
  std::transform(sizes.begin(), sizes.end(), shape.sizes.begin(),
                 [](auto size) { return static_cast<std::int64_t>(size); });
  return shape;
}

template <class T>
Value<Tensor> stacked(const Value<std::vector<T>>& list, const Param<std::int64_t>& length,
                      int axis) {
  return apply_operator<Tensor>(detail::stack_operator(), list, length, false, std::string("stack"),
                                axis);
}

// rank and sizes come after the input.
void check_shape(const detail::Arguments& arguments) {
  const auto* rank = detail::constant_of<std::int32_t>(arguments.at(1));
  const auto* sizes = detail::constant_of<std::vector<double>>(arguments.at(2));
  if (rank != nullptr && sizes != nullptr) {
    const auto* layout = detail::constant_of<std::string>(arguments.at(3));
    const bool none = layout == nullptr || *layout == name_of(Layout::none);
    kernels::check_new_shape(shape_of(*sizes, *rank, none ? Layout::none : Layout::hwc));
  }
}

}  // namespace

namespace detail {

const OperatorPtr& cat_operator() {
  static const OperatorPtr op =
      declare_operator("cat")
          .family("tensors")
          .summary("Two tensors, one after the other along a dimension.")
          .in_cpp("cat(crop_mirror_normalize(image), crop_mirror_normalize(image), -1)")
          .input<Tensor>("a")
          .input<Tensor>("b")
          .constant<std::int32_t>("axis", {.value = 0,
                                           .low = -Shape::kMaxRank,
                                           .high = Shape::kMaxRank - 1,
                                           .help = "from 0, or back from -1, the last one"})
          .output<Tensor>("tensor")
          .infers([](const Arguments&, const std::vector<TensorSpec>& inputs) {
            return std::vector<TensorSpec>{{.dtype = inputs.at(0).dtype,
                                            .layout = {},
                                            .rank = inputs.at(0).rank,
                                            .place = {}}};
          })
          .runs([](const Tensor& a, const Tensor& b, std::int32_t axis, Tensor& out) {
            kernels::cat(a, b, axis, out);
          });
  return op;
}

const OperatorPtr& reshape_operator() {
  static const OperatorPtr op =
      declare_operator("reshape")
          .family("tensors")
          .summary("The same elements in another shape.")
          .in_cpp("reshape(crop_mirror_normalize(image), {3, -1})")
          .input<Tensor>("tensor")
          .constant<std::int32_t>(
              "rank", {.low = 0, .high = Shape::kMaxRank, .help = "how many sizes there are"})
          .constant<Sizes>("sizes", {.low = -1,
                                     .high = kLargestSize,
                                     .help = "the first `rank` count; -1 follows from the others"})
          .choice("layout", Layout::none, {Layout::none, Layout::hwc, Layout::chw},
                  "what the dimensions then are")
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& inputs) {
            return std::vector<TensorSpec>{{.dtype = inputs.at(0).dtype,
                                            .layout = {},
                                            .rank = *constant_of<std::int32_t>(arguments.at(1)),
                                            .place = {}}};
          })
          .checks(check_shape)
          .runs([](const Tensor& in, std::int32_t rank, const Sizes& sizes, Layout layout,
                   Tensor& out) { kernels::reshape(in, shape_of(sizes, rank, layout), out); });
  return op;
}

}  // namespace detail

Value<Tensor> cat(Value<Tensor> a, Value<Tensor> b, int axis) {
  return apply_operator<Tensor>(detail::cat_operator(), a, b, axis);
}

Value<Tensor> cat(const std::vector<Value<Tensor>>& tensors, int axis) {
  if (tensors.empty()) throw BuildError("cat: there are no tensors; give at least one");
  return std::accumulate(
      tensors.begin() + 1, tensors.end(), tensors.front(),
      [axis](const Value<Tensor>& a, const Value<Tensor>& b) { return cat(a, b, axis); });
}

Value<Tensor> stack(const std::vector<Value<Tensor>>& tensors, int axis) {
  return stacked(list_of(tensors), std::ssize(tensors), axis);
}
Value<Tensor> stack(const std::vector<Value<Image>>& pictures, int axis) {
  return stacked(list_of(pictures), std::ssize(pictures), axis);
}
Value<Tensor> stack(Value<std::vector<Tensor>> tensors, Param<std::int64_t> length, int axis) {
  return stacked(tensors, length, axis);
}
Value<Tensor> stack(Value<std::vector<Image>> pictures, Param<std::int64_t> length, int axis) {
  return stacked(pictures, length, axis);
}

Value<Tensor> reshape(Value<Tensor> tensor, const std::vector<std::int64_t>& sizes, Layout layout) {
  Sizes numbers{};
  if (sizes.size() > numbers.size()) {
    throw BuildError("reshape: there are " + std::to_string(sizes.size()) + " sizes; 0 to " +
                     std::to_string(numbers.size()) + " are possible");
  }
  std::transform(sizes.begin(), sizes.end(), numbers.begin(),
                 [](std::int64_t size) { return static_cast<float>(size); });
  return apply_operator<Tensor>(detail::reshape_operator(), tensor,
                                static_cast<std::int32_t>(sizes.size()), numbers, layout);
}

}  // namespace sluice
