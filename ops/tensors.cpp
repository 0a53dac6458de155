#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/graph_templates.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {
namespace {

using kernels::Elementwise;

std::vector<Elementwise> all_operations() {
  std::vector<Elementwise> all;
  for (int i = 0; i <= static_cast<int>(Elementwise::not_equal); ++i)
    all.push_back(static_cast<Elementwise>(i));
  return all;
}

std::optional<Elementwise> operation_of(const Argument& argument) {
  const auto* name = constant_of<std::string>(argument);
  for (const Elementwise what : all_operations()) {
    if (name != nullptr && *name == name_of(what)) return what;
  }
  return {};
}

// Returns the spec for elements of this type, if it is known.
TensorSpec spec_of(const Argument& operation, std::optional<DType> a, std::optional<DType> b) {
  TensorSpec spec;
  const std::optional<Elementwise> what = operation_of(operation);
  if (!what || !a || !b) return spec;
  try {
    spec.dtype = kernels::elementwise_type(*what, *a, *b);
  } catch (const std::invalid_argument& error) {
    throw BuildError(error.what());
  }
  return spec;
}

OperatorDeclaration declare(const char* name, const char* summary) {
  OperatorDeclaration declaration(name);
  declaration.family("tensors").summary(summary);
  return declaration;
}

// Adds the parameter that both operators have.
OperatorDeclaration& with_operation(OperatorDeclaration& declaration) {
  return declaration.choice(
      "operation", Elementwise::add, all_operations(),
      "divide returns f32 for integers; bitwise operations take integers and bools");
}

template <class A, class B>
Value<Tensor> of_two(Elementwise what, const A& a, const B& b) {
  return apply_as<Tensor>(require_builder(name_of(what), a), name_of(what), elementwise_operator(),
                          a, b, what);
}
template <class A>
Value<Tensor> with_number(Elementwise what, const A& a, const Param<double>& number, bool whole,
                          bool number_first) {
  return apply_as<Tensor>(require_builder(name_of(what), a), name_of(what),
                          elementwise_number_operator(), a, number, what, whole, number_first);
}

}  // namespace

const OperatorPtr& elementwise_operator() {
  static const OperatorPtr op =
      with_operation(
          declare("elementwise",
                  "Applies an operation to the elements of two tensors; broadcasts sizes of 1.")
              .in_cpp("crop_mirror_normalize(image) + crop_mirror_normalize(image)")
              .in_cpp("image & invert(image)")
              .input<Levels>("a")
              .input<Levels>("b"))
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& in) {
            TensorSpec spec = spec_of(arguments.at(2), in.at(0).dtype, in.at(1).dtype);
            if (in[0].rank && in[1].rank) spec.rank = std::max(*in[0].rank, *in[1].rank);
            return std::vector<TensorSpec>{spec};
          })
          .runs([](const Levels& a, const Levels& b, Elementwise what, Tensor& out) {
            kernels::elementwise(what, a.tensor, b.tensor, out);
          });
  return op;
}

const OperatorPtr& elementwise_number_operator() {
  static const OperatorPtr op =
      with_operation(
          declare("elementwise_number",
                  "Applies an operation to each element of a tensor and a number.")
              .in_cpp("crop_mirror_normalize(image) * 2")
              .in_cpp("image & 0xF0")
              .input<Levels>("data")
              .parameter<double>("number", {.help = "a fraction converts integers to f32"}))
          .constant<bool>("whole", {.value = false, .help = "the number is an integer"})
          .constant<bool>("number_first",
                          {.value = false, .help = "the number is the left operand"})
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& in) {
            std::optional<DType> beside;
            if (const auto* whole = constant_of<bool>(arguments.at(3)); whole && in.at(0).dtype)
              beside = kernels::type_beside(*in[0].dtype, *whole);
            TensorSpec spec = spec_of(arguments.at(2), in.at(0).dtype, beside);
            spec.rank = in[0].rank;
            return std::vector<TensorSpec>{spec};
          })
          .runs([](const Levels& data, double number, Elementwise what, bool whole,
                   bool number_first, Tensor& out) {
            const Tensor beside = kernels::number_beside(what, data.tensor.dtype(), number, whole);
            if (number_first) {
              kernels::elementwise(what, beside, data.tensor, out);
            } else {
              kernels::elementwise(what, data.tensor, beside, out);
            }
          });
  return op;
}

namespace {

OperatorPtr operator_on_elements(Elementwise what, const char* name, const char* summary,
                                 const char* cpp) {
  return declare(name, summary)
      .in_cpp(cpp)
      .input<Levels>("data")
      .output<Tensor>("tensor")
      .infers([what](const Arguments&, const std::vector<TensorSpec>& in) {
        TensorSpec spec;
        spec.rank = in.at(0).rank;
        if (in[0].dtype) spec.dtype = kernels::elementwise_type(what, *in[0].dtype, *in[0].dtype);
        return std::vector<TensorSpec>{spec};
      })
      .runs([what](const Levels& data, Tensor& out) {
        kernels::elementwise(what, data.tensor, out);
      });
}

}  // namespace

