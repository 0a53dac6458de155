#include <sluice/graph/plan/number_types.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/error.h>

#include <variant>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

template <class C>
C number_as(const Number& number) {
  return number.visit_wide([](auto x) { return static_cast<C>(x); });
}
// Calls visit() with a Wide for a whole number and a double for a fraction: each holds every number
// of its kind exactly.
template <class Visit>
decltype(auto) visit_exact(const Number& number, Visit visit) {
  if (is_fraction(number.type())) return visit(number_as<double>(number));
  return visit(number_as<Wide>(number));
}

bool compare_exactly(NumberOperation what, const Number& x, const Number& y) {
  return visit_exact(x, [&]<class X>(X a) {
    return visit_exact(y, [&]<class Y>(Y b) {
      static constexpr auto all = table_of([](auto op) -> bool (*)(X, Y) {
        if constexpr (is_comparison(op)) {
          return compare<op, X, Y>;
        } else {
          return nullptr;
        }
      });
      return all.at(static_cast<std::size_t>(what))(a, b);
    });
  });
}

template <class C>
Number compute_in(NumberOperation what, C x, C y, NumberType type) {
  static constexpr auto all = table_of([](auto op) -> bool (*)(C, C, C&) {
    if constexpr (computes_in<C>(op)) {
      return compute<op, false, C>;
    } else {
      return nullptr;
    }
  });
  C result{};
  bool good = all.at(static_cast<std::size_t>(what))(x, y, result);
  Number made;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
    T to{};
    if (!good || number_type_of<T>() != type) return;
    good = store_result(result, to);
    made = to;
  });
  if (!good)
    throw_overflow(what, text_of(x), what < NumberOperation::negate ? text_of(y) : "", type);
  return made;
}

}  // namespace

void Number::throw_other_type() { throw std::bad_variant_access(); }

std::int64_t Number::as_i64() const {
  return visit([]<class T>(T x) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a letter
    return static_cast<std::int64_t>(plain(x));
  });
}

double Number::as_f64() const {
  return visit([]<class T>(T x) { return static_cast<double>(plain(x)); });
}

Number computed(NumberOperation what, const Number& x, const Number& y, NumberType result) {
  if (is_comparison(what)) return compare_exactly(what, x, y);
  if (what == NumberOperation::logical_not)
    return x.visit_wide([]<class T>(T number) { return number == T{}; });
  return visit_computing_type(result, x.type(), y.type(), [&]<class C>(std::type_identity<C>) {
    return compute_in(what, number_as<C>(x), number_as<C>(y), result);
  });
}

Number cast_number(const Number& x, NumberType to) {
  Number made;
  x.visit_wide([&](auto number) {
    for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
      T as{};
      if (number_type_of<T>() != to) return;
      if (!fits(number, as)) throw_cast(text_of(number), to);
      made = as;
    });
  });
  return made;
}

void check_constant(NumberOperation what, const Number& constant, NumberType beside) {
  if (is_comparison(what)) return;
  constant.visit_wide([&](auto number) {
    for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view name) {
      T as{};
      if (number_type_of<T>() != beside || fits(number, as)) return;
      throw BuildError(
          fmt::format("{}: the constant {} does not fit into {}, the type of the value beside it; "
                      "cast the value to a wider type first",
                      name_of(what), text_of(number), name));
    });
  });
}

}  // namespace sluice::detail
