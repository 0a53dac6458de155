// joined_t<A, B>: the structure (structure.h) that A and B are both, for arms that must agree and
// for a loop's state. A constant beside a Value becomes one of the same type, where no number is
// lost (numbers.h). Differ when there is none.
#pragma once

#include <sluice/graph/builder/structure.h>

#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

struct Differ {};

// What a constant C becomes beside a Value<T>.
template <class T, class C>
constexpr auto beside() {
  if constexpr (std::is_same_v<constant_t<C>, T> || number_becomes<C, T>) {
    return std::type_identity<Value<T>>{};
  } else {
    return std::type_identity<Differ>{};
  }
}

template <class A, class B>
struct joined {
  using type = std::conditional_t<std::is_same_v<A, B>, A, Differ>;
};
template <class A, class B>
using joined_t = typename joined<A, B>::type;
template <class T>
struct joined<Value<T>, Value<T>> {
  using type = Value<T>;
};
template <class T, class U>
struct joined<Value<T>, Value<U>> {
  using type = Differ;
};
template <class T, class C>
struct joined<Value<T>, C> {
  using type = typename decltype(beside<T, C>())::type;
};
template <class C, class T>
struct joined<C, Value<T>> : joined<Value<T>, C> {};

// Of the elements' types the whole: Differ when one of them is.
template <template <class...> class Whole, class... Xs>
using joined_whole = std::conditional_t<(std::is_same_v<Xs, Differ> || ...), Differ, Whole<Xs...>>;
template <class... As, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct joined<std::tuple<As...>, std::tuple<Bs...>> {
  using type = joined_whole<std::tuple, joined_t<As, Bs>...>;
};
template <class A1, class A2, class B1, class B2>
struct joined<std::pair<A1, A2>, std::pair<B1, B2>> {
  using type = joined_whole<std::pair, joined_t<A1, B1>, joined_t<A2, B2>>;
};
template <class A, class B, std::size_t N>
requires(holds_values<A>() && holds_values<B>()) struct joined<std::array<A, N>, std::array<B, N>> {
  using X = joined_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::array<X, N>>;
};
template <class A, class B>
requires(holds_values<A>() && holds_values<B>()) struct joined<std::vector<A>, std::vector<B>> {
  using X = joined_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::vector<X>>;
};
template <class K, class A, class B>
requires(holds_values<A>() && holds_values<B>()) struct joined<std::map<K, A>, std::map<K, B>> {
  using X = joined_t<A, B>;
  using type = std::conditional_t<std::is_same_v<X, Differ>, Differ, std::map<K, X>>;
};

template <class... Xs>
struct joined_all;
template <class X>
struct joined_all<X> {
  using type = X;
};
template <class A, class B, class... More>
struct joined_all<A, B, More...> : joined_all<joined_t<A, B>, More...> {};

}  // namespace sluice::detail
