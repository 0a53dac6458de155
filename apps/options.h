// Adds the command-line options of `sluice augment` and those that several commands share, and
// checks their values.
//
// Only the sources that parse the command line include this header, because it includes CLI11. Each
// error of a validator says what is allowed. Threads: any; no state.
#pragma once

#include "augment.h"
#include "recipes.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sluice::app {

// Accepts only these words; the error lists them.
CLI::Validator one_of(std::vector<std::string> words);

// Rejects an empty value, which the shell produces from an unset variable.
CLI::Validator not_empty();

// Accepts names with the ending .jpg or .jpeg, and names without an ending.
CLI::Validator jpeg_name();

// Accepts numbers from low to high; only integers if T is an integer type.
template <class T>
CLI::Validator number_from(T low, T high) {
  return CLI::Validator(
      [low, high](std::string& given) {
        T number{};
        const char* const end = given.data() + given.size();
        const std::from_chars_result read = std::from_chars(given.data(), end, number);
        if (read.ec == std::errc() && read.ptr == end && low <= number && number <= high)
          return std::string();
        return fmt::format("'{}' is not a {}number from {} to {}", given,
                           std::is_integral_v<T> ? "whole " : "", low, high);
      },
      "");
}

// Accepts one such number, or two separated by a comma.
CLI::Validator one_or_two(CLI::Validator number);

// Accepts sizes such as 256MB, with KB, MB or GB, and turns them into bytes.
CLI::Validator size_in_bytes();

// Accepts `word` as 0, or such a number.
CLI::Validator number_or(const char* word, CLI::Validator number);

CLI::Option* add_threads(CLI::App& command, int& threads,
                         const char* help =
                             "threads that compute, 1 to 1024 (default: all CPUs of "
                             "the process)");
CLI::Option* add_trace(CLI::App& command, std::string& trace);
CLI::Option* add_data(CLI::App& command, std::string& data);
CLI::Option* add_tar(CLI::App& command, std::vector<std::string>& tar, const char* help);
CLI::Option* add_list(CLI::App& command, std::string& list);
CLI::Option* add_pack(CLI::App& command, std::vector<std::string>& pack);
// The option for the list's column with the file names.
CLI::Option* add_path(CLI::App& command, std::string& path);
CLI::Option* add_offsets(CLI::App& command, std::string& offsets);
CLI::Option* add_shard(CLI::App& command, std::string& shard);
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const char* help);
// See size_in().
CLI::Option* add_size(CLI::App& command, std::string& size);
void add_index_choice(CLI::App& command, std::string& index, const char* default_text = "off");
void add_device(CLI::App& command, std::string& device);
// The option has the values "exact" and "any", see chosen_decoder().
void add_decoder(CLI::App& command, std::string& decoder);
// See PipelineOptions::compose.
void add_compose(CLI::App& command, bool& compose);
// Throws UsageError if one of `options` is given, but none of `needed`.
void require_one_of(const CLI::App& command, const std::vector<std::string>& options,
                    const std::vector<std::string>& needed);
// See name_all().
void add_all_names(CLI::App& command);

// The value of --size, which was checked before; 0 x 0 if it is empty.
RecipeSize size_in(const std::string& size);

// The text of options that are parsed later.
struct RawOptions {
  std::string recipe = "rotate";
  std::string size;  // empty: the recipe's own
  std::string box_format = "xyxy";
  std::string on_error = "skip";
  std::string images;
};

void add_augment(CLI::App& command, AugmentOptions& options, RawOptions& raw);
// Adds --recipe, --size and --pipeline.
void add_recipe(CLI::App& command, RawOptions& raw, std::string& pipeline);

// These parse options that the command line has already checked.
Recipe recipe_of(const RawOptions& raw);
RecipeSize size_of(const RawOptions& raw);
BoxFormat box_format_of(const RawOptions& raw);
OnError policy_of(const RawOptions& raw);

}  // namespace sluice::app