const OperatorPtr& absolute_elements_operator() {
  static const OperatorPtr op = operator_on_elements(Elementwise::absolute, "absolute_elements",
                                                     "Returns the absolute value of each element.",
                                                     "abs(crop_mirror_normalize(image))");
  return op;
}

const OperatorPtr& sqrt_elements_operator() {
  static const OperatorPtr op = operator_on_elements(
      Elementwise::square_root, "sqrt_elements",
      "Returns the square root of each element, or NaN if it is negative.", "sqrt(image)");
  return op;
}

const OperatorPtr& exp_elements_operator() {
  static const OperatorPtr op = operator_on_elements(Elementwise::exponential, "exp_elements",
                                                     "Returns e to the power of each element.",
                                                     "exp(crop_mirror_normalize(image))");
  return op;
}

const OperatorPtr& log_elements_operator() {
  static const OperatorPtr op = operator_on_elements(
      Elementwise::logarithm, "log_elements",
      "Returns the natural logarithm of each element, or NaN if it is negative.", "log(image)");
  return op;
}

const OperatorPtr& cast_elements_operator() {
  static const OperatorPtr op =
      declare("cast_elements",
              "Converts elements to another type; truncates fractions and fails if a value does "
              "not fit.")
          .in_cpp("cast<float>(image)")
          .input<Levels>("data")
          .choice("to", DType::f32,
                  {DType::boolean, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32,
                   DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64},
                  "type of the result")
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& in) {
            TensorSpec spec;
            spec.rank = in.at(0).rank;
            for (int i = 0; i <= static_cast<int>(DType::u16); ++i) {
              const auto type = static_cast<DType>(i);
              if (const auto* to = constant_of<std::string>(arguments.at(1));
                  to != nullptr && *to == name_of(type))
                spec.dtype = type;
            }
            return std::vector<TensorSpec>{spec};
          })
          .runs([](const Levels& data, DType to, Tensor& out) {
            kernels::cast(data.tensor, to, out);
          });
  return op;
}

Value<Tensor> elementwise(Elementwise what, const Value<Tensor>& a, const Value<Tensor>& b) {
  return of_two(what, a, b);
}
Value<Tensor> elementwise(Elementwise what, const Value<Tensor>& a, const Value<Image>& b) {
  return of_two(what, a, b);
}
Value<Tensor> elementwise(Elementwise what, const Value<Image>& a, const Value<Tensor>& b) {
  return of_two(what, a, b);
}
Value<Tensor> elementwise(Elementwise what, const Value<Image>& a, const Value<Image>& b) {
  return of_two(what, a, b);
}
Value<Tensor> elementwise(Elementwise what, const Value<Tensor>& a, const Param<double>& number,
                          bool whole, bool number_first) {
  return with_number(what, a, number, whole, number_first);
}
Value<Tensor> elementwise(Elementwise what, const Value<Image>& a, const Param<double>& number,
                          bool whole, bool number_first) {
  return with_number(what, a, number, whole, number_first);
}
Value<Tensor> on_elements(const char* name, const OperatorPtr& op, const Value<Tensor>& data) {
  return apply_as<Tensor>(require_builder(name, data), name, op, data);
}
Value<Tensor> on_elements(const char* name, const OperatorPtr& op, const Value<Image>& data) {
  return apply_as<Tensor>(require_builder(name, data), name, op, data);
}
Value<Tensor> cast_elements(const Value<Tensor>& data, DType to) {
  return apply_as<Tensor>(require_builder("cast", data), "cast", cast_elements_operator(), data,
                          to);
}
Value<Tensor> cast_elements(const Value<Image>& data, DType to) {
  return apply_as<Tensor>(require_builder("cast", data), "cast", cast_elements_operator(), data,
                          to);
}

namespace {

// The parameter that selects the dimension.
ParameterOptions<std::int32_t> axis_option() {
  return {.value = 0,
          .low = -Shape::kMaxRank,
          .high = Shape::kMaxRank - 1,
          .help = "counted from 0, or back from -1"};
}

// The spec of the result has the type and the number of dimensions of the first input.
std::vector<TensorSpec> same_kind(const Arguments&, const std::vector<TensorSpec>& inputs) {
  return {{.dtype = inputs.at(0).dtype, .layout = {}, .rank = inputs.at(0).rank, .place = {}}};
}

}  // namespace
}  // namespace detail

