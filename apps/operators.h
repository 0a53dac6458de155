// `sluice operators`: lists the operators, or describes one.
#pragma once

#include <string>

namespace sluice::app {

struct OperatorsOptions {
  std::string name;       // of one operator; empty: all
  bool json = false;      // for programs
  bool markdown = false;  // prints docs/operators.md; all operators
  std::string sheet;      // file for the sheet of effects; empty: none
};

// Returns the exit status. Throws UsageError for an unknown operator, and IoError for a sheet that
// cannot be written.
int run_operators(const OperatorsOptions& options);

}  // namespace sluice::app
