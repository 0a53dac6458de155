// JpegIndexFile: a saved JpegIndex, mapped into memory. Internal: see jpeg_index.h.
//
// The file, all numbers little-endian:
//
//   offset  bytes
//        0      8  "SLUICEIX"
//        8      4  version, 1
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
// Checksums are digest_of's hash. The table's is checked when the file is opened, a file's records'
// each time they are used, which costs less than decoding one row with them.
//
// Ownership: holds the mapping. Threads: any number; nothing changes. Errors: IoError.
#pragma once

#include <sluice/io/jpeg_index.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class JpegIndexFile {
 public:
  explicit JpegIndexFile(const std::string& path);
  ~JpegIndexFile();
  JpegIndexFile(const JpegIndexFile&) = delete;
  JpegIndexFile& operator=(const JpegIndexFile&) = delete;

  static bool is_one(const std::string& path);
  std::optional<JpegIndexEntry> find(const JpegDigest& digest) const;
  std::int64_t files() const { return static_cast<std::int64_t>(table_.size()); }
  std::int64_t records() const { return static_cast<std::int64_t>(records_.size()); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(size_); }

  struct Named {
    JpegDigest digest;
    JpegIndexEntry entry;
  };
  static void write(const std::string& path, std::vector<Named> all);

  struct Header;
  struct Row;

 private:
  void check() const;
  void check(const Row& row) const;
  void map();

  std::string path_;
  int file_ = -1;
  void* mapping_ = nullptr;
  std::size_t size_ = 0;
  std::span<const Row> table_;
  std::span<const JpegIndexRecord> records_;
};

}  // namespace sluice
