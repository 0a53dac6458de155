// Plan: what a pipeline does, as plain data. It lists the steps in order, each with the slots that
// it reads and writes. A Choice node holds a block for each of its branches. A plan can be
// checked, rewritten, printed and drawn without running. visit() and the for_each functions walk
// it, add_slot() and add_scope() extend it, and digest_of() identifies it. A DeviceChoice is a
// Choice that a device decides itself.
//
// The builder (graph.h) makes it, the passes (passes.h) rewrite it, and the executor (executor.h)
// turns it into flow-graph nodes. Ownership: a Plan owns everything in it. Threads: like any data;
// immutable while a pipeline runs it. Errors: see each function.
#pragma once

#include <sluice/graph/plan/plan_text.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

struct DeviceChoice;

// The region where a value can be used: the branch or loop that made it, and those inside.
struct Scope {
  ScopeId parent = 0;  // scope 0 is the top and its own parent
  std::string name;    // "if_else#1:then"
};

struct Slot {
  std::string name;
  const SlotType* type = nullptr;
  ScopeId scope = 0;
  // True for a slot without storage, which points to the value of another slot. The result of a
  // Choice points to the result of the branch taken, a loop's state to the carried value.
  bool merged = false;
  std::optional<SlotId> same_as;  // set if merged and always an alias of this slot
  TensorSpec spec;                // of the tensors that it holds
  bool on_device = false;         // made by a step that runs on a device
  bool from_device = false;       // a number from a device; known when the step's GPU batch is over
  int output = -1;  // written straight into the batch as this output; set by `place_outputs`
};

// Neighboring steps that run in one task, or on a device one after the other; or a single step that
// waits.
struct Stage {
  std::vector<Step> steps;
  bool joins = false;  // belongs to the GPU batch of the node before; set by `join_device_batches`

  StepKind kind() const { return steps.front().kind; }
};

struct Node;

struct Block {
  ScopeId scope = 0;
  std::vector<SlotId> releases;  // storage that is unused once this branch is taken
  std::vector<Node> nodes;
  std::vector<SlotId> results;  // the block's results, in the order of Choice::results
};

// Choice: runs one of several blocks, its branches, chosen for each sample.
struct Choice {
  std::string name;                       // "if_else#1"
  std::vector<std::string> branch_names;  // "then", "otherwise"; "branch 0", ...
  std::vector<SlotId> reads;              // the slots that `choose` reads
  Function<std::int64_t(const Sample&)> choose;
  // The data from which choose_by() made `choose`; empty if `choose` is only a function.
  std::optional<Choosing> choosing;
  std::vector<Block> branches;
  std::vector<SlotId> results;
  CounterId counter = 0;  // times that each branch was taken, first to last; set by `number`
  bool eager = false;     // values that only one branch uses are still made before the choice
  bool joins = false;     // as for a Stage: all branches belong to the GPU batch of the node before
  bool stops = false;     // waits for that GPU batch before it chooses, as Step::stops
  // Set if the device chooses, so that samples need not wait for that GPU batch; null if the host
  // chooses.
  std::shared_ptr<const DeviceChoice> there;
};

// Loop: runs `body` again while `condition` holds. Values are carried from one iteration to the
// next: an iteration reads them as `state` and produces the next ones as the results of `body`. The
// body may use a value that the condition has just made if its slot is in the loop's own scope.
struct Loop {
  std::string name;  // "while_loop#1"
  std::int64_t max_iterations = 0;
  std::vector<SlotId> init;     // the state of the first iteration
  std::vector<SlotId> state;    // pointers, like the results of a branch
  std::vector<SlotId> storage;  // holds values that iterations made and carry, one for each
  SlotId iteration = 0;         // std::int64_t: iterations made so far
  Block condition;              // one result, a bool
  Block body;
  std::vector<SlotId> results;  // the state when the loop is over
  std::vector<SlotId>
      locals;  // storage inside the body that may hold its results; set by the pass `carry`
  std::vector<SlotId> releases;  // storage that is unused once the loop is over
  CounterId counter = 0;         // entries, then iterations; set by `number`
};

struct Node : std::variant<Stage, Choice, Loop> {
  using std::variant<Stage, Choice, Loop>::variant;
};

