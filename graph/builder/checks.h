// Compile-time checks of choices, loops and descriptions, which report what the type system
// rejects. Each class here stands for one construct or a part of it. Its parameters are the types
// involved, so that the compiler prints them. check() explains with a static_assert what is wrong,
// where, and what to do. It then returns false, so that the construct records nothing and no more
// errors follow. The checks of steps are in step_checks.h.
#pragma once

#include <sluice/graph/builder/type_errors.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
class Graph;
}  // namespace sluice

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
                  "constant: a pointer or view is given, but a constant must own its data: give "
                  "the object, for example a std::string or std::vector");
    static_assert(good || points<T>::value,
                  "constant: the argument cannot be a constant: its type must be "
                  "default-constructible and copyable, and not a Value");
    return good;
  }
};
template <class Then, class Otherwise>
struct branches_of_if_else : Joint<Then, Otherwise> {
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("if_else: the branch 'then'", Then);
    SLUICE_CHECK_GIVEN("if_else: the branch 'otherwise'", Otherwise);
    static_assert(
        Joint<Then, Otherwise>::same,
        "if_else: the branches 'then' and 'otherwise' return different types: both branches must "
        "return the same structure and types; convert numbers with cast<T>(value)");
    return Joint<Then, Otherwise>::good;
  }
};

template <class Given, class Changed>
struct change_of_apply_if : Joint<Given, Changed> {
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("apply_if: the value", Given);
    SLUICE_CHECK_GIVEN("apply_if: the change", Changed);
    static_assert(Joint<Given, Changed>::same,
                  "apply_if: the change returns another type than it takes: it must return the "
                  "same structure and types; convert numbers with cast<T>(value)");
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
// Choice number `Number`, compared with the result of the branches before it.
template <int Number, class Gives, class Before>
struct branch_of_select {
  static constexpr bool good = Joint<Before, Gives>::good;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("select: a branch", Gives);
    static_assert(Joint<Before, Gives>::same,
                  "select: a branch returns another type than the branches before it: all branches "
                  "must return the same structure and types; convert numbers with cast<T>(value)");
    return good;
  }
};
template <class... Gives>
struct branches_of_select : Joint<Gives...> {
  template <int Number, class Before, class First, class... More>
  static constexpr bool check_from() {
    if constexpr (!branch_of_select<Number, First, Before>::check()) {
      return false;
    } else if constexpr (sizeof...(More) > 0) {
      return check_from<Number + 1, type_join_t<Before, First>, More...>();
    } else {
      return true;
    }
  }
  static constexpr bool check() {
    return check_from<0, std::tuple_element_t<0, std::tuple<Gives...>>, Gives...>();
  }
};

// The left and right side of all_of or any_of.
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
        "all_of: the right side must return a bool or a Value<bool>; compare a number first");
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
        "any_of: the right side must return a bool or a Value<bool>; compare a number first");
    return good;
  }
};

// The description. The number of columns follows from its result type.
struct Unsized {};
template <class... Columns>
using all_columns = decltype(std::tuple_cat(std::declval<Columns>()...));
template <class N>
struct columns;
template <class N>
using columns_t = typename columns<N>::type;
template <class... Fs>
struct columns<std::type_identity<std::tuple<Fs...>>> {
  static constexpr auto find() {
    if constexpr ((std::is_same_v<columns_t<Fs>, Unsized> || ...)) {
      return std::type_identity<Unsized>{};
    } else {
      return std::type_identity<all_columns<columns_t<Fs>...>>{};
    }
  }
  using type = typename decltype(find())::type;
};
template <class N>
struct columns : columns<std::type_identity<typename parts<N>::type>> {};
template <class T>
struct columns<Value<T>> {
  using type = std::tuple<Value<T>>;
};
template <class X, std::size_t N>
struct columns<std::array<X, N>> {
  template <std::size_t>
  using each = X;
  static constexpr auto find() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::type_identity<columns_t<std::tuple<each<I>...>>>{};
    }
    (std::make_index_sequence<N>());
  }
  using type = typename decltype(find())::type;
};
template <class X>
struct columns<std::vector<X>> {
  using type = Unsized;
};
template <class K, class X>
struct columns<std::map<K, X>> {
  using type = Unsized;
};

template <class Describe>
struct call_of_make_pipeline {
  static constexpr bool good = std::is_invocable_v<Describe, Graph&>;
  static constexpr bool check() {
    static_assert(good, "make_pipeline: the description must be a callable that takes a Graph&");
    return good;
  }
};
template <class Gives>
struct result_of_make_pipeline {
  static constexpr auto find() {
    if constexpr (fault_of<Gives>() == Fault::none) {
      return columns<normal_t<Gives>>{};
    } else {
      return std::type_identity<TypeError>{};
    }
  }
  using type = typename decltype(find())::type;
  static constexpr bool good = fault_of<Gives>() == Fault::none && !std::is_same_v<type, Unsized>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("make_pipeline: the description", Gives);
    static_assert(
        !std::is_same_v<type, Unsized>,
        "make_pipeline: the description returns a std::vector or std::map of Values, whose "
        "type does not say how many columns a batch has: return a std::array, std::tuple "
        "or struct of Values, or make one Value of them with map");
    return good;
  }
};

