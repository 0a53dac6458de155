// Writes files that appear when they are complete: a reader always sees the old file or the new
// one, never a part of it.
//
// The data is written to a hidden file ".sluice-part-PID-N" beside the final name, which is renamed
// when it is complete. A file or link with the final name is replaced; a link is not followed. A
// device or a pipe stays and is written into. A process that is killed leaves its part behind,
// which remove_parts() finds: the owner of a part holds a lock on it (flock), which the system
// releases when the process ends.
//
// Threads and processes: any number, also in the same folder. Errors: IoError that names the file
// and the reason; the new file is then removed, and the old one is unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

enum class Keep : std::uint8_t {
  process,  // the file outlives the process
  system    // it also outlives a crash of the system: waits until file and folder are on the disk
};

// Writes the bytes of all pieces, one after the other.
void write_whole(const std::string& path, std::span<const std::span<const std::uint8_t>> pieces,
                 Keep keep = Keep::process);

// Removes the parts in `folder` that no living process owns, and returns their number. Parts that
// cannot be examined or removed stay. A missing folder has none.
int remove_parts(const std::string& folder);

}  // namespace sluice
