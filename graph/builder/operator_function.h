// Binds the function of an operator to the arguments of a step, and reads its arguments from
// samples.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/take_ownership.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

// Argument readers: the types that can be constants of a plan, and how to read an argument from a
// sample. Internal to declare_operator.h, except for InputTraits.
//
// Ownership: a reader refers to the operator's schema. Threads: it reads on several at once.
// Errors: a value that the schema does not allow is its sample's error.

// Converts a T to and from a constant of a plan. Enumerations are choices.
template <class T>
struct ConstantTraits {
  static constexpr bool exists = std::is_enum_v<T>;
  static constexpr ParameterType type = ParameterType::choice;
  static Constant to(T value, const Parameter& parameter) {
    for (const NamedValue& choice : parameter.choices) {
      if (choice.value == static_cast<std::int64_t>(value)) return choice.name;
    }
    return static_cast<std::int64_t>(value);  // which is not a valid choice
  }
  static T from(const Constant& constant, const Parameter& parameter) {
    for (const NamedValue& choice : parameter.choices) {
      if (choice.name == std::get<std::string>(constant)) return static_cast<T>(choice.value);
    }
    return T{};
  }
};
template <class T, ParameterType kType>
struct SameConstant {
  static constexpr bool exists = true;
  static constexpr ParameterType type = kType;
  static Constant to(const T& value, const Parameter&) { return value; }
  static T from(const Constant& constant, const Parameter&) {
    if constexpr (is_known_number<T>) {
      return std::get<Number>(constant).as<T>();
    } else {
      return std::get<T>(constant);
    }
  }
};
template <>
struct ConstantTraits<bool> : SameConstant<bool, ParameterType::boolean> {};
template <>
struct ConstantTraits<std::int32_t> : SameConstant<std::int32_t, ParameterType::integer> {};
template <>
struct ConstantTraits<std::int64_t> : SameConstant<std::int64_t, ParameterType::wide_integer> {};
template <>
struct ConstantTraits<float> : SameConstant<float, ParameterType::number> {};
template <>
struct ConstantTraits<double> : SameConstant<double, ParameterType::wide_number> {};
template <>
struct ConstantTraits<std::string> : SameConstant<std::string, ParameterType::text> {};
template <>
struct ConstantTraits<Rectangle> : SameConstant<Rectangle, ParameterType::rectangle> {};
template <std::size_t N>
struct ConstantTraits<std::array<float, N>> {
  static constexpr bool exists = true;
  static constexpr ParameterType type = ParameterType::numbers;
  static constexpr std::size_t count = N;
  static Constant to(const std::array<float, N>& value, const Parameter&) {
    return std::vector<double>(value.begin(), value.end());
  }
  static std::array<float, N> from(const Constant& constant, const Parameter&) {
    std::array<float, N> value{};
    const auto& numbers = std::get<std::vector<double>>(constant);
    for (std::size_t i = 0; i < N; ++i) value[i] = static_cast<float>(numbers.at(i));
    return value;
  }
};

// The slot types that an input of type T accepts, and how to read it. Inputs that accept several
// types specialize it.
template <class T>
struct InputTraits {
  static std::vector<const SlotType*> types() { return {slot_type<T>()}; }
  static const T& of(const Sample& sample, const SlotArgument& from) {
    return sample.get<T>(from.slot);
  }
};

// Reads an argument for the function.
template <class T, bool kMayBeConstant = ConstantTraits<T>::exists>
class ArgumentReader {
 public:
  ArgumentReader(const OperatorSchema& /*schema*/, std::size_t i, const Arguments& arguments)
      : slot_(std::get<SlotArgument>(arguments.at(i))) {}
  decltype(auto) of(const Sample& sample) const { return InputTraits<T>::of(sample, slot_); }

 private:
  SlotArgument slot_;
};
// The slot of an argument that may be a constant, and the check of its values.
struct ArgumentSlot {
  SlotId slot = 0;
  bool exists = false;                    // otherwise the argument is a constant
  const Parameter* checked_by = nullptr;  // null for an input
  std::string_view name;                  // of the operator
};
ArgumentSlot argument_slot(const OperatorSchema& schema, std::size_t i, const Argument& argument);

