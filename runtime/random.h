// Counter-based random numbers: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). A draw is a pure function of (seed, epoch, sample, generator, index), and in
// a loop of the numbers of the iterations: threads, batch sizes, arms and restarts change nothing.
//
// Random is a small value; use each object on one thread.
#pragma once

#include <array>
#include <cstdint>

namespace sluice {

// Ten rounds of Philox 4x32 on one counter.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// What takes the seed's place in one iteration of a loop, and in loops within: so each iteration
// draws its own numbers. In nested loops it is asked for the outermost one first, and each gets
// what the one around it gave.
std::uint64_t seed_of_iteration(std::uint64_t seed, std::uint64_t iteration);

// Which stream of draws: one generator (a step of the graph) for one sample of one epoch.
struct RandomKey {
  std::uint64_t seed = 0;  // in a loop, that of the iteration
  std::uint64_t epoch = 0;
  std::uint64_t sample = 0;  // index in the epoch
  std::uint32_t generator = 0;
};

class Random {
 public:
  explicit Random(const RandomKey& key);

  // The next 32 random bits.
  std::uint32_t next();
  // Uniform in [0, 1), 24 random bits.
  float unit() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
  // Uniform in [0, 1), 53 random bits.
  double unit_double();
  // Uniform in [lo, hi); lo when they are equal.
  float uniform(float lo, float hi);
  // Uniform integer in [0, n), without bias; n >= 1.
  std::uint32_t below(std::uint32_t n);
  // The same for a wide n; below(n) where n has 32 bits.
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
