#include "summary.h"

#include <sluice/runtime/printable.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
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

std::vector<LeftOut> left_out_of(const Files& files) {
  std::vector<LeftOut> left_out = files.left_out();
  for (LeftOut& one : left_out) one.path = name_below(files.folder(), one.path);
  return left_out;
}

std::vector<LeftOut> unreadable_of(const std::vector<LeftOut>& left_out) {
  std::vector<LeftOut> those;
  std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(those),
               [](const LeftOut& one) { return one.unreadable; });
  return those;
}

std::vector<std::string> words_of_rules(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> lines;
  for (const LeftOut& one : left_out) {
    if (one.unreadable) continue;
    lines.push_back(
        fmt::format("left out {} {} (first: {})", one.count, one.reason, printable(one.path)));
  }
  return lines;
}

void name_left_out(const std::vector<LeftOut>& left_out) {
  const std::vector<LeftOut> unreadable = unreadable_of(left_out);
  if (!unreadable.empty()) {
    fmt::print("left out {} that cannot be read:\n", unreadable.size());
    name_each(unreadable, [](const LeftOut& one) { return one.path + ": " + one.reason; });
  }
  for (const std::string& line : words_of_rules(left_out)) fmt::print("{}\n", line);
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
