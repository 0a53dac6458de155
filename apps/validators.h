// Validators for the command line: words from a list, and numbers in a range. Each error says what
// is allowed. Threads: any; no state.
#pragma once

#include "usage.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sluice::app {

// Accepts only these words; the error lists them.
inline CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = any_of(words);
  return CLI::Validator(
      [words = std::move(words), list](std::string& given) {
        if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
        return fmt::format("'{}' is not known: choose {}", given, list);
      },
      "");
}

// Rejects an empty name, which the shell produces from an unset variable.
inline CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& given) {
        return std::string(given.empty() ? "the name is empty; give one, or leave the option out"
                                         : "");
      },
      "");
}

// Accepts names with the ending .jpg or .jpeg, and names without an ending.
inline CLI::Validator jpeg_name() {
  return CLI::Validator(
      [](std::string& given) {
        std::string ending = std::filesystem::path(given).extension().string();
        for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (ending.empty() || ending == ".jpg" || ending == ".jpeg") return std::string();
        return fmt::format("a JPEG file is written: let its name end in .jpg, not in {}", ending);
      },
      "");
}

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
inline CLI::Validator one_or_two(CLI::Validator number) {
  return CLI::Validator(
      [number = std::move(number)](std::string& given) {
        const std::size_t comma = given.find(',');
        std::string first = given.substr(0, comma);
        std::string wrong = number(first);
        if (!wrong.empty()) return wrong + ", nor two of them with a comma between";
        if (comma == std::string::npos) return wrong;
        std::string second = given.substr(comma + 1);
        return number(second);
      },
      "");
}

// Accepts `word` as 0, or such a number.
inline CLI::Validator number_or(const char* word, CLI::Validator number) {
  return CLI::Validator(
      [word = std::string(word), number = std::move(number)](std::string& given) {
        if (given == word) {
          given = "0";
          return std::string();
        }
        const std::string wrong = number(given);
        return wrong.empty() ? wrong : fmt::format("{}, nor '{}'", wrong, word);
      },
      "");
}

}  // namespace sluice::app
