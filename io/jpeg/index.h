// JpegIndex: the places in JPEG files where the rows of their images begin, so that a region can be
// decoded without reading what precedes it.
//
// The JPEG files are not changed. The index identifies a file by its content (a digest of all its
// bytes, and its size), not by its name. A file that has changed is unknown and decodes without the
// index. Each file has a flat array of fixed-size records: the state of the entropy decoder at the
// beginning of each row of blocks and at every `grain`-th group within it.
//
// An index in memory fills itself: each decoding adds what it has learnt about the rows that it has
// read, until the budget is used up. It can be saved. An index that is opened from a file is
// read-only. Its file (see index.cpp) may be replaced, cut or overwritten meanwhile.
//
// Besides, an index that `sluice index` has written keeps the digest of each file under the file's
// name in its folder. With them, datasets find files that have been damaged or replaced (Verify).
//
// Ownership: shared; the result of find() stays valid for as long as it is held. Threads: any
// number at once. Errors: see each function; on std::bad_alloc the index is unchanged. An index
// never causes wrong pixels: its entries are tied to all bytes of a file, its own files carry
// checksums, and the decoder falls back to the library if something does not fit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Identifies the content of a file in 16 bytes. Not secure against forgery.
struct JpegDigest {
  std::uint64_t hash = 0;
  std::uint64_t size = 0;
  bool operator==(const JpegDigest&) const = default;
};
// Computes the hash of all bytes, unless it is passed.
JpegDigest digest_of(std::span<const std::uint8_t> file,
                     std::optional<std::uint64_t> hash = {}) noexcept;

// The state of an entropy decoder before one group of blocks (an MCU, as the standard calls it).
struct JpegIndexRecord {
  std::uint32_t place = 0;  // byte of the file times 8, plus the number of its bits already read
  std::int16_t predictors[4] = {};  // of DC, for each component of the scan
  bool operator==(const JpegIndexRecord&) const = default;
};
static_assert(sizeof(JpegIndexRecord) == 12);

// The index entry of one file: records of the first rows of its image, `per_row` for each, one for
// every `grain`-th group, beginning with the row's first.
struct JpegIndexEntry {
  std::uint32_t grain = 0;    // in groups
  std::uint32_t per_row = 0;  // records
  bool complete = false;      // the file was read to its end and has no damage
  std::span<const JpegIndexRecord> records;
  std::shared_ptr<const void> keeps;  // owns the memory of the records
};

// An entry while it is being recorded.
struct JpegIndexNotes {
  std::uint32_t grain = 0;
  std::uint32_t per_row = 0;
  std::vector<JpegIndexRecord> records;
};

struct JpegIndexOptions {
  std::int64_t bytes = std::int64_t{1} << 30;  // the most that records in memory may take
  std::uint32_t grain = 16;                    // groups from record to record; 0: one record a row
};

class JpegIndexFile;

class JpegIndex {
 public:
  // Returns an empty index in memory.
  static std::shared_ptr<JpegIndex> in_memory(const JpegIndexOptions& options = {});
  // Opens a saved index. Its records are read at once if they take no more than `bytes_in_memory`
  // (12 bytes each). For a larger index, the records of one image are read at a time. Throws
  // IoError for a file that cannot be read, is no index, has another version or is damaged.
  static std::shared_ptr<JpegIndex> open(const std::string& path,
                                         std::int64_t bytes_in_memory = std::int64_t{1} << 28);
  // True if a file begins like a saved index, damaged or not.
  static bool is_one(const std::string& path);
  ~JpegIndex();
  JpegIndex(const JpegIndex&) = delete;
  JpegIndex& operator=(const JpegIndex&) = delete;

  // Returns the entry of a file, if there is one. Throws IoError if the index's file is damaged
  // there, or can no longer be read. Decoders then do without the index.
  std::optional<JpegIndexEntry> find(const JpegDigest& digest) const;

  // True if there is an entry of the file. Does not read the index's file.
  bool knows(const JpegDigest& digest) const;
  // True if there is room for more.
  bool grows() const;
  std::uint32_t grain() const { return options_.grain; }
  // Adds what has been learnt, unless as much is known already or the budget is used up.
  // `complete`: the file was read to its end and nothing is wrong with it.
  void keep(const JpegDigest& digest, JpegIndexNotes notes, bool complete);
  // Keeps the digest of the file with this name, which is its path in the dataset's folder. Has no
  // effect on an index that was opened from a file.
  void keep_name(std::string_view name, const JpegDigest& digest);
  // True if the file with this name had this digest when the index was made; nothing if the index
  // does not know the name.
  std::optional<bool> matches(std::string_view name, const JpegDigest& digest) const;
  bool knows_name(std::string_view name) const { return matches(name, {}).has_value(); }
  std::int64_t names() const;

  // Writes the index to a file, which appears when it is complete. A link of that name is replaced,
  // not followed. Throws IoError, also for an index that was opened from a file.
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
