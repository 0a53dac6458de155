#include "tests/graph/random_program/run_graph.h"

namespace sluice::random_program {

template Observed run_graph_of<std::string>(const Program&, const Setting&);

}  // namespace sluice::random_program
