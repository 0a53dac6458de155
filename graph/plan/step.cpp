// What steps and branches that are data run.
#include <sluice/graph/plan/plan.h>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

// How the first arm is chosen where the value is true.
template <class T>
std::int64_t by_truth(const T& value) {
  return plain(value) != decltype(plain(value)){} ? 0 : 1;
}

}  // namespace

const std::vector<std::string>& Step::events() const {
  static const std::vector<std::string> none;
  return op != nullptr ? op->schema().events : none;
}

void Step::bind() {
  if (op == nullptr) return;
  const Operator& runs = on_device != nullptr ? *on_device : *op;
  if (runs.preparation() != nullptr && op != on_device) return;  // split_for_device() binds it
  run = runs.bind({arguments, writes, generator, said});
  if (declared.empty()) return;
  run = [inner = std::move(run), all = declared](Sample& sample) {
    inner(sample);
    for (const auto& [slot, spec] : all) require_declared(sample.get<Tensor>(slot), spec);
  };
}

Step step_of(OperatorPtr op, Arguments arguments, std::string name, std::vector<SlotId> writes,
             std::uint32_t generator) {
  Step step;
  step.name = std::move(name);
  for (const Argument& argument : arguments) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) step.reads.push_back(slot->slot);
  }
  step.writes = std::move(writes);
  step.op = std::move(op);
  step.arguments = std::move(arguments);
  step.generator = generator;
  step.said = std::make_shared<std::atomic<bool>>(false);
  step.bind();
  return step;
}

std::function<std::int64_t(const Sample&)> choose_by(const Choosing& choosing) {
  std::function<std::int64_t(const Sample&)> choose;
  const bool truth = choosing.by == Choosing::By::truth;
  if (const auto* slot = std::get_if<SlotArgument>(&choosing.argument)) {
    const SlotId from = slot->slot;
    if (!truth && slot->type->count != nullptr) {
      choose = [from, count = slot->type->count](const Sample& sample) {
        return count(sample.address(from));
      };
    }
    for_each_number_type([&]<class T>(std::type_identity<T>, const char*) {
      if (!truth || slot->type != slot_type<T>()) return;
      choose = [from](const Sample& sample) { return by_truth(sample.get<T>(from)); };
    });
    return choose;
  }
  std::visit(
      [&]<class T>(const T& value) {
        std::optional<std::int64_t> arm;
        if constexpr (is_known_number<T>) {
          if (truth) arm = by_truth(value);
        }
        if constexpr (std::is_integral_v<T>) {
          if (!truth) arm = to_count(value);
        }
        if (arm) choose = [arm = *arm](const Sample&) { return arm; };
      },
      std::get<Constant>(choosing.argument));
  return choose;
}

}  // namespace sluice::detail
