// JpegIndex: where in JPEG files the rows of their pictures begin, so that a region of a picture
// can be decoded without reading what precedes it.
//
// Files stay as they are. What is known of one is found by its content (a digest of all its bytes,
// and its size), not by its name: a file that has changed is simply not known, and decodes without
// the index. For each file there is a flat array of fixed-size records, the state of the entropy
// decoder at the beginning of each row of blocks and at every `grain`-th group within it.
//
// An index in memory fills itself: whoever decodes a picture leaves what it has learnt of the rows
// that it has read, until the budget is used up. It can be saved. One that is opened from a file
// only answers. The file (index_file.h) may be replaced, cut or written over meanwhile.
//
// Ownership: shared; what find() gives stays good for as long as it is held. Threads: any number at
// once. Errors: see each function; std::bad_alloc, and the index stays as it was. An index is never
// the reason for wrong pixels: what it knows is tied to all bytes of a file, its own files carry
// checksums, and the decoder leaves what does not fit together to the library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// The content of a file in 16 bytes. Not meant to withstand forgery.
struct JpegDigest {
  std::uint64_t hash = 0;
  std::uint64_t size = 0;
  bool operator==(const JpegDigest&) const = default;
};
// The hash is computed of all bytes, unless it is known already.
JpegDigest digest_of(std::span<const std::uint8_t> file,
                     std::optional<std::uint64_t> hash = {}) noexcept;

// The state of an entropy decoder before one group of blocks (an MCU, as the standard calls it).
struct JpegIndexRecord {
  std::uint32_t place = 0;          // byte of the file times 8, plus the bits of it that are behind
  std::int16_t predictors[4] = {};  // of DC, for each component of the scan
  bool operator==(const JpegIndexRecord&) const = default;
};
static_assert(sizeof(JpegIndexRecord) == 12);

// What is known of one file: records of the first rows of its picture, `per_row` of each, one for
// every `grain`-th group, beginning with the row's first.
struct JpegIndexEntry {
  std::uint32_t grain = 0;    // in groups
  std::uint32_t per_row = 0;  // records
  bool complete = false;      // the file was read to its end and is sound
  std::span<const JpegIndexRecord> records;
  std::shared_ptr<const void> keeps;  // what they lie in
};

// The same while it is being learnt.
struct JpegIndexNotes {
  std::uint32_t grain = 0;
  std::uint32_t per_row = 0;
  std::vector<JpegIndexRecord> records;
};

struct JpegIndexOptions {
  std::int64_t bytes = std::int64_t{1} << 30;  // that records in memory may take
  std::uint32_t grain = 16;                    // groups from record to record; 0 for one a row
};

class JpegIndexFile;

class JpegIndex {
 public:
  // An empty one in memory.
  static std::shared_ptr<JpegIndex> in_memory(const JpegIndexOptions& options = {});
  // One that was saved. Records of up to so many bytes are read at once, 12 bytes each; of a larger
  // index those of one picture at a time. Throws IoError for a file that cannot be read, is none,
  // is of another version or is damaged.
  static std::shared_ptr<JpegIndex> open(const std::string& path,
                                         std::int64_t bytes_in_memory = std::int64_t{1} << 28);
  // Whether a file begins as a saved index does, be it damaged or not.
  static bool is_one(const std::string& path);
  ~JpegIndex();
  JpegIndex(const JpegIndex&) = delete;
  JpegIndex& operator=(const JpegIndex&) = delete;

  // What is known of a file, if anything. Throws IoError when the index's file is damaged there, or
  // cannot be read any more. Decoders then do without.
  std::optional<JpegIndexEntry> find(const JpegDigest& digest) const;

  // Whether there is room for more.
  bool grows() const;
  std::uint32_t grain() const { return options_.grain; }
  // Keeps what has been learnt, unless as much is known already or the budget is used up.
  // `complete`: the file has been read to its end and nothing is wrong with it.
  void keep(const JpegDigest& digest, JpegIndexNotes notes, bool complete);
  // Writes what is in memory to a file, which appears when it is whole; a link of that name is
  // replaced, not followed. Throws IoError, also for an index that was opened from a file.
  void save(const std::string& path) const;

  std::int64_t files() const;
  std::int64_t records() const;
  std::int64_t bytes() const;  // of memory, or of the file

 private:
  JpegIndex();

  JpegIndexOptions options_;
  std::unique_ptr<const JpegIndexFile>
      file_;  // set if opened from a file; then memory_ stays empty
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace sluice