// Loops. A callable may take a tuple state as separate arguments.
template <class State, class Condition>
struct condition_of_while_loop {
  static constexpr bool good = takes_state<Condition, State>();
  static constexpr bool check() {
    static_assert(
        good,
        "while_loop: the condition cannot be called with the state: let it take the state, "
        "or one parameter for each element of a state that is a tuple, of these types");
    return good;
  }
};
template <class Gives>
struct answer_of_while_loop {
  static constexpr bool good = is_bool<Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("while_loop: the condition", Gives);
    static_assert(
        good || fault_of<Gives>() != Fault::none,
        "while_loop: the condition must return a Value<bool>, or a bool; compare a number first");
    return good;
  }
};
template <class State, class Body>
struct body_of_while_loop {
  static constexpr bool good = takes_state<Body, State>();
  static constexpr bool check() {
    static_assert(good,
                  "while_loop: the body cannot be called with the state: let it take the state, "
                  "or one parameter for each element of a state that is a tuple, of these types");
    return good;
  }
};
template <class State, class Body>
struct body_of_for_loop {
  static constexpr bool good = takes_state<Body, State, Value<std::int64_t>>();
  static constexpr bool check() {
    static_assert(good,
                  "for_loop: the body cannot be called with the number of the iteration and the "
                  "state: let it take a Value<std::int64_t>, then the state, or one parameter for "
                  "each element of a state that is a tuple, of these types");
    return good;
  }
};
template <class State, class Body>
struct body_of_for_loop_collect {
  static constexpr bool good = takes_state<Body, State, Value<std::int64_t>>();
  static constexpr bool check() {
    static_assert(
        good,
        "for_loop_collect: the body cannot be called with the number of the iteration and "
        "the state: let it take a Value<std::int64_t>, then the state, or one parameter "
        "for each element of a state that is a tuple, of these types");
    return good;
  }
};

template <class Gives>
inline constexpr bool is_pair = false;
template <class Next, class Kept>
inline constexpr bool is_pair<std::tuple<Next, Kept>> = is_value<normal_t<Kept>>;
template <class Next, class Kept>
inline constexpr bool is_pair<std::pair<Next, Kept>> = is_value<normal_t<Kept>>;
template <class Gives>
struct result_of_for_loop_collect {
  static constexpr bool good = is_pair<Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("for_loop_collect: the body", Gives);
    static_assert(good || fault_of<Gives>() != Fault::none,
                  "for_loop_collect: the body must return std::tuple{next state, value}: two "
                  "elements, of which the second is the one Value or constant to keep");
    return good;
  }
};

template <class Count>
struct count_of_for_loop {
  static constexpr bool good = is_integer_argument<Count>;
  static constexpr bool check() {
    static_assert(good, "for_loop: the count must be an integer, or a Value of one");
    return good;
  }
};
// The initial state of a loop.
template <class Init>
struct state_of_loop {
  static constexpr bool good = fault_of<Init>() == Fault::none;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("a loop: the state that it begins with", Init);
    return good;
  }
};
template <class State, class Gives>
inline constexpr bool stays = [] {
  if constexpr (fault_of<Gives>() == Fault::none) {
    return std::is_same_v<type_join_t<State, Gives>, State>;
  } else {
    return false;
  }
}();
template <class State, class Gives>
struct next_state_of_while_loop {
  static constexpr bool good = stays<State, Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("while_loop: the body", Gives);
    static_assert(
        good || fault_of<Gives>() != Fault::none,
        "while_loop: the body returns another type than the state: it must return the same "
        "structure and types as the state it begins with; convert with cast<T>(value)");
    return good;
  }
};
template <class State, class Gives>
struct next_state_of_for_loop {
  static constexpr bool good = stays<State, Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("for_loop: the body", Gives);
    static_assert(good || fault_of<Gives>() != Fault::none,
                  "for_loop: the body returns another type than the state: it must return the same "
                  "structure and types as the state it begins with; convert with cast<T>(value)");
    return good;
  }
};
template <class State, class Gives>
struct next_state_of_for_loop_collect {
  static constexpr bool good = stays<State, Gives>;
  static constexpr bool check() {
    static_assert(good,
                  "for_loop_collect: the body's first element is another type than the state: it "
                  "must be the same structure and types as the state the loop begins with; convert "
                  "with cast<T>(value)");
    return good;
  }
};

}  // namespace sluice::detail
