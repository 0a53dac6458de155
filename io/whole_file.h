// Files that appear when they are whole: whoever looks, at whatever moment, sees the file that was
// there before or the new one, never a part of one.
//
// What is written lies beside its final name until it is complete, in a hidden file
// ".sluice-part-PID-N", and is then renamed. A file or link that has the name is replaced; a link
// is not followed. A device or a pipe stays, and is written into. A process that is killed leaves
// its part behind, which remove_parts() finds: the owner of a part holds a lock on it (flock),
// which the system takes away when the process ends.
//
// Threads and processes: any number, in the same folder, too. Errors: IoError that names the file
// and the reason; nothing is left of the new file then, and the old one is as it was.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

enum class Keep : std::uint8_t {
  process,  // the file outlives the process
  system    // and a crash of the system: waits for the disk, of file and folder
};

// The bytes of all pieces, one after the other.
void write_whole(const std::string& path, std::span<const std::span<const std::uint8_t>> pieces,
                 Keep keep = Keep::process);

// Removes the parts in `folder` that no living process owns, and says how many there were. What
// cannot be told or removed stays; a folder that is not there has none.
int remove_parts(const std::string& folder);

}  // namespace sluice
