// The Huffman codes of a piece of a JPEG file, for one thread of a device: from a record of the
// index to the next one, into blocks of coefficients that are all zero.
//
// Reads no byte but those of the piece and the rest of their 32-bit words, and writes no block but
// those of the sample, whatever the bytes are. Ownership: refers to what it is given. Errors: what
// a sound file cannot contain ends it with false.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>

namespace sluice::device {

// The bits of a piece, without the zeros that are stuffed in after each 0xff. From the end of the
// piece, or a marker, on there are zeros that must not be used.
class JpegBits {
 public:
  // `words`: where `begin` and `end` count from, in bytes.
  SLUICE_HOST_DEVICE JpegBits(const std::uint32_t* words, std::uint32_t begin, std::uint32_t end,
                              std::uint32_t behind)
      : words_(words), next_(begin), end_(end) {
    refill();
    drop(behind);
  }

  // At least 33 bits.
  SLUICE_HOST_DEVICE void refill() {
    while (count_ <= 32) take();
  }
  SLUICE_HOST_DEVICE std::uint32_t peek(int bits) const {
    return static_cast<std::uint32_t>(buffer_ >> (64 - bits));
  }
  SLUICE_HOST_DEVICE void drop(std::uint32_t bits) {
    buffer_ <<= bits;
    count_ -= bits;
  }
  // The number that the next `bits` extra bits stand for (ITU-T T.81, F.2.2.1), up to 15.
  SLUICE_HOST_DEVICE std::int32_t number(std::uint32_t bits) {
    // In two steps, since nothing moves by 64.
    const auto value = static_cast<std::int32_t>((buffer_ >> 32) >> 1 >> (31 - bits));
    drop(bits);
    return value < (1 << bits >> 1) ? value - (1 << bits) + 1 : value;
  }
  // Whether bits have been used that are not there.
  SLUICE_HOST_DEVICE bool overdrawn() const { return count_ < made_up_; }
  // Bits that are there and have not been used, where that is less than a byte; else more than 7.
  SLUICE_HOST_DEVICE std::uint32_t left() const {
    return ended() ? count_ - made_up_ : count_ - made_up_ + 8;
  }
  SLUICE_HOST_DEVICE bool at_end() const { return next_ >= end_; }
  // Goes on after the marker `code`, which must be what comes next, and begin in this byte.
  SLUICE_HOST_DEVICE bool pass(std::uint32_t code) {
    refill();
    const bool there =
        left() < 8 && next_ + 1 < end_ && byte(next_) == 0xff && byte(next_ + 1) == code;
    if (!there) return false;
    next_ += 2;
    buffer_ = 0;
    count_ = made_up_ = 0;
    refill();
    return true;
  }

 private:
  SLUICE_HOST_DEVICE std::uint32_t byte(std::uint32_t at) const {
    return words_[at / 4] >> (at % 4 * 8) & 255;
  }
  // Nothing but zeros comes any more.
  SLUICE_HOST_DEVICE bool ended() const {
    return next_ >= end_ || (byte(next_) == 0xff && (next_ + 1 >= end_ || byte(next_ + 1) != 0));
  }
  SLUICE_HOST_DEVICE void append(std::uint32_t bits, std::uint32_t count) {
    buffer_ |= std::uint64_t{bits} << 32 >> count_;
    count_ += count;
  }

  // Appends up to 32 bits to 32 at most.
  SLUICE_HOST_DEVICE void take() {
    if (next_ + 4 <= end_) {
      const std::uint32_t at = next_ / 4, shift = next_ % 4 * 8;
      const std::uint64_t two = words_[at] | std::uint64_t{words_[at + (shift != 0)]} << 32;
      const auto four = static_cast<std::uint32_t>(two >> shift);
      if ((four & (~four - 0x01010101u) & 0x80808080u) == 0) {
        append((four << 24) | (four << 8 & 0xff0000) | (four >> 8 & 0xff00) | (four >> 24), 32);
        next_ += 4;
        return;
      }
    }
    take_byte();
  }
  SLUICE_HOST_DEVICE void take_byte() {
    if (ended()) {
      count_ += 32;
      made_up_ += 32;
      return;
    }
    const std::uint32_t value = byte(next_);
    append(value << 24, 8);
    next_ += value == 0xff ? 2 : 1;
  }

