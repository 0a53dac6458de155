#include "cli.h"
#include <sluice/io/workers/registry.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  sluice::run_worker_if_asked(argc, argv);
  // Without this, a file above the shell's size limit would end the process. Now it is an error
  // like a full disk.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // A closed pipe must not end the process either.
  (void)std::signal(SIGPIPE, SIG_IGN);
  const int status = sluice::app::run(argc, argv);
  // A full disk may only show when the output is flushed.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "sluice: standard output cannot be written: %s\n", std::strerror(errno));
    return status != 0 ? status : 1;
  }
  return status;
}