template <class T>
class ArgumentReader<T, true> {
 public:
  ArgumentReader(const OperatorSchema& schema, std::size_t i, const Arguments& arguments)
      : from_(argument_slot(schema, i, arguments.at(i))) {
    if (!from_.exists) {
      constant_ = ConstantTraits<T>::from(std::get<Constant>(arguments.at(i)),
                                          schema.parameters[i - schema.inputs.size()]);
    }
  }
  const T& of(const Sample& sample) const {
    if (!from_.exists) return constant_;
    const T& value = sample.get<T>(from_.slot);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (from_.checked_by != nullptr && !from_.checked_by->allows(static_cast<double>(value)))
        throw_refused(from_.name, *from_.checked_by, static_cast<double>(value));
    }
    return value;
  }

 private:
  T constant_{};
  ArgumentSlot from_;
};

// Several numbers; as a value of the sample they are a tensor.
template <std::size_t N>
class ArgumentReader<std::array<float, N>, true> {
 public:
  ArgumentReader(const OperatorSchema& schema, std::size_t i, const Arguments& arguments)
      : name_(schema.name), parameter_(schema.parameters.at(i - schema.inputs.size())) {
    if (const auto* slot = std::get_if<SlotArgument>(&arguments.at(i))) {
      slot_ = slot->slot;
    } else {
      constant_ = ConstantTraits<std::array<float, N>>::from(std::get<Constant>(arguments.at(i)),
                                                             parameter_);
    }
    const auto* image = std::get_if<SlotArgument>(&arguments.front());
    if (parameter_.per_channel && image != nullptr && image->type == slot_type<Image>())
      image_ = image->slot;
  }
  std::array<float, N> of(const Sample& sample) const {
    std::array<float, N> numbers = constant_;
    if (slot_) read_numbers(name_, parameter_, sample.get<Tensor>(*slot_), numbers);
    if (image_) check_channels(name_, parameter_, sample.get<Image>(*image_), numbers);
    return numbers;
  }

 private:
  std::string_view name_;
  const Parameter& parameter_;
  std::optional<SlotId> slot_;
  std::optional<SlotId> image_;  // for a parameter with one number for each channel
  std::array<float, N> constant_{};
};

}  // namespace sluice::detail

namespace sluice {

// BoundFunction: turns an operator's function into a step. It determines which parameters of the
// function are inputs, parameters and outputs, and checks them against the schema. Internal to
// declare_operator.h, except for SampleNotes.
//
// Ownership: a bound function has a copy of the function and refers to the operator's schema.
// Threads: it runs on several at once. Errors: BuildError for a function that does not fit the
// schema; a value that the schema does not allow is its sample's error.

// Lets an operator's function report events and warnings about its sample.
class SampleNotes {
 public:
  SampleNotes(detail::Sample& sample, std::atomic<bool>* said) : sample_(sample), said_(said) {}
  // Notes that the event with this number has happened: see OperatorDeclaration::events().
  void note(std::size_t event) { sample_.note(event); }
  // True if steps are timed.
  bool timed() const { return sample_.counters.timed(); }
  // Moves this many nanoseconds from the previous step's time to this step's.
  void worked_before(std::int64_t nanoseconds) { sample_.within_step_before = nanoseconds; }
  // Adds a warning. The sample is still delivered.
  void warn(std::string_view what) { sample_.warn(what); }
  // The same for a problem that may affect every sample: reported once for each step.
  void warn_once(std::string_view what) {
    if (said_ == nullptr || !said_->exchange(true, std::memory_order_relaxed)) warn(what);
  }

