#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>

#include <algorithm>
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
      "divide makes f32 of whole numbers; bits are those of whole numbers and "
      "bools");
}

template <class A, class B>
Value<Tensor> of_two(Elementwise what, const A& a, const B& b) {
  return apply_as<Tensor>(require_recorder(name_of(what), a), name_of(what), elementwise_operator(),
                          a, b, what);
}
template <class A>
Value<Tensor> with_number(Elementwise what, const A& a, const Param<double>& number, bool whole,
                          bool number_first) {
  return apply_as<Tensor>(require_recorder(name_of(what), a), name_of(what),
                          elementwise_number_operator(), a, number, what, whole, number_first);
}

}  // namespace

const OperatorPtr& elementwise_operator() {
  static const OperatorPtr op =
      with_operation(declare("elementwise",
                             "What an operation gives of each element of two tensors; sizes of 1 "
                             "stand for all.")
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
                  "What an operation gives of each element of a tensor and a number.")
              .in_cpp("crop_mirror_normalize(image) * 2")
              .in_cpp("image & 0xF0")
              .input<Levels>("data")
              .parameter<double>("number", {.help = "a fraction makes f32 of whole numbers"}))
          .constant<bool>("whole", {.value = false, .help = "the number is no fraction"})
          .constant<bool>("number_first", {.value = false, .help = "it stands on the left"})
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

const OperatorPtr& absolute_elements_operator() {
  static const OperatorPtr op =
      declare("absolute_elements", "The elements without their sign.")
          .in_cpp("abs(crop_mirror_normalize(image))")
          .input<Levels>("data")
          .output<Tensor>("tensor")
          .infers([](const Arguments&, const std::vector<TensorSpec>& in) {
            TensorSpec spec;
            spec.rank = in.at(0).rank;
            if (in[0].dtype) {
              spec.dtype =
                  kernels::elementwise_type(Elementwise::absolute, *in[0].dtype, *in[0].dtype);
            }
            return std::vector<TensorSpec>{spec};
          })
          .runs([](const Levels& data, Tensor& out) { kernels::absolute(data.tensor, out); });
  return op;
}

const OperatorPtr& cast_elements_operator() {
  static const OperatorPtr op =
      declare("cast_elements",
              "The elements as another type; fractions are cut off, and what the type does not "
              "hold is an error.")
          .in_cpp("cast<float>(image)")
          .input<Levels>("data")
          .choice("to", DType::f32,
                  {DType::boolean, DType::i8, DType::u8, DType::i16, DType::i32, DType::i64,
                   DType::f16, DType::f32, DType::f64},
                  "the type")
          .output<Tensor>("tensor")
          .infers([](const Arguments& arguments, const std::vector<TensorSpec>& in) {
            TensorSpec spec;
            spec.rank = in.at(0).rank;
            for (int i = 0; i <= static_cast<int>(DType::i8); ++i) {
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
Value<Tensor> absolute_elements(const Value<Tensor>& data) {
  return apply_as<Tensor>(require_recorder("abs", data), "abs", absolute_elements_operator(), data);
}
Value<Tensor> absolute_elements(const Value<Image>& data) {
  return apply_as<Tensor>(require_recorder("abs", data), "abs", absolute_elements_operator(), data);
}
Value<Tensor> cast_elements(const Value<Tensor>& data, DType to) {
  return apply_as<Tensor>(require_recorder("cast", data), "cast", cast_elements_operator(), data,
                          to);
}
Value<Tensor> cast_elements(const Value<Image>& data, DType to) {
  return apply_as<Tensor>(require_recorder("cast", data), "cast", cast_elements_operator(), data,
                          to);
}

}  // namespace detail
}  // namespace sluice
