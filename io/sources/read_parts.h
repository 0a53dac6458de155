// ReadParts: when no more is read of a JPEG file than what is needed, where an index knows it: an
// option of files_in, list_in and tar_in. Plain data.
#pragma once

#include <cstdint>

namespace sluice {

// Parts are read by the step that decodes, on a thread that computes; whole files on threads that
// may wait for a disk.
enum class ReadParts : std::uint8_t {
  never,
  // Of files that the system has in memory, so that nobody waits for a disk.
  cached,
  // Also of those that come from a disk, which then has less to read; but a thread that computes
  // waits for it, so that the pipeline wants more of them: for large files and small regions.
  always
};

}  // namespace sluice
