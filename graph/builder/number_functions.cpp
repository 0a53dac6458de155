#include <sluice/graph/builder/number_functions.h>
#include <sluice/runtime/error.h>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

template <class C>
void check(NumberOperation what, C constant, NumberType beside) {
  if (is_comparison(what)) return;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view name) {
    T as_value{};
    if (number_type_of<T>() != beside || fits(constant, as_value)) return;
    throw BuildError(fmt::format(
        "{}: the constant {} does not fit into {}, the type of the value beside it; cast the value "
        "to a wider type first",
        name_of(what), text_of(constant), name));
  });
}

}  // namespace

void check_constant(NumberOperation what, Wide constant, NumberType beside) {
  check(what, constant, beside);
}
void check_constant(NumberOperation what, double constant, NumberType beside) {
  check(what, constant, beside);
}

}  // namespace sluice::detail
