#include "usage.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sluice::app {
namespace {

// The number of letters to insert, remove or change.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, before + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::tuple<bool, std::size_t, std::string>> similar;  // sorted by these
  for (const std::string& other : names) {
    const bool contains = other.find(name) != std::string::npos;
    const std::size_t changes = edit_distance(name, other);
    if (contains || name.starts_with(other) || changes <= (name.size() + 1) / 4)
      similar.emplace_back(!contains, changes, other);
  }
  std::sort(similar.begin(), similar.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, similar.size()); ++i)
    text += (i == 0 ? "; did you mean " : " or ") + std::get<2>(similar[i]);
  return text.empty() ? text : text + "?";
}

}  // namespace sluice::app
