// Gathering: what one gather of a device does, of a plan: the steps of a stage, or of neighbouring
// nodes that join_gathers has put together, choices among them. A sample walks through the parts
// from the first: a step leads to the next part, a choice to the first part of an arm, the end of
// an arm to what follows the choice. So a gather has the jobs of a step for just those samples
// which come to it.
//
// A sample stops at a part that needs a number which its gather tells. When that is over it is
// added to another gather of the same parts, and goes on from there. At a choice that the device
// makes it need not: the jobs of both arms are added.
//
// Ownership: refers to the plan, which outlives it. Threads: immutable. Errors: std::bad_alloc
// while it is made.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace sluice::detail {

class Gathering {
 public:
  // A step; or a choice, which has arms; or the end of one of its arms.
  struct Part {
    const Step* step = nullptr;
    const Branch* branch = nullptr;
    std::size_t number = 0;         // of the step in the gather; of the arm that ends
    std::size_t next = 0;           // the part to go on with
    bool stops = false;             // needs numbers that a gather tells
    std::size_t told = 0;           // the last part that tells one of them
    std::vector<std::size_t> arms;  // the first part of each
    // Of a choice that the device makes: the steps of arms are numbered between `number` and
    // `last`, which are what it does before and after; and the part behind the choice.
    std::size_t last = 0, behind = 0;
    // Whether a sample that has begun at the part `from` would have to wait here.
    bool waits(std::size_t from) const { return stops && told >= from; }
  };

  explicit Gathering(const Stage& stage);
  // The first one is a stage of steps that run on the device.
  explicit Gathering(std::span<const Node> nodes);

  const std::vector<Part>& parts() const { return parts_; }
  // Of all arms, in the order in which the device does them.
  const std::vector<const Step*>& steps() const { return steps_; }
  const Step& front() const { return *steps_.front(); }
  // Whether a sample may need several gathers.
  bool stops() const;
  // The steps of one arm, which has no choices in it.
  std::size_t steps_in(const Part& choice, std::size_t arm) const;

  // Goes the way of a sample that has been added, from where it began to where it came:
  // on_step(const Step&), and on_arm(const Branch&, arm) for each arm that it took.
  template <class OnStep, class OnArm>
  void follow(const Sample& sample, const OnStep& on_step, const OnArm& on_arm) const {
    std::size_t taken = sample.wait.arms_before, steps = sample.wait.steps;
    for (std::size_t at = sample.wait.from; at < parts_.size();) {
      const Part& part = parts_[at];
      at = part.next;
      if (part.step != nullptr) {
        if (steps-- == 0) return;
        on_step(*part.step);
      } else if (!part.arms.empty()) {
        if (taken == sample.trail.length()) return;
        const std::size_t arm = sample.trail.arm(taken++);
        on_arm(*part.branch, arm);
        at = part.arms[arm];
      }
    }
  }

 private:
  void add(const Stage& stage);
  void add(const Branch& branch);
  void add(std::span<const Node> nodes);
  // The last part that tells one of these numbers.
  std::size_t told_at(const Arguments& numbers) const;

  std::vector<Part> parts_;
  std::vector<const Step*> steps_;
  std::map<SlotId, std::size_t> makers_;  // the parts that make values on the device
};

}  // namespace sluice::detail