struct Plan {
  std::vector<Scope> scopes;
  std::vector<Slot> slots;
  Block top;
  std::vector<SlotId> outputs;
  std::int64_t samples = -1;       // size of the dataset, or kUntilEnd; -1 until a source sets it
  std::optional<Sampler> sampler;  // empty: epochs run through the dataset in its order
  std::string once;  // the source that yields each sample once, in its own order; empty: none
  Function<std::string(const SampleKey&)>
      source_name;                                // the source's name for a sample; may be empty
  std::vector<DatasetRecord> datasets;            // one for each source
  std::int64_t max_image_bytes = kMaxImageBytes;  // limit for step outputs; see PipelineOptions
  CounterId path_counters = 0;  // of branches, loops and events; those of steps follow
  CounterId counters = 0;       // all of them

  // Returns the source's name for a sample; empty if it has none or throws. Runs user code: call it
  // outside all locks.
  std::string name_of_sample(const SampleKey& key) const noexcept;
};

// True if `scope` is `outer` or lies inside it, at any depth.
bool inside(const Plan& plan, ScopeId scope, ScopeId outer);

// Throws BuildError, with advice, unless the slot's value exists in `scope`. `user` names the step
// that uses it there.
void require_visible(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user);

// Functions that walk a plan. visit() calls the case for the kind of a node; a missing case does
// not compile. The for_each functions call a function for all blocks, nodes or parts of one kind,
// at any depth. They go block by block, outermost first: all of a block before the blocks inside
// it.
//
// Ownership: callbacks get references into the plan. Only the callback of for_each_block may add or
// remove nodes, and only in its own block. Threads: pure functions. Errors: std::bad_alloc, and
// what a callback throws.

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Calls the one of `cases` that takes the node's kind: Stage, Choice or Loop.
template <class... Cases>
decltype(auto) visit(Node& node, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, node);
}
template <class... Cases>
decltype(auto) visit(const Node& node, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, node);
}

// True if the node belongs to the GPU batch of the node before it.
inline bool joins(const Node& node) {
  return visit(
      node, [](const Stage& stage) { return stage.joins; },
      [](const Choice& choice) { return choice.joins; }, [](const Loop&) { return false; });
}

// Part, or const Part if Of is const.
template <class Part, class Of>
using like = std::conditional_t<std::is_const_v<Of>, const Part, Part>;

// Returns the steps that the node itself holds. N is Node or const Node.
template <class N>
std::span<like<Step, N>> steps_in(N& node) {
  using Steps = std::span<like<Step, N>>;
  return visit(
      node, [](like<Stage, N>& stage) { return Steps(stage.steps); },
      [](const Choice&) { return Steps(); }, [](const Loop&) { return Steps(); });
}

// Returns the blocks that the node itself holds: those of a Choice, or the condition and body
// of a Loop.
template <class N>
std::vector<like<Block, N>*> blocks_in(N& node) {
  std::vector<like<Block, N>*> blocks;
  visit(
      node, [](const Stage&) {},
      [&](like<Choice, N>& choice) {
        for (auto& branch : choice.branches) blocks.push_back(&branch);
      },
      [&](like<Loop, N>& loop) {
        blocks = {&loop.condition, &loop.body};
      });
  return blocks;
}

// Calls f(Block&) for the block and all blocks inside it. B is Block or const Block.
template <class B, class F>
void for_each_block(B& block, F&& f) {
  f(block);
  for (auto& node : block.nodes) {
    for (auto* inner : blocks_in(node)) for_each_block(*inner, f);
  }
}

// Calls f(Node&) for all nodes in the block.
template <class B, class F>
void for_each_node(B& block, F&& f) {
  for_each_block(block, [&](B& b) {
    for (auto& node : b.nodes) f(node);
  });
}

// Calls f(Part&) for all parts of one kind in the block: steps, stages, branches or loops.
template <class Part, class B, class F>
void for_each(B& block, F&& f) {
  for_each_node(block, [&](auto& node) {
    if constexpr (std::is_same_v<Part, Step>) {
      for (auto& step : steps_in(node)) f(step);
    } else if (auto* part = std::get_if<Part>(&node)) {
      f(*part);
    }
  });
}

// Adds a slot that belongs to the block of `scope`, and returns its id.
inline SlotId add_slot(Plan& plan, const SlotType* type, std::string name, ScopeId scope) {
  Slot slot;
  slot.name = std::move(name);
  slot.type = type;
  slot.scope = scope;
  plan.slots.push_back(std::move(slot));
  return static_cast<SlotId>(plan.slots.size() - 1);
}

