// Regions: what the explicit boundaries of a block enclose. While the block is
// recorded, its steps stand in it as they come, and a Boundary notes what goes into the conditional
// or loop and what comes out. When the block ends, enclose() finds out by data flow which steps lie
// within, and makes a Branch or a Loop of each boundary: the same plan as that of if_else and
// while_loop.
//
// A step lies in an arm when it is on a way from an input of the conditional to a value that the
// arm gives; in a loop, when it is on a way from the iteration to what the loop keeps of it. So do
// steps with an effect to which what lies there leads. Everything else is outside and runs before
// the decision.
//
// Ownership: the recorder owns boundaries. Threads: one. Errors: BuildError.
#pragma once

#include <sluice/graph/plan/step.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {

struct Block;
struct Plan;
using ScopeId = std::uint32_t;

struct ConditionalRecord {
  std::optional<SlotId> condition;
  std::vector<SlotId> inputs;                // other names of what comes in
  std::array<std::vector<SlotId>, 2> gives;  // by the arm: true, false
  std::vector<SlotId> outputs;               // pointers
};

struct LoopRecord {
  struct Recurrence {
    SlotId init, state, storage, result;  // as those of a Loop
    std::optional<SlotId> next;
  };
  struct Collected {
    SlotId list;                      // written by a step inside
    Step begin;                       // before the loop: makes the list empty
    Step end;                         // after the loop: makes the output of the list
    std::vector<SlotId> outer_reads;  // of both
  };
  std::int64_t max_iterations = 0;
  SlotId iteration = 0;        // std::int64_t
  SlotId count = 0;            // std::int64_t, written by a step before the loop
  bool has_count = false;      // the step is there
  OperatorPtr below;           // whether one std::int64_t is less than another
  bool reads_count = false;    // an iterator goes backwards
  std::optional<SlotId> more;  // a bool made inside: whether the next iteration comes
  std::vector<Recurrence> recurrences;
  std::vector<Collected> collected;
};

struct Boundary {
  std::string name;
  ScopeId scope = 0;         // the block that it stands in
  std::size_t position = 0;  // of the nodes of the block, where it comes
  bool enclosed = false;     // the block has ended
  std::variant<ConditionalRecord, LoopRecord> record;
};

// The block ends, giving `results` to `user`: its boundaries become branches and loops.
void enclose(Plan& plan, Block& block, const std::vector<SlotId>& results, const std::string& user,
             std::deque<Boundary>& boundaries);

}  // namespace sluice::detail
