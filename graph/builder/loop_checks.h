// What the compiler says about loops that the type system refuses. See checks.h for the form.
#pragma once

#include <sluice/graph/builder/checks.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice::detail {

// Loops. A state that is a tuple may be taken in parts.
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
    static_assert(good || fault_of<Gives>() != Fault::none,
                  "while_loop: the condition must give a Value<bool>, or a bool; compare a number "
                  "first");
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
    static_assert(
        good || fault_of<Gives>() != Fault::none,
        "for_loop_collect: the body must give std::tuple{next state, value}: two elements, "
        "of which the second is the one Value or constant to keep");
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
// What a loop begins with.
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
    return std::is_same_v<joined_t<State, Gives>, State>;
  } else {
    return false;
  }
}();
template <class State, class Gives>
struct next_state_of_while_loop {
  static constexpr bool good = stays<State, Gives>;
  static constexpr bool check() {
    SLUICE_CHECK_GIVEN("while_loop: the body", Gives);
    static_assert(good || fault_of<Gives>() != Fault::none,
                  "while_loop: the body gives another type than the state: it must give the same "
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
                  "for_loop: the body gives another type than the state: it must give the same "
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
