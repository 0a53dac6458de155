// What steps and branches that are data run.
#include <sluice/graph/plan/plan.h>

#include <type_traits>
#include <variant>

namespace sluice::detail {
namespace {

// Calls visit(std::type_identity<T>()) with the type of the slot, when it is one that chooses.
template <class Visit>
void visit_number(const SlotType* type, Visit&& visit) {
  const auto one = [&]<class T>(std::type_identity<T> which) {
    if (type == slot_type<T>()) visit(which);
  };
  one(std::type_identity<bool>());
  one(std::type_identity<std::int32_t>());
  one(std::type_identity<std::int64_t>());
  one(std::type_identity<float>());
  one(std::type_identity<double>());
}

template <class T>
std::int64_t arm_of(Choosing::By by, const T& value) {
  if (by == Choosing::By::truth) return value != T{} ? 0 : 1;
  return static_cast<std::int64_t>(value);
}

}  // namespace

const std::vector<std::string>& Step::events() const {
  static const std::vector<std::string> none;
  return op != nullptr ? op->schema().events : none;
}

void Step::bind() {
  if (op == nullptr) return;
  run = op->bind({arguments, writes, generator, said});
  if (declared.empty()) return;
  run = [inner = std::move(run), all = declared](Sample& sample) {
    inner(sample);
    for (const auto& [slot, spec] : all) require_declared(sample.get<Tensor>(slot), spec);
  };
}

std::function<std::int64_t(const Sample&)> choose_by(const Choosing& choosing) {
  std::function<std::int64_t(const Sample&)> choose;
  const Choosing::By by = choosing.by;
  if (const auto* slot = std::get_if<SlotArgument>(&choosing.argument)) {
    visit_number(slot->type, [&]<class T>(std::type_identity<T>) {
      if (by == Choosing::By::number && std::is_floating_point_v<T>) return;
      choose = [by, from = slot->slot](const Sample& sample) {
        return arm_of(by, sample.get<T>(from));
      };
    });
  } else {
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_arithmetic_v<T>) {
            if (by == Choosing::By::number && std::is_floating_point_v<T>) return;
            choose = [arm = arm_of(by, value)](const Sample&) { return arm; };
          }
        },
        std::get<Constant>(choosing.argument));
  }
  return choose;
}

}  // namespace sluice::detail
