// enclose: turns a flat list of steps with explicit boundaries into branches and loops.
//
// The problem: add_conditional() and add_loop() nest nothing. The program records steps one after
// another and says only which values enter and leave. The steps inside must be found by data flow:
//
//     cond.set_condition(large);
//     auto x      = cond.add_input(image);
//     auto turned = rotate(x, angle);               // lies between x and an output: inside
//     auto gray   = grayscale(image);               // no input leads to it: outside
//     auto result = cond.add_output(turned, gray);  // if true, if false
//
// The idea, on this example:
// 1. RegionFlow makes an item of each node. Each boundary adds an exit item, which writes the
//    boundary's outputs. The inputs of a conditional are its entries. A loop adds one entry item,
//    which writes the values that an iteration begins with.
//
//        image --> x (entry) --> turned --true---> exit --> result
//          +-------------------> gray ----false----^
//
// 2. Items that lead to no result and to no effect are dropped. The others are sorted, so that each
//    comes after the items that it uses. A cycle is an error.
// 3. A region is one branch, or a loop. Its members are the items that the entries lead to and that
//    lead to the region's values: {turned} for `true`, {} for `false`. Steps with an effect that
//    values from inside lead to are members, too.
// 4. An item in several regions stands in the innermost one. All others must contain that one.
// 5. Builder walks through the sorted items of a region. An exit becomes a Choice or a Loop, for
//    which Builder walks through the inner regions. Here: x, gray, branch{true: turned; false: -}.
//
// A Loop has two blocks. The condition holds the steps that lead to the value of add_while(), and
// the comparison with the trip limit. The body holds the other steps. With both limits, the count
// is compared first. After the last iteration, the other steps of the condition do not run.
//
// Invariants:
// - Each item stands in one region, so its nodes are moved into the plan once.
// - Values move into the scope of their region. Values of a loop's condition get the loop's own
//   scope, because the body may use them.
// - A branch made here is `eager`: the pass `sink` moves no step into it. A step outside of the
//   region runs before the decision, even if only one branch uses it.
// - Everything runs on the thread that describes the pipeline. There is no lock.
//
// An incomplete boundary, such as a loop without a limit, is reported before the block changes.
// When RegionFlow reports an error, the block has lost its nodes and cannot be described further.
//
// Read the constructor of RegionFlow first, then Builder::nodes.
#include <sluice/graph/builder/region_flow.h>
#include <sluice/graph/builder/regions.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>

#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

void check_complete(const Boundary& boundary) {
  const auto require = [&](bool good, const std::string& what) {
    if (!good) throw BuildError("'" + boundary.name + "' " + what);
  };
  if (const auto* conditional = std::get_if<ConditionalRecord>(&boundary.record)) {
    require(conditional->condition.has_value(), "has no condition; give it one with set_condition");
    require(!conditional->outputs.empty(),
            "has no outputs, so nothing depends on its condition; add one with add_output");
    return;
  }
  const auto& loop = std::get<LoopRecord>(boundary.record);
  require(
      loop.has_count || loop.more,
      "would never end: it has neither a count nor a condition; add add_trip_limit or add_while");
  require(loop.has_count || !loop.reads_count,
          "has an iterator that goes backwards, but no count to begin at; add add_trip_limit");
  for (const auto& recurrence : loop.recurrences)
    require(recurrence.next.has_value(),
            "has a recurrence without a next value; give it one with set_next");
}

[[noreturn]] void throw_cannot_choose(const std::string& name, const Choosing& choosing) {
  const auto* slot = std::get_if<SlotArgument>(&choosing.argument);
  const std::string given = slot != nullptr
                                ? "a value of '" + std::string(short_name(slot->type->name)) + "'"
                                : to_string(std::get<Constant>(choosing.argument));
  const bool truth = choosing.by == Choosing::By::truth;
  throw BuildError("'" + name + "' cannot choose " + (truth ? "by truth" : "by number") + " (got " +
                   given + ", expected " +
                   (truth ? "a bool or another number); compare it to make a bool"
                          : "an integer, a bool or an enum); cast it to an integer"));
}

}  // namespace

