// LeftOut: what a source does not read of its dataset, with the reason.
//
//   for (const LeftOut& one : files.left_out()) ...
//   log(words_of(files.left_out()));  // "left out 4 with the ending .png (first: 'a/1.png')"
//
// Each folder, link or archive that cannot be read is an entry of its own. Files that a rule leaves
// out, by the ending of their names for example, are counted: one entry for each reason, with the
// first path. Entries are in the order of their paths.
//
// Ownership: values. Threads: LeftOutCounter may be used by several. Errors: std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct LeftOut {
  std::string path;        // the first of them
  std::string reason;      // "Permission denied"; for a rule "with the ending .png"
  std::int64_t count = 1;  // how many a rule leaves out
  bool unreadable = true;  // it cannot be read; else a rule leaves it out
};

// A sentence with the counts of the first reasons; empty if nothing is left out. Paths are
// printable.
std::string words_of(const std::vector<LeftOut>& left_out);

namespace detail {

class LeftOutCounter {
 public:
  void add_unreadable(std::string path, std::string reason);
  // `reason` completes "left out 4 ...".
  void add(std::string_view path, std::string_view reason, std::int64_t count = 1);
  std::vector<LeftOut> list() const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::vector<LeftOut> unreadable_;
  std::map<std::string, LeftOut, std::less<>> by_rule_;  // by the reason
};

}  // namespace detail

}  // namespace sluice
