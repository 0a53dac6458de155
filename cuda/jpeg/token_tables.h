// JpegTokenTables: the dictionaries of packed JPEGs, laid out for a device. Keeps the last ones,
// because most datasets have one for all images.
//
// Ownership: shares the tables with its callers. Threads: any. Errors: PackError for a dictionary
// that is damaged or forged; std::bad_alloc.
#pragma once

#include <sluice/cuda/jpeg/job.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sluice::device {

class JpegTokenTable {
 public:
  explicit JpegTokenTable(const PackedJpeg& packed);
  // True if it was made from the same dictionary.
  bool is_of(const PackedJpeg& packed) const noexcept;
  // All JpegToken::kCount of them.
  std::span<const JpegToken> tokens() const { return tokens_; }

 private:
  std::uint64_t checksum_;
  std::vector<std::uint8_t> dictionary_;
  std::vector<JpegToken> tokens_;
};

class JpegTokenTables {
 public:
  // Each takes about 100 KB.
  static constexpr std::size_t kMost = 16;

  // The tables of the process.
  static JpegTokenTables& all();

  // Returns the table of the dictionary of `packed`, whose head must be open.
  std::shared_ptr<const JpegTokenTable> find(const PackedJpeg& packed);
  std::size_t size() const;

 private:
  // Returns null if it is not there.
  std::shared_ptr<const JpegTokenTable> find_known(std::uint64_t checksum);

  mutable std::mutex mutex_;
  struct Known {
    std::uint64_t checksum = 0;
    std::shared_ptr<const JpegTokenTable> table;
  };
  std::vector<Known> known_;  // the last used one is the last one
};

}  // namespace sluice::device
