// Error messages for invalid command lines.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sluice::app {

// Describes what is wrong with the first argument; CLI11 only says that a command is required.
// Empty if nothing is wrong.
std::string wrong_command(int argc, const char* const* argv);

// Describes what is wrong with the command line, and what to do about it. If an option is
// misspelled, CLI11 complains that another one is missing. It also does not explain options.
std::string in_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sluice::app
