// Counter-based random numbers: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). A draw is a pure function of (seed, epoch, sample, generator, index), and
// inside loops also of the iteration numbers. Threads, batch sizes, branches and restarts change
// nothing.
//
// Random is a small value; use each object on one thread.
#pragma once

#include <array>
#include <cstdint>

namespace sluice {

// Ten rounds of Philox 4x32 on one counter. For GPUs as well.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMul0 * counter[0];
    const std::uint64_t p1 = kMul1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// Returns the seed for one iteration of a loop and for the loops inside it, so that each iteration
// draws its own numbers. For nested loops, apply it to the outermost loop first, and to each inner
// one with the result of the loop around it.
std::uint64_t seed_of_iteration(std::uint64_t seed, std::uint64_t iteration);

// Selects a stream of draws: one generator (a step of the graph) for one sample of one epoch.
struct RandomKey {
  std::uint64_t seed = 0;  // in a loop, the seed of the iteration
  std::uint64_t epoch = 0;
  std::uint64_t sample = 0;  // index in the data set
  std::uint32_t generator = 0;
  std::uint64_t repeat = 0;  // tells draws of one sample apart, see SampleKey
};

// All words that a Random draws, from the first on, for code that draws them in another order. Word
// i is in block i / 4.
struct RandomWords {
  std::array<std::uint32_t, 3> counter{};  // the words after the block number
  std::array<std::uint32_t, 2> key{};
  constexpr std::array<std::uint32_t, 4> block(std::uint32_t number) const {
    return philox4x32({number, counter[0], counter[1], counter[2]}, key);
  }
};

class Random {
 public:
  explicit Random(const RandomKey& key);

  // Returns all words, without drawing any.
  RandomWords words() const;

  // The next 32 random bits.
  std::uint32_t next();
  // Uniform in [0, 1), 24 random bits.
  float unit() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
  // Uniform in [0, 1), 53 random bits.
  double unit_double();
  // Uniform in [lo, hi); lo if they are equal.
  float uniform(float lo, float hi);
  // Uniform integer in [0, n), without bias; n >= 1.
  std::uint32_t below(std::uint32_t n);
  // The same for a 64-bit n; below(n) if n fits into 32 bits.
  std::uint64_t below64(std::uint64_t n);
  // Normal distribution by Box and Muller's formula.
  float normal(float mean, float stddev);

 private:
  RandomKey key_;
  std::uint32_t block_ = 0;
  unsigned used_ = 4;
  std::array<std::uint32_t, 4> bits_{};
};

}  // namespace sluice
