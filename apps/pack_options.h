// Adds the command-line options of `sluice pack` and `sluice unpack`. See options.h.
#pragma once

#include "pack.h"
#include "unpack.h"

#include <string>

#include <CLI/CLI.hpp>

namespace sluice::app {

// `on_error` gets "fail" or "skip".
void add_pack_command(CLI::App& command, PackCommandOptions& options, std::string& on_error);
void add_unpack_command(CLI::App& command, UnpackOptions& options);

}  // namespace sluice::app
