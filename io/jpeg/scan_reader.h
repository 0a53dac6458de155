// ScanReader: the entropy-coded bytes of a JPEG scan, piece by piece, without the zeros that are
// stuffed in after each 0xff, so that whoever reads bits need not look for them.
//
// Ownership: refers to the file and to its parts; owns the piece that it has prepared, a few
// thousand bytes that stay in the processor's first cache. Threads: one. Errors: std::bad_alloc
// from open(); what ends the run of bytes can be asked for.
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
  // A place in the file: a byte and the number of its bits that are behind, 0 to 7. Never a stuffed
  // zero.
  struct Place {
    std::size_t byte = 0;
    std::uint32_t bit = 0;
    bool operator==(const Place&) const = default;
  };

  static constexpr std::size_t kPiece = std::size_t{16} << 10;

  // Takes all the memory that is needed; the rest throws nothing. Nothing is read but `parts` of
  // the file, which are in order; none: all of it.
  void open(std::span<const std::uint8_t> file, std::span<const ByteRange> parts = {});

  // Prepares what follows `place`, up to the next marker, to the end of the part that holds it, to
  // `bytes` of the file or to a piece's size, whichever comes first, and lets `state` read it. Of a
  // place in no part nothing.
  void seek(Place place, EntropyState& state, std::size_t bytes = kPiece) noexcept;
  // Where `state` stands.
  Place place(const EntropyState& state);
  // Bits that have been prepared and not read; negative when `state` has read beyond them, which
  // where a part ends too early means that it does not fit.
  std::int64_t bits_left(const EntropyState& state) const;

  // Whether what was prepared ends at a marker or with the file. The marker's place in the file, or
  // the file's size.
  bool at_end() const { return at_end_; }
  std::size_t end() const { return end_; }
  // Where the part of the file ends that is being read.
  std::size_t limit() const { return limit_; }
  // Whether it ends at no marker: with the file, or at fill bytes (any number of 0xff, which may
  // stand before a marker) with a zero behind them, which libjpeg takes for a stuffed 0xff.
  bool is_cut() const;

 private:
  const std::uint8_t* base() const { return piece_.data(); }

  std::size_t limit_of(std::size_t place) const;

  std::span<const std::uint8_t> file_;
  std::span<const ByteRange> parts_;
  std::size_t limit_ = 0;
  std::vector<std::uint8_t> piece_;
  std::size_t size_ = 0;                // of what is prepared
  std::size_t origin_ = 0;              // place in the file of the first byte
  std::vector<std::uint32_t> stuffed_;  // where in the piece a zero has been left out
  std::size_t passed_ = 0;              // how many of them are behind the last place asked for
  bool at_end_ = false;
  std::size_t end_ = 0;
};

}  // namespace sluice
