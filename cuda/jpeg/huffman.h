// Huffman codes of JPEG files, for the threads of a device: builds the tables, reads the bits of a
// scan, and decodes a piece of a file from one record of the JPEG index to the next. The results
// are blocks of coefficients, which are all zero at first. Bodies for both kinds of devices.
//
// For any input bytes, a reader reads only the bytes of its piece and the rest of their 32-bit
// words, and writes only blocks of the sample. Ownership: refers to its arguments. Errors: it stops
// and returns false at anything that a sound file cannot contain. A device must only get legal
// tables; see file_header.h.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The lowest 16-bit value that JpegCodes::long_entries covers.
inline constexpr std::uint32_t kJpegFirstLong = (1u << 16) - kJpegLongLookups;

// Threads that build one table.
inline constexpr std::uint32_t kJpegCodeBuilders = 256;

// Returns the entry (see JpegCodes) for `next`, the next `bits` bits of the scan.
SLUICE_HOST_DEVICE inline std::uint16_t make_jpeg_entry(const JpegCodeSource& source,
                                                        std::uint32_t next, std::uint32_t bits) {
  // The codes of one length are consecutive, and come after the shorter ones.
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= bits; ++length, code <<= 1) {
    const std::uint32_t count = source.bits[length - 1];
    const std::uint32_t prefix = next >> (bits - length);
    if (prefix < code + count)
      return static_cast<std::uint16_t>(length << 8 | source.values[index + prefix - code]);
    code += count;
    index += count;
  }
  return 0;
}

// Builds table 0 to 3 from `source`, which is legal or all zeros.
SLUICE_HOST_DEVICE inline void build_jpeg_codes(const JpegThreadBlock& thread_block,
                                                const JpegCodeSource& source, std::uint32_t table,
                                                JpegCodes& codes) {
  for (std::uint32_t i = thread_block.thread; i < 1u << kJpegLookupBits; i += thread_block.threads)
    codes.entries[table][i] = make_jpeg_entry(source, i, kJpegLookupBits);
  for (std::uint32_t i = thread_block.thread; i < kJpegLongLookups; i += thread_block.threads)
    codes.long_entries[table][i] = make_jpeg_entry(source, kJpegFirstLong + i, 16);
  for (std::uint32_t i = thread_block.thread; i < sizeof source.values; i += thread_block.threads)
    codes.values[table][i] = source.values[i];
  if (thread_block.thread != 0) return;
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length, code <<= 1) {
    const std::uint32_t first = code, first_index = index, count = source.bits[length - 1];
    code += count;
    index += count;
    if (length <= kJpegLookupBits) continue;
    const std::uint32_t i = length - kJpegLookupBits - 1;
    codes.end[table][i] = code << (16 - length);
    codes.offset[table][i] =
        static_cast<std::int32_t>(first_index) - static_cast<std::int32_t>(first);
  }
}

// Returns the tables of a sample, in the launch's scratch memory.
SLUICE_HOST_DEVICE inline const JpegCodes& jpeg_codes(const JpegLaunch& launch,
                                                      const std::byte* scratch,
                                                      const JpegSample& sample) {
  return reinterpret_cast<const JpegCodes*>(scratch + launch.codes_at)[sample.codes];
}

// Swaps the bytes of a little-endian word.
SLUICE_HOST_DEVICE inline std::uint32_t in_reading_order(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, 0, 0x0123);
#else
  return (word << 24) | (word << 8 & 0xff0000) | (word >> 8 & 0xff00) | (word >> 24);
#endif
}

// The bits that a reader of a JPEG scan has at hand.
class JpegBitBuffer {
 public:
  SLUICE_HOST_DEVICE std::uint32_t peek(int bits) const {
    return static_cast<std::uint32_t>(buffer_ >> (64 - bits));
  }
  SLUICE_HOST_DEVICE void drop(std::uint32_t bits) {
    buffer_ <<= bits;
    count_ -= bits;
  }
  // Returns the number that the next `bits` extra bits encode (ITU-T T.81, F.2.2.1); at most 15
  // bits.
  SLUICE_HOST_DEVICE std::int32_t number(std::uint32_t bits) {
    // In several steps, because a shift by 64 (for 0 bits) is undefined.
    const auto value = static_cast<std::int32_t>((buffer_ >> 32) >> 1 >> (31 - bits));
    drop(bits);
    return value < (1 << bits >> 1) ? value - (1 << bits) + 1 : value;
  }

 protected:
  std::uint64_t buffer_ = 0;  // the next bit is the highest one
  std::uint32_t count_ = 0;   // bits in it
};

// Reads the bits of a JPEG scan without stuffed zeros and markers. It only reads words of the
// sample; after their end it returns zeros. It loads each word before it is needed, so that the
// thread does not wait for the memory.
class JpegPlainBits : public JpegBitBuffer {
 public:
  // `bit`: the bit to begin with.
  SLUICE_HOST_DEVICE JpegPlainBits(const std::uint32_t* words, std::uint32_t count,
                                   std::uint32_t bit)
      : words_(words), end_(count), next_(bit / 32), next_word_(load(next_)) {
    refill();
    refill();
    drop(bit % 32);
  }

