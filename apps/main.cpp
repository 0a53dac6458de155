#include "cli.h"
#include <sluice/io/workers/registry.h>

#include <csignal>

#include <fcntl.h>

int main(int argc, char** argv) {
  sluice::run_worker_if_asked(argc, argv);
  // A standard stream that is closed must not become a file that is opened later. The wrong access
  // keeps reading and writing it an error.
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) == -1)
      (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
  // Without this, a file above the shell's size limit would end the process. Now it is an error
  // like a full disk.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // A closed pipe must not end a run in the middle of its work either.
  (void)std::signal(SIGPIPE, SIG_IGN);
  return sluice::app::run(argc, argv);
}
