#include "summary.h"

#include <filesystem>

namespace sluice::app {

std::string name_below(const std::string& folder, const std::string& path) {
  return std::filesystem::path(path).lexically_relative(folder).string();
}

std::string in_words(const std::string& what) {
  const std::size_t hint = what.rfind(" (");
  return what.back() == ')' && what.find("::", hint) != std::string::npos ? what.substr(0, hint)
                                                                          : what;
}

int threads_of(const Stats& stats) {
  if (stats.threads < stats.threads_asked) {
    fmt::print(stderr,
               "sluice: {} threads were asked for, but the system lets this process make no more "
               "than {}\n",
               stats.threads_asked, stats.threads);
  }
  return stats.threads;
}

}  // namespace sluice::app