  // Makes at least 33 bits available.
  SLUICE_HOST_DEVICE void refill() {
    if (count_ > 32) return;
    buffer_ |= std::uint64_t{in_reading_order(next_word_)} << 32 >> count_;
    count_ += 32;
    next_word_ = load(++next_);
  }
  // The position of the next bit.
  SLUICE_HOST_DEVICE std::uint32_t place() const { return next_ * 32 - count_; }

 private:
  SLUICE_HOST_DEVICE std::uint32_t load(std::uint32_t at) const {
    return at < end_ ? words_[at] : 0;
  }

  const std::uint32_t* words_;
  std::uint32_t end_, next_;  // words
  std::uint32_t next_word_;   // word number next_
};

// The bits of a piece, without the zeros that are stuffed in after each 0xff. After the end of the
// piece, or a marker, it supplies zeros that must not be used.
class JpegBits : public JpegBitBuffer {
 public:
  // `words`: `begin` and `end` count from here, in bytes. `behind`: bits of the first byte to skip.
  SLUICE_HOST_DEVICE JpegBits(const std::uint32_t* words, std::uint32_t begin, std::uint32_t end,
                              std::uint32_t behind)
      : words_(words), next_(begin), end_(end) {
    refill();
    drop(behind);
  }

  // Makes at least 33 bits available.
  SLUICE_HOST_DEVICE void refill() {
    while (count_ <= 32) take();
  }
  // True if bits beyond the end have been used.
  SLUICE_HOST_DEVICE bool overdrawn() const { return count_ < made_up_; }
  // Returns the number of unused bits if that is less than a byte; otherwise more than 7.
  SLUICE_HOST_DEVICE std::uint32_t left() const {
    return ended() ? count_ - made_up_ : count_ - made_up_ + 8;
  }
  SLUICE_HOST_DEVICE bool at_end() const { return next_ >= end_; }
  // Skips the marker `code`, which must come next and begin in this byte. Returns false if it does
  // not.
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
  // True if only supplied zeros follow.
  SLUICE_HOST_DEVICE bool ended() const {
    return next_ >= end_ || (byte(next_) == 0xff && (next_ + 1 >= end_ || byte(next_ + 1) != 0));
  }
  SLUICE_HOST_DEVICE void append(std::uint32_t bits, std::uint32_t count) {
    buffer_ |= std::uint64_t{bits} << 32 >> count_;
    count_ += count;
  }

  // Appends up to 32 bits; the buffer must hold 32 at most.
  SLUICE_HOST_DEVICE void take() {
    if (next_ + 4 <= end_) {
      const std::uint32_t at = next_ / 4, shift = next_ % 4 * 8;
      const std::uint64_t two = words_[at] | std::uint64_t{words_[at + (shift != 0)]} << 32;
      const auto four = static_cast<std::uint32_t>(two >> shift);
      if ((four & (~four - 0x01010101u) & 0x80808080u) == 0) {
        append(in_reading_order(four), 32);
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
  std::uint32_t made_up_ = 0;  // the last bits of the buffer, which are beyond the end
};

// Returns the entry (see JpegCodes) for the next bits; 0 if they are no code. `entries`: those of
// the table, in the fastest memory available.
template <class Bits>
SLUICE_HOST_DEVICE std::uint32_t jpeg_symbol(const Bits& bits, const std::uint16_t* entries,
                                             const JpegCodes& codes, std::uint32_t table) {
  const std::uint32_t entry = entries[bits.peek(kJpegLookupBits)];
  if (entry != 0) return entry;
  const std::uint32_t next = bits.peek(16);
  if (next >= kJpegFirstLong) return codes.long_entries[table][next - kJpegFirstLong];
  for (std::uint32_t i = 0; i < 16 - kJpegLookupBits; ++i) {
    if (next >= codes.end[table][i]) continue;
    const std::uint32_t length = kJpegLookupBits + 1 + i;
    const auto code = static_cast<std::int32_t>(next >> (16 - length));
    const std::uint32_t value = codes.values[table][(code + codes.offset[table][i]) & 255];
    return value | length << 8;
  }
  return 0;
}

// The blocks of a segment, one after the other: where their coefficients go, and the prediction of
// their DC coefficients. The base of the readers of segments.
class JpegSegmentBlocks {
 protected:
  // `coefficients`: of all samples.
  SLUICE_HOST_DEVICE JpegSegmentBlocks(const JpegSample& sample, const JpegSegment& segment,
                                       std::int16_t* coefficients)
      : sample_(sample), segment_(segment), coefficients_(coefficients) {
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) predictors_[i] = segment.predictors[i];
  }

  SLUICE_HOST_DEVICE std::int32_t predict(std::int32_t difference) {
    std::int32_t value = 0;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) {
      if (block_.component == i) value = predictors_[i] += difference;
    }
    return value;
  }
  // Makes the block current that group_ and number_ say.
  SLUICE_HOST_DEVICE void enter_block() {
    block_ = sample_.group[number_];
    const std::int32_t column = segment_.column + static_cast<std::int32_t>(group_);
    out_ = nullptr;
    if (column < 0 || block_.component >= sample_.shown || group_ == segment_.count) return;
    out_ = coefficients_ + 64 * (block_.first + std::uint64_t{segment_.row} * block_.row_step +
                                 static_cast<std::uint32_t>(column) * block_.across);
  }

  const JpegSample& sample_;
  const JpegSegment& segment_;
  std::int16_t* const coefficients_;
  std::int32_t predictors_[3];
  std::uint32_t group_ = 0, number_ = 0;  // MCU, and block in it
  JpegGroupBlock block_;
  std::int16_t* out_ = nullptr;  // null for blocks that are not needed
};

// The state of a thread: its MCU, the block in it, and the position in the block.
class JpegSegmentReader : JpegSegmentBlocks {
 public:
  // `words`: the sample's bytes; `entries`: of all four tables; `coefficients`: of all samples.
  SLUICE_HOST_DEVICE JpegSegmentReader(const JpegSample& sample, const JpegSegment& segment,
                                       const std::uint32_t* words, const std::uint16_t* entries,
                                       const JpegCodes& codes, std::int16_t* coefficients)
      : JpegSegmentBlocks(sample, segment, coefficients),
        entries_(entries),
        codes_(codes),
        bits_(words, segment.begin, end_of(segment, words), segment.bits_behind),
        to_restart_(segment.to_restart),
        turn_(segment.turn) {}

