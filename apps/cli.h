// The command line of the `sluice` program: reads the arguments, calls the command, and turns what
// it throws into one line on standard error and an exit status: 0 for success, 1 for a run that
// failed, 2 for arguments that cannot be, 128 and the number of a signal that has ended it early.
#pragma once

namespace sluice::app {

int run(int argc, const char* const* argv);

}  // namespace sluice::app