Choice make_choice(std::string name, std::vector<std::string> branch_names, Choosing choosing) {
  Choice choice;
  choice.name = std::move(name);
  choice.branch_names = std::move(branch_names);
  if (const auto* slot = std::get_if<SlotArgument>(&choosing.argument))
    choice.reads.push_back(slot->slot);
  choice.choose = choose_by(choosing);
  if (!choice.choose) throw_cannot_choose(choice.name, choosing);
  choice.choosing = std::move(choosing);
  return choice;
}

Block make_branch(Plan& plan, const Choice& choice, ScopeId parent) {
  Block branch;
  branch.scope = add_scope(plan, parent,
                           "the branch '" + choice.branch_names.at(choice.branches.size()) +
                               "' of '" + choice.name + "'");
  return branch;
}

ScopeId add_loop_scope(Plan& plan, const std::string& loop, ScopeId parent) {
  return add_scope(plan, parent, "the loop '" + loop + "'");
}

Block make_loop_block(Plan& plan, const char* part, const Loop& loop, ScopeId loop_scope) {
  Block block;
  block.scope = add_scope(plan, loop_scope, std::string(part) + " of '" + loop.name + "'");
  return block;
}

void carry(Plan& plan, Loop& loop, ScopeId loop_scope, SlotId init, SlotId state, SlotId storage) {
  loop.init.push_back(init);
  loop.state.push_back(state);
  loop.storage.push_back(storage);
  plan.slots[state].scope = plan.slots[storage].scope = loop_scope;
}

namespace {

// Rebuilds the nodes of a block, region by region.
class Builder {
 public:
  Builder(Plan& plan, RegionFlow& flow) : plan_(plan), flow_(flow) {}

  using Index = RegionFlow::Index;
  using Chosen = std::function<bool(Index item)>;

  // Returns the nodes of the chosen items of the region; values that they make move into the scope.
  std::vector<Node> nodes(Index region, ScopeId scope, const Chosen& chosen) {
    std::vector<Node> all;
    for (const Index i : flow_.order()) {
      RegionFlow::Item& item = flow_.items()[i];
      if (item.stands != region || !chosen(i)) continue;
      std::vector<Node> made =
          item.exit_of ? boundary_nodes(*item.exit_of, scope) : std::move(item.nodes);
      for (Node& node : made) {
        if (region != RegionFlow::kBlock) move_scope(plan_, node, scope);
        all.push_back(std::move(node));
      }
    }
    return all;
  }

 private:
  std::vector<Node> boundary_nodes(Index boundary, ScopeId scope) {
    Boundary& b = *flow_.boundaries()[boundary];
    if (auto* conditional = std::get_if<ConditionalRecord>(&b.record)) {
      std::vector<Node> one;
      one.emplace_back(choice(boundary, b.name, *conditional, scope));
      return one;
    }
    return loop_nodes(boundary, b.name, std::get<LoopRecord>(b.record), scope);
  }

  Choice choice(Index boundary, const std::string& name, const ConditionalRecord& record,
                ScopeId scope) {
    Choice made = if_else(name, *record.condition, "true", "false", scope);
    // Steps before the inputs run before the decision: see T9 in tests/conformance.md.
    made.eager = true;
    for (std::size_t branch = 0; branch < 2; ++branch) {
      made.branches[branch].nodes =
          nodes(flow_.region(boundary, branch), made.branches[branch].scope, all());
      made.branches[branch].results = record.gives[branch];
    }
    made.results = record.outputs;
    return made;
  }

  // Returns a choice with two empty branches; the first is taken if the condition holds.
  Choice if_else(const std::string& name, SlotId condition, const char* yes, const char* no,
                 ScopeId scope) {
    const SlotArgument by{condition, plan_.slots[condition].type};
    Choice made = make_choice(name, {yes, no}, {Choosing::By::truth, by});
    for (int i = 0; i < 2; ++i) made.branches.push_back(make_branch(plan_, made, scope));
    return made;
  }

