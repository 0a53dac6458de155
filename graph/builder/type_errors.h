// Joins the types of branches, bodies and descriptions, and finds faults in them. Internal to the
// builder.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/structure.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

// type_join_t<A, B>: the common structure (structure.h) of A and B, for branches that must agree
// and for a loop's state. A constant paired with a Value becomes a Value of the same type, if the
// conversion is lossless (runtime/arithmetic.h). Differ if there is no common structure.

struct Differ {};

// The type of a constant C paired with a Value<T>.
template <class T, class C>
constexpr auto beside() {
  if constexpr (std::is_same_v<constant_t<C>, T> || number_becomes<C, T>) {
    return std::type_identity<Value<T>>{};
  } else {
    return std::type_identity<Differ>{};
  }
}

template <class A, class B>
struct type_join {
  using type = std::conditional_t<std::is_same_v<A, B>, A, Differ>;
};
template <class A, class B>
using type_join_t = typename type_join<A, B>::type;
template <class T>
struct type_join<Value<T>, Value<T>> {
  using type = Value<T>;
};
template <class T, class U>
struct type_join<Value<T>, Value<U>> {
  using type = Differ;
};
template <class T, class C>
struct type_join<Value<T>, C> {
  using type = typename decltype(beside<T, C>())::type;
};
template <class C, class T>
struct type_join<C, Value<T>> : type_join<Value<T>, C> {};

// Combines the joined types of the elements; Differ if one of them is.
template <template <class...> class Whole, class... Xs>
using type_join_whole =
    std::conditional_t<(std::is_same_v<Xs, Differ> || ...), Differ, Whole<Xs...>>;
template <class... As, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct type_join<std::tuple<As...>, std::tuple<Bs...>> {
  using type = type_join_whole<std::tuple, type_join_t<As, Bs>...>;
};
template <class A1, class A2, class B1, class B2>
struct type_join<std::pair<A1, A2>, std::pair<B1, B2>> {
  using type = type_join_whole<std::pair, type_join_t<A1, B1>, type_join_t<A2, B2>>;
};
template <class A, class B, std::size_t N>
requires(holds_values<A>() &&
         holds_values<B>()) struct type_join<std::array<A, N>, std::array<B, N>> {
  using X = type_join_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::array<X, N>>;
};
template <class A, class B>
requires(holds_values<A>() && holds_values<B>()) struct type_join<std::vector<A>, std::vector<B>> {
  using X = type_join_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::vector<X>>;
};
template <class K, class A, class B>
requires(holds_values<A>() && holds_values<B>()) struct type_join<std::map<K, A>, std::map<K, B>> {
  using X = type_join_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::map<K, X>>;
};

template <class... Xs>
struct type_join_all;
template <class X>
struct type_join_all<X> {
  using type = X;
};
template <class A, class B, class... More>
struct type_join_all<A, B, More...> : type_join_all<type_join_t<A, B>, More...> {};

// The faults that the type of a branch's, body's or description's result can show. The messages are
// in checks.h.

// The result of a rejected construct. Converts to anything, so that its uses cause no further
// errors.
struct TypeError {
  template <class T>
  operator T() const;  // never defined
};
template <class R>
R type_error();  // never defined

// The types of a structure's elements: tuple<...>; empty for a Value or a constant.
template <class X>
struct parts {
  template <class>
  struct decayed;
  template <class... Fs>
  struct decayed<std::tuple<Fs...>> {
    using type = std::tuple<std::remove_cvref_t<Fs>...>;
  };
  static constexpr auto find() {
    if constexpr (holds_values<X>()) {
      return std::type_identity<typename decayed<decltype(fields_of(std::declval<X&>()))>::type>{};
    } else {
      return std::type_identity<std::tuple<>>{};
    }
  }
  using type = typename decltype(find())::type;
  static constexpr bool is_struct = holds_values<X>();
};
template <class T>
struct parts<Value<T>> {
  using type = std::tuple<>;
  static constexpr bool is_struct = false;
};
template <class... Xs>
struct parts<std::tuple<Xs...>> {
  using type = std::tuple<Xs...>;
  static constexpr bool is_struct = false;
};
template <class A, class B>
struct parts<std::pair<A, B>> {
  using type = std::tuple<A, B>;
  static constexpr bool is_struct = false;
};
template <class X>
requires(is_container<X>::value) struct parts<X> {
  static auto find() {
    if constexpr (requires { typename X::mapped_type; }) {
      return std::type_identity<typename X::mapped_type>{};
    } else {
      return std::type_identity<typename X::value_type>{};
    }
  }
  using type = std::tuple<typename decltype(find())::type>;
  static constexpr bool is_struct = false;
};

// A std::reference_wrapper, or a class that works like one. Checks for members, because naming
// std::reference_wrapper needs <functional>, a large header.
template <class A>
concept is_reference_wrapper = requires(const A& a, typename A::type& to) {
  requires std::is_same_v<decltype(a.get()), decltype(to)>;
  requires std::is_convertible_v<const A&, decltype(to)>;
};

