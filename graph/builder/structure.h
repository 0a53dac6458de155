// structure<X>: traits of nested values, such as the result of a branch, a loop or a pipeline's
// function.
//
//   Value<T>                   itself
//   std::tuple, std::pair,     each element a structure; vectors of different length, and maps with
//   std::array, std::vector,   different keys, are different structures
//   std::map
//   a plain struct of Values   each field a structure; at most 12 fields, no arrays, no base
//                              classes
//   anything else that copies  a constant, the same for every sample: it becomes a Value, a string
//                              literal one of std::string
//
// Branches must return the same structure: type_join_t (type_errors.h). normal_t<X> is X with
// constants replaced by Values. Types cannot tell all structures apart (lengths, keys); the builder
// then compares them and reports the difference.
#pragma once

#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/take_ownership.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

// The user of values in a description, as text for messages: "'resize' is given", "the branch
// 'then' of 'if_else' gives".
struct ArgumentContext {
  PlanBuilder& builder;
  std::string text;
};

[[noreturn]] void throw_empty(const std::string& context);
[[noreturn]] void throw_foreign(const std::string& context);

template <class T>
Value<T> constant_value(PlanBuilder& builder, T constant) {
  if constexpr (is_known_constant<T>) {
    return {builder, builder.add(constant_operator(), {Constant(std::move(constant))})[0]};
  } else {
    Step step;
    step.name = builder.unique_name("constant");
    const SlotId slot = builder.add_slot(slot_type<T>(), step.name);
    step.writes = {slot};
    step.run = [slot, constant = std::move(constant)](Sample& sample) {
      sample.get<T>(slot) = constant;
    };
    builder.add_step(std::move(step));
    return {builder, slot};
  }
}

template <class X>
struct structure;

// True if X holds Values, so that it is a structure and not a constant.
template <class X>
constexpr bool holds_values();

template <class Fields>
struct any_holds_values;
template <class... Fs>
struct any_holds_values<std::tuple<Fs...>> {
  static constexpr bool value = (holds_values<std::remove_cvref_t<Fs>>() || ...);
};

template <class X>
concept plain_struct = std::is_class_v<X> && std::is_aggregate_v<X> && !std::is_empty_v<X>;

template <class X>
struct is_container : std::false_type {};
template <class T>
struct is_container<Value<T>> : std::true_type {};
template <class... Xs>
struct is_container<std::tuple<Xs...>> : std::bool_constant<(holds_values<Xs>() || ...)> {};
template <class A, class B>
struct is_container<std::pair<A, B>> : std::bool_constant<holds_values<A>() || holds_values<B>()> {
};
template <class X, std::size_t N>
struct is_container<std::array<X, N>> : std::bool_constant<holds_values<X>()> {};
template <class X>
struct is_container<std::vector<X>> : std::bool_constant<holds_values<X>()> {};
template <class K, class X>
struct is_container<std::map<K, X>> : std::bool_constant<holds_values<X>()> {};

template <class X>
struct is_std_array : std::false_type {};
template <class X, std::size_t N>
struct is_std_array<std::array<X, N>> : std::true_type {};

template <class X>
constexpr bool holds_values() {
  if constexpr (is_container<X>::value) {
    return true;
  } else if constexpr (plain_struct<X> && !is_std_array<X>::value) {
    return any_holds_values<decltype(fields_of(std::declval<X&>()))>::value;
  } else {
    return false;
  }
}

std::string inner(const char* kind, const std::string& which, const std::string& place);
inline std::string inner(const char* kind, std::size_t which, const std::string& place) {
  return inner(kind, std::to_string(which), place);
}

// The type of a constant; std::string for a string literal.
template <class X>
struct constant_type {
  using type = X;
};
template <>
struct constant_type<const char*> {
  using type = std::string;
};
template <class X>
using constant_t = typename constant_type<X>::type;

// normal<To>(): replaces constants by Values. visit(): calls visit(slot, place) for each value, in
// order; `place` describes where the value stands, with the outermost part last. rebuild(): makes
// the same structure from other slots. compare(): describes a difference that types do not show;
// empty if there is none.
template <class X>
struct structure {
  static_assert(!std::is_pointer_v<constant_t<X>> && !std::is_reference_v<X>);
  using type = std::conditional_t<holds_values<X>(), X, Value<constant_t<X>>>;