  std::vector<Node> loop_nodes(Index boundary, const std::string& name, LoopRecord& record,
                               ScopeId scope) {
    const ScopeId inner = add_loop_scope(plan_, name, scope);
    Loop loop;
    loop.name = name;
    loop.max_iterations = record.max_iterations;
    loop.iteration = record.iteration;
    plan_.slots[record.iteration].scope = inner;
    for (const auto& recurrence : record.recurrences) {
      carry(plan_, loop, inner, recurrence.init, recurrence.state, recurrence.storage);
      loop.results.push_back(recurrence.result);
    }
    loop.condition = make_loop_block(plan_, "the condition", loop, inner);
    loop.body = make_loop_block(plan_, "the body", loop, inner);
    for (const auto& recurrence : record.recurrences) loop.body.results.push_back(*recurrence.next);
    write_blocks(boundary, record, inner, loop);

    std::vector<Node> made;
    for (auto& collected : record.collected) {
      plan_.slots[collected.list].scope = scope;
      made.emplace_back(stage(std::move(collected.begin)));
    }
    made.emplace_back(std::move(loop));
    for (auto& collected : record.collected) made.emplace_back(stage(std::move(collected.end)));
    return made;
  }

  // Values that the condition makes are in the loop's own scope, so that the body may use them.
  void write_blocks(Index boundary, const LoopRecord& record, ScopeId inner, Loop& loop) {
    const Index region = flow_.region(boundary);
    std::set<Index> asked;
    if (record.more) asked = flow_.behind(*record.more);
    const auto in_condition = [&](Index item) { return asked.count(item) > 0; };
    const auto in_body = [&](Index item) { return asked.count(item) == 0; };
    Block& condition = loop.condition;
    if (!record.has_count) {
      condition.nodes = nodes(region, inner, in_condition);
      condition.results = {*record.more};
    } else {
      const SlotId count_allows = add_bool(loop.name + "'s limit", inner);
      condition.nodes.emplace_back(stage(count_step(record, count_allows)));
      condition.results = {count_allows};
      if (record.more) {
        // After the last iteration the condition is not evaluated: an iterator has come to its end.
        Choice both =
            if_else(loop.name + "'s end", count_allows, "condition", "finished", condition.scope);
        both.branches[0].nodes = nodes(region, inner, in_condition);
        both.branches[0].results = {*record.more};
        both.branches[1].results = {count_allows};
        both.results = {add_bool(both.name, inner)};
        plan_.slots[both.results[0]].merged = true;
        condition.results = both.results;
        condition.nodes.emplace_back(std::move(both));
      }
    }
    loop.body.nodes = nodes(region, loop.body.scope, in_body);
  }

  // Returns the step that sets `count_allows`: true while the count allows another iteration.
  Step count_step(const LoopRecord& record, SlotId count_allows) const {
    const auto argument = [&](SlotId slot) { return SlotArgument{slot, plan_.slots[slot].type}; };
    return step_of(record.less, {argument(record.iteration), argument(record.count)},
                   plan_.slots[count_allows].name, {count_allows});
  }

  static Stage stage(Step step) {
    Stage one;
    one.steps.push_back(std::move(step));
    return one;
  }
  static Chosen all() {
    return [](Index) { return true; };
  }
  SlotId add_bool(const std::string& name, ScopeId scope) {
    return add_slot(plan_, slot_type<bool>(), name, scope);
  }

  Plan& plan_;
  RegionFlow& flow_;
};

}  // namespace

void enclose(Plan& plan, Block& block, const std::vector<SlotId>& results, const std::string& user,
             std::deque<Boundary>& boundaries) {
  std::vector<Boundary*> mine;
  for (Boundary& boundary : boundaries) {
    if (boundary.scope != block.scope || std::exchange(boundary.enclosed, true)) continue;
    check_complete(boundary);
    mine.push_back(&boundary);
  }
  if (mine.empty()) return;
  RegionFlow flow(plan, block, std::move(mine), results, user);
  block.nodes = Builder(plan, flow).nodes(RegionFlow::kBlock, block.scope, [](RegionFlow::Index) {
    return true;
  });
}

}  // namespace sluice::detail
