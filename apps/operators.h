// `sluice operators`: what operators there are, and what one takes and gives.
#pragma once

#include <string>

namespace sluice::app {

struct OperatorsOptions {
  std::string name;       // of one; empty: all
  bool json = false;      // for machines
  bool markdown = false;  // docs/operators.md; all operators
  std::string sheet;      // the file of a sheet that shows what they do; empty: none
};

// Returns the exit status. Throws UsageError for an operator that there is not, and IoError for a
// sheet that cannot be written.
int run_operators(const OperatorsOptions& options);

}  // namespace sluice::app
