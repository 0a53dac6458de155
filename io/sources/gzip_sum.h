// GzipSum: whether what came of a gzip file is what its last bytes say: their CRC-32 and their
// number. libarchive does not look at these. Internal: no user includes it.
//
// It knows a file of one member, as gzip writes it. Of several in a row only the last one's numbers
// stand at the end, so nothing is said of those.
//
// Ownership: a value. Threads: one. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice {

class GzipSum {
 public:
  // The next bytes of the file, and of what came of it.
  void read(std::span<const std::uint8_t> in);
  void gave(std::span<const std::uint8_t> out);
  // At the end of both.
  bool is_wrong() const;

 private:
  std::array<std::uint8_t, 8> tail_{};
  std::uint32_t crc_ = 0;
  std::uint32_t size_ = 0;  // modulo 2^32, as it stands in the file
};

}  // namespace sluice
