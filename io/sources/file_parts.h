// FileParts: reads parts of a file, or of a run of bytes in it, for as long as it stays as it is.
// Internal: no user includes it.
//
// The file is opened anew for each reading, so that samples under way keep no descriptors. It must
// have the same state before and after, so that all parts are of one content.
//
// Ownership: of the path, and a share of the counts. Threads: as ByteSource says. Errors: IoError
// for a file that is gone or has changed.
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
  // Of the file in this state, from `offset` on.
  FileParts(std::string path, const FileState& state, std::uint64_t offset,
            std::shared_ptr<ReadCounts> counts);

  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) override;
  // The same of the file that is open already. False when it is in another state.
  bool read(const OpenFile& file, std::span<const ByteRange> parts,
            std::span<std::uint8_t> whole) const;

 private:
  std::string path_;
  FileState state_;
  std::uint64_t offset_;
  std::shared_ptr<ReadCounts> counts_;
};

}  // namespace sluice
