// ScanReader: provides the entropy-coded bytes of a JPEG scan, piece by piece. It removes the zero
// that is stuffed in after each 0xff, so that bit readers need not look for them.
//
// Ownership: refers to the file and to its parts; owns the prepared piece, about 18 KiB that stay
// in the processor's L1 cache. Threads: one. Errors: std::bad_alloc from open(); the reason why the
// bytes end can be queried.
#pragma once

#include <sluice/io/jpeg/entropy_kernels.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

class ScanReader {
 public:
  // A place in the file: a byte, and the number of its bits already read, 0 to 7. Never a stuffed
  // zero.
  struct Place {
    std::size_t byte = 0;
    std::uint32_t bit = 0;
    bool operator==(const Place&) const = default;
  };

  static constexpr std::size_t kPiece = std::size_t{16} << 10;

  // Allocates all memory; the other functions do not throw. Only `parts` of the file are read,
  // which are in order; if empty, all of it.
  void open(std::span<const std::uint8_t> file, std::span<const ByteRange> parts = {});

  // Prepares the bytes from `place` on and lets `state` read them. They end at the next marker, at
  // the end of the part that holds `place`, after `bytes` of the file or at a piece's size,
  // whichever comes first. For a place in no part, nothing is prepared.
  void seek(Place place, EntropyState& state, std::size_t bytes = kPiece) noexcept;
  // Returns the place in the file that `state` reads next.
  Place place(const EntropyState& state);
  // The number of prepared bits that are not read yet. It is negative if `state` has read beyond
  // them: if a part ends too early, the part does not fit.
  std::int64_t bits_left(const EntropyState& state) const;

  // at_end() is true if the prepared bytes end at a marker or with the file. end() is the marker's
  // place in the file, or the file's size.
  bool at_end() const { return at_end_; }
  std::size_t end() const { return end_; }
  // The end of the part that is being read.
  std::size_t limit() const { return limit_; }
  // True if it ends without a marker: with the file, or at fill bytes (any number of 0xff, which
  // may precede a marker) followed by a zero. libjpeg takes those for a stuffed 0xff.
  bool is_cut() const;

 private:
  const std::uint8_t* base() const { return piece_.data(); }

  std::size_t limit_of(std::size_t place) const;

  std::span<const std::uint8_t> file_;
  std::span<const ByteRange> parts_;
  std::size_t limit_ = 0;
  std::vector<std::uint8_t> piece_;
  std::size_t size_ = 0;                // of the prepared bytes
  std::size_t origin_ = 0;              // place in the file of the first byte
  std::vector<std::uint32_t> stuffed_;  // places in the piece where a zero was removed
  std::size_t passed_ = 0;              // how many of them precede the last queried place
  bool at_end_ = false;
  std::size_t end_ = 0;
};

}  // namespace sluice
