#include "cli.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  const int status = sluice::app::run(argc, argv);
  // A full disk shows only when what was printed is really written.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "sluice: standard output cannot be written: %s\n", std::strerror(errno));
    return status != 0 ? status : 1;
  }
  return status;
}