  template <class To>
  static To normal(const ArgumentContext& context, const X& x) {
    if constexpr (holds_values<X>()) {
      each(x, [&](const auto& field) {
        using F = std::remove_cvref_t<decltype(field)>;
        static_assert(
            std::is_same_v<typename structure<F>::type, F>,
            "the fields of a struct must be Values or structures of Values; make constants with "
            "Graph::constant");
        (void)structure<F>::template normal<F>(context, field);
      });
      return x;
    } else {
      using T = typename To::value_type;
      if constexpr (std::is_same_v<T, X> || !std::is_arithmetic_v<X>) {
        return constant_value<T>(context.builder, T(x));
      } else {
        return constant_value<T>(context.builder,
                                 exact_constant<T>(context.text, x, type_name<T>()));
      }
    }
  }
  template <class Visit>
  static void visit(const X& x, const std::string& place, Visit&& visit) {
    std::size_t i = 0;
    each(x, [&](const auto& field) {
      structure<std::remove_cvref_t<decltype(field)>>::visit(field, inner("field", i++, place),
                                                             visit);
    });
  }
  static X rebuild(const X& like, PlanBuilder& builder, const SlotId*& slot) {
    X x = like;
    std::apply(
        [&](auto&... field) {
          ((field = structure<std::remove_cvref_t<decltype(field)>>::rebuild(field, builder, slot)),
           ...);
        },
        fields_of(x));
    return x;
  }
  static std::string compare(const X& a, const X& b) {
    return compare_each(fields_of(a), fields_of(b));
  }

  template <class... Fs>
  static std::string compare_each(const std::tuple<Fs...>& a, const std::tuple<Fs...>& b) {
    std::string difference;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((difference.empty() ? void(difference = structure<std::remove_cvref_t<Fs>>::compare(
                                      std::get<I>(a), std::get<I>(b)))
                           : void()),
       ...);
    }
    (std::index_sequence_for<Fs...>());
    return difference;
  }

 private:
  template <class F>
  static void each(const X& x, F f) {
    std::apply([&](const auto&... field) { (f(field), ...); }, fields_of(x));
  }
};

template <class T>
struct structure<Value<T>> {
  using type = Value<T>;
  template <class To>
  static To normal(const ArgumentContext& context, const Value<T>& value) {
    if (!value.valid()) throw_empty(context.text);
    if (!value.is_of(context.builder)) throw_foreign(context.text);
    return value;
  }
  template <class Visit>
  static void visit(const Value<T>& value, const std::string& place, Visit&& visit) {
    visit(value.slot(), place);
  }
  static type rebuild(const type&, PlanBuilder& builder, const SlotId*& slot) {
    return {builder, *slot++};
  }
  static std::string compare(const type&, const type&) { return {}; }
};

// Tuples and pairs.
template <class Tuple, class Normal, class... Xs>
struct tuple_structure {
  using type = Normal;
  template <class To>
  static To normal(const ArgumentContext& context, const Tuple& xs) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return To{
          structure<Xs>::template normal<std::tuple_element_t<I, To>>(context, std::get<I>(xs))...};
    }
    (std::index_sequence_for<Xs...>());
  }
  template <class Visit>
  static void visit(const Tuple& xs, const std::string& place, Visit&& visit) {
    std::size_t i = 0;
    std::apply(
        [&](const Xs&... x) {
          (structure<Xs>::visit(x, inner("element", i++, place), visit), ...);
        },
        xs);
  }
  static Tuple rebuild(const Tuple& like, PlanBuilder& builder, const SlotId*& slot) {
    // Braces evaluate from left to right.
    return std::apply(
        [&](const Xs&... x) { return Tuple{structure<Xs>::rebuild(x, builder, slot)...}; }, like);
  }
  static std::string compare(const Tuple& a, const Tuple& b) {
    return structure<int>::compare_each(
        std::apply([](const Xs&... x) { return std::tie(x...); }, a),
        std::apply([](const Xs&... x) { return std::tie(x...); }, b));
  }
};
template <class... Xs>
struct structure<std::tuple<Xs...>>
    : tuple_structure<std::tuple<Xs...>, std::tuple<typename structure<Xs>::type...>, Xs...> {};
template <class A, class B>
struct structure<std::pair<A, B>>
    : tuple_structure<std::pair<A, B>,
                      std::pair<typename structure<A>::type, typename structure<B>::type>, A, B> {};

