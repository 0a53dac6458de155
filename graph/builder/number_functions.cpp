#include <sluice/graph/builder/number_functions.h>
#include <sluice/graph/plan/operator_registry.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::detail {

void throw_division_by_zero() { throw std::domain_error("integer division by zero"); }

void throw_quotient_too_large() {
  throw std::overflow_error(
      "integer division of the smallest number by -1: the result does not fit into the type");
}

void throw_cast(double number, std::string_view type) {
  throw std::range_error(
      fmt::format("cast: {:g} does not fit into '{}'; clamp it, or cast to a wider type", number,
                  short_name(type)));
}

const SlotType* number_type(const Argument& argument) {
  const SlotType* found = nullptr;
  if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
    visit_number_type(slot->type, [&]<class T>(std::type_identity<T>) { found = slot->type; });
  } else {
    std::visit(
        [&]<class T>(const T&) {
          if constexpr (is_known_number<T>) found = slot_type<T>();
        },
        std::get<Constant>(argument));
  }
  return found;
}

}  // namespace sluice::detail
