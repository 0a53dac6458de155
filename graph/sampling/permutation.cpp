#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <bit>
#include <string>

namespace sluice {
namespace detail {
namespace {

// Used in place of a generator's number; no generator of a graph has this one.
constexpr std::uint32_t kPermutations = 0xfffffffd;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// Multiply, shift, multiply: the upper bits are well mixed. The factors are the golden ratio, as in
// splitmix64, and that of degski's 64-bit mixer.
std::uint64_t hash(std::uint64_t word) {
  word *= 0x9E3779B97F4A7C15;
  word ^= word >> 32;
  return word * 0xD6E8FEB86659FD93;
}

// Splits the numbers 0 to n - 1, and those up to the next multiple of right_size, into two digits.
struct Digits {
  explicit Digits(std::uint64_t n)
      : bits(std::max(1, static_cast<int>(std::bit_width(n - 1)) / 2)),
        mask((std::uint64_t{1} << bits) - 1),
        left_size((n + mask) >> bits),
        rounds(n < 64 ? RoundKeys::kMostRounds : 12) {}

  // The number that a round adds to the left digit, 0 to left_size - 1, and to the right one.
  std::uint64_t for_left(std::uint64_t word) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{hash(word)} * left_size) >> 64);
  }
  std::uint64_t for_right(std::uint64_t word) const { return hash(word) >> (64 - bits); }

  int bits;
  std::uint64_t mask;  // of the right digit
  std::uint64_t left_size;
  int rounds;
};

}  // namespace

RoundKeys::RoundKeys(const ShuffleKey& key) : keys_{} {
  for (std::size_t i = 0; i < keys_.size(); i += 2) {
    const auto bits = philox4x32({low(i / 2), kPermutations, low(key.epoch), high(key.epoch)},
                                 {low(key.seed), high(key.seed)});
    keys_[i] = std::uint64_t{bits[1]} << 32 | bits[0];
    keys_[i + 1] = std::uint64_t{bits[3]} << 32 | bits[2];
  }
}

std::int64_t RoundKeys::permuted(std::int64_t i, std::int64_t n, std::uint64_t tweak) const {
  const Digits digits(static_cast<std::uint64_t>(n));
  auto word = static_cast<std::uint64_t>(i);
  do {
    std::uint64_t left = word >> digits.bits;
    std::uint64_t right = word & digits.mask;
    for (std::size_t round = 0; round < static_cast<std::size_t>(digits.rounds); round += 2) {
      left += digits.for_left(right ^ keys_[round] ^ tweak);
      if (left >= digits.left_size) left -= digits.left_size;
      right = (right + digits.for_right(left ^ keys_[round + 1] ^ tweak)) & digits.mask;
    }
    word = left << digits.bits | right;
  } while (word >= static_cast<std::uint64_t>(n));
  return static_cast<std::int64_t>(word);
}

std::int64_t RoundKeys::restored(std::int64_t x, std::int64_t n, std::uint64_t tweak) const {
  const Digits digits(static_cast<std::uint64_t>(n));
  auto word = static_cast<std::uint64_t>(x);
  do {
    std::uint64_t left = word >> digits.bits;
    std::uint64_t right = word & digits.mask;
    for (auto round = static_cast<std::size_t>(digits.rounds); round > 0; round -= 2) {
      right = (right - digits.for_right(left ^ keys_[round - 1] ^ tweak)) & digits.mask;
      const std::uint64_t added = digits.for_left(right ^ keys_[round - 2] ^ tweak);
      left = left >= added ? left - added : left + digits.left_size - added;
    }
    word = left << digits.bits | right;
  } while (word >= static_cast<std::uint64_t>(n));
  return static_cast<std::int64_t>(word);
}

void check_count(const char* what, std::int64_t n, const char* of) {
  if (n >= 0 && n <= kMostPermuted) return;
  throw BuildError(std::string(what) + " of " + std::to_string(n) + " " + of +
                   "; give a number from 0 to 2^62 (" + std::to_string(kMostPermuted) + ")");
}

void check_place(const char* who, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return;
  throw Error(std::string(who) + ": there is no place " + std::to_string(i) + " among " +
              std::to_string(n) + "; they are counted from 0");
}

}  // namespace detail

Permutation::Permutation(std::int64_t n, const ShuffleKey& key) : n_(n), keys_(key) {
  detail::check_count("a permutation", n, "numbers");
}

std::int64_t Permutation::operator()(std::int64_t i) const {
  detail::check_place("Permutation", i, n_);
  return keys_.permuted(i, n_);
}

std::int64_t Permutation::inverse(std::int64_t x) const {
  detail::check_place("Permutation::inverse", x, n_);
  return keys_.restored(x, n_);
}

namespace {

// Used in place of a generator's number; no generator of a graph has this one.
constexpr std::uint32_t kFirstCut = 0xfffffffc;

// Turns a block's number into the tweak for its order: the finalizer of splitmix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
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
