// What the compiler says about functions that cannot be steps. See checks.h for the form.
#pragma once

#include <sluice/graph/builder/checks.h>

#include <functional>
#include <tuple>
#include <type_traits>

namespace sluice::detail {

template <class T>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;

// What is wrong with what a step's function returns.
enum class ResultFault { none, nothing, value, does_not_travel, reference };
template <class R>
struct result_fault {
  static constexpr ResultFault value = is_value<R>  ? ResultFault::value
                                       : travels<R> ? ResultFault::none
                                                    : ResultFault::does_not_travel;
};
template <class... Rs>
struct result_fault<std::tuple<Rs...>> {
  static constexpr ResultFault value = [] {
    ResultFault first = ResultFault::none;
    ((first = first == ResultFault::none ? result_fault<Rs>::value : first), ...);
    return first;
  }();
};
template <class R>
constexpr ResultFault fault_of_result() {
  if constexpr (std::is_void_v<R>) {
    return ResultFault::nothing;
  } else if constexpr (std::is_lvalue_reference_v<R> &&
                       !std::is_copy_constructible_v<std::remove_cvref_t<R>> &&
                       !requires(const std::remove_cvref_t<R>& r) { r.clone(); }) {
    return ResultFault::reference;
  } else {
    return result_fault<std::decay_t<R>>::value;
  }
}

template <class... Args>
inline constexpr bool owns = !(points<Args>::value || ...);

#define SLUICE_CHECK_FUNCTION(WHO)                                                               \
  static_assert(!is_reference_wrapper<F>, WHO                                                    \
                ": the function is a std::reference_wrapper, but must live as long as the "      \
                "pipeline: give the function itself, or a lambda that holds a std::shared_ptr"); \
  static_assert(owns<Args...>, WHO                                                               \
                ": a constant argument is a pointer or view, but must live as long as the "      \
                "pipeline: give the object, for example a std::string or std::vector, or a "     \
                "std::shared_ptr")

#define SLUICE_CHECK_RESULT(WHO)                                                                   \
  constexpr ResultFault fault = fault_of_result<Gives>();                                          \
  static_assert(fault != ResultFault::nothing, WHO                                                 \
                ": the function returns nothing: it must return the step's value; a step without " \
                "one is a tap");                                                                   \
  static_assert(fault != ResultFault::value, WHO                                                   \
                ": the function returns a Value, but computes with what one sample has: pass "     \
                "Values as arguments of the step, and call functions on plain objects "            \
                "(sluice::kernels has those of the operators)");                                   \
  static_assert(fault != ResultFault::does_not_travel, WHO                                         \
                ": what the function returns cannot travel: a value's type has a default "         \
                "constructor, moves, and its destructor does not throw");                          \
  static_assert(fault != ResultFault::reference, WHO                                               \
                ": the function returns a reference to what can neither be copied nor cloned: "    \
                "return an object")

template <class F, class... Args>
struct function_of_map {
  static constexpr bool callable = std::is_invocable_v<const F&, const argument_t<Args>&...>;
  static constexpr bool good = callable && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("map");
    static_assert(callable,
                  "map: the function cannot be called: it must take const references to the values "
                  "given, in their order, and not be mutable");
    return good;
  }
};
template <class Gives>
struct result_of_map {
  static constexpr bool check() {
    SLUICE_CHECK_RESULT("map");
    return fault == ResultFault::none;
  }
};

template <class Result, class F, class... Args>
struct function_of_map_into {
  static constexpr bool callable =
      std::is_invocable_v<const F&, const argument_t<Args>&..., Result&>;
  static constexpr bool good = callable && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("map_into");
    static_assert(callable,
                  "map_into: the function cannot be called: it must take const references to the "
                  "values given, in their order, then R&, and not be mutable");
    return good;
  }
};

template <class F, class... Args>
struct function_of_random {
  static constexpr bool callable =
      std::is_invocable_v<const F&, Random&, const argument_t<Args>&...>;
  static constexpr bool good = callable && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("random");
    static_assert(
        callable,
        "random: the function cannot be called: it must take a Random& and const references "
        "to the values given, in their order, and not be mutable");
    return good;
  }
};
template <class Gives>
struct result_of_random {
  static constexpr bool check() {
    SLUICE_CHECK_RESULT("random");
    return fault == ResultFault::none;
  }
};

template <class F, class... Args>
struct function_of_tap {
  static constexpr bool callable = std::is_invocable_v<const F&, const argument_t<Args>&...>;
  static constexpr bool good = callable && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("tap");
    static_assert(callable,
                  "tap: the function cannot be called: it must take const references to the values "
                  "given, in their order, and not be mutable");
    return good;
  }
};

template <class F, class... Args>
struct function_of_source {
  static constexpr bool callable = std::is_invocable_v<const F&, const SampleInfo&>;
  static constexpr bool good = callable && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("source");
    static_assert(
        callable,
        "source: the function cannot be called: it must take a const SampleInfo&, and not "
        "be mutable");
    return good;
  }
};
template <class Gives>
struct result_of_source {
  static constexpr bool check() {
    SLUICE_CHECK_RESULT("source");
    return fault == ResultFault::none;
  }
};

#undef SLUICE_CHECK_FUNCTION
#undef SLUICE_CHECK_RESULT

}  // namespace sluice::detail
