#include <sluice/graph/builder/number_functions.h>
#include <sluice/runtime/error.h>

#include <fmt/format.h>

namespace sluice::detail {

void throw_constant(NumberOperation what, const std::string& constant, NumberType type) {
  throw BuildError(fmt::format(
      "{}: the constant {} does not fit into {}, the type of the value beside it; cast the value "
      "to a wider type first",
      name_of(what), constant, name_of(type)));
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
