// PackShard: the index of one shard of a packed dataset, and its writing. PackTable: the samples of
// several shards. Internal: users include pack_in.h and pack_writer.h.
//
// A shard is a file with many samples and their columns. Its index stands at the end and is read as
// a whole when the shard is opened; a sample is then one range of the file.
//
// Ownership: values; a PackShard owns the index, and shares the dictionary. Threads: like a vector.
// Errors: IoError that names the file, for a shard that is damaged, cut, or of another version.
#pragma once

#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A shard, all numbers little-endian:
//
//   offset  bytes
//        0      8  "SLUICEPK"
//        8      4  version, 1
//       12      4  bytes of the dictionary, D
//       16      8  checksum of the dictionary
//       24      8  checksum of the 24 bytes before
//       32      D  the dictionary (tokens.h)
//   32 + D         the samples: packed JPEGs without the first part (packed_jpeg.h), other files
//        I         the index
//  end - 48     8  "SLUICEPE"
//  end - 40     8  offset of the index, I
//  end - 32     8  bytes of the index
//  end - 24     8  samples, N
//  end - 16     8  checksum of the index
//   end - 8     8  checksum of the 40 bytes before
//
// The index:
//
//    4  columns, C; for each: 4 bytes of its name, and the name
//   24 N  for each sample: 8 its offset, 4 its bytes, 4 bytes of its head, 8 checksum of its bytes;
//         the head of a file that is stored as it is has 0 bytes
//    4 C N  for each sample and column: the bytes of its text
//    the texts, in the same order
//
// Checksums are XXH3 with 64 bits.
class PackShard {
 public:
  static constexpr std::string_view kEnding = ".pack";
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::uint32_t kMostColumns = 1000;

  struct Entry {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t head = 0;  // 0: the file is stored as it is
    std::uint64_t checksum = 0;
    bool is_packed() const { return head > 0; }
  };

  struct Opening {
    // A pack that was opened before, or null. Packs with the same dictionary share it, so it is
    // checked and kept once.
    const PackShard* before = nullptr;
    // The largest index, in bytes, and what sets this limit.
    std::uint64_t most_index_bytes = ~std::uint64_t{0};
    const char* limit = "the limit";
  };
  // Reads and checks the dictionary and the index.
  static PackShard open(const RandomAccess& file, const Opening& how);
  static PackShard open(const RandomAccess& file) { return open(file, Opening()); }
  // True if a file begins like a shard.
  static bool is_one(const std::string& path);

  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  const Entry& entry(std::int64_t i) const { return entries_[static_cast<std::size_t>(i)]; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::string_view cell(std::int64_t i, std::size_t column) const;
  // The bytes that precede a sample's bytes of the shard in memory: see PackedJpegParts. There are
  // none for a file that is stored as it is.
  std::span<const std::uint8_t> begin_of(const Entry& entry) const {
    return entry.is_packed() ? *begin_ : std::span<const std::uint8_t>();
  }
  std::span<const std::uint8_t> dictionary() const;
  // Identifies the index.
  std::uint64_t checksum() const { return checksum_; }
  std::uint64_t bytes() const { return bytes_; }  // of the file

  // True if the bytes of sample i have its checksum.
  bool is_intact(std::int64_t i, std::span<const std::uint8_t> bytes) const;

 private:
  std::vector<std::string> columns_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> cells_;  // where the text of each cell begins, and the end
  std::string texts_;
  std::shared_ptr<const std::vector<std::uint8_t>> begin_;
  std::uint64_t checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

// PackTable: the samples of several packs in one order, and the columns that are wanted of them.
class PackTable {
 public:
  // A sample: the number of its pack, and its number there.
  struct Place {
    std::size_t pack = 0;
    std::int64_t number = 0;
  };

  // Adds a pack. Throws IoError if it has other columns than the first one.
  void add(std::string name, PackShard shard);
  // `reader`, `types`: the function that the user called, and its number of types, for the errors.
  void choose(const char* reader, const std::vector<std::string>& columns, std::size_t types);

  std::int64_t size() const { return packs_.empty() ? 0 : packs_.back().end; }
  // The pack that was added last, or null.
  const PackShard* last() const { return packs_.empty() ? nullptr : &packs_.back().shard; }
  const std::vector<std::string>& columns() const { return packs_.front().shard.columns(); }
  // Throws std::out_of_range.
  Place place(std::int64_t i) const;
  const PackShard& shard(const Place& place) const { return packs_[place.pack].shard; }
  const PackShard::Entry& entry(const Place& place) const {
    return shard(place).entry(place.number);
  }
  const std::string& pack_name(const Place& place) const { return packs_[place.pack].name; }
  // "a.pack:17", or with a column "name": "a.pack:cat/1.jpg".
  std::string name(const Place& place) const;
  // Throws IoError unless the bytes of the sample have its checksum.
  void check(const Place& place, std::span<const std::uint8_t> bytes) const;
  std::string_view cell(std::int64_t i, const std::string& column) const;
  // The text of a wanted column, and an error about it.
  std::string_view text(std::int64_t i, std::size_t wanted) const;
  [[noreturn]] void fail(std::int64_t i, std::size_t wanted, const char* what) const;
  // For checkpoints: identifies the packs by the last parts of their names, and by their content.
  std::string fingerprint() const;

 private:
  struct Pack {
    std::string name;
    PackShard shard;
    std::int64_t end = 0;  // the number of samples in this and all packs before
  };
  std::size_t number_of(const std::string& column) const;

  std::vector<Pack> packs_;
  std::vector<std::string> wanted_;
  std::vector<std::size_t> numbers_;  // of the wanted columns
};

// A sample for a shard.
struct PackSample {
  std::vector<std::uint8_t> bytes;
  bool is_packed = false;  // a packed JPEG without its first part; else a file as it is
  std::vector<std::string> cells;
};

// Writes a shard, which appears when it is complete and on the disk. Throws IoError.
void write_shard(const std::string& path, std::span<const std::uint8_t> dictionary,
                 const std::vector<std::string>& columns, std::span<const PackSample> samples);

}  // namespace sluice
