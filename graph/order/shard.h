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
#pragma once

#include <cstdint>

namespace sluice {

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

}  // namespace sluice
