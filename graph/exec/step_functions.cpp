// Makes the functions that steps and branches run for a Sample from the data of a plan. plan/step.h
// and plan/plan.h declare them.
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/plan.h>

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

// Returns 0, the first branch, if the value is true.
template <class T>
std::int64_t by_truth(const T& value) {
  return plain(value) != decltype(plain(value)){} ? 0 : 1;
}

// Returns null if the type is not a number type.
std::int64_t (*truth_of(const SlotType* type))(const void*) {
  std::int64_t (*found)(const void*) = nullptr;
  for_each_number_type([&]<class T>(std::type_identity<T>, const char*) {
    if (type == slot_type<T>())
      found = [](const void* at) { return by_truth(*static_cast<const T*>(at)); };
  });
  return found;
}

// The number as the comparison with a float sees it: a float too, unless it is a double.
template <class T>
double beside_float(const T& number) {
  if constexpr (std::is_same_v<T, double>) {
    return number;
  } else {
    return static_cast<float>(plain(number));
  }
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

Function<std::int64_t(const Sample&)> choose_by(const Choosing& choosing) {
  const bool truth = choosing.by == Choosing::By::truth;
  if (const auto* slot = std::get_if<SlotArgument>(&choosing.argument)) {
    const auto choose = truth ? truth_of(slot->type) : slot->type->count;
    if (choose == nullptr) return {};
    return
        [from = slot->slot, choose](const Sample& sample) { return choose(sample.address(from)); };
  }
  const auto* number = std::get_if<Number>(&std::get<Constant>(choosing.argument));
  if (number == nullptr || (!truth && is_fraction(number->type()))) return {};
  return [branch = number->visit_wide([truth](auto value) {
    return truth ? by_truth(value) : to_count(value);
  })](const Sample&) { return branch; };
}

std::function<double(const Sample&)> number_by(const Argument& argument) {
  if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
    double (*load)(const void*) = nullptr;
    for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
      if (slot->type != slot_type<T>()) return;
      load = [](const void* at) { return beside_float(*static_cast<const T*>(at)); };
    });
    if (load == nullptr) return {};
    return [from = slot->slot, load](const Sample& sample) { return load(sample.address(from)); };
  }
  const auto* number = std::get_if<Number>(&std::get<Constant>(argument));
  if (number == nullptr) return {};
  return [value = number->visit([](auto constant) { return beside_float(constant); })](
             const Sample&) { return value; };
}

}  // namespace sluice::detail
