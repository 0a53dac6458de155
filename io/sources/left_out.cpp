#include <sluice/io/sources/left_out.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice {

std::string words_of(const std::vector<LeftOut>& left_out) {
  constexpr std::size_t kMostShown = 8;
  std::string words;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    const LeftOut& one = left_out[i];
    if (i == kMostShown) {
      return words + "; and " + std::to_string(left_out.size() - i) + " more reasons";
    }
    const std::string path = "'" + printable(one.path) + "'";
    words += words.empty() ? "left out " : "; ";
    words += one.unreadable
                 ? path + ": " + one.reason
                 : std::to_string(one.count) + " " + one.reason + " (first: " + path + ")";
  }
  return words;
}

namespace detail {

void LeftOutCounter::add_unreadable(std::string path, std::string reason) {
  const std::lock_guard lock(mutex_);
  unreadable_.push_back({std::move(path), std::move(reason)});
}

void LeftOutCounter::add(std::string_view path, std::string_view reason, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  const auto known = by_rule_.find(reason);
  if (known == by_rule_.end()) {
    by_rule_.emplace(reason, LeftOut{std::string(path), std::string(reason), count, false});
    return;
  }
  known->second.count += count;
  if (path < known->second.path) known->second.path = path;
}

std::vector<LeftOut> LeftOutCounter::list() const {
  std::vector<LeftOut> all;
  {
    const std::lock_guard lock(mutex_);
    all = unreadable_;
    for (const auto& [reason, one] : by_rule_) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const LeftOut& a, const LeftOut& b) { return a.path < b.path; });
  return all;
}

void LeftOutCounter::clear() {
  const std::lock_guard lock(mutex_);
  unreadable_.clear();
  by_rule_.clear();
}

}  // namespace detail

}  // namespace sluice
