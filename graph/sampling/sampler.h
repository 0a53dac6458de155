// Sampler: the order in which an epoch takes the samples of a dataset, and the part of them that
// belongs to this process. Also its parts: Permutation, WindowedShuffle, Shard and Weights.
// permutation.cpp has the permutations, sampler.cpp the rest.
#pragma once

#include <sluice/runtime/function.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice {

// Selects one order of all possible ones.
struct ShuffleKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

namespace detail {

inline constexpr std::int64_t kMostPermuted = std::int64_t{1} << 62;

// Throws BuildError unless n is 0 to 2^62: "a shuffle of -1 numbers; ...".
void check_count(const char* what, std::int64_t n, const char* of);

// The round keys, which all permutations of a (seed, epoch) share.
class RoundKeys {
 public:
  static constexpr int kMostRounds = 32;
  explicit RoundKeys(const ShuffleKey& key);

  // permuted() returns the number at place i, and restored() the place of number x; both are 0 to n
  // - 1. n is 1 to 2^62. Each `tweak` produces another order.
  std::int64_t permuted(std::int64_t i, std::int64_t n, std::uint64_t tweak = 0) const;
  std::int64_t restored(std::int64_t x, std::int64_t n, std::uint64_t tweak = 0) const;

 private:
  std::array<std::uint64_t, kMostRounds> keys_;
};

// Throws Error for a place that is not in 0 to n - 1.
void check_place(const char* who, std::int64_t i, std::int64_t n);

}  // namespace detail

// Permutation: the numbers 0 to n - 1 in a random order, without a table.
//
//   const Permutation order(files.size(), {.seed = 42, .epoch = 3});
//   order(i)              // the number at place i
//   order.inverse(x)      // the place of number x
//
// It is a Feistel network over two digits, i = left * right_size + right, with right_size a power
// of two near the root of n. Each round adds a hash of one digit to the other one. The two digits
// count a little further than n. A result that is too large goes through the network again until it
// is below n, which is called cycle walking (Black and Rogaway, "Ciphers with arbitrary finite
// domains", CT-RSA 2002). At most sqrt(2 n) of the n numbers do so. The keys of the rounds are
// numbers of Philox for (seed, epoch). It is meant for shuffling, and is no cipher.
//
// There are 12 rounds, and 32 for n < 64, where few values of the hashes are used. With 400,000
// seeds, the orders of 6 numbers come up equally often from 24 rounds on.
//
// The order is a function of n, seed and epoch alone: the same on every machine and in every
// version. Ownership: a plain value of 264 bytes. Threads: any number at once. Errors: BuildError
// for an n below 0 or above 2^62, Error for a place that is not in 0 to n - 1.
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

// WindowedShuffle: the numbers 0 to n - 1 in a random order that moves none of them far, for data
// that is read in order, such as archives.
//
//   const WindowedShuffle order(n, 1000, {.seed = 42, .epoch = 3});
//
// The numbers are cut into blocks of `window`, and each block is permuted by itself. The place of
// the first cut is drawn for each epoch, so that other numbers are together in the next one. A
// window of n or more is one block, a whole shuffle; a window of 1 changes nothing.
//
// For reading ahead: the places of a block hold the numbers of that block. So from place
// block(i).end on, no number below block(i).end comes any more. No number is further than window -
// 1 from its place: |order(i) - i| < window.
//
// The order is a function of n, window, seed and epoch alone: the same on every machine and in
// every version. Ownership: a plain value. Threads: any number at once. Errors: BuildError for an n
// below 0 or above 2^62 and for a window below 1, Error for a place that is not in 0 to n - 1.

class WindowedShuffle {
 public:
  // The places begin to end - 1.
  struct Block {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    friend bool operator==(const Block&, const Block&) = default;
  };

  WindowedShuffle(std::int64_t n, std::int64_t window, const ShuffleKey& key);

  std::int64_t size() const { return n_; }
  // operator() returns the number at place i, and inverse() the place of number x.
  std::int64_t operator()(std::int64_t i) const;
  std::int64_t inverse(std::int64_t x) const;
  // Returns the block that place i lies in; it holds number i as well.
  Block block(std::int64_t i) const;

 private:
  Block block_of(std::int64_t i, std::int64_t& number) const;

  std::int64_t n_;
  std::int64_t window_;
  std::int64_t before_ = 0;  // how much of the first block lies before 0
  detail::RoundKeys keys_;
};

// Shard: the part of an epoch that belongs to one of several processes that work on it together.
//
// An epoch of N samples is cut into `count` pieces: shard i has the places floor(N * i / count) to
// floor(N * (i + 1) / count) - 1, as in DALI's readers. So shards differ by one sample at most, and
// each sample is in exactly one.
//
//   const ShardPlaces mine({.index = 2, .count = 8}, samples, UnevenShards::repeat_last);
//   for (std::int64_t p = 0; p < mine.size(); ++p) use(mine(p));
//
// Ownership: plain values. Threads: any number at once. Errors: BuildError for an invalid shard,
// and for cutting an epoch of unknown length; Error for a place beyond size().

