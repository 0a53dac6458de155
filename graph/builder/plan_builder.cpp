#include <sluice/graph/builder/plan_builder_state.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace sluice::detail {

namespace {

// The recorders that still exist, to detect a Value that has outlived its own.
struct Living {
  std::mutex mutex;
  std::set<std::uint64_t> ids;
  std::uint64_t next = 1;
};
Living& living() {
  static Living all;
  return all;
}
std::uint64_t enter() {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  all.ids.insert(all.next);
  return all.next++;
}

}  // namespace

std::uint64_t id_of(const PlanBuilder& builder) { return builder.id_; }

PlanBuilder& live_builder(PlanBuilder* builder, std::uint64_t id) {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  if (all.ids.count(id) > 0) return *builder;
  throw BuildError(
      "a value of a pipeline that has been described already is used in another; describe each "
      "pipeline on its own");
}

PlanBuilder::PlanBuilder() : id_(enter()), state_(std::make_unique<State>()) {
  state_->plan.scopes.push_back({0, "the top of the pipeline"});
}

PlanBuilder::~PlanBuilder() {
  const std::lock_guard lock(living().mutex);
  living().ids.erase(id_);
}

PlanBuilder::Attempt::Attempt(PlanBuilder& builder)
    : builder_(builder), depth_(builder.state_->open.size()) {}

PlanBuilder::Attempt::~Attempt() {
  while (builder_.state_->open.size() > depth_) builder_.state_->open.pop_back();
}

std::uint32_t PlanBuilder::next_generator() { return state_->generators++; }
void PlanBuilder::take_generator(std::uint32_t number) {
  state_->generators = std::max(state_->generators, number + 1);
}
void PlanBuilder::add_dataset(DatasetRecord dataset) {
  state_->plan.datasets.push_back(std::move(dataset));
}
void PlanBuilder::make_eager() { state_->open.back().choice().eager = true; }
const std::string& PlanBuilder::open_name() const { return state_->open.back().name(); }
const std::string& PlanBuilder::place() const { return state_->plan.scopes[current_scope()].name; }
const std::string& PlanBuilder::name_of(SlotId slot) const { return state_->plan.slots[slot].name; }
const Plan& PlanBuilder::plan() const { return state_->plan; }
Plan PlanBuilder::take() { return std::move(state_->plan); }

Block& PlanBuilder::current() {
  for (auto it = state_->open.rbegin(); it != state_->open.rend(); ++it) {
    if (it->in_block) return it->block;
  }
  return state_->plan.top;
}

std::vector<const Block*> PlanBuilder::open_blocks() const {
  std::vector<const Block*> blocks{&state_->plan.top};
  for (const Open& open : state_->open) {
    if (open.in_block) blocks.push_back(&open.block);
  }
  return blocks;
}

ScopeId PlanBuilder::current_scope() const {
  for (auto it = state_->open.rbegin(); it != state_->open.rend(); ++it) {
    if (it->in_block) return it->block.scope;
  }
  return 0;
}

SlotId PlanBuilder::add_slot(const SlotType* type, const std::string& name) {
  return detail::add_slot(state_->plan, type, name, current_scope());
}

void PlanBuilder::use(SlotId slot, const std::string& user) {
  require_visible(state_->plan, slot, current_scope(), user);
  const auto found = state_->lists.find(slot);
  if (found == state_->lists.end()) return;
  OpenList& list = found->second;
  if (list.state == OpenList::State::taken)
    throw BuildError("'" + user + "' uses '" + state_->plan.slots[slot].name +
                     "', which another step has consumed; use that step's result");
  if (list.state == OpenList::State::filled && inside(state_->plan, current_scope(), list.loop))
    throw BuildError("'" + user + "' uses '" + state_->plan.slots[slot].name + "' in " +
                     state_->plan.scopes[list.loop].name +
                     ", which fills it; use it after the loop");
  list.state = OpenList::State::used;
}

