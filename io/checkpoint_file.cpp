// Saves and loads checkpoints as files.
#include <sluice/graph/checkpoint.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <cstdint>
#include <span>

namespace sluice {

void Checkpoint::save(const std::string& file) const {
  const std::string text = to_json();
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size());
  write_whole(file, {&bytes, 1}, Keep::system);
}

Checkpoint Checkpoint::load(const std::string& file) {
  const Bytes bytes = read_file(file);
  return from_json(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                   "the checkpoint '" + escape_control_chars(file) + "'");
}

}  // namespace sluice
