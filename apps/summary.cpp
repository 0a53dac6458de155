#include "summary.h"

#include <sluice/runtime/printable.h>

#include <filesystem>
#include <limits>

namespace sluice::app {
namespace {

std::size_t most = 20;

}  // namespace

void name_all() { most = std::numeric_limits<std::size_t>::max(); }
std::size_t most_named() { return most; }

std::string name_below(const std::string& folder, const std::string& path) {
  return printable(std::filesystem::path(path).lexically_relative(folder).string());
}

std::string in_words(const std::string& what) {
  const std::size_t hint = what.rfind(" (");
  return what.back() == ')' && what.find("::", hint) != std::string::npos ? what.substr(0, hint)
                                                                          : what;
}

void name_left_out(const std::vector<LeftOut>& left_out, std::int64_t hidden) {
  if (!left_out.empty()) {
    fmt::print("left out {} that cannot be read:\n", left_out.size());
    name_each(left_out, [](const LeftOut& one) { return one.path + ": " + one.reason; });
  }
  if (hidden > 0) fmt::print("left out {} hidden: a name that begins with a dot\n", hidden);
}

void name_left_out(const std::string& folder, const Files& files) {
  std::vector<LeftOut> left_out = files.left_out();
  for (LeftOut& one : left_out) one.path = name_below(folder, one.path);
  name_left_out(left_out, files.hidden());
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
