// Passes for memory: carry, place_outputs and release.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::detail {
namespace {

// Finds the values that always end as one output. A slot that is read must not be in the batch
// under another name. So a value can be placed only if every path from its step leads to that one
// output: each link must be in the block that made the value.
class Places {
 public:
  explicit Places(Plan& plan) : plan_(plan), makers_(plan.slots.size()) {
    for_each<Choice>(plan.top, [&](const Choice& choice) {
      for (std::size_t i = 0; i < choice.results.size(); ++i)
        makers_[choice.results[i]] = {&choice, i,
                                      plan.scopes[choice.branches.front().scope].parent};
    });
    // A device's values are delivered without a copy, so a value in two outputs belongs to neither
    // batch column alone.
    AliasAnalysis storages(plan);
    Slots seen;
    for (const SlotId output : plan.outputs) {
      for (const SlotId storage : storages.of(output)) {
        if (!seen.insert(storage).second && plan.slots[storage].on_device) in_two_.insert(storage);
      }
    }
  }

  // Places the value that the block with this scope returns.
  void place(SlotId slot, ScopeId scope, int output) {
    Slot& value = plan_.slots[slot];
    if (!value.merged) {
      const bool fits = value.scope == scope && in_two_.count(slot) == 0;
      if (fits && value.output < 0) value.output = output;
      return;
    }
    const Maker& maker = makers_[slot];
    if (maker.choice == nullptr || maker.scope != scope) return;
    if (maker.choice->there != nullptr) return;  // values of both branches exist at once
    for (const Block& branch : maker.choice->branches)
      place(branch.results[maker.result], branch.scope, output);
  }

 private:
  struct Maker {
    const Choice* choice = nullptr;
    std::size_t result = 0;
    ScopeId scope = 0;  // the scope that contains the branch
  };
  Plan& plan_;
  std::vector<Maker> makers_;  // by slot
  Slots in_two_;
};

}  // namespace

Plan carry(Plan plan) {
  AliasAnalysis storages(plan);
  const auto is_storage = [](const Loop& loop, SlotId slot) {
    return std::find(loop.storage.begin(), loop.storage.end(), slot) != loop.storage.end();
  };
  for_each<Loop>(plan.top, [&](Loop& loop) {
    Slots locals;
    for (const SlotId result : loop.body.results) {
      for (const SlotId storage : storages.of(result)) {
        // Values of the condition and the iteration number also change before the next iteration
        // reads this one's results.
        if (!is_storage(loop, storage) && made_inside(plan, storage, loop)) locals.insert(storage);
      }
    }
    loop.locals.assign(locals.begin(), locals.end());
  });
  return plan;
}

Plan place_outputs(Plan plan) {
  Places places(plan);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    places.place(plan.outputs[k], plan.top.scope, static_cast<int>(k));
  return plan;
}

namespace {

// The live slots at a point of the plan, and the number of live slots in each storage. Changes are
// logged and can be undone, because branches are walked one after another from the same point.
class Live {
 public:
  explicit Live(const Plan& plan)
      : plan_(plan), storages_(plan), live_(plan.slots.size()), held_(plan.slots.size()) {}

  bool has(SlotId slot) const { return live_[slot]; }
  void set(SlotId slot, bool live) {
    if (live_[slot] != live) flip(slot);
  }
  template <class Some>
  void add(const Some& slots) {
    for (const SlotId slot : slots) set(slot, true);
  }
  template <class Some>
  void remove(const Some& slots) {
    for (const SlotId slot : slots) set(slot, false);
  }
  void flip(const Slots& slots) {
    for (const SlotId slot : slots) flip(slot);
  }

  // Marks the current point, for go_back().
  std::size_t here() const { return flips_.size(); }
  // Returns to the point. The result lists the slots whose liveness differed.
  Slots go_back(std::size_t point) {
    Slots changes;
    for (std::size_t i = point; i < flips_.size(); ++i) {
      if (!changes.insert(flips_[i]).second) changes.erase(flips_[i]);
    }
    flip(changes);
    flips_.resize(point);
    return changes;
  }

