// A program as a plain function of one sample, in two ways that share only the arithmetic.
//
// interpret() runs what the rule (schedule.h) says, in its order. It predicts everything that can
// be seen of the graph, down to how often each step runs and where a sample fails. demand()
// computes the outputs and what they need, and nothing twice: the meaning of the program, whatever
// the rule. A program never runs less than that, but may run more: a value that two branches use is
// made once, before them, even if neither needs it.
#pragma once

#include "tests/graph/random_program/schedule.h"

#include <string>
#include <vector>

namespace sluice::random_program {

struct Sample {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;
};

struct Ending {
  enum class How : std::uint8_t {
    delivered,
    dropped,
    failed,
    injected,  // failed by the fault plan
    absent     // the run ended before it
  };
  How how = How::delivered;
  std::vector<std::int64_t> outputs;  // when it is delivered
  std::string step, path;             // when it failed: names without "#2"
  std::vector<int> runs;              // of each node, by number; draws, works, taps and branches
};
std::string to_string(const Ending& ending);

// Returns the number of each draw's generator, indexed by the node's number.
std::vector<std::uint32_t> generators_of(const Program& program);
// `iterations`: of the loops around the draw, the outermost one first.
std::int64_t draw(const Sample& sample, std::uint32_t generator,
                  const std::vector<std::int64_t>& iterations);

Ending interpret(const Program& program, const Schedule& schedule, const Sample& sample);
Ending demand(const Program& program, const Sample& sample);

}  // namespace sluice::random_program
