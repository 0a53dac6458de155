// JpegIndexFile: a saved JpegIndex, read piece by piece. Internal: see io/jpeg/index.h.
//
// The file, all numbers little-endian:
//
//   offset  bytes
//        0      8  "SLUICEIX"
//        8      4  version, 2
//       12      4  size of a table row, 48
//       16      8  files, F
//       24      8  records, R
//       32      8  checksum of the table
//       40      8  checksum of the 40 bytes before
//       48   48 F  the table, sorted by hash and size, a row for each file:
//                    8 hash, 8 size of the file's content (see digest_of)
//                    8 number of its first record
//                    4 records, 4 records in a row of groups, 4 grain, 4 flags (1: complete)
//                    8 checksum of its records
//  48 + 48 F  12 R  the records: 4 place, 4 x 2 predictors (see JpegIndexRecord)
//
// Checksums are digest_of's hash. All data is first copied into our own memory, and the copy is
// checked, because others may cut or overwrite the file at any moment. So the file is not mapped (a
// process that reads a truncated mapping is killed), and no check of the file itself is trusted.
// The table is copied when the file is opened. So are all records if they take no more than
// `bytes_in_memory`. Otherwise an image's records are copied on each use, which costs less than
// decoding one row with them.
//
// Ownership: keeps the file open and owns a copy of its table, or of everything. Threads: any
// number; the object is immutable. Errors: IoError, std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/index.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

class JpegIndexFile {
 public:
  JpegIndexFile(const std::string& path, std::uint64_t bytes_in_memory);
  ~JpegIndexFile();
  JpegIndexFile(const JpegIndexFile&) = delete;
  JpegIndexFile& operator=(const JpegIndexFile&) = delete;

  static bool is_one(const std::string& path);
  std::optional<JpegIndexEntry> find(const JpegDigest& digest) const;
  std::int64_t files() const;
  std::int64_t records() const { return static_cast<std::int64_t>(records_); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(size_); }

  struct Named {
    JpegDigest digest;
    JpegIndexEntry entry;
  };
  static void write(const std::string& path, std::vector<Named> all);

  struct Header;
  struct Row;

 private:
  // Closes the file.
  struct Descriptor {
    int number = -1;
    ~Descriptor();
  };
  using Records = std::shared_ptr<JpegIndexRecord[]>;

  void read(std::uint64_t offset, void* to, std::size_t bytes) const;
  Records read_records(std::uint64_t first, std::uint64_t count) const;

  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;     // of the file
  std::uint64_t records_ = 0;  // records in the file
  std::vector<Row> table_;
  Records all_;  // null: records are read on each find()
};

}  // namespace sluice