const OperatorPtr& detail::pad_tensor_operator() {
  static const OperatorPtr op =
      declare_operator("pad_tensor")
          .family("tensors")
          .summary("Pads a tensor at the end of an axis with a number.")
          .in_cpp("pad_tensor(boxes, {{.length = 100}}, -1)")
          .input<Tensor>("tensor")
          .constant<std::int32_t>("axis", axis_option())
          .parameter<std::int64_t>(
              "length", {.value = 0,
                         .low = 0,
                         .high = Shape::kMaxElements,
                         .help = "least length of the result; longer tensors stay unchanged"})
          .parameter<std::int64_t>("align", {.value = 1,
                                             .low = 1,
                                             .high = Shape::kMaxElements,
                                             .help = "the length becomes a multiple of this"})
          .parameter<double>("fill", {.value = 0, .help = "value of the padding"})
          .output<Tensor>("tensor")
          .infers(same_kind)
          .runs([](const Tensor& in, std::int32_t axis, std::int64_t length, std::int64_t align,
                   double fill, Tensor& out) {
            kernels::pad_tensor(in, {axis, length, align, fill}, out);
          });
  return op;
}

Value<Tensor> pad_tensor(Value<Tensor> tensor, const std::vector<TensorPadding>& paddings,
                         Param<double> fill) {
  if (paddings.empty()) throw BuildError("pad_tensor: there are no paddings; give at least one");
  return std::accumulate(paddings.begin(), paddings.end(), tensor,
                         [&](const Value<Tensor>& in, const TensorPadding& padding) {
                           return apply_operator<Tensor>(detail::pad_tensor_operator(), in,
                                                         padding.axis, padding.length,
                                                         padding.align, fill);
                         });
}

const OperatorPtr& detail::slice_tensor_operator() {
  static const OperatorPtr op =
      declare_operator("slice_tensor")
          .family("tensors")
          .summary("Cuts a part out of a tensor along an axis.")
          .in_cpp("slice_tensor(crop_mirror_normalize(image), {{.axis = 1, .start = x}})")
          .input<Tensor>("tensor")
          .constant<std::int32_t>("axis", axis_option())
          .parameter<std::int64_t>(
              "start",
              {.value = 0, .low = 0, .high = Shape::kMaxElements, .help = "the first element"})
          .parameter<std::int64_t>("length", {.value = -1,
                                              .low = -1,
                                              .high = Shape::kMaxElements,
                                              .help = "number of elements; -1: all that are left"})
          .output<Tensor>("tensor")
          .infers(same_kind)
          .runs([](const Tensor& in, std::int32_t axis, std::int64_t start, std::int64_t length,
                   Tensor& out) { kernels::slice_tensor(in, axis, start, length, out); });
  return op;
}

Value<Tensor> slice_tensor(Value<Tensor> tensor, const std::vector<TensorRange>& ranges) {
  if (ranges.empty()) throw BuildError("slice_tensor: there are no ranges; give at least one");
  return std::accumulate(ranges.begin(), ranges.end(), tensor,
                         [](const Value<Tensor>& in, const TensorRange& range) {
                           return apply_operator<Tensor>(detail::slice_tensor_operator(), in,
                                                         range.axis, range.start, range.length);
                         });
}

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

template <class Range>
kernels::Axes axes_of(const Range& axes, std::int32_t rank) {
  kernels::Axes order;
  order.rank = rank;
  std::transform(axes.begin(), axes.end(), order.axes.begin(),
                 [](auto axis) { return static_cast<int>(axis); });
  return order;
}

template <class A>
Value<Tensor> permuted(const Value<A>& data, const std::vector<int>& axes) {
  Sizes numbers{};
  if (axes.empty() || axes.size() > numbers.size()) {
    throw BuildError("permute: there are " + std::to_string(axes.size()) + " axes; 1 to " +
                     std::to_string(numbers.size()) + " are possible");
  }
  std::transform(axes.begin(), axes.end(), numbers.begin(),
                 [](int axis) { return static_cast<float>(axis); });
  return apply_operator<Tensor>(detail::permute_operator(), data,
                                static_cast<std::int32_t>(axes.size()), numbers);
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
          .summary("Concatenates two tensors along an axis.")
          .in_cpp("cat(crop_mirror_normalize(image), crop_mirror_normalize(image), -1)")
          .input<Tensor>("a")
          .input<Tensor>("b")
          .constant<std::int32_t>("axis", axis_option())
          .output<Tensor>("tensor")
          .infers(same_kind)
          .runs([](const Tensor& a, const Tensor& b, std::int32_t axis, Tensor& out) {
            kernels::cat(a, b, axis, out);
          });
  return op;
}

