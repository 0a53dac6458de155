// Builds a program as a pipeline with the public builder, runs it, and records what can be seen.
#pragma once

#include "tests/graph/random_program/interpret.h"

#include <string>
#include <vector>

namespace sluice::random_program {

// The type that carries each number: the number itself, an image that holds it (memory from the
// pool, written straight into the batch), or a string too long for its own object.
enum class Form : std::uint8_t { number, image, text };

struct Setting {
  std::int64_t samples = 30;
  int threads = 1;
  int batch_size = 4;
  int window = 0;
  std::uint64_t seed = 0;
  int epochs = 1;
  bool compact = false;
  Form form = Form::number;
};
std::string to_string(const Setting& setting);

struct Observed {
  std::vector<Ending> samples;  // epoch after epoch; without counts
  std::vector<int> runs;        // of each node, over all samples
  std::string complaint;        // a breach of a pipeline's rules; empty if none
};

Observed run_graph(const Program& program, const Setting& setting);

// The same for one form; each is compiled in a file of its own.
template <class T>
Observed run_graph_of(const Program& program, const Setting& setting);

}  // namespace sluice::random_program
