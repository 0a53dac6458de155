// What is wrong with a command line, in words.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sluice::app {

// What is wrong with the first argument; CLI11 itself says only that a command is required. Empty
// when nothing is.
std::string wrong_command(int argc, const char* const* argv);

// What is wrong with the command line, and what to do about it. CLI11 complains of a missing option
// where another one is misspelt, and does not say what an option is for.
std::string in_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sluice::app
