#include <sluice/graph/recorder.h>
#include <sluice/runtime/error.h>

#include <utility>

namespace sluice {

Recorder::Recorder() { plan_.scopes.push_back({0, "the top of the pipeline"}); }

Block& Recorder::current() {
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    if (it->in_arm) return it->arm;
  }
  return plan_.top;
}

ScopeId Recorder::current_scope() const {
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    if (it->in_arm) return it->arm.scope;
  }
  return 0;
}

SlotId Recorder::add_slot(const SlotType* type, const std::string& name) {
  Slot slot;
  slot.name = name;
  slot.type = type;
  slot.scope = current_scope();
  plan_.slots.push_back(std::move(slot));
  return static_cast<SlotId>(plan_.slots.size() - 1);
}

void Recorder::use(SlotId slot, const std::string& user) const {
  const ScopeId home = plan_.slots.at(slot).scope;
  ScopeId scope = current_scope();
  while (scope != home && scope != 0) scope = plan_.scopes[scope].parent;
  if (scope == home) return;
  throw BuildError("'" + user + "' uses the value '" + plan_.slots[slot].name +
                   "', which exists only inside " + plan_.scopes[home].name +
                   "; return it from that arm to use it outside");
}

void Recorder::add_step(Step step) {
  for (const SlotId slot : step.reads) use(slot, step.name);
  Stage stage;
  stage.steps.push_back(std::move(step));
  current().nodes.emplace_back(std::move(stage));
}

std::string Recorder::unique_name(std::string_view base) {
  if (base.empty()) throw BuildError("a step needs a name");
  auto it = names_.find(base);
  if (it == names_.end()) it = names_.emplace(std::string(base), 0).first;
  const int count = ++it->second;
  return count == 1 ? std::string(base) : std::string(base) + "#" + std::to_string(count);
}

void Recorder::set_source(const std::string& step, std::int64_t samples,
                          std::function<std::string(std::int64_t)> name) {
  if (!open_.empty())
    throw BuildError("the source '" + step + "' stands inside an arm; sources belong at the top");
  if (samples < 0)
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(samples) +
                     " samples");
  if (samples > INT32_MAX)
    throw BuildError("the source '" + step + "' has more than 2,147,483,647 samples");
  if (plan_.samples >= 0 && plan_.samples != samples) {
    throw BuildError("the source '" + step + "' has " + std::to_string(samples) +
                     " samples, but the one before it has " + std::to_string(plan_.samples));
  }
  plan_.samples = samples;
  if (name && !plan_.source_name) plan_.source_name = std::move(name);
}

void Recorder::open_branch(std::string_view kind, std::vector<std::string> arm_names,
                           std::vector<SlotId> reads,
                           std::function<std::int64_t(const Frame&)> choose) {
  OpenBranch open;
  open.branch.name = unique_name(kind);
  for (const SlotId slot : reads) use(slot, open.branch.name);
  open.branch.arm_names = std::move(arm_names);
  open.branch.reads = std::move(reads);
  open.branch.choose = std::move(choose);
  open_.push_back(std::move(open));
}

void Recorder::begin_arm() {
  const ScopeId parent = current_scope();
  OpenBranch& open = open_.back();
  const std::size_t index = open.branch.arms.size();
  open.arm = Block{};
  open.arm.scope = static_cast<ScopeId>(plan_.scopes.size());
  plan_.scopes.push_back(
      {parent, "the arm '" + open.branch.arm_names.at(index) + "' of '" + open.branch.name + "'"});
  open.in_arm = true;
}

void Recorder::end_arm(std::vector<SlotId> results) {
  OpenBranch& open = open_.back();
  for (const SlotId slot : results) use(slot, open.branch.name);
  open.arm.results = std::move(results);
  open.branch.arms.push_back(std::move(open.arm));
  open.in_arm = false;
}

std::vector<SlotId> Recorder::close_branch() {
  Branch branch = std::move(open_.back().branch);
  open_.pop_back();
  const std::vector<SlotId>& first = branch.arms.front().results;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const SlotId slot = add_slot(plan_.slots[first[i]].type, branch.name);
    plan_.slots[slot].merged = true;
    branch.results.push_back(slot);
  }
  std::vector<SlotId> results = branch.results;
  current().nodes.emplace_back(std::move(branch));
  return results;
}

void Recorder::abandon_branch() { open_.pop_back(); }

void Recorder::set_outputs(std::vector<SlotId> outputs) {
  for (const SlotId slot : outputs) use(slot, "the pipeline's result");
  plan_.outputs = std::move(outputs);
}

void Recorder::require_same(const Recorder& other) const {
  if (&other != this)
    throw BuildError(
        "a value of one pipeline is used in another; describe each pipeline on its own");
}

}  // namespace sluice
