#include "summary.h"

#include <sluice/runtime/printable.h>

#include <filesystem>

namespace sluice::app {

std::string name_below(const std::string& folder, const std::string& path) {
  return printable(std::filesystem::path(path).lexically_relative(folder).string());
}

std::string in_words(const std::string& what) {
  const std::size_t hint = what.rfind(" (");
  return what.back() == ')' && what.find("::", hint) != std::string::npos ? what.substr(0, hint)
                                                                          : what;
}

void name_left_out(const std::string& folder, const Files& files) {
  if (!files.left_out().empty()) {
    fmt::print("left out {} that cannot be read:\n", files.left_out().size());
    name_each(files.left_out(), [&](const LeftOut& left_out) {
      return name_below(folder, left_out.path) + ": " + left_out.reason;
    });
  }
  if (files.hidden() > 0) {
    fmt::print("left out {} hidden: a name that begins with a dot\n", files.hidden());
  }
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
