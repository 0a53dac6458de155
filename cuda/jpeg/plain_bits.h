// JpegPlainBits: reads the bits of a JPEG scan without stuffed zeros and markers, on one thread of
// a device.
//
// It only reads words of the sample; after their end it returns zeros. Ownership: refers to the
// words.
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstdint>

namespace sluice::device {

class JpegPlainBits {
 public:
  // `bit`: the bit to begin with.
  SLUICE_HOST_DEVICE JpegPlainBits(const std::uint32_t* words, std::uint32_t count,
                                   std::uint32_t bit)
      : words_(words), end_(count), next_(bit / 32) {
    refill();
    refill();
    drop(bit % 32);
  }

  // Makes at least 33 bits available.
  SLUICE_HOST_DEVICE void refill() {
    if (count_ > 32) return;
    buffer_ |= std::uint64_t{take()} << 32 >> count_;
    count_ += 32;
  }
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
  // The position of the next bit.
  SLUICE_HOST_DEVICE std::uint32_t place() const { return next_ * 32 - count_; }

 private:
  SLUICE_HOST_DEVICE std::uint32_t take() {
    const std::uint32_t at = next_++;
    if (at >= end_) return 0;
    const std::uint32_t word = words_[at];
    return (word << 24) | (word << 8 & 0xff0000) | (word >> 8 & 0xff00) | (word >> 24);
  }

  const std::uint32_t* words_;
  std::uint32_t end_, next_;  // words
  std::uint64_t buffer_ = 0;  // the next bit is the highest one
  std::uint32_t count_ = 0;   // bits in it
};

}  // namespace sluice::device
