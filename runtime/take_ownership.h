// Inspection of types: the fields of a struct (fields_of), whether a type really copies (copies),
// and views (take_ownership).
//
// take_ownership() makes a value own its memory when it leaves the step that made it. The memory
// that the step worked on is soon reused for the next sample, and a view of it would then show
// other pixels.
//
// It looks into these types, at any depth: std::tuple, pair, array, vector, map and other
// containers, optional, variant, unique_ptr, and plain structs of up to 12 fields without base
// classes and arrays. An Image, Tensor or Bytes found there that is a view is made a copy. Any
// other type can define what to do, by a member function `void own()` or a function `void own(T&)`
// in T's namespace. After that call the object must not refer to memory that another object keeps.
// A type without either is taken to own its memory. So are pointers, spans, string_views and
// shared_ptrs: what they refer to must live as long as the pipeline and its batches. A plain struct
// that holds an Image and cannot be looked into does not compile.
//
// Threads: the one that runs the step. Errors: std::bad_alloc.
#pragma once

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

// field_count() counts the fields of a plain struct, and fields_of() returns a tuple of references
// to them, so that branches can return structs without any registration. Both work for aggregates
// of up to 12 fields without base classes and without arrays as fields.

// Converts to any type, where only the number of initializers matters.
struct AnyField {
  template <class T>
  operator T() const;  // declared only, never defined
};

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyField{})...}; };
}

template <class T, std::size_t N = 12>
constexpr std::size_t field_count() {
  if constexpr (N == 0) {
    return 0;
  } else if constexpr (takes_fields<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return field_count<T, N - 1>();
  }
}

// T may be const.
template <class T>
constexpr auto fields_of(T& x) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  if constexpr (n == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else {
    return std::tie();
  }
}

// Converts to a base class of T only.
template <class T>
struct AnyBaseOf {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};

// True if the initializer between `Before` and `After` is that of a whole field, and not of an
// array's element: empty braces then replace no other initializer.
template <class T, std::size_t... Before, std::size_t... After>
constexpr bool takes_braces(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{(static_cast<void>(Before), AnyField{})..., {}, (static_cast<void>(After), AnyField{})...};
  };
}
template <class T, std::size_t... I>
constexpr bool each_is_a_field(std::index_sequence<I...>) {
  return (takes_braces<T>(std::make_index_sequence<I>(),
                          std::make_index_sequence<sizeof...(I) - 1 - I>()) &&
          ...);
}

// True if fields_of() works for T: an aggregate of 1 to 12 fields, none of them an array, without a
// base class.
template <class T>
constexpr bool has_known_fields() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T>) {
    return false;
  } else {
    constexpr std::size_t n = field_count<T>();
    return n > 0 && !requires { T{AnyBaseOf<T>{}}; }
    &&each_is_a_field<T>(std::make_index_sequence<n>()) &&
        !takes_braces<T>(std::make_index_sequence<n>(), std::index_sequence<>());
  }
}

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
// A type that owns memory has a destructor, or a member that has one, so it is not trivially
// copyable.
template <class T>
concept may_own =
    complete<T> && !std::is_const_v<T> && (says_how_to_own<T> || !std::is_trivially_copyable_v<T>);

// Standard types that hold others, by kind.
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

// True if a T can be, or hold, a view that take_ownership() finds. `Seen` are the types being
// looked into: a type that holds itself holds views only if something else in it does.
template <class T, class... Seen>
constexpr bool holds_views();

template <class T, class... Seen>
struct any_part_holds_views : std::false_type {};
template <template <class...> class Holder, class... Parts, class... Seen>
struct any_part_holds_views<Holder<Parts...>, Seen...>
    : std::bool_constant<(holds_views<Parts, Seen...>() || ...)> {};

// Converts to any type that holds views, to find out if a struct has such a field.
template <class... Seen>
struct AnyView {
  AnyView() = default;
  AnyView(const AnyView&) = delete;  // else a std::any would accept it
  template <class T>
  requires(holds_views<T, Seen...>()) operator T() const;
};
template <class T, class... Seen, std::size_t... Before>
constexpr bool has_view_after(std::index_sequence<Before...>) {
  constexpr std::size_t kMost = 64;  // beyond it, judge the whole struct: views do not copy
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

// Bytes from a source may stay a view, because the data set keeps their memory.
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
    static_assert(has_known_fields<T>(),
                  "a step's value holds an Image, Tensor or Bytes in a struct that Sluice cannot "
                  "inspect: it has more than 12 fields, an array or a base class; give it a member "
                  "function `void own()` that calls own() of each");
    if constexpr (has_known_fields<T>()) std::apply(each, fields_of(value));
  }
}

// copies<T>(): true if a T can really be copied. The standard library's containers, optionals and
// the like claim to be copyable whatever they hold, and then do not compile. So this looks at what
// they hold. For structs it relies on the compiler.

template <class T>
constexpr bool copies();

template <class T>
struct all_parts_copy : std::true_type {};
template <template <class...> class Holder, class... Parts>
struct all_parts_copy<Holder<Parts...>>
    : std::bool_constant<(copies<std::remove_const_t<Parts>>() && ...)> {};

template <class T>
constexpr bool copies() {
  if constexpr (!std::is_copy_constructible_v<T> || !std::is_copy_assignable_v<T>) {
    return false;
  } else if constexpr (is_product<T> || is_variant<T> || is_optional<T>) {
    return all_parts_copy<T>::value;
  } else if constexpr (container<T>) {
    using Part = std::remove_const_t<typename T::value_type>;
    if constexpr (std::is_same_v<Part, T>) {
      return true;
    } else if constexpr (is_product<Part>) {
      return all_parts_copy<Part>::value;  // of a map: a pair with a constant key
    } else {
      return copies<Part>();
    }
  } else {
    return true;
  }
}

}  // namespace sluice::detail
