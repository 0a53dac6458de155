// What the compiler says about choices, and other constructs with conditions, that the type system
// refuses. Each class here stands for one construct or one part of it, with the types at hand as
// its parameters, which the compiler prints. Its check() says with a static_assert what is wrong,
// where, and what to do, and gives false then, so that the construct writes nothing and no more
// errors follow. Those of loops, steps and descriptions have files of their own.
#pragma once

#include <sluice/graph/builder/faults.h>

#include <tuple>
#include <type_traits>

namespace sluice::detail {

template <class Predicate>
struct predicate_of_if_else {
  static constexpr bool good = is_scalar_argument<Predicate>;
  static constexpr bool check() {
    static_assert(good,
                  "if_else: the predicate must be a bool or a number, or a Value of one: make "
                  "one with map");
    return good;
  }
};
template <class Predicate>
struct predicate_of_filter {
  static constexpr bool good = is_scalar_argument<Predicate>;
  static constexpr bool check() {
    static_assert(good,
                  "filter: the predicate must be a bool or a number, or a Value of one: make "
                  "one with map");
    return good;
  }
};
template <class T>
struct value_of_constant {
  static constexpr bool good = !is_value<T> && is_constant<T>;
  static constexpr bool check() {
    static_assert(!points<T>::value,
                  "constant: a pointer or view is given, but a constant must own what it is: give "
                  "the object, for example a std::string or std::vector");
    static_assert(good || points<T>::value,
                  "constant: what is given can be no constant, which has a default and can be "
                  "copied, and is no Value");
    return good;
  }
};
template <class Then, class Otherwise>
struct arms_of_if_else : Joint<Then, Otherwise> {
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("if_else: the arm 'then'", Then);
    SLUICE_CHECK_GIVEN("if_else: the arm 'otherwise'", Otherwise);
    static_assert(Joint<Then, Otherwise>::same,
                  "if_else: the arms 'then' and 'otherwise' give different types: both arms must "
                  "return the same structure and types; convert numbers with cast<T>(value)");
    return Joint<Then, Otherwise>::good;
  }
};

template <class Given, class Changed>
struct change_of_apply_if : Joint<Given, Changed> {
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("apply_if: the value", Given);
    SLUICE_CHECK_GIVEN("apply_if: the change", Changed);
    static_assert(
        Joint<Given, Changed>::same,
        "apply_if: the change gives another type than it is given: it must return the same "
        "structure and types; convert numbers with cast<T>(value)");
    return Joint<Given, Changed>::good;
  }
};
template <class Change, class Given>
struct call_of_apply_if {
  static constexpr bool good = std::is_invocable_v<Change&, const Given&>;
  static constexpr bool check() {
    static_assert(good,
                  "apply_if: the change cannot be called with the value: let it take the value "
                  "as its one parameter");
    return good;
  }
};

template <class Index>
struct index_of_select {
  static constexpr bool good = is_integer_argument<Index>;
  static constexpr bool check() {
    static_assert(good,
                  "select: the index must be an integer, or a Value of one: compute one with "
                  "map or cast");
    return good;
  }
};
// Arm number Number, beside what the arms before it give.
template <int Number, class Gives, class Before>
struct arm_of_select {
  static constexpr bool good = Joint<Before, Gives>::good;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("select: an arm", Gives);
    static_assert(Joint<Before, Gives>::same,
                  "select: an arm gives another type than the arms before it: all arms must return "
                  "the same structure and types; convert numbers with cast<T>(value)");
    return good;
  }
};
template <class... Gives>
struct arms_of_select : Joint<Gives...> {
  template <int Number, class Before, class First, class... More>
  static constexpr bool check_from() {
    if constexpr (!arm_of_select<Number, First, Before>::check()) {
      return false;
    } else if constexpr (sizeof...(More) > 0) {
      return check_from<Number + 1, joined_t<Before, First>, More...>();
    } else {
      return true;
    }
  }
  static constexpr bool check() {
    return check_from<0, std::tuple_element_t<0, std::tuple<Gives...>>, Gives...>();
  }
};

// The right side of all_of and any_of, and the left one.
template <class Left, class Right>
struct sides_of_all_of {
  static constexpr bool left = std::is_same_v<argument_t<Left>, bool>;
  static constexpr bool callable = std::is_invocable_v<const Right&>;
  static constexpr bool good = left && callable;
  static constexpr bool check() {
    static_assert(left,
                  "all_of: the left side must be a bool or a Value<bool>; compare a number first");
    static_assert(
        callable,
        "all_of: the right side must be a callable without parameters, so that it runs only "
        "where it is needed");
    return good;
  }
};
template <class Left, class Right>
struct sides_of_any_of {
  static constexpr bool left = std::is_same_v<argument_t<Left>, bool>;
  static constexpr bool callable = std::is_invocable_v<const Right&>;
  static constexpr bool good = left && callable;
  static constexpr bool check() {
    static_assert(left,
                  "any_of: the left side must be a bool or a Value<bool>; compare a number first");
    static_assert(
        callable,
        "any_of: the right side must be a callable without parameters, so that it runs only "
        "where it is needed");
    return good;
  }
};
template <class Gives>
inline constexpr bool is_bool = std::is_same_v<Gives, bool> || std::is_same_v<Gives, Value<bool>>;
template <class Gives>
struct right_side_of_all_of {
  static constexpr bool good = is_bool<Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("all_of: the right side", Gives);
    static_assert(
        good || fault_of<Gives>() != Fault::none,
        "all_of: the right side must give a bool or a Value<bool>; compare a number first");
    return good;
  }
};
template <class Gives>
struct right_side_of_any_of {
  static constexpr bool good = is_bool<Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("any_of: the right side", Gives);
    static_assert(
        good || fault_of<Gives>() != Fault::none,
        "any_of: the right side must give a bool or a Value<bool>; compare a number first");
    return good;
  }
};

}  // namespace sluice::detail