 private:
  detail::Sample& sample_;
  std::atomic<bool>* said_;
};

namespace detail {

class DeviceBatch;
struct DeviceMemory;
// The same as DeviceBatch::current() and DeviceMemory::current(), without including device_batch.h.
DeviceBatch& current_device_batch();
DeviceMemory& current_device_memory();

enum class Role : std::uint8_t { draws, notes, device_batch, has_memory, argument, output };
template <class A>
constexpr Role role_of() {
  using T = std::decay_t<A>;
  constexpr bool written =
      std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;
  if (std::is_same_v<T, Random>) return Role::draws;
  if (std::is_same_v<T, SampleNotes>) return Role::notes;
  if (std::is_same_v<T, DeviceBatch>) return Role::device_batch;
  if (std::is_same_v<T, DeviceMemory>) return Role::has_memory;
  return written ? Role::output : Role::argument;
}

template <class R, class... As>
struct SignatureOf {
  using Result = R;
  using Types = std::tuple<std::decay_t<As>...>;
  static constexpr std::size_t kSize = sizeof...(As);
  static constexpr std::array<Role, kSize> kRoles{role_of<As>()...};
  static constexpr std::size_t count(Role role, std::size_t before = kSize) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < before; ++i) number += kRoles[i] == role ? 1 : 0;
    return number;
  }
};
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class C, class... As>
struct Signature<R (C::*)(As...) const> : SignatureOf<R, As...> {};
template <class R, class... As>
struct Signature<R (*)(As...)> : SignatureOf<R, As...> {};

using GetSlotType = const SlotType* (*)();

// Writes returned values to the outputs: one output for each element of a tuple.
template <class R>
struct Returned {
  static constexpr std::array<GetSlotType, 1> kTypes{slot_type<R>};
  static void write(Sample& sample, const std::vector<SlotId>& to, R&& value) {
    take_ownership(value);
    sample.get<R>(to[0]) = std::move(value);
  }
};
template <>
struct Returned<void> {
  static constexpr std::array<GetSlotType, 0> kTypes{};
};
template <class... Rs>
struct Returned<std::tuple<Rs...>> {
  static constexpr std::array<GetSlotType, sizeof...(Rs)> kTypes{slot_type<Rs>...};
  static void write(Sample& sample, const std::vector<SlotId>& to, std::tuple<Rs...>&& values) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((take_ownership(std::get<I>(values)),
        sample.get<Rs>(to[I]) = std::move(std::get<I>(values))),
       ...);
    }
    (std::index_sequence_for<Rs...>());
  }
};

// A function with its arguments, as a step runs it.
template <class F>
class BoundFunction {
  using S = Signature<F>;

  template <std::size_t I>
  using Type = std::tuple_element_t<I, typename S::Types>;
  struct Nothing {
    Nothing(const OperatorSchema&, std::size_t, const Arguments&) {}
  };
  template <class T>
  struct Reader : ArgumentReader<T> {
    Reader(const OperatorSchema& schema, std::size_t i, const Arguments& arguments)
        : ArgumentReader<T>(schema, i, arguments) {}
  };
  template <std::size_t I>
  struct ReaderAt {
    std::conditional_t<S::kRoles[I] == Role::argument, Reader<Type<I>>, Nothing> reader;
  };
  // Readers are constructed in place. A std::tuple would move them and takes longer to compile.
  template <class Indices>
  struct ReadersOf;
  template <std::size_t... I>
  struct ReadersOf<std::index_sequence<I...>> : ReaderAt<I>... {
    ReadersOf(const OperatorSchema& schema, const Arguments& arguments)
        : ReaderAt<I>{{schema, S::count(Role::argument, I), arguments}}... {
      static_cast<void>(schema);
      static_cast<void>(arguments);
    }
  };
  using Indices = std::make_index_sequence<S::kSize>;

 public:
  BoundFunction(const OperatorSchema& schema, const F& f, const Call& call)
      : f_(f),
        readers_(schema, call.arguments),
        outputs_(call.outputs),
        generator_(call.generator),
        said_(call.said) {}

  void operator()(Sample& sample) const {
    if constexpr (S::count(Role::draws) > 0) {
      Random draw(sample.random_key(generator_));
      run(sample, &draw, Indices());
    } else {
      run(sample, nullptr, Indices());
    }
  }

 private:
  template <std::size_t... I>
  void run(Sample& sample, Random* draw, std::index_sequence<I...>) const {
    SampleNotes notes(sample, said_.get());
    (clear<I>(sample), ...);
    if constexpr (std::is_void_v<typename S::Result>) {
      f_(pass<I>(sample, draw, notes)...);
      (own<I>(sample), ...);
    } else {
      Returned<typename S::Result>::write(sample, outputs_, f_(pass<I>(sample, draw, notes)...));
    }
  }

