// Random numbers in bulk: the numbers that a Random draws from its first one on (RandomWords),
// computed by SIMD instructions. Internal to kernels that need many.
//
//   RandomStream numbers(random.words());
//   for (float& x : all) x = numbers.unit();
//
// Threads: like any data. Errors: none.
#pragma once

#include <sluice/runtime/random.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Makes `count` blocks of four words, from number `first` on. It may write this many words more.
inline constexpr std::size_t kRandomSlack = 32;
void random_blocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                   std::uint32_t* out);

// Returns the words one by one.
class RandomStream {
 public:
  explicit RandomStream(const RandomWords& words) : words_(words) {}
  std::uint32_t next() {
    if (at_ == kWords) refill();
    return buffer_[at_++];
  }
  // Same as Random::unit().
  float unit() { return static_cast<float>(next() >> 8) * 0x1p-24f; }

 private:
  static constexpr std::size_t kWords = 512;
  void refill() {
    random_blocks(words_, block_, kWords / 4, buffer_.data());
    block_ += kWords / 4;
    at_ = 0;
  }

  RandomWords words_;
  std::uint32_t block_ = 0;
  std::size_t at_ = kWords;
  std::array<std::uint32_t, kWords + kRandomSlack> buffer_;
};

}  // namespace sluice::kernels
