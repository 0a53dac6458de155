#include "usage.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace sluice::app {
namespace {

// The number of letters to insert, remove or change, and of neighbors to swap.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), last, before_last;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

}  // namespace

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::tuple<bool, std::size_t, std::string>> similar;  // sorted by these
  const std::string_view given = without_dashes(name);
  for (const std::string& full : names) {
    const std::string_view other = without_dashes(full);
    const bool contains = given.size() > 1 && other.find(given) != std::string_view::npos;
    const std::size_t changes = edit_distance(given, other);
    if (contains || given.starts_with(other) || changes <= (given.size() + 1) / 4)
      similar.emplace_back(!contains, changes, full);
  }
  std::sort(similar.begin(), similar.end());
  std::vector<std::string> best;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, similar.size()); ++i)
    best.push_back(std::get<2>(similar[i]));
  return best.empty() ? "" : "; did you mean " + any_of(best) + "?";
}

}  // namespace sluice::app