  // Returns false if the piece is damaged. One loop reads all symbols: with an inner loop, threads
  // that run side by side would wait for each other at its end.
  SLUICE_HOST_DEVICE bool run() {
    if (!enter_group()) return false;
    enter_block();
    std::uint32_t k = 0;  // the position of the next coefficient, in zigzag order
    while (group_ < segment_.count) {
      bits_.refill();
      const std::uint32_t table = k == 0 ? block_.dc : block_.ac;
      const std::uint32_t symbol =
          jpeg_symbol(bits_, entries_ + (table << kJpegLookupBits), codes_, table);
      const std::uint32_t size = symbol & 15, zeros = symbol >> 4 & 15;
      if (symbol == 0 || size > (k == 0 ? 11u : 10u)) return false;
      bits_.drop(symbol >> 8);
      std::int32_t value = bits_.number(size);
      bool over = false;
      if (k == 0) {
        value = predict(value);
        if (value < -32768 || value > 32767) return false;
      } else {
        over = size == 0 && zeros != 15;
        k += zeros;
        if (k > 63 && !over) return false;
      }
      if (value != 0 && out_ != nullptr) out_[k] = static_cast<std::int16_t>(value);
      ++k;
      if (k < 64 && !over) continue;
      k = 0;
      if (!next_block()) return false;
    }
    return ends_well();
  }

 private:
  SLUICE_HOST_DEVICE static std::uint32_t end_of(const JpegSegment& segment,
                                                 const std::uint32_t* words) {
    if (!segment.zero_ends) return segment.end;
    const std::uint32_t at = segment.end - 2;
    return segment.end - ((words[at / 4] >> (at % 4 * 8) & 255) == 255 ? 0 : 1);
  }
  SLUICE_HOST_DEVICE bool next_block() {
    if (bits_.overdrawn()) return false;
    if (++number_ == sample_.group_blocks) {
      number_ = 0;
      --to_restart_;
      ++group_;
      if (!enter_group()) return false;
    }
    enter_block();
    return true;
  }
  // Called between two MCUs, and after the last one.
  SLUICE_HOST_DEVICE bool enter_group() {
    const bool due = sample_.interval > 0 && to_restart_ == 0 &&
                     (group_ < segment_.count || segment_.marker_ends);
    if (!due) return true;
    if (!bits_.pass(0xd0 + turn_)) return false;
    turn_ = (turn_ + 1) & 7;
    to_restart_ = sample_.interval;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) predictors_[i] = 0;
    return true;
  }
  SLUICE_HOST_DEVICE bool ends_well() {
    if (segment_.bits_left == JpegSegment::kAnything) return true;
    bits_.refill();
    if (!bits_.at_end()) return false;
    if (segment_.bits_left == JpegSegment::kBelowAByte) return bits_.left() < 8;
    // After damage the codes may be in step again while the DC values differ from the next piece's.
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) {
      if (i < sample_.coded && predictors_[i] != segment_.predictors_left[i]) return false;
    }
    return bits_.left() == segment_.bits_left;
  }

  const std::uint16_t* const entries_;
  const JpegCodes& codes_;
  JpegBits bits_;
  std::uint32_t to_restart_, turn_;
};

}  // namespace sluice::device
