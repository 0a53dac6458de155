// Plan: what a pipeline does, as plain data. Steps in order, each with the slots that it reads and
// writes; branches are nodes which hold a block for each arm. A plan can be checked, rewritten,
// printed and drawn without running.
//
// Made by the builder (graph.h), walked with visit.h, rewritten by the passes (passes.h), turned
// into flow-graph nodes by lower.h. A Plan owns everything in it. Threads: like any data; immutable
// while a pipeline runs it.
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

// Where a value can be used: inside the arm that made it and the arms within.
struct Scope {
  ScopeId parent = 0;  // scope 0 is the top and its own parent
  std::string name;    // "if_else#1:then"
};

struct Slot {
  std::string name;
  const SlotType* type = nullptr;
  ScopeId scope = 0;
  // A pointer to what another slot holds, no storage of its own: the result of a branch points to
  // what the arm gave, a loop's state to what is carried.
  bool merged = false;
  std::optional<SlotId> same_as;  // merged, and always another name of this one
  TensorSpec spec;                // of the tensors that it holds
  bool on_device = false;         // which a step has made that runs on a device
  bool from_device = false;       // a number that it has told: here once that step's gather is over
  int output = -1;  // written straight into the batch as this output; set by `place_outputs`
};

// Neighbouring steps that run in one task, or on a device one after the other; or a step that
// waits.
struct Stage {
  std::vector<Step> steps;
  bool joins = false;  // is part of the gather of the node in front; set by `join_gathers`

  StepKind kind() const { return steps.front().kind; }
};

struct Node;

struct Block {
  ScopeId scope = 0;
  std::vector<SlotId> releases;  // storage that nobody needs once this arm is taken
  std::vector<Node> nodes;
  std::vector<SlotId> results;  // what the arm gives, in the order of Branch::results
};

// One of several blocks runs, chosen for each sample.
struct Branch {
  std::string name;                    // "if_else#1"
  std::vector<std::string> arm_names;  // "then", "otherwise"; "arm 0", ...
  std::vector<SlotId> reads;           // what `choose` looks at
  Function<std::int64_t(const Sample&)> choose;
  // What `choose` was made from, by choose_by(); none where only a function knows.
  std::optional<Choosing> choosing;
  std::vector<Block> arms;
  std::vector<SlotId> results;
  CounterId counter = 0;  // how often the first arm was taken, then the others; set by `number`
  bool eager = false;  // what only one arm uses from outside is made before the choice all the same
  bool joins = false;  // is part of the gather of the node in front, with all its arms, as a stage
  bool stops = false;  // waits for that gather before it chooses, as a step
  // How the device chooses, so that a sample need not wait for that gather; else null.
  std::shared_ptr<const DeviceChoice> there;
};

// One block runs again and again, for as long as another one says so. Values are carried from one
// iteration to the next: an iteration sees them as `state`, and gives the next ones as the results
// of `body`. The body may use what the condition has made just before, if the slot is of the loop's
// own scope.
struct Loop {
  std::string name;  // "while_loop#1"
  std::int64_t max_iterations = 0;
  std::vector<SlotId> init;     // what the first iteration sees
  std::vector<SlotId> state;    // pointers, like the results of a branch
  std::vector<SlotId> storage;  // where carried values lie that an iteration has made, one for each
  SlotId iteration = 0;         // std::int64_t: iterations made so far
  Block condition;              // one result, a bool
  Block body;
  std::vector<SlotId> results;  // the state when the loop is over
  std::vector<SlotId>
      locals;  // storages inside the body that its results may be; set by the pass `carry`
  std::vector<SlotId> releases;  // storage that nobody needs once the loop is over
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
  std::int64_t samples = -1;       // of the data set, or kUntilEnd; -1 while no source has said
  std::optional<Sampler> sampler;  // of an epoch; none: the data set in its order
  std::string once;  // the source that gives each sample once, in its own order; empty: none does
  Function<std::string(const SampleKey&)>
      source_name;                                // what the source calls a sample; may be empty
  std::vector<DatasetRecord> datasets;            // of each source
  std::int64_t max_image_bytes = kMaxImageBytes;  // of what a step makes; see PipelineOptions
  CounterId path_counters = 0;  // those of branches, loops and events; those of steps come behind
  CounterId counters = 0;       // all of them

  // The same, empty when the source has no name for it or fails to say. Runs the user's code: call
  // it outside all locks.
  std::string name_of_sample(const SampleKey& key) const noexcept;
};

// Whether `scope` is `outer` or lies in it, at any depth.
bool inside(const Plan& plan, ScopeId scope, ScopeId outer);

// Throws BuildError, with what to do, unless the slot's value exists in `scope`. `user` says who
// uses it there.
void require_visible(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user);

}  // namespace sluice::detail
