// Adds command-line options that several commands share.
#pragma once

#include "recipes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice::app {

CLI::Option* add_threads(CLI::App& command, int& threads,
                         const char* help = "default: all CPUs of the process");
CLI::Option* add_trace(CLI::App& command, std::string& trace);
CLI::Option* add_data(CLI::App& command, std::string& data);
CLI::Option* add_tar(CLI::App& command, std::vector<std::string>& tar, const char* help);
CLI::Option* add_list(CLI::App& command, std::string& list);
// The option for the list's column with the file names.
CLI::Option* add_path(CLI::App& command, std::string& path);
CLI::Option* add_offsets(CLI::App& command, std::string& offsets);
CLI::Option* add_shard(CLI::App& command, std::string& shard);
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const char* help);
// See size_in().
CLI::Option* add_size(CLI::App& command, std::string& size);
void add_index_choice(CLI::App& command, std::string& index);
void add_device(CLI::App& command, std::string& device);
// The option has the values "exact" and "any", see chosen_decoder().
void add_decoder(CLI::App& command, std::string& decoder);
// See PipelineOptions::compose.
void add_compose(CLI::App& command, bool& compose);
// See name_all().
void add_all_names(CLI::App& command);

// The value of --size, which was checked before; 0 x 0 if it is empty.
RecipeSize size_in(const std::string& size);

}  // namespace sluice::app
