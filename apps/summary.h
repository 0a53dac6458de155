// What the summaries of commands have in common: how they name files and say what is wrong with
// them. Threads: one. No errors.
#pragma once

#include <sluice/graph/stats.h>
#include <sluice/io/sources/files.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {

// What a file of a folder is called: its path below that folder, without control characters.
std::string name_below(const std::string& folder, const std::string& path);

// What a step said, without the hint in brackets that is meant for programs.
std::string in_words(const std::string& what);

// How many threads the run had; says on standard error when the system allowed fewer than asked
// for.
int threads_of(const Stats& stats);

// From now on summaries name all items of a list, and not the first 20 alone: --all-names.
void name_all();
std::size_t most_named();

// Prints line(item) for the first items of `list`, and how many more there are.
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

// Files::left_out(), with paths below its folder.
std::vector<LeftOut> left_out_of(const Files& files);
// The entries that cannot be read.
std::vector<LeftOut> unreadable_of(const std::vector<LeftOut>& left_out);
// "left out 4 with the ending .png (first: a/1.png)", for each rule that leaves files out.
std::vector<std::string> words_of_rules(const std::vector<LeftOut>& left_out);
// Prints what cannot be read, each for itself, and what rules leave out.
void name_left_out(const std::vector<LeftOut>& left_out);

}  // namespace sluice::app
