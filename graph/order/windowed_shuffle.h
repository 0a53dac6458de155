// WindowedShuffle: the numbers 0 to n - 1 in a random order in which none is moved far, for what is
// read in order, such as archives.
//
//   const WindowedShuffle order(n, 1000, {.seed = 42, .epoch = 3});
//
// The numbers are cut into blocks of `window`, and each block is permuted by itself. Where the
// first cut lies is drawn for each epoch, so that other numbers are together in the next one. A
// window of n or more is one block, a whole shuffle; a window of 1 changes nothing.
//
// For whoever reads ahead: the numbers at the places of a block are those of the block, so after
// place block(i).end no number below it comes any more. No number is further than window - 1 from
// its place: |order(i) - i| < window.
//
// The order is a function of n, window, seed and epoch alone: the same on every machine and in
// every version. Ownership: a plain value. Threads: any number at once. Errors: BuildError for an n
// below 0 or above 2^62 and for a window below 1, Error for a place that is not in 0 to n - 1.
#pragma once

#include <sluice/graph/order/permutation.h>

#include <cstdint>

namespace sluice {

class WindowedShuffle {
 public:
  // begin to end - 1.
  struct Block {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    friend bool operator==(const Block&, const Block&) = default;
  };

  WindowedShuffle(std::int64_t n, std::int64_t window, const ShuffleKey& key);

  std::int64_t size() const { return n_; }
  // Which number stands at place i, and at which place number x stands.
  std::int64_t operator()(std::int64_t i) const;
  std::int64_t inverse(std::int64_t x) const;
  // The block in which place i lies; it holds number i as well.
  Block block(std::int64_t i) const;

 private:
  Block block_of(std::int64_t i, std::int64_t& number) const;

  std::int64_t n_;
  std::int64_t window_;
  std::int64_t before_ = 0;  // how much of the first block lies before 0
  detail::RoundKeys keys_;
};

}  // namespace sluice