  // The storages of `slots` that no live slot uses and that hold memory worth releasing.
  template <class Some>
  std::vector<SlotId> dead(const Some& slots) {
    std::vector<SlotId> found;
    for (const SlotId slot : slots) {
      if (has(slot)) continue;
      for (const SlotId storage : storages_.of(slot)) {
        if (held_[storage] == 0 && plan_.slots[storage].type->release != nullptr)
          found.push_back(storage);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  void flip(SlotId slot) {
    live_[slot] = !live_[slot];
    for (const SlotId storage : storages_.of(slot))
      live_[slot] ? ++held_[storage] : --held_[storage];
    flips_.push_back(slot);
  }

  const Plan& plan_;
  AliasAnalysis storages_;
  std::vector<bool> live_;  // by slot
  std::vector<int> held_;   // by storage
  std::vector<SlotId> flips_;
};

// Walks backwards through the plan.
class Releases {
 public:
  explicit Releases(Plan& plan) : plan_(plan), live_(plan) {}

  void run() {
    live_.add(plan_.outputs);
    walk(plan_.top);
  }

 private:
  void walk(Block& block) {
    for (auto node = block.nodes.rbegin(); node != block.nodes.rend(); ++node) {
      visit(
          *node,
          [&](Stage& stage) {
            for (auto step = stage.steps.rbegin(); step != stage.steps.rend(); ++step)
              walk_step(*step);
          },
          [&](Choice& choice) { walk_choice(choice); },
          [&](Loop& loop) { walk_loop(loop, uses_of(*node)); });
    }
  }

  void walk_step(Step& step) {
    Slots touched(step.reads.begin(), step.reads.end());
    insert(touched, step.writes);
    step.releases = live_.dead(touched);
    live_.remove(step.writes);
    live_.add(step.reads);
  }

  void walk_choice(Choice& choice) {
    const std::size_t behind = live_.here();
    std::vector<Slots> changes;             // for each branch: the slots that differ before it
    std::map<SlotId, std::size_t> changed;  // the number of branches in which the slot changes
    for (Block& branch : choice.branches) {
      for (std::size_t i = 0; i < choice.results.size(); ++i) {
        if (!live_.has(choice.results[i])) continue;
        live_.set(choice.results[i], false);
        live_.set(branch.results[i], true);
      }
      walk(branch);
      changes.push_back(live_.go_back(behind));
      for (const SlotId slot : changes.back()) ++changed[slot];
    }
    // Slots that any branch needs are live before the choice.
    Slots needed(choice.reads.begin(), choice.reads.end()), over;
    for (const auto& [slot, branches] : changed) {
      const bool any = !live_.has(slot) || branches < choice.branches.size();
      (any ? needed : over).insert(slot);
    }
    // Slots that only other branches need are released in this branch.
    for (std::size_t a = 0; a < choice.branches.size(); ++a) {
      live_.flip(changes[a]);
      choice.branches[a].releases = live_.dead(needed);
      live_.go_back(behind);
    }
    live_.remove(over);
    live_.add(needed);
  }

  // `uses`: the slots that the loop uses, made before it or within.
  void walk_loop(Loop& loop, const Slots& uses) {
    // The next iteration may need again the values from outside and the carried ones.
    Slots kept;
    for (const SlotId slot : uses) {
      if (!made_inside(plan_, slot, loop)) kept.insert(slot);
    }
    Slots own{loop.iteration};
    insert(own, loop.state);
    insert(own, loop.storage);

    const std::size_t behind = live_.here();
    live_.add(kept);
    live_.add(own);
    const std::size_t through = live_.here();
    live_.add(loop.body.results);
    walk(loop.body);
    const Slots changes = live_.go_back(through);
    // The body may use some of the condition's values.
    live_.add(changes);
    live_.add(loop.condition.results);
    walk(loop.condition);
    live_.go_back(behind);

    live_.add(loop.results);
    Slots touched = kept;
    insert(touched, own);
    insert(touched, changes);
    loop.releases = live_.dead(touched);
    live_.remove(loop.results);
    live_.add(kept);
  }

  Plan& plan_;
  Live live_;
};

}  // namespace

Plan release(Plan plan) {
  Releases(plan).run();
  return plan;
}

}  // namespace sluice::detail
