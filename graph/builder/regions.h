// Makes the choices and loops of a plan, with their blocks and scopes, for all
// front ends: callables (if_else, while_loop), saved plans, Python, and explicit boundaries.
//
// Regions: the parts of a block that its explicit boundaries enclose. While the block is recorded,
// its steps are listed in order, and a Boundary records the inputs and outputs of the conditional
// or loop. When the block ends, enclose() finds out by data flow which steps lie within, and makes
// a Choice or a Loop of each boundary: the same plan as for if_else and while_loop.
//
// A step lies in a branch if it is on a path from an input of the conditional to a value that the
// branch returns. It lies in a loop if it is on a path from a value that an iteration begins with
// to one that the loop keeps. A step with an effect lies there if values from there lead to it.
// Everything else is outside and runs before the decision.
//
// Ownership: the builder owns boundaries. Threads: one. Errors: BuildError.
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
struct Choice;
struct Loop;
struct Plan;

// Returns a choice without branches, decided by `choosing`. Throws BuildError if the argument
// cannot choose.
Choice make_choice(std::string name, std::vector<std::string> branch_names, Choosing choosing);
// Returns an empty block for the next branch of the choice, which is in the block of `parent`.
Block make_branch(Plan& plan, const Choice& choice, ScopeId parent);

// Adds the scope of a loop in the block of `parent`. The loop's condition and body are inside it.
ScopeId add_loop_scope(Plan& plan, const std::string& loop, ScopeId parent);
// Returns an empty block for a part of the loop: "the condition", "the body".
Block make_loop_block(Plan& plan, const char* part, const Loop& loop, ScopeId loop_scope);
// Adds a value that the loop carries: see Loop::init, state and storage.
void carry(Plan& plan, Loop& loop, ScopeId loop_scope, SlotId init, SlotId state, SlotId storage);

struct ConditionalRecord {
  std::optional<SlotId> condition;
  std::vector<SlotId> inputs;                // the values that come in, as seen inside
  std::array<std::vector<SlotId>, 2> gives;  // by branch: true, false
  std::vector<SlotId> outputs;               // merged slots: pointers without storage
};

struct LoopRecord {
  struct Recurrence {
    SlotId init, state, storage, result;  // as in a Loop
    std::optional<SlotId> next;
  };
  struct Collected {
    SlotId list;                      // written by a step inside
    Step begin;                       // before the loop: makes the list empty
    Step end;                         // after the loop: makes the output from the list
    std::vector<SlotId> outer_reads;  // of both steps
  };
  std::int64_t max_iterations = 0;
  SlotId iteration = 0;        // std::int64_t
  SlotId count = 0;            // std::int64_t, written by a step before the loop
  bool has_count = false;      // the step that writes `count` exists
  OperatorPtr less;            // compares two std::int64_t
  bool reads_count = false;    // an iterator goes backwards
  std::optional<SlotId> more;  // a bool made inside: true if another iteration comes
  std::vector<Recurrence> recurrences;
  std::vector<Collected> collected;
};

struct Boundary {
  std::string name;
  ScopeId scope = 0;         // the block that contains it
  std::size_t position = 0;  // its index among the nodes of the block
  bool enclosed = false;     // the block has ended
  std::variant<ConditionalRecord, LoopRecord> record;
};

// Ends a block and turns its boundaries into choices and loops. `user` takes the block's `results`.
void enclose(Plan& plan, Block& block, const std::vector<SlotId>& results, const std::string& user,
             std::deque<Boundary>& boundaries);

}  // namespace sluice::detail