const OperatorPtr& reshape_operator() {
  static const OperatorPtr op =
      declare_operator("reshape")
          .family("tensors")
          .summary("Returns the same elements in another shape.")
          .in_cpp("reshape(crop_mirror_normalize(image), {3, -1})")
          .input<Tensor>("tensor")
          .constant<std::int32_t>(
              "rank", {.low = 0, .high = Shape::kMaxRank, .help = "number of dimensions"})
          .constant<Sizes>("sizes",
                           {.low = -1,
                            .high = kLargestSize,
                            .help = "the first `rank` are used; -1 is inferred from the others"})
          .choice("layout", Layout::none, {Layout::none, Layout::hwc, Layout::chw},
                  "layout of the result")
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

// rank and axes come after the input.
static void check_axes(const Arguments& arguments) {
  const auto* rank = constant_of<std::int32_t>(arguments.at(1));
  const auto* axes = constant_of<std::vector<double>>(arguments.at(2));
  if (rank != nullptr && axes != nullptr) kernels::check_axes(axes_of(*axes, *rank));
}

const OperatorPtr& permute_operator() {
  static const OperatorPtr op =
      declare_operator("permute")
          .family("tensors")
          .summary("Reorders the dimensions of a tensor or image.")
          .in_cpp("permute(image, {2, 0, 1})")
          .input<Levels>("data")
          .constant<std::int32_t>(
              "rank", {.low = 1, .high = Shape::kMaxRank, .help = "number of dimensions"})
          .constant<Sizes>("axes", {.low = 0,
                                    .high = Shape::kMaxRank - 1,
                                    .help = "the first `rank` are used; dimension i of the result "
                                            "is dimension axes[i] of `data`"})
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& inputs) {
            return std::vector<TensorSpec>{{.dtype = inputs.at(0).dtype,
                                            .layout = {},
                                            .rank = *constant_of<std::int32_t>(arguments.at(1)),
                                            .place = {}}};
          })
          .checks(check_axes)
          .runs([](const Levels& data, std::int32_t rank, const Sizes& axes, Tensor& out) {
            kernels::permute(data.tensor, axes_of(axes, rank), out);
          });
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
Value<Tensor> stack(const std::vector<Value<Image>>& images, int axis) {
  return stacked(list_of(images), std::ssize(images), axis);
}
Value<Tensor> stack(Value<std::vector<Tensor>> tensors, Param<std::int64_t> length, int axis) {
  return stacked(tensors, length, axis);
}
Value<Tensor> stack(Value<std::vector<Image>> images, Param<std::int64_t> length, int axis) {
  return stacked(images, length, axis);
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

Value<Tensor> permute(Value<Tensor> data, const std::vector<int>& axes) {
  return permuted(data, axes);
}
Value<Tensor> permute(Value<Image> data, const std::vector<int>& axes) {
  return permuted(data, axes);
}

const OperatorPtr& detail::to_image_operator() {
  static const OperatorPtr op =
      declare_operator("to_image")
          .family("tensors")
          .summary("Converts a tensor to an image: rounds numbers and clips them to 0 .. 255.")
          .in_cpp("to_image(image * 0.5f)")
          .in_cpp("to_image(image / 255.f, {.white = 1.f})")
          .input<Tensor>("tensor")
          .parameter<float>("white", {.value = 0.f,
                                      .optional = true,
                                      .low = 0,
                                      .low_open = true,
                                      .help = "the number for white; default: 255, which fails if "
                                              "all fractions are 1 or below"})
          .output<Image>("image")
          .runs([](const Tensor& in, float white, Image& out) {
            kernels::to_image(in, out, white == 0 ? 255.f : white);
            if (white == 0) kernels::require_levels(in);
          });
  return op;
}

Value<Image> to_image(Value<Tensor> tensor, const ToImageOptions& options) {
  return apply_operator<Image>(detail::to_image_operator(), tensor, options.white);
}

const detail::OperatorPtr& detail::one_hot_operator() {
  static const OperatorPtr op =
      declare_operator("one_hot")
          .family("labels")
          .summary("Encodes a class label as a vector of probabilities.")
          .in_cpp("one_hot(label, {.classes = 1000, .smoothing = 0.1f})")
          .input<std::int64_t>("label")
          .constant<std::int32_t>(
              "classes",
              {.low = 1, .high = kernels::kMostClasses, .help = "labels are 0 to classes - 1"})
          .constant<float>(
              "smoothing",
              {.value = 0.f, .low = 0, .high = 1, .help = "probability spread over all classes"})
          .output<Tensor>("probabilities")
          .infers([](const Arguments&, const std::vector<TensorSpec>&) {
            return std::vector<TensorSpec>{
                {.dtype = DType::f32, .layout = Layout::none, .rank = 1}};
          })
          .runs([](std::int64_t label, std::int32_t classes, float smoothing, Tensor& out) {
            kernels::one_hot(label, classes, smoothing, out);
          });
  return op;
}

Value<Tensor> one_hot(Value<std::int64_t> label, const OneHotOptions& options) {
  return apply_operator<Tensor>(detail::one_hot_operator(), label, options.classes,
                                options.smoothing);
}

}  // namespace sluice
