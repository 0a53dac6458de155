#include "cli.h"
#include <sluice/io/workers/registry.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  sluice::run_worker_if_asked(argc, argv);
  // A file that grows beyond what the shell allows is an error like a full disk, not the end.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  // Nor is it the end when nobody reads any more what is told on the way.
  (void)std::signal(SIGPIPE, SIG_IGN);
  const int status = sluice::app::run(argc, argv);
  // A full disk shows only when what was printed is really written.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "sluice: standard output cannot be written: %s\n", std::strerror(errno));
    return status != 0 ? status : 1;
  }
  return status;
}
