// RestoringPart: what a packed JPEG keeps of its file besides the coefficients. Internal to
// packing.
//
// All numbers are little-endian: 8 XXH3 of the file, 4 its bytes, 4 scans n. Then 4 for each of the
// n + 1 pieces (jpeg_scans.h): its bytes. Then the pieces, as copies. A copy is a byte, and what it
// says: 0 for other bytes, then 4 for their number and the bytes; 1 for a copy from a known text,
// then 2 for its place in the text and 2 for its length. The text is the header for decoders, and
// then the tables that most encoders use.
//
// Ownership: refers to the part; owns the pieces. Threads: immutable. Errors: PackError for a part
// that is damaged or forged; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// Returns nothing if unpacking would refuse it. `header`: the one for decoders.
std::vector<std::uint8_t> make_restoring_part(
    std::span<const std::uint8_t> file, const std::vector<std::span<const std::uint8_t>>& pieces,
    std::span<const std::uint8_t> header);

class RestoringPart {
 public:
  RestoringPart(std::span<const std::uint8_t> part, std::span<const std::uint8_t> header);
  RestoringPart(const RestoringPart&) = delete;
  RestoringPart& operator=(const RestoringPart&) = delete;

  const std::vector<std::span<const std::uint8_t>>& pieces() const { return pieces_; }
  // The size of the file.
  std::size_t bytes() const { return bytes_; }
  // True if the file has the checksum.
  bool is_of(std::span<const std::uint8_t> file) const noexcept;

 private:
  std::span<const std::uint8_t> part_;
  std::size_t bytes_ = 0;
  std::vector<std::uint8_t> text_;
  std::vector<std::span<const std::uint8_t>> pieces_;  // of the text
};

// Throws PackError.
[[noreturn]] void fail_to_restore();

}  // namespace sluice