struct Shard {
  std::int64_t index = 0;  // 0 to count - 1
  std::int64_t count = 1;  // at least 1
  friend bool operator==(const Shard&, const Shard&) = default;
};

// The treatment of shards of different lengths. Processes that wait for each other need the same
// number of batches. They have it, at any batch size, if they have the same number of samples.
enum class UnevenShards : std::uint8_t {
  keep,         // some are longer by one sample
  repeat_last,  // the short ones repeat their last sample
  wrap,         // the short ones repeat their first sample
  drop          // the long ones leave out their last sample
};

// Returns the shard of a process in an epoch when shards move on: (index + epoch) % count. `epoch`
// is 0 or more.
Shard moved_on(const Shard& shard, std::int64_t epoch);

// The places of an epoch that belong to a shard.
class ShardPlaces {
 public:
  ShardPlaces() = default;
  // `samples`: the number of all shards together, 0 to 2^62, or kUntilEnd for the only shard.
  ShardPlaces(const Shard& shard, std::int64_t samples, UnevenShards uneven = UnevenShards::keep);

  // The number of samples of the shard, with repeated and without dropped ones.
  std::int64_t size() const { return size_; }
  // Returns the place in the epoch of the shard's sample p, 0 to size() - 1. A shard that repeats a
  // sample and has none of its own returns begin().
  std::int64_t operator()(std::int64_t p) const;

  // The shard's own places: begin() to end() - 1.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }

 private:
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t size_ = 0;
  bool wraps_ = false;
};

// The progress of an epoch: each of `shards` shards has done its first `position` samples.
struct Progress {
  std::int64_t shards = 1;
  std::int64_t position = 0;  // samples done in each shard
  friend bool operator==(const Progress&, const Progress&) = default;
};

// The places of an epoch that are left after a Progress, in order. They can be cut into another
// number of shards, so a run that goes on may have more or fewer processes than before.
class RemainingPlaces {
 public:
  // `samples`: as for ShardPlaces, but not kUntilEnd. `done.position` is at most the length of the
  // longest shard.
  RemainingPlaces(std::int64_t samples, const Progress& done);

  std::int64_t size() const { return size_; }
  // Returns the place in the epoch of the remaining sample `i`, 0 to size() - 1.
  std::int64_t operator()(std::int64_t i) const;

 private:
  std::int64_t samples_;
  Progress done_;
  std::int64_t size_ = 0;
};

// Weights: the relative frequency with which each sample of a dataset is drawn.
//
//   Sampler{.weights = {1, 1, 0.25}}
//
// A draw takes the same time for any number of weights: the alias method (Walker, 1974; table after
// Vose, "A linear algorithm for generating random numbers with a given distribution", 1991). The
// table is made once, of integers: weights count in shares of 2^-62 of their sum, and one below
// that is never drawn. So draws are the same on every machine.
//
// Ownership: a small handle on an immutable table, 16 bytes for each weight, which copies share.
// Threads: any number at once. Errors: BuildError for a weight that is negative, infinite or not a
// number, and for weights that are all zero; it says which.

class Weights {
 public:
  // No weights: a sampler draws nothing by weight.
  Weights() = default;
  // One weight for each sample; at least one is above 0.
  Weights(const std::vector<double>& weights);  // NOLINT(google-explicit-constructor)
  Weights(std::initializer_list<double> weights);

  // The number of weights.
  std::int64_t size() const;
  bool empty() const { return table_ == nullptr; }
  // Draws the number of a sample; takes up to 4 numbers of `random`, rarely more.
  std::int64_t draw(Random& random) const;
  // A hash of the weights. Weights in the same proportions are equal.
  std::uint64_t hash() const;

  friend bool operator==(const Weights& a, const Weights& b);

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

// A list of sample indices, in order; an index may occur more than once. A small handle on an
// immutable list, which copies share.
class Indices {
 public:
  Indices() = default;                         // not given: the whole dataset
  Indices(std::vector<std::int64_t> indices);  // NOLINT(google-explicit-constructor)
  Indices(std::initializer_list<std::int64_t> indices);
  // A mask is not a list of indices.
  template <std::same_as<bool> B>
  Indices(std::initializer_list<B> mask) = delete;

  // True if indices were given; an empty list is an empty epoch.
  bool given() const { return list_ != nullptr; }
  std::int64_t size() const;
  std::int64_t operator[](std::int64_t i) const { return (*list_)[static_cast<std::size_t>(i)]; }
  // The places of the least and the largest index, if there are any.
  std::int64_t place_of_least() const { return least_; }
  std::int64_t place_of_largest() const { return largest_; }
  std::uint64_t hash() const;
  friend bool operator==(const Indices& a, const Indices& b);

 private:
  std::shared_ptr<const std::vector<std::int64_t>> list_;
  std::int64_t least_ = 0;
  std::int64_t largest_ = 0;
};

// A user-defined order: the index of the sample at a place of an epoch, both counted from 0. The
// functions are pure: they return the same for the same numbers, on any thread, at any time. Two
// orders are equal if their names are. Give another order another name, because checkpoints compare
// names.
class UserOrder {
 public:
  using Index = Function<std::int64_t(std::int64_t epoch, std::int64_t place)>;
  using Samples = Function<std::int64_t(std::int64_t epoch)>;

