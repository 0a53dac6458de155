// The command line of the `sluice` program: parses the arguments and runs the command. An exception
// becomes one line on standard error. The exit status is 0 for success, 1 for a failed run, 2 for
// invalid arguments, and 128 plus the signal number for a run that a signal ended early.
#pragma once

namespace sluice::app {

int run(int argc, const char* const* argv);

}  // namespace sluice::app
