#include <sluice/graph/order/windowed_shuffle.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <string>

namespace sluice {
namespace {

// Stands where draws of a graph have their generator; none has this number.
constexpr std::uint32_t kFirstCut = 0xfffffffc;

// Makes of the block's number what the order within follows from: the finalizer of splitmix64
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t tweak_of(std::int64_t block) {
  std::uint64_t word = (static_cast<std::uint64_t>(block) + 1) * 0x9E3779B97F4A7C15;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
  word = (word ^ word >> 27) * 0x94D049BB133111EB;
  return word ^ word >> 31;
}

}  // namespace

WindowedShuffle::WindowedShuffle(std::int64_t n, std::int64_t window, const ShuffleKey& key)
    : n_(n), window_(std::min(window, n)), keys_(key) {
  detail::check_count("a shuffle", n, "numbers");
  if (window < 1) {
    throw BuildError("a shuffle with a window of " + std::to_string(window) +
                     "; it is 1 (in order) or more");
  }
  if (window_ == n_) return;
  Random random({.seed = key.seed, .epoch = key.epoch, .generator = kFirstCut});
  before_ = static_cast<std::int64_t>(random.below64(static_cast<std::uint64_t>(window_)));
}

WindowedShuffle::Block WindowedShuffle::block_of(std::int64_t i, std::int64_t& number) const {
  number = (i + before_) / window_;
  const std::int64_t begin = number * window_ - before_;
  return {std::max(begin, std::int64_t{0}), std::min(begin + window_, n_)};
}

WindowedShuffle::Block WindowedShuffle::block(std::int64_t i) const {
  detail::check_place("WindowedShuffle::block", i, n_);
  std::int64_t number = 0;
  return block_of(i, number);
}

std::int64_t WindowedShuffle::operator()(std::int64_t i) const {
  detail::check_place("WindowedShuffle", i, n_);
  std::int64_t number = 0;
  const Block block = block_of(i, number);
  return block.begin + keys_.permuted(i - block.begin, block.end - block.begin, tweak_of(number));
}

std::int64_t WindowedShuffle::inverse(std::int64_t x) const {
  detail::check_place("WindowedShuffle::inverse", x, n_);
  std::int64_t number = 0;
  const Block block = block_of(x, number);
  return block.begin + keys_.restored(x - block.begin, block.end - block.begin, tweak_of(number));
}

}  // namespace sluice