  UserOrder() = default;  // none
  // `samples`: the number in each epoch, of all processes together. kUntilEnd: until `index` throws
  // EndOfEpoch.
  UserOrder(std::string name, std::int64_t samples, Index index);
  UserOrder(std::string name, Samples samples, Index index);

  bool given() const { return functions_ != nullptr; }
  const std::string& name() const { return name_; }
  std::int64_t samples(std::int64_t epoch) const { return functions_->samples(epoch); }
  std::int64_t index(std::int64_t epoch, std::int64_t place) const {
    return functions_->index(epoch, place);
  }
  friend bool operator==(const UserOrder& a, const UserOrder& b) {
    return a.given() == b.given() && a.name_ == b.name_;
  }

 private:
  struct Functions {
    Samples samples;
    Index index;
  };
  std::string name_;
  std::shared_ptr<const Functions> functions_;
};

// Sampler: selects the samples of an epoch, their order, and the part that belongs to this process.
// Plain data; the default is the whole dataset, in order, for one process.
//
//   {.shuffle = true, .shard = shard_of_environment()}      training on several GPUs
//   {.shuffle = true, .seed = 42, .window = 1000}           for archives: see WindowedShuffle
//   {.subset = {3, 1, 4}}                                   these, in this order
//   {.weights = frequencies, .draws = 50'000}               drawn with replacement, in proportion
//   {.order = {"by length", n, [=](std::int64_t epoch, std::int64_t place) { return ...; }}}
//
// An epoch is made in these steps. Take the subset, or the whole dataset. Shuffle it, or draw from
// it. Cut the result, which is the same for all processes, into shards. In epoch e a process has
// shard (index + e) % count. With stick_to_shard a process has the same samples in every epoch:
// then the cut comes first, and each shard is shuffled by itself.
//
// The sample at a place is a function of the settings, the seed, the epoch and the place alone.
// Threads, batch sizes and the start of a run change nothing, and any place can be computed
// directly.
//
// Readers use EpochOrder. Ownership: both are values that share large data, so copies are cheap.
// Threads: any number at once, which includes the user's order. Errors: EpochOrder throws
// BuildError for settings that are invalid or do not go together, and says what to do. operator[]
// throws Error for a position beyond size(), and if a user's order returns an index beyond the
// dataset.
struct Sampler {
  bool shuffle = false;
  std::optional<std::uint64_t> seed = {};  // none: the pipeline's
  // For `shuffle`: no sample is moved by this many places or more; 0 shuffles the whole epoch.
  std::int64_t window = 0;
  // Draws with replacement: samples come up equally often on average, or as `weights` say. There is
  // one weight for each sample, or for each entry of the subset.
  bool replacement = false;
  Weights weights = {};
  // The number of draws of an epoch, for all processes together; 0: as many as there are samples.
  std::int64_t draws = 0;
  Indices subset = {};
  UserOrder order = {};  // allows only `shard` and `uneven` besides
  Shard shard = {};
  bool stick_to_shard = false;
  UnevenShards uneven = UnevenShards::keep;
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

// Returns all settings in one line, for people and for checkpoints: equal samplers have equal
// texts. "shuffle, seed 42, window 1000; shard 2 of 8". Lists appear as their sizes and hashes.
std::string to_string(const Sampler& sampler);

// The samples of one epoch for this process.
class EpochOrder {
 public:
  // `epoch` is 0 or more. `dataset_size` may be kUntilEnd if one process reads in order, for a
  // subset, and for a user's order. `seed` is used if the sampler has none. `done` is for an epoch
  // that goes on with another number of shards. It lists what the first shards did and, after each
  // further change, what the next shards did of the rest. Positions then count from 0 again. With
  // the same number of shards, leave it out: the positions go on.
  EpochOrder(const Sampler& sampler, std::int64_t dataset_size, std::int64_t epoch,
             std::uint64_t seed = 0, const std::vector<Progress>& done = {});

  // The number of samples of this process; kUntilEnd if it is not known.
  std::int64_t size() const { return places_.size(); }
  // Returns the index in the dataset of the sample at this position, 0 to size() - 1.
  std::int64_t operator[](std::int64_t position) const;
  // Returns the key of that sample. Each draw with replacement is another sample.
  SampleKey key(std::int64_t position) const;

 private:
  std::int64_t samples_of_all() const;
  std::int64_t place_of(std::int64_t position) const;
  std::int64_t index_at(std::int64_t place) const;
  void begin_order(std::int64_t samples);
  std::int64_t drawn(std::int64_t place) const;
  std::int64_t from_user(std::int64_t place) const;

  Sampler sampler_;
  std::int64_t dataset_size_;
  std::int64_t epoch_;
  std::uint64_t seed_;
  std::int64_t choice_ = 0;                 // how many samples there are to choose from
  std::vector<RemainingPlaces> remaining_;  // each refers to the places of the one before
  ShardPlaces places_;
  std::variant<std::monostate, Permutation, WindowedShuffle> shuffled_;
};

}  // namespace sluice
