// Tokens of packed JPEGs, for the threads of a device: reads a segment, and writes blocks of
// coefficients, which are all zero at first. Bodies for both kinds of devices.
// io/packs/tokens.cpp has the format.
//
// One thread reads a segment. It reads two streams of bits, which grow towards each other: raw bits
// from the segment's first byte upwards, and numbers of tokens from its last byte downwards. The
// only branches that differ between threads are the end of a block, damage, and if a coefficient is
// stored. So threads that run side by side stay together.
//
// For any input bytes, a reader reads only the words that contain bytes of its segment, and writes
// only blocks of the sample. Ownership: refers to its arguments. Errors: it stops and returns false
// where the host's decoder (io/packs/token_kernels.cpp) is in doubt.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The smallest segment of a packed JPEG, in bytes.
inline constexpr std::uint32_t kJpegSmallestPackSegment = 20;

// Returns the dictionary of a sample. `block`: the uploaded data.
SLUICE_HOST_DEVICE inline const JpegToken* jpeg_tokens(const JpegLaunch& launch,
                                                       const std::byte* block,
                                                       const JpegSample& sample) {
  return reinterpret_cast<const JpegToken*>(block + launch.tokens_at) +
         std::size_t{sample.codes} * JpegToken::kCount;
}

// Reads raw bits, the lowest one first. It loads each word before it is needed, so that the thread
// does not wait for the memory. Behind the segment's words it returns zeros.
class JpegRawBits {
 public:
  // `begin` and `end` of the segment count in bytes, from `words`.
  SLUICE_HOST_DEVICE JpegRawBits(const std::uint32_t* words, std::uint32_t begin, std::uint32_t end)
      : words_(words),
        end_(end / 4 + (end % 4 != 0 ? 1 : 0)),
        next_(begin / 4),
        next_word_(load()) {
    refill();
    drop(begin % 4 * 8);
  }

  // Makes at least 33 bits available.
  SLUICE_HOST_DEVICE void refill() {
    if (count_ > 32) return;
    buffer_ |= std::uint64_t{next_word_} << count_;
    count_ += 32;
    ++next_;
    next_word_ = load();
  }
  SLUICE_HOST_DEVICE std::uint32_t peek() const { return static_cast<std::uint32_t>(buffer_); }
  SLUICE_HOST_DEVICE void drop(std::uint32_t bits) {
    buffer_ >>= bits;
    count_ -= bits;
  }

 private:
  SLUICE_HOST_DEVICE std::uint32_t load() const { return next_ < end_ ? words_[next_] : 0; }

  const std::uint32_t* words_;
  std::uint32_t end_, next_;  // words
  std::uint32_t next_word_;   // word number next_
  std::uint64_t buffer_ = 0;  // the next bit is the lowest one
  std::uint32_t count_ = 0;   // bits in it
};

// Reads the numbers of tokens, from the segment's end downwards. Like JpegRawBits otherwise.
class JpegTokenNumbers : JpegBitBuffer {
 public:
  SLUICE_HOST_DEVICE JpegTokenNumbers(const std::uint32_t* words, std::uint32_t begin,
                                      std::uint32_t end)
      : words_(words + begin / 4), left_((end - 1) / 4 - begin / 4 + 1), next_word_(load()) {
    refill();
    drop((3 - (end - 1) % 4) * 8);
  }

  SLUICE_HOST_DEVICE std::uint32_t next() {
    refill();
    const std::uint32_t number = peek(JpegToken::kBits);
    drop(JpegToken::kBits);
    return number;
  }

 private:
  SLUICE_HOST_DEVICE void refill() {
    if (count_ > 32) return;
    buffer_ |= std::uint64_t{next_word_} << 32 >> count_;
    count_ += 32;
    next_word_ = load();
  }
  SLUICE_HOST_DEVICE std::uint32_t load() { return left_ > 0 ? words_[--left_] : 0; }

  const std::uint32_t* words_;
  std::uint32_t left_;       // words that are not loaded yet
  std::uint32_t next_word_;  // the one after those in the buffer
};