// True for types that do not own what they refer to, which may be destroyed before the pipeline.
template <class A>
struct points
    : std::bool_constant<is_reference_wrapper<A> ||
                         (std::is_pointer_v<A> && !std::is_function_v<std::remove_pointer_t<A>>)> {
};
template <class C>
struct points<std::basic_string_view<C>> : std::true_type {};
template <class T, std::size_t N>
struct points<std::span<T, N>> : std::true_type {};

template <class T>
inline constexpr bool travels =
    std::is_object_v<T>&& std::is_default_constructible_v<T>&& std::is_move_constructible_v<T>&&
        std::is_move_assignable_v<T>&& std::is_nothrow_destructible_v<T>;
template <class T>
inline constexpr bool is_constant =
    travels<T>&& std::is_copy_constructible_v<T>&& std::is_copy_assignable_v<T> &&
    !points<T>::value;

// Faults of a type that should become values.
enum class Fault { none, nothing, constant_in_struct, pointer, no_constant };
template <class X>
constexpr Fault fault_of();
template <class... Xs>
constexpr Fault first_fault(std::type_identity<std::tuple<Xs...>>) {
  Fault first = Fault::none;
  ((first = first == Fault::none ? fault_of<Xs>() : first), ...);
  return first;
}
template <class X>
constexpr Fault fault_of() {
  using Parts = typename std::conditional_t<std::is_void_v<X>, parts<int>, parts<X>>::type;
  if constexpr (std::is_void_v<X>) {
    return Fault::nothing;
  } else if constexpr (is_value<X>) {
    return Fault::none;
  } else if constexpr (parts<X>::is_struct) {
    constexpr Fault inside = first_fault(std::type_identity<Parts>{});
    if constexpr (inside != Fault::none) {
      return inside;
    } else {
      return []<class... Fs>(std::type_identity<std::tuple<Fs...>>) {
        return (std::is_same_v<normal_t<Fs>, Fs> && ...) ? Fault::none : Fault::constant_in_struct;
      }(std::type_identity<Parts>{});
    }
  } else if constexpr (std::tuple_size_v<Parts> > 0) {
    return first_fault(std::type_identity<Parts>{});
  } else if constexpr (points<constant_t<X>>::value) {
    return Fault::pointer;
  } else {
    return is_constant<constant_t<X>> ? Fault::none : Fault::no_constant;
  }
}

// normal_t<X> if X has no fault, else TypeError.
template <class X>
constexpr auto normal_or_type_error() {
  if constexpr (fault_of<X>() == Fault::none) {
    return std::type_identity<normal_t<X>>{};
  } else {
    return std::type_identity<TypeError>{};
  }
}

// A static_assert takes only literals, so the text comes from a macro.
#define SLUICE_CHECK_GIVEN(WHO, X)                                                                \
  static_assert(fault_of<X>() != Fault::nothing,                                                  \
                WHO " returns nothing: end it with `return` and its result");                     \
  static_assert(fault_of<X>() != Fault::constant_in_struct, WHO                                   \
                " returns a struct with a constant in it, but a struct may hold only Values: "    \
                "declare the field as a Value, and make it with Graph::constant");                \
  static_assert(fault_of<X>() != Fault::pointer, WHO                                              \
                " returns a pointer or view, but a constant must own its data: give the object, " \
                "for example a std::string or std::vector");                                      \
  static_assert(fault_of<X>() != Fault::no_constant, WHO                                          \
                " returns what is neither a Value nor a possible constant, which must be "        \
                "default-constructible and copyable: a callable branch takes no parameters and "  \
                "is not mutable")

// Checks if the types, each without a fault, have a common structure, and names it.
template <class... Gives>
struct Joint {
  static constexpr bool parts_good = ((fault_of<Gives>() == Fault::none) && ...);
  static constexpr auto find() {
    if constexpr (parts_good) {
      return type_join_all<Gives...>{};
    } else {
      return std::type_identity<Differ>{};
    }
  }
  using type = typename decltype(find())::type;
  static constexpr bool same = !parts_good || !std::is_same_v<type, Differ>;
  static constexpr bool good = parts_good && same;
  // The common type; if the branches were rejected, the type of the first one without a fault.
  template <class First, class... More>
  static constexpr auto pick() {
    if constexpr (fault_of<First>() == Fault::none || sizeof...(More) == 0) {
      return normal_or_type_error<First>();
    } else {
      return pick<More...>();
    }
  }
  static constexpr auto find_result() {
    if constexpr (good) {
      return std::type_identity<normal_t<type>>{};
    } else {
      return pick<Gives...>();
    }
  }
  using result = typename decltype(find_result())::type;
};

}  // namespace sluice::detail
