#include "common_options.h"

#include "summary.h"
#include "validators.h"

#include <cstddef>
#include <limits>

#include <CLI/CLI.hpp>

namespace sluice::app {

CLI::Option* add_threads(CLI::App& command, int& threads, const char* help) {
  return command.add_option("--threads", threads, help)
      ->check(number_from(1, 1024))
      ->type_name("T");
}

CLI::Option* add_trace(CLI::App& command, std::string& trace) {
  return command
      .add_option("--trace", trace,
                  "file for what happened when, on which thread: open it at ui.perfetto.dev")
      ->type_name("FILE");
}

CLI::Option* add_data(CLI::App& command, std::string& data) {
  return command
      .add_option("--data", data,
                  "folder with JPEG files; those in folders below it count too, hidden ones do not")
      ->required()
      ->type_name("DIR");
}

CLI::Option* add_tar(CLI::App& command, std::vector<std::string>& tar, const char* help) {
  return command.add_option("--tar", tar, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE");
}

CLI::Option* add_list(CLI::App& command, std::string& list) {
  return command
      .add_option("--list", list,
                  "list of files: .csv, .tsv, .jsonl or .ndjson, whose first row names columns")
      ->type_name("FILE");
}

CLI::Option* add_path(CLI::App& command, std::string& path) {
  return command
      .add_option("--path", path, "the column of the list that names the file (default: path)")
      ->type_name("NAME");
}

CLI::Option* add_offsets(CLI::App& command, std::string& offsets) {
  return command.add_option("--offsets", offsets, "what sluice index --tar wrote of the archives")
      ->type_name("FILE");
}

CLI::Option* add_shard(CLI::App& command, std::string& shard) {
  return command
      .add_option("--shard", shard,
                  "the part I, 0 to N - 1, of N processes that share the work; by default as "
                  "torchrun, mpirun and srun say")
      ->type_name("I/N");
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const char* help) {
  return command.add_option("--seed", seed, help)
      ->check(number_from(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
}

CLI::Option* add_size(CLI::App& command, std::string& size) {
  return command
      .add_option("--size", size,
                  "width and height of what the recipe makes, in pixels: one number for both, or "
                  "two; default: the recipe's own, below")
      ->check(one_or_two(number_from(1, RecipeSize::kMost)))
      ->type_name("N|W,H");
}

RecipeSize size_in(const std::string& size) {
  if (size.empty()) return {};
  const std::size_t comma = size.find(',');
  const int width = std::stoi(size);
  return {width, comma == std::string::npos ? width : std::stoi(size.substr(comma + 1))};
}

void add_index_choice(CLI::App& command, std::string& index) {
  command
      .add_option("--index", index,
                  "what is known of where in the files rows begin, so that regions of pictures "
                  "decode without what lies before them: off (default), memory (filled on the way, "
                  "for when a file comes again) or a file that sluice index wrote")
      ->type_name("off|memory|FILE");
}

void add_device(CLI::App& command, std::string& device) {
  command
      .add_option("--device", device,
                  "where pictures are decoded and changed: cpu (default), gpu, the number of one, "
                  "or stand-in: no GPU, for trying")
      ->type_name("D");
}

void add_decoder(CLI::App& command, std::string& decoder) {
  command
      .add_option("--decoder", decoder,
                  "which decoders of a GPU may be used: exact (default), or any: also its JPEG "
                  "engines, which are slower and leave its cores to others; their pixels are near "
                  "the CPU's, and two runs may differ. Without --device gpu, or where it has no "
                  "engines, it changes nothing")
      ->check(one_of({"exact", "any"}))
      ->type_name("exact|any");
}

void add_compose(CLI::App& command, bool& compose) {
  command.add_flag("--compose", compose,
                   "maps of colours in a row become one matrix, maps of places one warp: pixels "
                   "are interpolated, rounded and cut off once, and so differ");
}

void add_all_names(CLI::App& command) {
  command.add_flag_callback("--all-names", name_all,
                            "the summary names every file that was left out, skipped or replaced, "
                            "not only the first 20 of each kind");
}

}  // namespace sluice::app