void PlanBuilder::fill(SlotId slot, const std::string& user) {
  require_visible(state_->plan, slot, current_scope(), user);
  const auto list = state_->lists.find(slot);
  const Loop* loop = state_->open.empty() ? nullptr : std::get_if<Loop>(&state_->open.back().node);
  const bool in_body =
      loop != nullptr && state_->open.back().in_block && !loop->condition.results.empty();
  if (list == state_->lists.end() || list->second.state != OpenList::State::empty || !in_body ||
      state_->plan.scopes[state_->open.back().loop_scope].parent !=
          state_->plan.slots[slot].scope) {
    throw BuildError("'" + user + "' cannot fill '" + state_->plan.slots[slot].name +
                     "': one step fills a list, in the body of a loop; make the list with the "
                     "operator 'list', right before that loop, and use it after the loop");
  }
  list->second = {OpenList::State::filled, state_->open.back().loop_scope};
}

void PlanBuilder::take(SlotId slot, const std::string& user) {
  require_visible(state_->plan, slot, current_scope(), user);
  const auto list = state_->lists.find(slot);
  if (list == state_->lists.end() || list->second.state == OpenList::State::used ||
      list->second.state == OpenList::State::taken ||
      state_->plan.slots[slot].scope != current_scope()) {
    throw BuildError("'" + user + "' cannot consume '" + state_->plan.slots[slot].name +
                     "': it must be created with the operator 'list' next to this step, and only "
                     "this step may use it");
  }
  list->second.state = OpenList::State::taken;
}

void PlanBuilder::add_step(Step step) {
  for (const SlotId slot : step.reads) use(slot, step.name);
  require_on_host(step);
  append(std::move(step));
}

void PlanBuilder::append(Step step) {
  Stage stage;
  stage.steps.push_back(std::move(step));
  current().nodes.emplace_back(std::move(stage));
}

void PlanBuilder::complete(SlotArgument& argument, const std::string& user, InputUse what) {
  if (argument.slot >= state_->plan.slots.size()) {
    throw BuildError("'" + user + "' uses slot " + std::to_string(argument.slot) +
                     ", which does not exist");
  }
  if (what == InputUse::fills) {
    fill(argument.slot, user);
  } else if (what == InputUse::takes) {
    take(argument.slot, user);
  } else {
    use(argument.slot, user);
  }
  argument.type = state_->plan.slots[argument.slot].type;
}

std::vector<SlotId> PlanBuilder::add(OperatorPtr op, Arguments arguments, std::string_view name,
                                     std::optional<std::uint32_t> generator) {
  const OperatorSchema& schema = op->schema();
  std::string step_name = unique_name(name.empty() ? std::string_view(op->name()) : name);
  std::vector<TensorSpec> specs;
  std::vector<SlotId> filled;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    specs.emplace_back();
    auto* slot = std::get_if<SlotArgument>(&arguments[i]);
    if (slot == nullptr) continue;
    const InputUse what = i < schema.inputs.size() ? schema.inputs[i].use : InputUse::reads;
    complete(*slot, step_name, what);
    if (what == InputUse::fills) filled.push_back(slot->slot);
    specs.back() = state_->plan.slots[slot->slot].spec;
  }
  op->check(arguments);
  op->check_makers(arguments, open_blocks());
  const OperatorPtr on_device = place_step(*op, arguments, step_name);
  const std::vector<TensorSpec> known = op->infer(arguments, specs);
  const std::vector<const SlotType*> types = op->output_types(arguments);
  std::vector<SlotId> outputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    outputs.push_back(add_slot(types[i], step_name));
    state_->plan.slots.back().spec = known.at(i);
    if (on_device != nullptr) place_output(state_->plan.slots.back(), schema);
    // The host knows the size of an image there, and so everything that follows from it.
    if (op->input_region(arguments).of == InputRegion::Of::size)
      state_->plan.slots.back().from_device = false;
    if (schema.moves_to == MemoryKind::device && on_device == nullptr)
      name_again(state_->plan.slots.back(), std::get<SlotArgument>(arguments[0]).slot);
    if (schema.outputs[i].open) state_->lists[outputs.back()] = {};
  }
  std::uint32_t number = 0;
  if (schema.draws) {
    number = generator ? *generator : next_generator();
    take_generator(number);
  }
  std::vector<SlotId> writes = outputs;
  writes.insert(writes.end(), filled.begin(), filled.end());
  Step step =
      step_of(std::move(op), std::move(arguments), std::move(step_name), std::move(writes), number);
  if (on_device != nullptr) step.run_on(on_device);
  append(std::move(step));
  return outputs;
}