// The greatest nesting depth of scopes. It is limited because passes recurse into each scope.
inline constexpr int kMostNesting = 500;

// Adds a scope inside `parent`. Throws BuildError if it would be nested too deeply.
inline ScopeId add_scope(Plan& plan, ScopeId parent, std::string name) {
  int depth = 1;
  for (ScopeId at = parent; at != 0; at = plan.scopes[at].parent) ++depth;
  if (depth > kMostNesting) {
    throw BuildError(name + " is nested too deeply (got " + std::to_string(depth) +
                     " levels of choices and loops, expected at most " +
                     std::to_string(kMostNesting) +
                     "); write a long else-if chain as one select, and a function that calls "
                     "itself on values as a loop");
  }
  plan.scopes.push_back({parent, std::move(name)});
  return static_cast<ScopeId>(plan.scopes.size() - 1);
}

// digest_of() identifies a program: it returns one line for each step, branch and loop, in order,
// with its name and a hash of everything known about it. User functions are identified by their
// names and by the slots that they read and write.
//
//   resize 5f01c2aa
//
// The same description produces the same lines in each run and on each machine. Threads: pure
// functions. Errors: std::bad_alloc, and what a dataset's fingerprint function throws.

// `plan` is the plan as recorded, before any pass.
std::vector<std::string> digest_of(const Plan& plan);
// Returns a line for each source: its name, its number of samples, and its fingerprint if it has
// one.
std::vector<std::string> datasets_of(const Plan& plan);

// DeviceChoice: an if_else that the device decides itself, by a number that it has computed in the
// same GPU batch. The host does not know yet which branch a sample takes. It adds the jobs of both
// branches, each with a guard, and the device skips the jobs of the other branch. The values of the
// branch `kept` serve as the results. If the other branch was taken, its values are copied over
// them at the end. When the GPU batch is over, the host compares the same numbers and learns which
// branch was taken.
//
// Ownership: a plan shares its choices; the DeviceChooser is kept until the process ends.
// Threads: any; only the counter behind is_worth_it() changes. Errors: see DeviceChooser.

class DeviceBatch;

enum class Comparison : std::uint8_t { less, greater, less_equal, greater_equal, equal, not_equal };
// Returns the comparison that the operator of this name computes.
std::optional<Comparison> comparison_of(std::string_view op);

// Returns the function that reads a number of a sample as a comparison with a float sees it; empty
// if the argument is not a number.
std::function<double(const Sample&)> number_by(const Argument& argument);

struct DeviceChoice {
  SlotId number = 0;  // a float that the device computes
  Comparison comparison = Comparison::less;
  bool number_first = true;                    // true if `number` is on the left side
  std::function<double(const Sample&)> other;  // the other side, which the host knows before
  Step compares;                               // the host's step, once `number` has arrived
  std::size_t kept = 0;                        // the branch whose values serve as the results
  Step begins, ends;                           // the device's work before and after the branches

  // Adding both branches is wasted work if samples must stop anyway, for example because the
  // branches' images differ in size. After a number of such samples in a row it is not tried again.
  bool is_worth_it() const {
    constexpr int kPatience = 16;
    return in_vain_.load(std::memory_order_relaxed) < kPatience;
  }
  void note(bool added) const {
    if (!added) in_vain_.fetch_add(1, std::memory_order_relaxed);
    if (added && in_vain_.load(std::memory_order_relaxed) > 0)
      in_vain_.store(0, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<int> in_vain_{0};  // samples in a row for which adding both branches failed
};

// The device functions of a choice. They act for the step of `device_batch` that runs.
struct DeviceChooser {
  // Returns the guard by which later launches find the branch taken: 0 if the comparison is true,
  // else 1. Throws std::logic_error for a number that no step of the GPU batch computes.
  DeviceGuard (*choose)(DeviceBatch& device_batch, const float& number, const DeviceChoice& how,
                        double other);
  // Copies rows of bytes that lie without gaps. Returns false, and copies nothing, if a row is too
  // long.
  bool (*copy)(DeviceBatch& device_batch, const void* from, void* to, std::size_t rows,
               std::size_t bytes);
};
// Registers the functions. The first call counts; later ones change nothing. Threads: any number at
// once, also while pipelines run.
void keep_device_chooser(const DeviceChooser& chooser);
// Returns null if none was registered.
const DeviceChooser* device_chooser();

}  // namespace sluice::detail
