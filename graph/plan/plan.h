// Plan: what a pipeline does, as plain data. It lists the steps in order, each with the slots that
// it reads and writes. A Branch node holds a block for each of its branches (`arms`). A plan can be
// checked, rewritten, printed and drawn without running.
//
// The builder (graph.h) makes it, visit.h walks it, the passes (passes.h) rewrite it, and lower.h
// turns it into flow-graph nodes. Ownership: a Plan owns everything in it. Threads: like any data;
// immutable while a pipeline runs it.
#pragma once

#include <sluice/graph/order/sampler.h>
#include <sluice/graph/plan/plan_text.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

struct DeviceChoice;

using ScopeId = std::uint32_t;

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
  // Branch points to the result of the branch taken, a loop's state to the carried value.
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
  bool joins = false;  // belongs to the GPU batch of the node before; set by `join_gathers`

  StepKind kind() const { return steps.front().kind; }
};

struct Node;

struct Block {
  ScopeId scope = 0;
  std::vector<SlotId> releases;  // storage that is unused once this branch is taken
  std::vector<Node> nodes;
  std::vector<SlotId> results;  // the block's results, in the order of Branch::results
};

// Branch: runs one of several blocks (`arms`), chosen for each sample.
struct Branch {
  std::string name;                    // "if_else#1"
  std::vector<std::string> arm_names;  // "then", "otherwise"; "arm 0", ...
  std::vector<SlotId> reads;           // the slots that `choose` reads
  Function<std::int64_t(const Sample&)> choose;
  // The data from which choose_by() made `choose`; empty if `choose` is only a function.
  std::optional<Choosing> choosing;
  std::vector<Block> arms;
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

struct Node : std::variant<Stage, Branch, Loop> {
  using std::variant<Stage, Branch, Loop>::variant;
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

}  // namespace sluice::detail
