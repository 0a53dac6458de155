// In which order an epoch takes the samples of a dataset, and which of them are this process's:
// Sampler, and what it is made of: Permutation, WindowedShuffle, Shard and Weights.
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

// Shard: which part of an epoch is this process's, of several that work on it together.
//
// An epoch of N samples is cut into `count` pieces: shard i has the places floor(N * i / count) to
// floor(N * (i + 1) / count) - 1, as DALI's readers have them. So shards differ by one sample at
// most, and each sample is in one.
//
//   const ShardPlaces mine({.index = 2, .count = 8}, samples, UnevenShards::repeat_last);
//   for (std::int64_t p = 0; p < mine.size(); ++p) use(mine(p));
//
// Ownership: plain values. Threads: any number at once. Errors: BuildError for a shard that cannot
// be and for an epoch of unknown length that is to be cut; Error for a place beyond size().

struct Shard {
  std::int64_t index = 0;  // 0 to count - 1
  std::int64_t count = 1;  // at least 1
  friend bool operator==(const Shard&, const Shard&) = default;
};

// What becomes of shards that are not equally long. Processes that wait for each other need the
// same number of batches, and have it, at any batch size, when they have the same number of
// samples.
enum class UnevenShards : std::uint8_t {
  keep,         // some are longer by one sample
  repeat_last,  // the short ones repeat their last sample
  wrap,         // the short ones repeat their first sample
  drop          // the long ones leave out their last sample
};

// The shard that a process has in an epoch when shards move on: (index + epoch) % count, where
// epoch is 0 or more.
Shard moved_on(const Shard& shard, std::int64_t epoch);

// The places of an epoch that a shard has.
class ShardPlaces {
 public:
  ShardPlaces() = default;
  // `samples` are those of all shards together: 0 to 2^62, or kUntilEnd for the only shard.
  ShardPlaces(const Shard& shard, std::int64_t samples, UnevenShards uneven = UnevenShards::keep);

  // How many samples the shard gives, with those that are repeated and without what is dropped.
  std::int64_t size() const { return size_; }
  // The place in the epoch of the shard's sample p, of 0 to size() - 1. A shard that repeats a
  // sample and has none of its own gives the one at begin().
  std::int64_t operator()(std::int64_t p) const;

  // Its own: begin() to end() - 1.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }

 private:
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t size_ = 0;
  bool wraps_ = false;
};

// How far an epoch has been worked on: each of so many shards has done its first samples.
struct Progress {
  std::int64_t shards = 1;
  std::int64_t position = 0;  // how many samples of each
  friend bool operator==(const Progress&, const Progress&) = default;
};

// The places of an epoch that are left then, in order. They can be cut into another number of
// shards, so a run that goes on may have more or fewer processes than before.
class RemainingPlaces {
 public:
  // `samples` as for ShardPlaces, without kUntilEnd; `done.position` is no more than the longest
  // shard has.
  RemainingPlaces(std::int64_t samples, const Progress& done);

  std::int64_t size() const { return size_; }
  // The place in the epoch of the one that is left as number `i`, of 0 to size() - 1.
  std::int64_t operator()(std::int64_t i) const;

 private:
  std::int64_t samples_;
  Progress done_;
  std::int64_t size_ = 0;
};

// Weights: how often each sample of a dataset is drawn, in proportion.
//
//   Sampler{.weights = {1, 1, 0.25}}
//
// A draw takes the same time for any number of weights: the alias method (Walker, 1974; table after
// Vose, "A linear algorithm for generating random numbers with a given distribution", 1991). The
// table is made once, of whole numbers: weights count in shares of 2^-62 of their sum, and one
// below that is never drawn. So draws are the same on every machine.
//
// Ownership: a small handle on an immutable table, 16 bytes for each weight, that copies share.
// Threads: any number at once. Errors: BuildError for a weight that is negative, infinite or not a
// number, and for weights that are all zero; it says which.

class Weights {
 public:
  // None: a sampler draws nothing by weight.
  Weights() = default;
  // One weight for each sample; at least one is above 0.
  Weights(const std::vector<double>& weights);  // NOLINT(google-explicit-constructor)
  Weights(std::initializer_list<double> weights);

  // How many there are.
  std::int64_t size() const;
  bool empty() const { return table_ == nullptr; }
  // The number of a sample; takes up to 4 numbers of `random`, rarely more.
  std::int64_t draw(Random& random) const;
  // What tells these weights from others; weights in the same proportions are equal.
  std::uint64_t hash() const;

  friend bool operator==(const Weights& a, const Weights& b);

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

// Indices of samples, in order; the same one may stand there more than once. A small handle on an
// immutable list that copies share.
class Indices {
 public:
  Indices() = default;                         // none are said: the whole dataset
  Indices(std::vector<std::int64_t> indices);  // NOLINT(google-explicit-constructor)
  Indices(std::initializer_list<std::int64_t> indices);
  // A mask is no list of indices.
  template <std::same_as<bool> B>
  Indices(std::initializer_list<B> mask) = delete;

