#include "command_errors.h"

#include "validators.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sluice::app {

std::string wrong_command(int argc, const char* const* argv) {
  const std::vector<std::string> commands = {"augment", "bench", "cat",       "devices",
                                             "graph",   "index", "operators", "pictures"};
  if (argc < 2)
    return fmt::format("say what to do: {} (sluice --help tells more)", any_of(commands));
  const std::string first = argv[1];
  if (first.rfind('-', 0) == 0 ||
      std::find(commands.begin(), commands.end(), first) != commands.end())
    return {};
  return fmt::format("'{}' is no command: choose {}", first, any_of(commands));
}

std::string in_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string text = error.what();
  text = text.substr(0, text.find('\n'));
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    text = fmt::format("'{}' is not known here", unknown.front());
    // New users often give the folder or the file without its option.
    std::error_code ignored;
    const auto kind = std::filesystem::status(unknown.front(), ignored);
    const bool is_folder = std::filesystem::is_directory(kind);
    for (const CLI::Option* option : command.get_options()) {
      if (std::filesystem::exists(kind) &&
          option->get_name() == (is_folder                           ? "--data"
                                 : unknown.front().ends_with(".tar") ? "--tar"
                                                                     : "--list"))
        text += fmt::format("; to read it write {} {}", option->get_name(), unknown.front());
    }
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      text = fmt::format("{} {} is missing: {}", option->get_name(), option->get_type_name(),
                         option->get_description());
      break;
    }
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    text = fmt::format("{} wants one value behind it", text.substr(0, text.find(':')));
  }
  return fmt::format("{} (sluice {}{}--help tells more)", text,
                     chosen.empty() ? "" : command.get_name(), chosen.empty() ? "" : " ");
}

}  // namespace sluice::app
