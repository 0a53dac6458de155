// Value<T>: a handle on one value of each sample, used while a pipeline is described. It holds no
// T; a T exists only when a sample runs. Handles are small, copy freely, and are valid only inside
// the function given to make_pipeline.
//
// Param<T>: an operator's parameter that may be a constant or differ between samples: rotate(image,
// 15.f) and rotate(image, angle). If it takes several numbers, those of a sample are a
// one-dimensional Tensor: {.mean = {0.5f, 0.4f, 0.4f}} and {.mean = of_its_camera}.
//
// Threads: describe a pipeline on one thread. Errors: BuildError at the line that misuses a value.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/arithmetic.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace sluice {

namespace detail {
class PlanBuilder;
// Returns a builder's number, which is unique in the process.
std::uint64_t id_of(const detail::PlanBuilder& builder);
// Returns the builder if the one with this number still exists. Otherwise its pipeline has been
// described, and this throws BuildError.
detail::PlanBuilder& live_builder(detail::PlanBuilder* builder, std::uint64_t id);

// Always false, but dependent on a template parameter, for a static_assert in templates that must
// not be used.
template <class T>
inline constexpr bool never = false;
}  // namespace detail

class Bytes;
class Image;
class Tensor;
template <class T>
class Value;

namespace detail {
template <class T>
Value<T> moved_to_device(const Value<T>&) {
  static_assert(never<T>, "only a Value of Image, Tensor, Bytes or ByteSpan moves to a GPU");
  return {};
}
template <class T>
Value<T> moved_to_host(const Value<T>&) {
  static_assert(never<T>, "only a Value<Image> and a Value<Tensor> move to a GPU, and back");
  return {};
}
template <>
Value<Image> moved_to_device(const Value<Image>& image);
template <>
Value<Tensor> moved_to_device(const Value<Tensor>& tensor);
template <>
Value<Bytes> moved_to_device(const Value<Bytes>& file);
template <>
Value<std::span<const std::uint8_t>> moved_to_device(
    const Value<std::span<const std::uint8_t>>& file);
template <>
Value<Image> moved_to_host(const Value<Image>& image);
template <>
Value<Tensor> moved_to_host(const Value<Tensor>& tensor);
}  // namespace detail

template <class T>
class Value {
 public:
  using value_type = T;
  Value() = default;
  Value(detail::PlanBuilder& builder, detail::SlotId slot)
      : builder_(&builder), id_(detail::id_of(builder)), slot_(slot) {}

  // Throws BuildError if the description of the value's pipeline has ended.
  detail::PlanBuilder& builder() const { return detail::live_builder(builder_, id_); }
  detail::SlotId slot() const { return slot_; }
  bool valid() const { return builder_ != nullptr; }
  bool is_of(const detail::PlanBuilder& builder) const { return id_ == detail::id_of(builder); }

  // Returns the same image or tensor in the memory of the pipeline's device
  // (PipelineOptions::device), or back on the host; no copy if it is there already. Operators run
  // where their images and tensors are. A file keeps its bytes on the host, but decoders that can
  // decode on the device do so.
  Value gpu() const { return detail::moved_to_device(*this); }
  Value cpu() const { return detail::moved_to_host(*this); }

  // Catch common mistakes. The next two overloads exist only for their error messages.
  template <class X>
  requires std::is_same_v<X, T> Value(const X&) {  // NOLINT(google-explicit-constructor)
    static_assert(
        detail::never<X>,
        "a plain object is given where a Value is needed: inside a step's function, call functions "
        "of sluice::kernels on plain objects; for a constant, make a Value with Graph::constant");
  }
  explicit operator bool() const {
    static_assert(detail::never<T>,
                  "a Value is not a bool while the pipeline is described, so `if`, `?:`, `&&` and "
                  "`||` cannot test it: use Graph::if_else or select, all_of, any_of");
    return false;
  }

 private:
  detail::PlanBuilder* builder_ = nullptr;
  std::uint64_t id_ = 0;
  detail::SlotId slot_ = 0;
};

namespace detail {
// Records a step that converts each number to To; in argument.h.
template <class To, class From>
Value<To> exact_cast(const Value<From>& value);
}  // namespace detail

namespace detail {
// The type of the Value that a Param<T> accepts.
template <class T>
struct parameter_value {
  using type = T;
};
template <class T>
requires requires { typename T::parameter_value; }
struct parameter_value<T> {
  using type = typename T::parameter_value;
};
template <std::size_t N>
struct parameter_value<std::array<float, N>> {
  using type = Tensor;
};

// Makes a T from numbers; a single number fills a whole array.
template <class T>
struct made_of_numbers {
  template <class... Ns>
  static T make(Ns... numbers) {
    return T(numbers...);
  }
};
template <std::size_t N>
struct made_of_numbers<std::array<float, N>> {
  template <class... Ns>
  static std::array<float, N> make(Ns... numbers) {
    static_assert(sizeof...(Ns) <= N, "a parameter is given more numbers than it takes");
    std::array<float, N> all{static_cast<float>(numbers)...};
    if constexpr (sizeof...(Ns) == 1) all.fill(all[0]);
    return all;
  }
};
}  // namespace detail

template <class T>
class Param {
  using ValueType = typename detail::parameter_value<T>::type;

 public:
  using value_type = T;
  Param() = default;
  Param(T constant) : constant_(std::move(constant)) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Param(Value<ValueType> value) : value_(value), is_value_(true) {}
  // Several numbers.
  template <class... Ns>
  requires(sizeof...(Ns) > 0 && !std::is_same_v<T, ValueType> && (std::is_arithmetic_v<Ns> && ...))
      Param(Ns... numbers)  // NOLINT(google-explicit-constructor)
      : constant_(detail::made_of_numbers<T>::make(numbers...)) {}
  // Numbers of other types, converted without loss (arithmetic.h). A constant that does not fit
  // throws BuildError; a value that does not fit fails its sample.
  template <class U>
  requires(std::is_arithmetic_v<U>&& std::is_arithmetic_v<T> && !std::is_same_v<U, T>)
      Param(U constant)  // NOLINT(google-explicit-constructor)
      : constant_(detail::exact_constant<T>("an operator's parameter is", constant,
                                            detail::type_name<T>())) {}
  template <class U>
  requires(std::is_arithmetic_v<U>&& std::is_arithmetic_v<T> && !std::is_same_v<U, T>)
      Param(Value<U> value)  // NOLINT(google-explicit-constructor)
      : value_(detail::exact_cast<T>(value)), is_value_(true) {}

  bool is_constant() const { return !is_value_; }
  const T& constant() const { return constant_; }
  Value<ValueType> value() const { return value_; }

  // Returns the parameter of this sample.
  const T& of(const detail::Sample& sample) const requires std::is_same_v<T, ValueType> {
    return is_value_ ? sample.get<T>(value_.slot()) : constant_;
  }

 private:
  T constant_{};
  Value<ValueType> value_;
  bool is_value_ = false;
};

}  // namespace sluice