  // Whether indices are said at all; a list without any is an empty epoch.
  bool given() const { return list_ != nullptr; }
  std::int64_t size() const;
  std::int64_t operator[](std::int64_t i) const { return (*list_)[static_cast<std::size_t>(i)]; }
  // Where the least one and the largest one stand, when there are any.
  std::int64_t place_of_least() const { return least_; }
  std::int64_t place_of_largest() const { return largest_; }
  std::uint64_t hash() const;
  friend bool operator==(const Indices& a, const Indices& b);

 private:
  std::shared_ptr<const std::vector<std::int64_t>> list_;
  std::int64_t least_ = 0;
  std::int64_t largest_ = 0;
};

// An order of the user's: the index of the sample at a place of an epoch, both counted from 0. The
// functions are pure: they give the same for the same numbers, on any thread, at any time. Two are
// equal when their names are; say another name for another order, as checkpoints go by it.
class UserOrder {
 public:
  using Index = Function<std::int64_t(std::int64_t epoch, std::int64_t place)>;
  using Samples = Function<std::int64_t(std::int64_t epoch)>;

  UserOrder() = default;  // none
  // `samples` in each epoch, of all processes together. kUntilEnd: until `index` throws EndOfEpoch.
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

// Sampler: which samples of a dataset an epoch consists of, in which order, and which of them are
// this process's. It is plain data; what is not said is in order, all of it, for one process.
//
//   {.shuffle = true, .shard = shard_of_environment()}      training on several GPUs
//   {.shuffle = true, .seed = 42, .window = 1000}           for archives: see WindowedShuffle
//   {.subset = {3, 1, 4}}                                   these, in this order
//   {.weights = frequencies, .draws = 50'000}               drawn with replacement, in proportion
//   {.order = {"by length", n, [=](std::int64_t epoch, std::int64_t place) { return ...; }}}
//
// In this order an epoch comes about: the subset, or the whole dataset; it is shuffled, or drawn
// from; the result, which is the same for all processes, is cut into shards. In epoch e a process
// has shard (index + e) % count. With stick_to_shard a process has the same samples in every
// epoch: then the cut comes first, and each shard is shuffled by itself.
//
// What stands at a place is a function of the settings, the seed, the epoch and the place alone.
// Threads, batch sizes and where a run began change nothing, and any place can be asked for at
// once.
//
// EpochOrder is what a reader asks. Ownership: both are values that share what is large, so copies
// are cheap. Threads: any number at once, the user's order included. Errors: EpochOrder throws
// BuildError for settings that cannot be, or do not go together, and says what to do; operator[]
// throws Error for a place beyond size(), and for what a user's order gives beyond the dataset.
struct Sampler {
  bool shuffle = false;
  std::optional<std::uint64_t> seed = {};  // none: the pipeline's
  // Of a shuffle: no sample is moved by so many places or more; 0: the whole epoch is shuffled.
  std::int64_t window = 0;
  // Draws with replacement: each sample comes up equally often in the mean, or as `weights` say, of
  // which there is one for each sample, or for each of the subset.
  bool replacement = false;
  Weights weights = {};
  // How often an epoch draws, for all processes together; 0: as many times as there are samples.
  std::int64_t draws = 0;
  Indices subset = {};
  UserOrder order = {};  // beside it only shards may be said
  Shard shard = {};
  bool stick_to_shard = false;
  UnevenShards uneven = UnevenShards::keep;
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

// All settings in one line, for people and for checkpoints: equal samplers have equal texts.
// "shuffle, seed 42, window 1000; shard 2 of 8". Lists are told by their sizes and hashes.
std::string to_string(const Sampler& sampler);

// The samples of one epoch for this process.
class EpochOrder {
 public:
  // `epoch` is 0 or more. `dataset_size` may be kUntilEnd, for what is read in order by one
  // process, for a subset and for a user's order. `seed` is used where the sampler has none.
  // `done` is for an epoch that goes on with another number of shards than before: what they did,
  // and after another change what those did of the rest, and so on. Positions count from 0 again.
  // With as many shards as before it is left out, and the positions go on.
  EpochOrder(const Sampler& sampler, std::int64_t dataset_size, std::int64_t epoch,
             std::uint64_t seed = 0, const std::vector<Progress>& done = {});

  // How many samples this process has; kUntilEnd where that is not known.
  std::int64_t size() const { return places_.size(); }
  // The index in the dataset of the sample at this position, of 0 to size() - 1.
  std::int64_t operator[](std::int64_t position) const;
  // Which sample that is. What is drawn with replacement is another sample each time.
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
  std::vector<RemainingPlaces> remaining_;  // each one's places are those of the one before
  ShardPlaces places_;
  std::variant<std::monostate, Permutation, WindowedShuffle> shuffled_;
};

}  // namespace sluice
