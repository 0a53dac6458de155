// Permutation: the numbers 0 to n - 1 in a random order, without a table.
//
//   const Permutation order(files.size(), {.seed = 42, .epoch = 3});
//   order(i)              // which number stands at place i
//   order.inverse(x)      // at which place number x stands
//
// It is a Feistel network over two digits, i = left * right_size + right, with right_size a power
// of two near the root of n. Each round adds a hash of one digit to the other one. The two digits
// count a little further than n; a result that is too large goes through the network again until it
// is below n, which is called cycle walking (Black and Rogaway, "Ciphers with arbitrary finite
// domains", CT-RSA 2002). At most sqrt(2 n) of the n numbers do so. Rounds' keys are numbers
// of Philox for (seed, epoch). It is meant for shuffling, and is no cipher.
//
// 12 rounds, and 32 for n < 64, where few values of the hashes are asked for: orders of 6 numbers
// come up equally often as far as 400,000 seeds can tell from 24 rounds on.
//
// The order is a function of n, seed and epoch alone: the same on every machine and in every
// version. Ownership: a plain value of 264 bytes. Threads: any number at once. Errors: BuildError
// for an n below 0 or above 2^62, Error for a place that is not in 0 to n - 1.
#pragma once

#include <array>
#include <cstdint>

namespace sluice {

// Which order of all possible ones.
struct ShuffleKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

namespace detail {

inline constexpr std::int64_t kMostPermuted = std::int64_t{1} << 62;

// Throws BuildError unless there can be an order of so many: "a shuffle of -1 numbers; ...".
void check_count(const char* what, std::int64_t n, const char* of);

// What all permutations of a (seed, epoch) share.
class RoundKeys {
 public:
  static constexpr int kMostRounds = 32;
  explicit RoundKeys(const ShuffleKey& key);

  // The number at place i of 0 to n - 1, and the other way round; n is 1 to 2^62. Each `tweak`
  // gives another order.
  std::int64_t permuted(std::int64_t i, std::int64_t n, std::uint64_t tweak = 0) const;
  std::int64_t restored(std::int64_t x, std::int64_t n, std::uint64_t tweak = 0) const;

 private:
  std::array<std::uint64_t, kMostRounds> keys_;
};

// Throws Error for a place that is not in 0 to n - 1.
void check_place(const char* who, std::int64_t i, std::int64_t n);

}  // namespace detail

class Permutation {
 public:
  Permutation(std::int64_t n, const ShuffleKey& key);

  std::int64_t size() const { return n_; }
  std::int64_t operator()(std::int64_t i) const;
  std::int64_t inverse(std::int64_t x) const;

 private:
  std::int64_t n_;
  detail::RoundKeys keys_;
};

}  // namespace sluice