Step* PlanBuilder::maker_of(SlotId slot) {
  std::vector<Node>& nodes = current().nodes;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    for (Step& step : steps_in(*node)) {
      if (std::find(step.writes.begin(), step.writes.end(), slot) != step.writes.end())
        return &step;
    }
  }
  return nullptr;
}

std::string PlanBuilder::unique_name(std::string_view base) {
  if (base.empty())
    throw BuildError("a step has an empty name; give it one that messages and drawings can use");
  auto it = state_->names.find(base);
  if (it == state_->names.end()) it = state_->names.emplace(std::string(base), 0).first;
  const int count = ++it->second;
  return count == 1 ? std::string(base) : std::string(base) + "#" + std::to_string(count);
}

void PlanBuilder::open_choice(std::string name, std::vector<std::string> branch_names,
                              std::vector<SlotId> reads,
                              Function<std::int64_t(const Sample&)> choose) {
  Choice choice;
  choice.name = std::move(name);
  for (const SlotId slot : reads) use(slot, choice.name);
  choice.branch_names = std::move(branch_names);
  choice.reads = std::move(reads);
  choice.choose = std::move(choose);
  state_->open.push_back({std::move(choice), {}, false, 0});
}

void PlanBuilder::open_choice(std::string name, std::vector<std::string> branch_names,
                              Choosing choosing) {
  if (auto* slot = std::get_if<SlotArgument>(&choosing.argument)) complete(*slot, name);
  Choice choice = make_choice(std::move(name), std::move(branch_names), std::move(choosing));
  state_->open.push_back({std::move(choice), {}, false, 0});
}

void PlanBuilder::begin_block(Block block) {
  Open& open = state_->open.back();
  open.block = std::move(block);
  open.in_block = true;
}

Block PlanBuilder::take_block(std::vector<SlotId> results) {
  Open& open = state_->open.back();
  for (const SlotId slot : results) use(slot, open.name());
  enclose(state_->plan, open.block, results, open.name(), state_->boundaries);
  open.block.results = std::move(results);
  open.in_block = false;
  return std::move(open.block);
}

void PlanBuilder::begin_branch() {
  begin_block(make_branch(state_->plan, state_->open.back().choice(), current_scope()));
}

void PlanBuilder::end_branch(std::vector<SlotId> results, const Place& place) {
  Block branch = take_block(std::move(results));
  Choice& choice = state_->open.back().choice();
  require_agreement(choice, branch, place);
  choice.branches.push_back(std::move(branch));
}

void PlanBuilder::set_branch_results(std::vector<std::vector<SlotId>> results, const Place& place) {
  Choice& choice = state_->open.back().choice();
  std::vector<Block> branches = std::exchange(choice.branches, {});
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (const SlotId slot : results.at(i))
      require_visible(state_->plan, slot, branches[i].scope, choice.name);
    branches[i].results = std::move(results[i]);
    require_agreement(choice, branches[i], place);
    choice.branches.push_back(std::move(branches[i]));
  }
}

std::vector<SlotId> PlanBuilder::close_choice() {
  Choice& choice = state_->open.back().choice();
  for (std::size_t i = 0; i < choice.branches.front().results.size(); ++i) {
    const SlotId result = add_pointer(choice.branches.front().results[i], choice.name);
    for (const Block& branch : choice.branches) merge_spec(result, result, branch.results[i]);
    choice.results.push_back(result);
  }
  std::vector<SlotId> results = choice.results;
  current().nodes.emplace_back(std::move(choice));
  state_->open.pop_back();
  return results;
}

