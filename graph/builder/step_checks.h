// Compile-time checks of functions that cannot be steps. See checks.h for the form.
#pragma once

#include <sluice/graph/builder/checks.h>
#include <sluice/graph/builder/dataset.h>

#include <tuple>
#include <type_traits>

namespace sluice::detail {

// Faults of the result type of a step's function.
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

#define SLUICE_CHECK_FUNCTION(WHO)                                                             \
  static_assert(                                                                               \
      !is_reference_wrapper<F>, WHO                                                            \
      ": the function is or acts like a std::reference_wrapper, but must live as long as the " \
      "pipeline: give the function itself, or a lambda that holds a std::shared_ptr");         \
  static_assert(owns<Args...>, WHO                                                             \
                ": a constant argument is a pointer or view, but must live as long as the "    \
                "pipeline: give the object, for example a std::string or std::vector, or a "   \
                "std::shared_ptr")

#define SLUICE_CHECK_RESULT(WHO)                                                                   \
  constexpr ResultFault fault = fault_of_result<Gives>();                                          \
  static_assert(fault != ResultFault::nothing, WHO                                                 \
                ": the function returns nothing: it must return the step's value; a step without " \
                "one is a tap");                                                                   \
  static_assert(                                                                                   \
      fault != ResultFault::value, WHO                                                             \
      ": the function returns a Value, but computes with the plain objects of one sample: pass "   \
      "Values as arguments of the step, and call functions of sluice::kernels on plain objects");  \
  static_assert(fault != ResultFault::does_not_travel, WHO                                         \
                ": the function's result cannot be a value of a sample: its type must have a "     \
                "default constructor, be movable, and have a destructor that does not throw");     \
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

// The result type of map_async, or that none was given.
struct NotSaid {};
template <class R>
struct result_of_map_async {
  static constexpr bool said = !std::is_same_v<R, NotSaid>;
  static constexpr bool check() {
    static_assert(
        said,
        "map_async: name the type that the completion handle is fired with: g.map_async<R>(name, "
        "f, args...), where f takes a Completion<R>, then the values");
    if constexpr (!said) {
      return false;
    } else {
      constexpr ResultFault fault =
          std::is_same_v<R, std::decay_t<R>> ? fault_of_result<R>() : ResultFault::reference;
      static_assert(fault != ResultFault::nothing && fault != ResultFault::reference,
                    "map_async: R is void, const or a reference: name the type of an object, which "
                    "becomes the step's value");
      static_assert(fault != ResultFault::value,
                    "map_async: R is a Value, but the handle is fired with a plain object: name "
                    "the plain type, for example g.map_async<int>");
      static_assert(fault != ResultFault::does_not_travel,
                    "map_async: an R cannot be a value of a sample: its type must have a default "
                    "constructor, be movable, and have a destructor that does not throw");
      return fault == ResultFault::none;
    }
  }
};
template <class Handle, class F, class... Args>
struct function_of_map_async {
  static constexpr bool callable =
      std::is_invocable_v<const F&, Handle, const argument_t<Args>&...>;
  static constexpr bool gives_nothing() {
    if constexpr (callable) {
      return std::is_void_v<std::invoke_result_t<const F&, Handle, const argument_t<Args>&...>>;
    } else {
      return true;
    }
  }
  static constexpr bool good = callable && gives_nothing() && owns<Args...>;
  static constexpr bool check() {
    SLUICE_CHECK_FUNCTION("map_async");
    static_assert(callable,
                  "map_async: the function cannot be called: it must take a Completion<R>, then "
                  "const references to the values given, in their order, and not be mutable");
    static_assert(gives_nothing(),
                  "map_async: the function returns something, but the step's value is what the "
                  "completion handle is fired with: return nothing, and call set() on the handle");
    return good;
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
  static constexpr bool callable =
      gives_later<F> || std::is_invocable_v<const F&, const SampleInfo&>;
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