// The state of a thread: its MCU, the block in it, the position in the block, and in both streams.
class JpegTokenReader : JpegSegmentBlocks {
 public:
  // `words`: the sample's bytes; `tokens`: its dictionary; `coefficients`: of all samples.
  SLUICE_HOST_DEVICE JpegTokenReader(const JpegSample& sample, const JpegSegment& segment,
                                     const std::uint32_t* words, const JpegToken* tokens,
                                     std::int16_t* coefficients)
      : JpegSegmentBlocks(sample, segment, coefficients),
        tokens_(tokens),
        raw_(words, segment.begin, segment.end),
        numbers_(words, segment.begin, segment.end),
        bytes_(segment.end - segment.begin),
        groups_(segment.count) {}

  // Returns false if the segment is damaged. One loop reads all tokens: with an inner loop, threads
  // that run side by side would wait for each other at its end.
  SLUICE_HOST_DEVICE bool run() {
    if (bytes_ < kJpegSmallestPackSegment) return false;
    enter_block();
    std::uint32_t k = 0;  // the position of the next coefficient, in zigzag order
    while (group_ < groups_) {
      if (!has_token()) return false;
      const auto token = load_as<JpegToken>(tokens_ + numbers_.next());
      raw_.refill();
      const std::uint32_t raw = raw_.peek(), raw_bits = token.raw >> 24;
      raw_.drop(raw_bits);
      raw_bits_ += raw_bits;
      token_bits_ += JpegToken::kBits;
      const std::uint32_t behind = k + (token.kind >> 16 & 127);
      const bool ends = (token.kind >> 23) != 0;
      // A token that ends the block must leave at least one zero to skip.
      if (behind > (ends ? 63 : 64)) return false;
      store(token, raw, k);
      k = behind;
      if (k < 64 && !ends) continue;
      k = 0;
      next_block();
    }
    return segment_.bits_left == JpegSegment::kAnything || is_used_up();
  }

 private:
  // True if the bytes of the next token lie behind those of the raw bits so far.
  SLUICE_HOST_DEVICE bool has_token() const {
    return raw_bits_ / 8 + token_bits_ / 8 + 2 <= bytes_;
  }
  SLUICE_HOST_DEVICE bool is_used_up() const {
    const std::uint32_t used = (raw_bits_ + 7) / 8 + (token_bits_ + 7) / 8;
    return (used > kJpegSmallestPackSegment ? used : kJpegSmallestPackSegment) == bytes_;
  }

  // Stores the coefficients of a token, which lie within the block. `raw` begins with its raw bits.
  SLUICE_HOST_DEVICE void store(const JpegToken& token, std::uint32_t raw, std::uint32_t k) {
    const std::uint32_t at = k + (token.kind >> 8 & 63);
    std::uint32_t signs = raw >> (token.raw >> 16 & 31);
    SLUICE_UNROLL for (std::uint32_t i = 0; i < JpegToken::kCoefficients; ++i) {
      auto value = static_cast<std::int32_t>(token.magnitudes[i / 4] >> (8 * (i % 4)) & 255);
      if (i == 0) value += static_cast<std::int32_t>(raw & token.raw & 0xffff);
      const std::uint32_t has_sign = token.kind >> i & 1;
      if ((signs & has_sign) != 0) value = -value;
      signs >>= has_sign;
      if (i == 0 && k == 0) {
        const std::int32_t dc = predict(at == 0 ? value : 0);
        if (at == 0) {
          value = dc;
        } else if (out_ != nullptr) {
          out_[0] = static_cast<std::int16_t>(dc);
        }
      }
      // All values are modulo 2^16.
      if (value != 0 && out_ != nullptr) out_[at + i] = static_cast<std::int16_t>(value);
    }
  }
  SLUICE_HOST_DEVICE void next_block() {
    if (++number_ == sample_.group_blocks) {
      number_ = 0;
      ++group_;
    }
    enter_block();
  }

  const JpegToken* const tokens_;
  JpegRawBits raw_;
  JpegTokenNumbers numbers_;
  const std::uint32_t bytes_, groups_;           // of the segment
  std::uint32_t raw_bits_ = 0, token_bits_ = 0;  // read so far
};

}  // namespace sluice::device