  const std::uint32_t* words_;
  std::uint32_t next_, end_;
  std::uint64_t buffer_ = 0;   // what comes next is at its upper end
  std::uint32_t count_ = 0;    // bits in it
  std::uint32_t made_up_ = 0;  // of them, the last ones that are not there
};

// The entry (see JpegCodes) of what comes next; 0 where that is no code. `entries` are those of the
// table, in the fastest memory that there is.
SLUICE_HOST_DEVICE inline std::uint32_t jpeg_symbol(const JpegBits& bits,
                                                    const std::uint16_t* entries,
                                                    const JpegCodes& codes, std::uint32_t table) {
  const std::uint32_t entry = entries[bits.peek(kJpegLookupBits)];
  if (entry != 0) return entry;
  const std::uint32_t next = bits.peek(16);
  for (std::uint32_t i = 0; i < 16 - kJpegLookupBits; ++i) {
    if (next >= codes.end[table][i]) continue;
    const std::uint32_t length = kJpegLookupBits + 1 + i;
    const auto code = static_cast<std::int32_t>(next >> (16 - length));
    const std::uint32_t value = codes.values[table][(code + codes.offset[table][i]) & 255];
    return value | length << 8;
  }
  return 0;
}

// One block, its coefficients in zigzag order; `out` may be null. `entries`: of all four tables.
SLUICE_HOST_DEVICE inline bool decode_jpeg_block(JpegBits& bits, const std::uint16_t* entries,
                                                 const JpegCodes& codes,
                                                 const JpegComponent& component,
                                                 std::int32_t& predictor, std::int16_t* out) {
  constexpr std::uint32_t kEntries = 1 << kJpegLookupBits;
  bits.refill();
  const std::uint32_t dc =
      jpeg_symbol(bits, entries + component.dc * kEntries, codes, component.dc);
  if (dc == 0 || (dc & 255) > 11) return false;
  bits.drop(dc >> 8);
  predictor += bits.number(dc & 15);
  if (predictor < -32768 || predictor > 32767) return false;
  if (out != nullptr) out[0] = static_cast<std::int16_t>(predictor);

  const std::uint16_t* const ac_entries = entries + component.ac * kEntries;
  for (std::uint32_t k = 1; k < 64; ++k) {
    bits.refill();
    const std::uint32_t ac = jpeg_symbol(bits, ac_entries, codes, component.ac);
    const std::uint32_t size = ac & 15, run = ac >> 4 & 15;
    if (ac == 0 || size > 10) return false;
    bits.drop(ac >> 8);
    if (size == 0 && run != 15) break;
    k += run;
    if (k > 63) return false;
    if (size == 0) continue;
    const std::int32_t value = bits.number(size);
    if (out != nullptr) out[k] = static_cast<std::int16_t>(value);
  }
  return !bits.overdrawn();
}

// False when the piece is damaged. `words`: the sample's bytes; `coefficients`: of all samples.
SLUICE_HOST_DEVICE inline bool decode_jpeg_segment(
    const JpegSample& sample, const JpegSegment& segment, const std::uint32_t* words,
    const std::uint16_t* entries, const JpegCodes& codes, std::int16_t* coefficients) {
  JpegBits bits(words, segment.begin, segment.end, segment.bits_behind);
  std::int32_t predictors[3] = {segment.predictors[0], segment.predictors[1],
                                segment.predictors[2]};
  std::uint32_t to_restart = segment.to_restart, turn = segment.turn;
  const bool restarts = sample.interval > 0;
  for (std::uint32_t i = 0; i <= segment.count; ++i) {
    const bool over = i == segment.count;
    if (restarts && to_restart == 0 && (!over || segment.marker_ends)) {
      if (!bits.pass(0xd0 + turn)) return false;
      turn = (turn + 1) & 7;
      to_restart = sample.interval;
      for (std::int32_t& predictor : predictors) predictor = 0;
    }
    if (over) break;
    --to_restart;
    const std::int32_t column = segment.column + static_cast<std::int32_t>(i);
    for (std::int32_t c = 0; c < sample.coded; ++c) {
      const JpegComponent& component = sample.components[c];
      const bool kept = column >= 0 && c < sample.shown;
      for (std::uint32_t y = 0; y < component.down; ++y) {
        const std::uint64_t row =
            std::uint64_t{segment.row * component.down + y} * component.blocks_wide;
        for (std::uint32_t x = 0; x < component.across; ++x) {
          std::int16_t* out = nullptr;
          if (kept) {
            out = coefficients + 64 * (component.first_block + row +
                                       static_cast<std::uint32_t>(column) * component.across + x);
          }
          if (!decode_jpeg_block(bits, entries, codes, component, predictors[c], out)) return false;
        }
      }
    }
  }
  if (segment.bits_left == JpegSegment::kAnything) return true;
  bits.refill();
  if (segment.bits_left == JpegSegment::kBelowAByte) return bits.at_end() && bits.left() < 8;
  return bits.at_end() && bits.left() == segment.bits_left;
}

}  // namespace sluice::device
