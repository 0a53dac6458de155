// Random numbers in bulk: the numbers that a Random draws from its first one on (RandomWords), and
// normal numbers from them, computed by SIMD instructions. Internal to kernels that need many.
//
//   RandomStream numbers(random.words());
//   for (float& x : all) x = numbers.unit();
//
// Threads: like any data; any thread may use the table of quantiles. Errors: none.
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

// The quantiles of the normal distribution as a table: 16 random bits become a normal number, much
// faster than by a formula. Entry i is the quantile of the probability (i + 0.5) / kQuantiles; the
// outermost are -4.3 and 4.3.
inline constexpr int kQuantiles = 1 << 16;
const std::array<float, kQuantiles>& normal_quantiles();

// Adds mean + stddev * quantiles[bits] to each value, in double precision, rounded like to_level().
void add_gaussian_noise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                        double mean, double stddev, const float* quantiles, std::uint8_t* to);

}  // namespace sluice::kernels
