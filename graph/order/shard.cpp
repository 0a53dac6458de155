#include <sluice/graph/order/permutation.h>
#include <sluice/graph/order/shard.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <algorithm>
#include <string>

namespace sluice {
namespace {

// floor(samples * index / count), which may need more than 64 bits on the way.
std::int64_t cut(std::int64_t samples, std::int64_t index, std::int64_t count) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{samples} * index / count);
}

void check(const Shard& shard) {
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    throw BuildError("shard " + std::to_string(shard.index) + " of " + std::to_string(shard.count) +
                     "; shards are counted from 0, and there is at least 1");
  }
}

void check(const Shard& shard, std::int64_t samples) {
  check(shard);
  if (samples == kUntilEnd && shard.count > 1) {
    throw BuildError("an epoch whose length is not known cannot be cut into " +
                     std::to_string(shard.count) +
                     " shards; say how many samples it has, or let each process's source give its "
                     "own samples, without a shard");
  }
  if (samples != kUntilEnd) detail::check_count("an epoch", samples, "samples");
}

}  // namespace

Shard moved_on(const Shard& shard, std::int64_t epoch) {
  check(shard);
  const std::int64_t steps = epoch % shard.count;
  const std::int64_t before_wrap = shard.count - steps;
  const bool wraps = shard.index >= before_wrap;
  return {wraps ? shard.index - before_wrap : shard.index + steps, shard.count};
}

ShardPlaces::ShardPlaces(const Shard& shard, std::int64_t samples, UnevenShards uneven)
    : wraps_(uneven == UnevenShards::wrap) {
  check(shard, samples);
  begin_ = cut(samples, shard.index, shard.count);
  end_ = cut(samples, shard.index + 1, shard.count);
  const std::int64_t least = samples / shard.count;
  switch (uneven) {
    case UnevenShards::keep:
      size_ = end_ - begin_;
      break;
    case UnevenShards::repeat_last:
    case UnevenShards::wrap:
      size_ = least + (samples % shard.count == 0 ? 0 : 1);
      break;
    case UnevenShards::drop:
      size_ = least;
      break;
  }
}

std::int64_t ShardPlaces::operator()(std::int64_t p) const {
  detail::check_place("samples of this process", p, size_);
  if (begin_ + p < end_) return begin_ + p;
  return wraps_ ? begin_ : std::max(begin_, end_ - 1);
}

RemainingPlaces::RemainingPlaces(std::int64_t samples, const Progress& done)
    : samples_(samples), done_(done) {
  check({0, done.shards}, samples);
  if (samples == kUntilEnd)
    throw BuildError("an epoch whose length is not known has no places that remain");
  const std::int64_t least = samples / done.shards;
  const std::int64_t most = least + (samples % done.shards == 0 ? 0 : 1);
  if (done.position < 0 || done.position > most) {
    throw BuildError("an epoch of which " + std::to_string(done.shards) + " shards have done " +
                     std::to_string(done.position) + " samples each, where they have " +
                     std::to_string(most) + " at most; the checkpoint is of another dataset");
  }
  // What is beyond the shorter shards is the last sample of the longer ones.
  if (done.position <= least) size_ = samples - done.shards * done.position;
}

// What each shard has left, floor(N (i + 1) / S) - floor(N i / S) - position, is what it has of
// size() samples that are cut in the same way. So i falls to the last shard that begins no later.
std::int64_t RemainingPlaces::operator()(std::int64_t i) const {
  detail::check_place("places that remain", i, size_);
  __extension__ using Wide = __int128;
  const std::int64_t count = done_.shards;
  const auto shard = static_cast<std::int64_t>(((Wide{i} + 1) * count - 1) / size_);
  return cut(samples_, shard, count) + done_.position + (i - cut(size_, shard, count));
}

}  // namespace sluice
