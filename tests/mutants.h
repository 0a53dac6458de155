// Mutants of texts and binary files, for tests of readers. A reader must return the content, or
// throw an Error that says what is wrong. The mutants are the same on every machine.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace sluice::testing {

class Mutants {
 public:
  explicit Mutants(std::string original, std::uint64_t seed = 1)
      : original_(std::move(original)), random_({.seed = seed}) {}

  // Returns a copy with one to three changes.
  std::string next() {
    std::string text = original_;
    for (std::uint32_t changes = 1 + random_.below(3); changes > 0 && !text.empty(); --changes)
      change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }

  void change(std::string& text) {
    static constexpr std::array<const char*, 18> kTokens{"1e999",
                                                         "-1e999",
                                                         "1e308",
                                                         "-1",
                                                         "18446744073709551616",
                                                         "9223372036854775808",
                                                         "0",
                                                         "0.5",
                                                         "null",
                                                         "true",
                                                         "[]",
                                                         "{}",
                                                         "\"\"",
                                                         "\"a\\u0000\\ud800\"",
                                                         ",",
                                                         "\xff",
                                                         "[[[[[[",
                                                         "\"\\u00e4\""};
    const std::size_t at = below(text.size());
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.erase(at, 1 + below(40));
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), 1 + below(60)));
        break;
      case 5:
        text.insert(at, kTokens[below(kTokens.size())]);
        break;
      case 6:
        replace_number(text, at, kTokens[below(kTokens.size())]);
        break;
      default:
        fill(text, at);
    }
  }

  // Replaces the first number from `at` on.
  static void replace_number(std::string& text, std::size_t at, const char* by) {
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto begin = std::find_if(from, text.end(), is_digit);
    const auto end = std::find_if_not(begin, text.end(), is_digit);
    text.replace(static_cast<std::size_t>(begin - text.begin()),
                 static_cast<std::size_t>(end - begin), by);
  }

  // Sets 1 to 8 bytes to the largest number, to 0, or to the largest positive number.
  void fill(std::string& text, std::size_t at) {
    const std::size_t size = std::min(std::size_t{1} << below(4), text.size() - at);
    const std::array<char, 3> bytes{'\xff', '\0', '\x7f'};
    const std::size_t which = below(bytes.size());
    text.replace(at, size, size, which == 2 ? '\xff' : bytes[which]);
    if (which == 2) text[at + size - 1] = bytes[which];
  }

  const std::string original_;
  Random random_;
};

// Describes an exception that is no Error; empty if there was none.
template <class Use>
std::string foreign_error(const Use& use) {
  try {
    use();
  } catch (const Error&) {
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  } catch (...) {
    return "what is no std::exception";
  }
  return {};
}

}  // namespace sluice::testing