SlotId PlanBuilder::add_pointer(SlotId like, const std::string& name) {
  const SlotId slot = add_slot(state_->plan.slots[like].type, name);
  state_->plan.slots[slot].merged = true;
  state_->plan.slots[slot].spec = state_->plan.slots[like].spec;
  state_->plan.slots[slot].on_device = state_->plan.slots[like].on_device;
  return slot;
}

SlotId PlanBuilder::add_alias(SlotId source, const std::string& name) {
  const SlotId slot = add_pointer(source, name);
  state_->plan.slots[slot].same_as = source;
  Step step;
  step.name = name;
  step.reads = {source};
  step.writes = {slot};
  step.run = [slot, source](Sample& sample) { sample.alias(slot, source); };
  use(source, name);
  append(std::move(step));
  return slot;
}

std::size_t PlanBuilder::add_boundary(Boundary boundary) {
  boundary.scope = current_scope();
  boundary.position = current().nodes.size();
  state_->boundaries.push_back(std::move(boundary));
  return state_->boundaries.size() - 1;
}

Boundary& PlanBuilder::boundary(std::size_t number, const std::string& call) {
  Boundary& found = state_->boundaries.at(number);
  if (found.enclosed || found.scope != current_scope()) {
    throw BuildError("'" + found.name + "' stands in " + state_->plan.scopes[found.scope].name +
                     ", but " + call + " is called in " +
                     state_->plan.scopes[current_scope()].name +
                     "; call it where the boundary was added");
  }
  found.position = current().nodes.size();
  return found;
}

PlanBuilder::LoopView PlanBuilder::open_loop(std::string name, std::int64_t max_iterations,
                                             const std::vector<SlotId>& init) {
  Loop loop;
  loop.name = std::move(name);
  for (const SlotId slot : init) use(slot, loop.name);
  loop.max_iterations = max_iterations;
  const ScopeId scope = add_loop_scope(state_->plan, loop.name, current_scope());
  for (const SlotId slot : init) {
    const SlotId state = add_pointer(slot, loop.name);
    carry(state_->plan, loop, scope, slot, state,
          add_slot(state_->plan.slots[slot].type, loop.name));
  }
  loop.iteration = add_slot(slot_type<std::int64_t>(), loop.name + "'s iteration");
  state_->plan.slots[loop.iteration].scope = scope;
  LoopView view{loop.state, loop.iteration};
  state_->open.push_back({std::move(loop), {}, false, scope});
  return view;
}

void PlanBuilder::begin_loop_block(const char* part) {
  const Open& open = state_->open.back();
  begin_block(make_loop_block(state_->plan, part, std::get<Loop>(open.node), open.loop_scope));
}

void PlanBuilder::end_condition(SlotId holds) {
  Block condition = take_block({holds});
  state_->open.back().loop().condition = std::move(condition);
}

void PlanBuilder::share_condition() {
  const Open& open = state_->open.back();
  const auto& loop = std::get<Loop>(open.node);
  for (const Node& node : loop.condition.nodes) move_scope(state_->plan, node, open.loop_scope);
}

void PlanBuilder::end_body(std::vector<SlotId> next, const Place& place) {
  Block body = take_block(std::move(next));
  Loop& loop = state_->open.back().loop();
  require_agreement(loop, body, place);
  loop.body = std::move(body);
}

std::vector<SlotId> PlanBuilder::close_loop() {
  Loop& loop = state_->open.back().loop();
  for (std::size_t i = 0; i < loop.state.size(); ++i) {
    loop.results.push_back(add_pointer(loop.state[i], loop.name));
    merge_spec(loop.results[i], loop.state[i], loop.body.results[i]);
  }
  std::vector<SlotId> results = loop.results;
  current().nodes.emplace_back(std::move(loop));
  state_->open.pop_back();
  return results;
}

std::string PlanBuilder::open_part() const {
  const auto* choice = std::get_if<Choice>(&state_->open.back().node);
  if (choice == nullptr) return "the body, unlike the state it begins with,";
  return "the branch '" + choice->branch_names.at(choice->branches.size()) + "', unlike '" +
         choice->branch_names.front() + "',";
}

}  // namespace sluice::detail
