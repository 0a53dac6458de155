#include "common_options.h"

#include "validators.h"

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

}  // namespace sluice::app
