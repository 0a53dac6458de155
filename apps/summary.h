// Helpers for the summaries of commands: names of files and reasons of errors. Threads: one.
// Errors: none.
#pragma once

#include <sluice/graph/stats.h>
#include <sluice/io/sources/files.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {

// The name of a file: its path below the folder, without control characters.
std::string name_below(const std::string& folder, const std::string& path);

// The error of a step, without the hint in brackets, which is meant for programs.
std::string in_words(const std::string& what);

// The number of threads of the run. Prints to standard error if the system allowed fewer than
// requested.
int threads_of(const Stats& stats);

// --all-names: summaries name all items of a list from now on, not just the first 20.
void name_all();
std::size_t most_named();

// Prints line(item) for the first items of `list`, and the number of the others.
template <class List, class Line>
void name_each(const List& list, Line line) {
  const std::size_t most = most_named();
  std::size_t named = 0;
  for (const auto& item : list) {
    if (named++ == most) break;
    fmt::print("  {}\n", line(item));
  }
  if (list.size() > most)
    fmt::print("  ... and {} more; --all-names names all\n", list.size() - most);
}

// Files::left_out(), with paths relative to the folder.
std::vector<LeftOut> left_out_of(const Files& files);
// The unreadable entries.
std::vector<LeftOut> unreadable_of(const std::vector<LeftOut>& left_out);
// A line for each rule that leaves files out, such as "left out 4 with the ending .png (first:
// a/1.png)".
std::vector<std::string> words_of_rules(const std::vector<LeftOut>& left_out);
// Prints each unreadable entry, and a line for each rule that leaves files out.
void name_left_out(const std::vector<LeftOut>& left_out);

}  // namespace sluice::app
