#include "words.h"

#include "values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::python {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// C++ calls and advice for C++, with their replacements for Python.
constexpr std::array kWords{
    Words{" (or kAutomatic)", ""},
    Words{"let one of them have kUntilEnd", "give no `samples` to one of them"},
    Words{"let it have kUntilEnd", "give it no `samples`"},
    Words{", or kUntilEnd", ", or no `samples`"},
    Words{"pack_in: ", "sluice.packs(): "},
    Words{"PackWriter::add: ", "sluice.pack(): "},
    Words{"PackWriter: ", "sluice.pack(): "},
    Words{"with resume (sluice pack --resume)", "with resume=True"},
    Words{"'sluice pack' writes them", "sluice.pack() writes them"},
    Words{"Pipeline::checkpoint()", "state_dict()"},
    Words{"BatchInfo::keys", "the indices"},
    Words{"leave it out with FilesOptions::unreadable",
          "leave it out with leave_out_unreadable=True"},
    Words{"Cycle::quiet", "cycle='quiet'"},
    Words{"name the column of the files (the program: --path NAME)",
          "name the column of the files with path_column="},
    Words{"raise it if the loop is right",
          "if the loop is right, give it a larger one: sluice.while_loop and sluice.for_loop take "
          "that"},
    Words{"epoch(), which began epoch", "another loop, which began epoch"},
    Words{"give the dataset `static constexpr bool blocks = true`, or leave", "leave"},
    Words{".shard = {.index = ..., .count = ...}", "shard=(index, count)"},
    Words{"; mix the result of to_host()", "; return .cpu() of them from the pipeline"},
    Words{", or to_host() on its output", ", or numpy() on its output"},
    Words{"can only be exported by to_dlpack_versioned()",
          "can only be exported to a library that takes DLPack 1.0; numpy.array(x) is a copy"},
    Words{
        "; a program that uses workers() calls sluice::run_worker_if_asked(argc, argv) first thing "
        "in main()",
        ""},
    Words{
        ": let main() call sluice::run_worker_if_asked(argc, argv) first thing, before it makes a "
        "pipeline",
        ""},
    Words{
        "make it HWC by permute(tensor, {1, 2, 0})",
        "ops.permute(tensor, (1, 2, 0)) makes it HWC, or do this before the step that normalizes"},
    Words{"that are not in .classes", "that are not in classes"},
    Words{"; .classes has", "; classes has"},
    Words{"say how with cast<T>(value)", "say how with value.cast(type)"},
    Words{"with cast<T>(value)", "with value.cast(type)"},
    Words{"PipelineOptions::device is not set: set it to gpu()",
          "the option `device` is not set: set it to 'gpu', or the number of one"},
    Words{"a std::exception", "an exception"},
    Words{"no std::exception", "no exception"},
    Words{"an empty std::exception_ptr", "nothing that was thrown"},
};

// Names before `::`: structs of options, and enumerations, whose enumerators are strings in Python.
constexpr std::array<std::string_view, 8> kOptions{
    "PipelineOptions", "SourceOptions", "FilesOptions", "HttpOptions",
    "UrlListOptions",  "ListOptions",   "TarOptions",   "WorkerOptions"};
constexpr std::array<std::string_view, 9> kChoices{"OnError",      "DamagePolicy", "LastBatch",
                                                   "UnevenShards", "Decoder",      "PixelFormat",
                                                   "BoxFormat",    "OutOfBounds",  "ColorSpace"};

// Replaces `name::word` by the word, with `around` on both sides of it.
template <std::size_t N>
void strip(std::string& text, const std::array<std::string_view, N>& names,
           std::string_view around) {
  for (const std::string_view name : names) {
    const std::string front = std::string(name) + "::";
    for (std::size_t at = text.find(front); at != std::string::npos; at = text.find(front, at)) {
      const std::size_t end = std::min(
          text.size(),
          text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at + front.size()));
      text.insert(end, around);
      text.replace(at, front.size(), around);
    }
  }
}

// The compiler's names of types, and Python's names. The longest come first, since one may be a
// part of another.
const std::vector<std::pair<std::string, std::string>>& type_names() {
  static const std::vector<std::pair<std::string, std::string>> all = [] {
    std::vector<std::pair<std::string, std::string>> names;
    for_each_table([&](const TypeTable& table) {
      const std::string spelled(table.type->name);
      const bool in_words = spelled.find("::") == std::string::npos;
      // A single word such as 'int' is also a Python name; 'long int' is not.
      if (in_words && spelled.find(' ') == std::string::npos) return;
      names.emplace_back(in_words ? "'" + spelled + "'" : spelled,
                         in_words ? "'" + table.name + "'" : table.name);
    });
    std::stable_sort(names.begin(), names.end(), [](const auto& one, const auto& other) {
      return one.first.size() > other.first.size();
    });
    return names;
  }();
  return all;
}

// Renames vectors, whose elements already have Python's names.
void name_lists(std::string& text) {
  const std::string_view front = "std::vector<";
  for (std::size_t at = text.find(front); at != std::string::npos; at = text.find(front, at)) {
    std::size_t end = at + front.size(), first_end = std::string::npos;
    for (int depth = 1; end < text.size() && depth > 0; ++end) {
      depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
      if (first_end == std::string::npos && (depth == 0 || (depth == 1 && text[end] == ',')))
        first_end = end;
    }
    if (first_end == std::string::npos) return;
    const std::size_t begin = at + front.size();
    text.replace(at, end - at, "list of " + text.substr(begin, first_end - begin));
  }
}

// Rewrites workers("name"), the C++ form.
void name_workers(std::string& text) {
  const std::string_view front = "workers(\"";
  for (std::size_t at = text.find(front); at != std::string::npos; at = text.find(front, at)) {
    const std::size_t end = text.find("\")", at + front.size());
    if (end == std::string::npos) return;
    text.replace(end, 2, "'");
    text.replace(at, front.size(), "the workers of '");
  }
}

}  // namespace

std::string in_python(std::string text) {
  for (const auto& [what, by] : kWords) replace_all(text, what, by);
  strip(text, kOptions, "");
  strip(text, kChoices, "'");
  for (const auto& [what, by] : type_names()) replace_all(text, what, by);
  name_lists(text);
  name_workers(text);
  return text;
}

}  // namespace sluice::python
