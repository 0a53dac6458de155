// take_ownership(): a value owns its memory when it leaves the step that made it. What it was made
// from is used for the next sample soon; a view on that would show other pixels then.
//
// Looked into, at any depth: std::tuple, pair, array, vector, map and other containers, optional,
// variant, unique_ptr, and plain structs of up to 12 fields without base classes and arrays. An
// Image, Tensor or Bytes found there which is a view is made a copy. Any other type says itself
// what to do, by a member function `void own()`, or by a function `void own(T&)` in T's namespace:
// after it the object shows nothing that another one keeps. A type that says nothing is taken to
// own what it shows; so are pointers, spans, string_views and shared_ptrs: what they refer to must
// live as long as the pipeline and its batches. A plain struct that holds an Image and cannot be
// looked into does not compile.
//
// Threads: the one that runs the step. Errors: std::bad_alloc.
#pragma once

#include <sluice/runtime/aggregate.h>
#include <sluice/runtime/bytes.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {

template <class T>
concept owned_by_member = requires(T& value) {
  { value.own() } -> std::same_as<void>;
};
template <class T>
concept owned_by_function = requires(T& value) {
  { own(value) } -> std::same_as<void>;
};

template <class T>
concept says_how_to_own = owned_by_member<T> || owned_by_function<T>;
template <class T>
concept complete = requires {
  sizeof(T);
};
// Whoever owns memory has a destructor to write, or a part that has.
template <class T>
concept may_own =
    complete<T> && !std::is_const_v<T> && (says_how_to_own<T> || !std::is_trivially_copyable_v<T>);

// The kinds of standard types that hold others.
template <class T>
inline constexpr bool is_product = false;
template <class... Ts>
inline constexpr bool is_product<std::tuple<Ts...>> = true;
template <class A, class B>
inline constexpr bool is_product<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T, class Deleter>
inline constexpr bool is_optional<std::unique_ptr<T, Deleter>> = !std::is_array_v<T>;
template <class T>
concept container = requires(T& values) {
  typename T::value_type;
  { *values.begin() } -> std::same_as<typename T::value_type&>;
  values.end();
};

// Whether a T can be, or hold, a view that take_ownership() finds. Seen are the types that are
// being looked into: one that holds itself holds views if anything else in it does.
template <class T, class... Seen>
constexpr bool holds_views();

template <class T, class... Seen>
struct any_part_holds_views : std::false_type {};
template <template <class...> class Holder, class... Parts, class... Seen>
struct any_part_holds_views<Holder<Parts...>, Seen...>
    : std::bool_constant<(holds_views<Parts, Seen...>() || ...)> {};

// Converts to whatever holds views, and so shows where a struct has such a field.
template <class... Seen>
struct AnyView {
  AnyView() = default;
  AnyView(const AnyView&) = delete;  // else a std::any would take it
  template <class T>
  requires(holds_views<T, Seen...>()) operator T() const;
};
template <class T, class... Seen, std::size_t... Before>
constexpr bool has_view_after(std::index_sequence<Before...>) {
  constexpr std::size_t kMost = 64;  // then the struct is judged as a whole: views do not copy
  if constexpr (sizeof...(Before) == kMost) {
    return !std::is_copy_constructible_v<T>;
  } else if constexpr (requires {
                         T{(static_cast<void>(Before), AnyField{})..., AnyView<Seen...>{}};
                       }) {
    return true;
  } else if constexpr (takes_fields<T>(std::make_index_sequence<sizeof...(Before) + 1>())) {
    return has_view_after<T, Seen...>(std::make_index_sequence<sizeof...(Before) + 1>());
  } else {
    return false;
  }
}

template <class T, class... Seen>
constexpr bool any_field_holds_views() {
  if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T> && !std::is_union_v<T>) {
    return has_view_after<T, Seen...>(std::index_sequence<>());
  } else {
    return false;
  }
}

template <class T, class... Seen>
constexpr bool holds_views() {
  if constexpr (!may_own<T> || (std::is_same_v<T, Seen> || ...)) {
    return false;
  } else if constexpr (says_how_to_own<T>) {
    return true;
  } else if constexpr (is_product<T> || is_variant<T>) {
    return any_part_holds_views<T, T, Seen...>::value;
  } else if constexpr (is_optional<T>) {
    return holds_views<std::remove_reference_t<decltype(*std::declval<T&>())>, T, Seen...>();
  } else if constexpr (container<T>) {
    return holds_views<typename T::value_type, T, Seen...>();
  } else {
    return any_field_holds_views<T, T, Seen...>();
  }
}

// Bytes that a source gives may stay a view: on what the data set keeps.
enum class Origin { step, source };

template <Origin kOrigin = Origin::step, class T>
void take_ownership(T& value) {
  const auto each = [](auto&... parts) { (take_ownership<kOrigin>(parts), ...); };
  if constexpr (!holds_views<T>() || (kOrigin == Origin::source && std::is_same_v<T, Bytes>)) {
    static_cast<void>(value);
  } else if constexpr (owned_by_member<T>) {
    value.own();
  } else if constexpr (owned_by_function<T>) {
    own(value);
  } else if constexpr (is_product<T>) {
    std::apply(each, value);
  } else if constexpr (is_variant<T>) {
    if (!value.valueless_by_exception()) std::visit(each, value);
  } else if constexpr (is_optional<T>) {
    if (value) each(*value);
  } else if constexpr (container<T>) {
    for (auto& part : value) each(part);
  } else {
    static_assert(
        has_known_fields<T>(),
        "a step's value holds an Image, Tensor or Bytes in a struct that cannot be looked "
        "into: it has more than 12 fields, an array or a base class; give it a member "
        "function `void own()` that calls own() of each");
    if constexpr (has_known_fields<T>()) std::apply(each, fields_of(value));
  }
}

}  // namespace sluice::detail
