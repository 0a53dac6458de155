// FileParts: reads parts of a file, or of a range of bytes in it, as long as the file does not
// change. Internal: users do not include it.
//
// The file is opened for each read, so that in-flight samples keep no descriptors. It must have the
// same state before and after, so that all parts have the same content.
//
// Ownership: owns the path and shares the counts. Threads: as ByteSource says. Errors: IoError for
// a file that is gone or has changed.
#pragma once

#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/open_file.h>
#include <sluice/io/sources/read_counts.h>
#include <sluice/runtime/bytes.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sluice {

class FileParts : public ByteSource {
 public:
  // Reads from the file in this state, from `offset` on.
  FileParts(std::string path, const FileState& state, std::uint64_t offset,
            std::shared_ptr<ReadCounts> counts);

  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) override;
  // The same for a file that is open. Returns false if it is in another state.
  bool read(const OpenFile& file, std::span<const ByteRange> parts,
            std::span<std::uint8_t> whole) const;

 private:
  std::string path_;
  FileState state_;
  std::uint64_t offset_;
  std::shared_ptr<ReadCounts> counts_;
};

}  // namespace sluice
