// Sampler: which samples of a dataset an epoch consists of, in which order, and which of them are
// this process's. It is plain data; what is not said is in order, all of it, for one process.
//
//   {.shuffle = true, .shard = shard_of_environment()}      training on several GPUs
//   {.shuffle = true, .seed = 42, .window = 1000}           for archives: see windowed_shuffle.h
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
#pragma once

#include <sluice/graph/order/permutation.h>
#include <sluice/graph/order/shard.h>
#include <sluice/graph/order/weights.h>
#include <sluice/graph/order/windowed_shuffle.h>
#include <sluice/runtime/sample_key.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice {

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
  using Index = std::function<std::int64_t(std::int64_t epoch, std::int64_t place)>;
  using Samples = std::function<std::int64_t(std::int64_t epoch)>;

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
