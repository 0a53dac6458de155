#include <sluice/graph/passes/choose_there.h>
#include <sluice/graph/plan/device_choice.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

// The number as the comparison with a float sees it: a float too, unless it is a double.
template <class T>
double beside_float(const T& number) {
  if constexpr (std::is_same_v<T, double>) {
    return number;
  } else {
    return static_cast<float>(plain(number));
  }
}

std::function<double(const Sample&)> number_of(const Argument& argument) {
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

std::size_t times_read(const Plan& plan, SlotId slot) {
  std::size_t times = 0;
  const auto count = [&](const std::vector<SlotId>& slots) {
    times += static_cast<std::size_t>(std::count(slots.begin(), slots.end(), slot));
  };
  count(plan.outputs);
  for_each_block(plan.top, [&](const Block& block) {
    count(block.results);
    for (const Node& node : block.nodes) {
      visit(
          node,
          [&](const Stage& stage) {
            for (const Step& step : stage.steps) count(step.reads);
          },
          [&](const Branch& branch) { count(branch.reads); },
          [&](const Loop& loop) { count(loop.init); });
    }
  });
  return times;
}

class Choices {
 public:
  explicit Choices(const Plan& plan) : plan_(plan) {}

  void find(std::span<Node> nodes) {
    for (Node& node : nodes) {
      visit(
          node, [&](Stage& stage) { pass(stage); }, [&](Branch& branch) { pass(branch); },
          [](const Loop&) {});
    }
  }

 private:
  void pass(Stage& stage) {
    for (Step& step : stage.steps) {
      const bool late = any_of(late_, step.reads);
      for (const SlotId slot : step.writes) {
        if (step.kind == StepKind::stream ? plan_.slots[slot].from_device : late)
          late_.insert(slot);
        makers_[slot] = &step;
      }
    }
  }
  void pass(Branch& branch) {
    look_at(branch);
    if (branch.there == nullptr) {
      for (Block& arm : branch.arms) find(arm.nodes);
    }
    for (const SlotId slot : branch.results)
      if (plan_.slots[slot].type->release == nullptr) late_.insert(slot);
  }

  void look_at(Branch& branch) {
    Step* const compares = comparison_for(branch);
    if (compares == nullptr) return;
    const auto made = std::make_shared<DeviceChoice>();
    DeviceChoice& choice = *made;
    choice.comparison = *comparison_of(compares->op->name());
    const Argument &first = compares->arguments[0], &second = compares->arguments[1];
    const auto* const left = std::get_if<SlotArgument>(&first);
    const auto* const right = std::get_if<SlotArgument>(&second);
    choice.number_first = left != nullptr && is_told(left->slot);
    const SlotArgument* const number = choice.number_first ? left : right;
    const Argument& other = choice.number_first ? second : first;
    const auto* other_slot = std::get_if<SlotArgument>(&other);
    if (number == nullptr || !is_told(number->slot) || number->type != slot_type<float>() ||
        (other_slot != nullptr && late_.count(other_slot->slot) > 0))
      return;
    choice.number = number->slot;
    choice.other = number_of(other);
    const std::optional<std::size_t> kept = arm_to_keep(branch);
    if (!choice.other || !kept) return;
    choice.kept = *kept;
    choice.compares = *compares;
    choice.begins.name = choice.ends.name = branch.name;
    choice.begins.kind = choice.ends.kind = StepKind::stream;
    compares->put_off = true;
    branch.there = made;
  }

  // The step that makes the condition, if nothing else reads it.
  Step* comparison_for(const Branch& branch) {
    if (!branch.choosing || branch.choosing->by != Choosing::By::truth || branch.arms.size() != 2)
      return nullptr;
    const auto* const by = std::get_if<SlotArgument>(&branch.choosing->argument);
    if (by == nullptr || times_read(plan_, by->slot) != 1) return nullptr;
    const auto maker = makers_.find(by->slot);
    if (maker == makers_.end()) return nullptr;
    Step& step = *maker->second;
    return step.op != nullptr && comparison_of(step.op->name()) ? &step : nullptr;
  }
  // True if the GPU batch computes the number.
  bool is_told(SlotId slot) const { return plan_.slots[slot].from_device && late_.count(slot) > 0; }

  // Returns the arm whose steps make values that can become the results. Nothing if the device
  // cannot run both arms for a sample.
  std::optional<std::size_t> arm_to_keep(const Branch& branch) const {
    if (branch.results.empty() || !std::all_of(branch.arms.begin(), branch.arms.end(),
                                               [&](const Block& arm) { return can_do(arm); }))
      return std::nullopt;
    for (std::size_t a = 0; a < branch.arms.size(); ++a) {
      if (makes_its_results(branch.arms[a])) return a;
    }
    return std::nullopt;
  }

  bool can_do(const Block& arm) const {
    const auto is_plain = [&](const Step& step) {
      if (step.op == nullptr || step.has_effect() || step.pinned || !step.events().empty() ||
          any_of(late_, step.reads))
        return false;
      return step.kind == StepKind::cpu ||
             (step.on_device->preparation() == nullptr &&
              std::none_of(step.writes.begin(), step.writes.end(),
                           [&](SlotId slot) { return plan_.slots[slot].from_device; }));
    };
    return std::all_of(arm.nodes.begin(), arm.nodes.end(),
                       [&](const Node& node) {
                         const auto* const stage = std::get_if<Stage>(&node);
                         return stage != nullptr &&
                                std::all_of(stage->steps.begin(), stage->steps.end(), is_plain);
                       }) &&
           std::all_of(arm.results.begin(), arm.results.end(), [&](SlotId slot) {
             const SlotType* const type = plan_.slots[slot].type;
             return plan_.slots[slot].on_device &&
                    (type == slot_type<Image>() || type == slot_type<Tensor>());
           });
  }

  static bool makes_its_results(const Block& arm) {
    Slots written;
    for_each<Step>(arm, [&](const Step& step) { insert(written, step.writes); });
    Slots given;
    return std::all_of(arm.results.begin(), arm.results.end(), [&](SlotId slot) {
      return written.count(slot) > 0 && given.insert(slot).second;
    });
  }

  const Plan& plan_;
  std::map<SlotId, Step*> makers_;  // the steps so far, by the slots that they make
  Slots late_;  // numbers that the host does not know until the GPU batch is over
};

}  // namespace

void choose_there(const Plan& plan, std::span<Node> gather) {
  if (device_chooser() != nullptr) Choices(plan).find(gather);
}

}  // namespace sluice::detail
