#include "cli.h"
#include <sluice/io/workers/registry.h>

#include <csignal>

int main(int argc, char** argv) {
  sluice::run_worker_if_asked(argc, argv);
  // Without this, a file above the shell's size limit would end the process. Now it is an error
  // like a full disk.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // A closed pipe must not end a run in the middle of its work either.
  (void)std::signal(SIGPIPE, SIG_IGN);
  return sluice::app::run(argc, argv);
}