// Arrays, vectors and maps. Constant elements become Values too, unless X holds no Values and is a
// constant as a whole.
template <class Container, class Normal, class X>
struct range_structure {
  using type = Normal;
  template <class Visit>
  static void visit(const Container& xs, const std::string& place, Visit&& visit) {
    std::size_t i = 0;
    for (const X& x : xs) structure<X>::visit(x, inner("element", i++, place), visit);
  }
  static Container rebuild(const Container& like, PlanBuilder& builder, const SlotId*& slot) {
    Container xs = like;
    for (X& x : xs) x = structure<X>::rebuild(x, builder, slot);
    return xs;
  }
};
template <class X, std::size_t N>
requires(holds_values<X>()) struct structure<std::array<X, N>>
    : range_structure<std::array<X, N>, std::array<typename structure<X>::type, N>, X> {
  template <class To>
  static To normal(const ArgumentContext& context, const std::array<X, N>& xs) {
    To all;
    for (std::size_t i = 0; i < N; ++i)
      all[i] = structure<X>::template normal<typename To::value_type>(context, xs[i]);
    return all;
  }
  static std::string compare(const std::array<X, N>& a, const std::array<X, N>& b) {
    for (std::size_t i = 0; i < N; ++i) {
      if (std::string difference = structure<X>::compare(a[i], b[i]); !difference.empty())
        return difference;
    }
    return {};
  }
};
template <class X>
requires(holds_values<X>()) struct structure<std::vector<X>>
    : range_structure<std::vector<X>, std::vector<typename structure<X>::type>, X> {
  template <class To>
  static To normal(const ArgumentContext& context, const std::vector<X>& xs) {
    To all;
    for (const X& x : xs)
      all.push_back(structure<X>::template normal<typename To::value_type>(context, x));
    return all;
  }
  static std::string compare(const std::vector<X>& a, const std::vector<X>& b) {
    if (a.size() != b.size()) {
      return "a vector of " + std::to_string(b.size()) + " values against one of " +
             std::to_string(a.size());
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::string difference = structure<X>::compare(a[i], b[i]); !difference.empty())
        return difference;
    }
    return {};
  }
};
template <class K>
std::string key_text(const K& key) {
  if constexpr (std::is_convertible_v<K, std::string>) {
    return "'" + std::string(key) + "'";
  } else if constexpr (std::is_arithmetic_v<K>) {
    return std::to_string(key);
  } else {
    return "a key";
  }
}
template <class K, class X>
requires(holds_values<X>()) struct structure<std::map<K, X>> {
  using type = std::map<K, typename structure<X>::type>;
  template <class To>
  static To normal(const ArgumentContext& context, const std::map<K, X>& xs) {
    To all;
    for (const auto& [key, x] : xs)
      all.emplace(key, structure<X>::template normal<typename To::mapped_type>(context, x));
    return all;
  }
  template <class Visit>
  static void visit(const std::map<K, X>& xs, const std::string& place, Visit&& visit) {
    for (const auto& [key, x] : xs)
      structure<X>::visit(x, inner("the key", key_text(key), place), visit);
  }
  static std::map<K, X> rebuild(const std::map<K, X>& like, PlanBuilder& builder,
                                const SlotId*& slot) {
    std::map<K, X> xs = like;
    for (auto& [key, x] : xs) x = structure<X>::rebuild(x, builder, slot);
    return xs;
  }
  static std::string compare(const std::map<K, X>& a, const std::map<K, X>& b) {
    for (const auto& [key, x] : a) {
      const auto at = b.find(key);
      if (at == b.end()) return "the key " + key_text(key) + " is missing";
      if (std::string difference = structure<X>::compare(x, at->second); !difference.empty())
        return difference;
    }
    for (const auto& [key, x] : b) {
      if (a.find(key) == a.end()) return "the key " + key_text(key) + " is there in addition";
    }
    return {};
  }
};

template <class X>
using normal_t = typename structure<std::decay_t<X>>::type;

// Converts x to R, the type that it was joined to, with Values in place of constants.
template <class R, class X>
R normal_as(const ArgumentContext& context, const X& x) {
  return structure<std::decay_t<X>>::template normal<R>(context, x);
}
template <class X>
normal_t<X> normal(const ArgumentContext& context, const X& x) {
  return normal_as<normal_t<X>>(context, x);
}

template <class X>
std::vector<SlotId> flatten(const X& x) {
  std::vector<SlotId> slots;
  structure<X>::visit(x, "", [&](SlotId slot, const std::string&) { slots.push_back(slot); });
  return slots;
}

// The place in x of value number i of flatten(): "element 1 of field 0"; empty if x is the value.
template <class X>
std::string place_in(const X& x, std::size_t i) {
  std::vector<std::string> places;
  structure<X>::visit(x, "", [&](SlotId, const std::string& place) { places.push_back(place); });
  return places.at(i);
}

template <class X>
X rebuild(const X& like, PlanBuilder& builder, const std::vector<SlotId>& slots) {
  const SlotId* slot = slots.data();
  return structure<X>::rebuild(like, builder, slot);
}

}  // namespace sluice::detail
