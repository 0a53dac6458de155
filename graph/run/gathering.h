// Gathering: the parts of a plan that run in one GPU batch: the steps of a stage, or of neighboring
// nodes that join_gathers has joined, with choices among them. A sample passes through the parts
// from the first. A step leads to the next part, a choice to the first part of an arm, the end of
// an arm to the part after the choice. So a GPU batch has the jobs of a step only for samples that
// reach it.
//
// A sample stops at a part that needs a number computed in its own GPU batch. When that batch is
// over, the sample is added to another GPU batch of the same parts and continues there. At a choice
// that the device makes, it does not stop: the jobs of both arms are added.
//
// Ownership: refers to the plan, which outlives it. Threads: immutable. Errors: std::bad_alloc in
// the constructors.
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
  // A step, or a choice, which has arms, or the end of one of its arms.
  struct Part {
    const Step* step = nullptr;
    const Branch* branch = nullptr;
    std::size_t number = 0;         // of the step in the GPU batch, or of the arm that ends
    std::size_t next = 0;           // the next part
    bool stops = false;             // needs numbers that the GPU batch computes
    std::size_t told = 0;           // the last part that computes one of them
    std::vector<std::size_t> arms;  // the first part of each arm
    // For a choice that the device makes: the steps of its arms are numbered between `number` and
    // `last`, the device's work before and after them. `behind` is the part after the choice.
    std::size_t last = 0, behind = 0;
    // True if a sample that began at the part `from` must wait here.
    bool waits(std::size_t from) const { return stops && told >= from; }
  };

  explicit Gathering(const Stage& stage);
  // The first node must be a stage of device steps.
  explicit Gathering(std::span<const Node> nodes);

  const std::vector<Part>& parts() const { return parts_; }
  // The steps of all arms, in the order in which the device runs them.
  const std::vector<const Step*>& steps() const { return steps_; }
  const Step& front() const { return *steps_.front(); }
  // True if a sample may need several GPU batches.
  bool stops() const;
  // The number of steps of one arm, which contains no choices.
  std::size_t steps_in(const Part& choice, std::size_t arm) const;

  // Follows the path of an added sample from its first to its last part. Calls on_step(const
  // Step&), and on_arm(const Branch&, arm) for each arm taken.
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
  // The last part that computes one of these numbers.
  std::size_t told_at(const Arguments& numbers) const;

  std::vector<Part> parts_;
  std::vector<const Step*> steps_;
  std::map<SlotId, std::size_t> makers_;  // the parts that make values on the device
};

}  // namespace sluice::detail