  template <std::size_t I>
  auto& output(Sample& sample) const {
    return sample.get<Type<I>>(outputs_[S::count(Role::output, I)]);
  }
  // An Image keeps its place in the batch; other outputs are reset, so no data of the previous
  // sample remain.
  template <std::size_t I>
  void clear(Sample& sample) const {
    if constexpr (S::kRoles[I] == Role::output && !Placeable<Type<I>>) {
      if constexpr (Releasable<Type<I>>) {
        output<I>(sample).release();
      } else {
        output<I>(sample) = Type<I>();
      }
    }
  }
  template <std::size_t I>
  void own(Sample& sample) const {
    if constexpr (S::kRoles[I] == Role::output) take_ownership(output<I>(sample));
  }
  template <std::size_t I>
  decltype(auto) pass(Sample& sample, [[maybe_unused]] Random* draw,
                      [[maybe_unused]] SampleNotes& notes) const {
    if constexpr (S::kRoles[I] == Role::draws) {
      return (*draw);
    } else if constexpr (S::kRoles[I] == Role::notes) {
      return (notes);
    } else if constexpr (S::kRoles[I] == Role::device_batch) {
      return (current_device_batch());
    } else if constexpr (S::kRoles[I] == Role::has_memory) {
      return (current_device_memory());
    } else if constexpr (S::kRoles[I] == Role::output) {
      return (output<I>(sample));
    } else {
      return readers_.ReaderAt<I>::reader.of(sample);
    }
  }

  F f_;
  ReadersOf<Indices> readers_;
  std::vector<SlotId> outputs_;
  std::uint32_t generator_;
  std::shared_ptr<std::atomic<bool>> said_;
};

// The part of a schema that follows from a function's types. Each function has constant tables, so
// that one function can read them all.
struct FunctionTypes {
  struct Item {
    std::vector<const SlotType*> (*slots)() = nullptr;  // of an input
    std::optional<ParameterType> parameter;
  };
  std::span<const Item> items;
  std::span<const GetSlotType> returned, written;  // the outputs
  bool draws = false;
};
template <class F>
class TypesOfFunction {
  using S = Signature<F>;
  template <Role kRole, class Entry, class Make>
  static constexpr auto table(Make make) {
    std::array<Entry, S::count(kRole)> all{};
    std::size_t made = 0;
    const auto add = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      using T = std::tuple_element_t<I, typename S::Types>;
      if constexpr (S::kRoles[I] == kRole) all[made++] = make(std::type_identity<T>());
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(std::integral_constant<std::size_t, I>()), ...);
    }
    (std::make_index_sequence<S::kSize>());
    return all;
  }
  static constexpr auto kItems =
      table<Role::argument, FunctionTypes::Item>([]<class T>(std::type_identity<T>) {
        FunctionTypes::Item item{InputTraits<T>::types, std::nullopt};
        if constexpr (ConstantTraits<T>::exists) item.parameter = ConstantTraits<T>::type;
        return item;
      });
  static constexpr auto kWritten = table<Role::output, GetSlotType>(
      []<class T>(std::type_identity<T>) -> GetSlotType { return slot_type<T>; });

 public:
  static FunctionTypes all() {
    return {kItems, Returned<typename S::Result>::kTypes, kWritten, S::count(Role::draws) > 0};
  }
};

std::vector<const SlotType*> outputs_of(const FunctionTypes& types);

// `bind` is a separate argument; `functions.bind` is ignored. Throws BuildError if the function and
// the schema differ.
OperatorPtr make_operator(OperatorSchema&& schema, OperatorFunctions&& functions,
                          const FunctionTypes& types,
                          Function<StepFunction(const OperatorSchema&, const Call&)> bind);

template <class F>
OperatorPtr make_operator(OperatorSchema schema, OperatorFunctions functions, F f) {
  return make_operator(std::move(schema), std::move(functions), TypesOfFunction<F>::all(),
                       [f = std::move(f)](const OperatorSchema& of, const Call& call) {
                         return StepFunction(std::in_place_type<BoundFunction<F>>, of, f, call);
                       });
}

}  // namespace detail
}  // namespace sluice
