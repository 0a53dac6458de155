// What a description may return, and which columns come of it. See checks.h for the form.
#pragma once

#include <sluice/graph/builder/checks.h>

#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

class Graph;

}

namespace sluice::detail {

// The description. Its result has as many columns as its type says.
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
      return std::type_identity<Refused>{};
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

}  // namespace sluice::detail
