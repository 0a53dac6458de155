// The pass release.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/alias_analysis.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::detail {
namespace {

// The slots that are live at a point of the plan, and how many of them may lie in each storage.
// What changes is written down and can be taken back: arms are walked one after another from the
// same point.
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

  // A point to come back to.
  std::size_t here() const { return flips_.size(); }
  // Comes back to the point. Gives the slots that were live and are not any more, and the other way
  // round.
  Slots go_back(std::size_t point) {
    Slots changes;
    for (std::size_t i = point; i < flips_.size(); ++i) {
      if (!changes.insert(flips_[i]).second) changes.erase(flips_[i]);
    }
    flip(changes);
    flips_.resize(point);
    return changes;
  }

  // The storages of `slots` that nothing live may lie in, and that hold anything worth a release.
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

// Goes backwards through the plan.
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
          [&](Branch& branch) { walk_branch(branch); },
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

  void walk_branch(Branch& branch) {
    const std::size_t behind = live_.here();
    std::vector<Slots> changes;             // by arm: what is otherwise before it
    std::map<SlotId, std::size_t> changed;  // by how many arms
    for (Block& arm : branch.arms) {
      for (std::size_t i = 0; i < branch.results.size(); ++i) {
        if (!live_.has(branch.results[i])) continue;
        live_.set(branch.results[i], false);
        live_.set(arm.results[i], true);
      }
      walk(arm);
      changes.push_back(live_.go_back(behind));
      for (const SlotId slot : changes.back()) ++changed[slot];
    }
    // What any arm needs is live before the branch.
    Slots needed(branch.reads.begin(), branch.reads.end()), over;
    for (const auto& [slot, arms] : changed) {
      const bool any = !live_.has(slot) || arms < branch.arms.size();
      (any ? needed : over).insert(slot);
    }
    // What another arm needs is let go where this arm is taken.
    for (std::size_t a = 0; a < branch.arms.size(); ++a) {
      live_.flip(changes[a]);
      branch.arms[a].releases = live_.dead(needed);
      live_.go_back(behind);
    }
    live_.remove(over);
    live_.add(needed);
  }

  // `uses`: what the loop uses of what was made before it, or within.
  void walk_loop(Loop& loop, const Slots& uses) {
    // Whatever an iteration uses from outside, and what is carried, the next iteration may need
    // again.
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
    // Of what the condition makes, the body may use some.
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
