// Builds a program as a pipeline with the public builder, runs it, and records what can be seen.
#pragma once

#include "tests/graph/random_program/interpret.h"

#include <string>
#include <vector>

namespace sluice::random_program {

// The type that carries each number: the number itself, an image that holds it (memory from the
// pool, written straight into the batch), or a string too long for its own object.
enum class Form : std::uint8_t { number, image, text };

// The fault that a run meets in its first epoch. Later epochs have none.
struct FaultPlan {
  enum class Kind : std::uint8_t {
    none,
    thrown,      // steps throw
    memory,      // operator new fails
    all_memory,  // malloc and realloc fail, too
    slow,        // a step takes long
    cancelled,   // a step cancels the run
    left         // the consumer leaves the epoch
  };
  Kind kind = Kind::none;
  std::uint64_t at = 1;     // the call, allocation or batch where it begins, counted from 1
  std::uint64_t count = 1;  // calls or allocations in a row
};
inline bool is_of_memory(const FaultPlan& plan) {
  return plan.kind == FaultPlan::Kind::memory || plan.kind == FaultPlan::Kind::all_memory;
}
// True if the epoch may end before its last sample.
inline bool may_end_early(const FaultPlan& plan) {
  return plan.kind == FaultPlan::Kind::cancelled || plan.kind == FaultPlan::Kind::left;
}

struct Setting {
  std::int64_t samples = 30;
  int threads = 1;
  int batch_size = 4;
  int window = 0;
  std::uint64_t seed = 0;
  int epochs = 1;
  bool compact = false;
  Form form = Form::number;
  FaultPlan fault = {};
};
std::string to_string(const Setting& setting);

struct Observed {
  std::vector<Ending> samples;  // epoch after epoch; without counts
  std::vector<int> runs;        // of each node, over all samples
  std::string complaint;        // a breach of a pipeline's rules; empty if none
  std::uint64_t faults = 0;     // calls or allocations in which a fault was met
  std::uint64_t lost = 0;       // batches, or rests of runs, for which there was no memory
};

Observed run_graph(const Program& program, const Setting& setting);

// The same for one form; each is compiled in a file of its own.
template <class T>
Observed run_graph_of(const Program& program, const Setting& setting);

}  // namespace sluice::random_program
