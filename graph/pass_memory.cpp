// The passes that decide about memory: place and release.
#include <sluice/graph/passes.h>
#include <sluice/graph/storages.h>
#include <sluice/graph/uses.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice {
namespace {

// Slots that are read while `output` must not lie in the batch under another name: a value can be
// placed only when every way from its making leads to the one output, that is, when each link is in
// the block that made it.
void place_value(Plan& plan, Block& block, SlotId slot, int output) {
  if (!plan.slots[slot].merged) {
    if (plan.slots[slot].scope == block.scope && plan.slots[slot].output < 0)
      plan.slots[slot].output = output;
    return;
  }
  for (Node& node : block.nodes) {
    auto* branch = std::get_if<Branch>(&node);
    if (branch == nullptr) continue;
    for (std::size_t i = 0; i < branch->results.size(); ++i) {
      if (branch->results[i] != slot) continue;
      for (Block& arm : branch->arms) place_value(plan, arm, arm.results[i], output);
    }
  }
}

class Releases {
 public:
  explicit Releases(Plan& plan) : plan_(plan), storages_(plan) {}

  // Walks the block backwards from the slots that are live behind it; gives those that are live
  // before it.
  Slots walk(Block& block, Slots live) {
    for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
      if (auto* stage = std::get_if<Stage>(&*it)) {
        for (auto step = stage->steps.rbegin(); step != stage->steps.rend(); ++step)
          walk_step(*step, live);
      } else if (auto* loop = std::get_if<Loop>(&*it)) {
        live = walk_loop(*loop, live);
      } else {
        live = walk_branch(std::get<Branch>(*it), live);
      }
    }
    return live;
  }

 private:
  void walk_step(Step& step, Slots& live) {
    Slots touched(step.reads.begin(), step.reads.end());
    touched.insert(step.writes.begin(), step.writes.end());
    step.releases = dying(touched, live);
    for (const SlotId slot : step.writes) live.erase(slot);
    live.insert(step.reads.begin(), step.reads.end());
  }

  Slots walk_branch(Branch& branch, const Slots& live) {
    std::vector<Slots> before;
    Slots all;
    for (Block& arm : branch.arms) {
      Slots live_behind = live;
      for (std::size_t i = 0; i < branch.results.size(); ++i) {
        if (live_behind.erase(branch.results[i]) > 0) live_behind.insert(arm.results[i]);
      }
      before.push_back(walk(arm, std::move(live_behind)));
      all.insert(before.back().begin(), before.back().end());
    }
    all.insert(branch.reads.begin(), branch.reads.end());
    // What another arm needs is let go where this arm is taken.
    for (std::size_t a = 0; a < branch.arms.size(); ++a)
      branch.arms[a].releases = dying(all, before[a]);
    return all;
  }

  // Whatever an iteration uses from outside, and what is carried, the next iteration may need
  // again.
  Slots walk_loop(Loop& loop, const Slots& live) {
    Slots through = live;
    through.insert(loop.state.begin(), loop.state.end());
    through.insert(loop.storage.begin(), loop.storage.end());
    through.insert(loop.init.begin(), loop.init.end());
    through.insert(loop.iteration);
    // The first walk finds what the blocks use; the second one, knowing it, decides.
    Slots before_body;
    for (int round = 0; round < 2; ++round) {
      Slots behind = through;
      insert(behind, loop.body.results);
      before_body = walk(loop.body, std::move(behind));
      // Of what the condition makes, the body may use some.
      behind = through;
      insert(behind, before_body);
      insert(behind, loop.condition.results);
      for (const SlotId slot : walk(loop.condition, std::move(behind))) {
        if (!made_inside(slot, loop)) through.insert(slot);
      }
    }
    Slots behind_loop = live;
    insert(behind_loop, loop.results);
    insert(before_body, through);
    loop.releases = dying(before_body, behind_loop);
    Slots before = through;
    for (const SlotId slot : loop.state) before.erase(slot);
    for (const SlotId slot : loop.storage) before.erase(slot);
    for (const SlotId slot : loop.results) before.erase(slot);
    before.erase(loop.iteration);
    return before;
  }

  bool made_inside(SlotId slot, const Loop& loop) const {
    return inside(plan_, plan_.slots[slot].scope, plan_.scopes[loop.body.scope].parent);
  }

  // The storages behind `slots` that nothing in `live` may refer to, and that hold anything worth a
  // release.
  std::vector<SlotId> dying(const Slots& slots, const Slots& live) {
    Slots dead;
    for (const SlotId slot : slots) {
      if (live.count(slot) > 0) continue;
      for (const SlotId storage : storages_.of(slot)) {
        if (plan_.slots[storage].type->release != nullptr) dead.insert(storage);
      }
    }
    for (auto slot = live.begin(); slot != live.end() && !dead.empty(); ++slot) {
      for (const SlotId storage : storages_.of(*slot)) dead.erase(storage);
    }
    return {dead.begin(), dead.end()};
  }

  Plan& plan_;
  Storages storages_;
};

}  // namespace

Plan carry(Plan plan) {
  Storages storages(plan);
  const auto is_storage = [](const Loop& loop, SlotId slot) {
    return std::find(loop.storage.begin(), loop.storage.end(), slot) != loop.storage.end();
  };
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      auto* loop = std::get_if<Loop>(&node);
      if (loop == nullptr) continue;
      Slots locals;
      for (const SlotId result : loop->body.results) {
        for (const SlotId storage : storages.of(result)) {
          // What the condition makes and the iteration's number change, too, before the next
          // iteration reads what this one gave.
          if (!is_storage(*loop, storage) &&
              inside(plan, plan.slots[storage].scope, plan.scopes[loop->body.scope].parent))
            locals.insert(storage);
        }
      }
      loop->locals.assign(locals.begin(), locals.end());
    }
  });
  return plan;
}

Plan place(Plan plan) {
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    place_value(plan, plan.top, plan.outputs[k], static_cast<int>(k));
  }
  return plan;
}

Plan release(Plan plan) {
  Releases(plan).walk(plan.top, Slots(plan.outputs.begin(), plan.outputs.end()));
  return plan;
}

}  // namespace sluice
