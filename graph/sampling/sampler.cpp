#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
namespace {

// Returns floor(samples * index / count), which may need more than 64 bits on the way.
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
                     " shards; give its number of samples, or let each process's source return its "
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
                     std::to_string(most) + " at most; the checkpoint belongs to another dataset");
  }
  // Otherwise the longer shards have done their last sample, and nothing is left.
  if (done.position <= least) size_ = samples - done.shards * done.position;
}

// Each shard has floor(N (i + 1) / S) - floor(N i / S) - position samples left. That is its part of
// size() samples that are cut in the same way. So i belongs to the last shard that begins no later.
std::int64_t RemainingPlaces::operator()(std::int64_t i) const {
  detail::check_place("places that remain", i, size_);
  __extension__ using Wide = __int128;
  const std::int64_t count = done_.shards;
  const auto shard = static_cast<std::int64_t>(((Wide{i} + 1) * count - 1) / size_);
  return cut(samples_, shard, count) + done_.position + (i - cut(size_, shard, count));
}

namespace {

__extension__ using Wide = unsigned __int128;

double checked_largest(const std::vector<double>& weights) {
  if (weights.empty()) throw BuildError("there are no weights; give one for each sample");
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) {
      throw BuildError("weight " + std::to_string(i) + " of " + std::to_string(weights.size()) +
                       " is " + detail::number_text(weights[i]) +
                       "; weights are finite numbers from 0 on");
    }
    largest = std::max(largest, weights[i]);
  }
  if (largest == 0) {
    throw BuildError("all " + std::to_string(weights.size()) +
                     " weights are 0, so there is nothing to draw; one must be above 0");
  }
  return largest;
}

// Returns each weight's part of 2^62. Uses only steps that every machine rounds in the same way.
std::vector<std::uint64_t> shares_of(const std::vector<double>& weights) {
  const double largest = checked_largest(weights);
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;
  std::vector<std::uint64_t> shares;
  shares.reserve(weights.size());
  for (const double weight : weights) {
    const double part = weight / largest / sum;
    shares.push_back(static_cast<std::uint64_t>(std::ldexp(part, 62)));
  }
  return shares;
}

}  // namespace

struct Weights::Table {
  // A column is as high as the sum of all shares. Below `own` it belongs to its own sample, above
  // it to `other`.
  struct Column {
    std::uint64_t own = 0;
    std::int64_t other = 0;
    friend bool operator==(const Column&, const Column&) = default;
  };
  explicit Table(const std::vector<double>& given) : columns(given.size()) {
    const std::vector<std::uint64_t> shares = shares_of(given);
    for (const std::uint64_t share : shares) sum += share;
    // The share that a sample has left, times the number of columns; `sum` fills a column.
    std::vector<Wide> left(shares.size());
    std::vector<std::size_t> low, high;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      left[i] = Wide{shares[i]} * shares.size();
      (left[i] < sum ? low : high).push_back(i);
    }
    while (!low.empty() && !high.empty()) {
      const std::size_t small = low.back();
      const std::size_t large = high.back();
      low.pop_back();
      columns[small] = {static_cast<std::uint64_t>(left[small]), static_cast<std::int64_t>(large)};
      left[large] -= sum - left[small];
      if (left[large] >= sum) continue;
      high.pop_back();
      low.push_back(large);
    }
    // Because the numbers are integers, all samples that are left fill their columns to the top.
    for (const std::size_t i : high) columns[i] = {sum, static_cast<std::int64_t>(i)};
  }

  std::vector<Column> columns;
  std::uint64_t sum = 0;
};

Weights::Weights(const std::vector<double>& weights)
    : table_(std::make_shared<const Table>(weights)) {}
Weights::Weights(std::initializer_list<double> weights) : Weights(std::vector<double>(weights)) {}

std::int64_t Weights::size() const {
  return empty() ? 0 : static_cast<std::int64_t>(table_->columns.size());
}

std::int64_t Weights::draw(Random& random) const {
  const auto i = random.below64(table_->columns.size());
  const Table::Column& column = table_->columns[i];
  return random.below64(table_->sum) < column.own ? static_cast<std::int64_t>(i) : column.other;
}

std::uint64_t Weights::hash() const {
  if (empty()) return 0;
  return XXH3_64bits(table_->columns.data(), table_->columns.size() * sizeof(Table::Column));
}

bool operator==(const Weights& a, const Weights& b) {
  if (a.table_ == b.table_) return true;
  return a.table_ != nullptr && b.table_ != nullptr && a.table_->columns == b.table_->columns;
}

namespace {

// Used in place of a generator's number; no generator of a graph has this one.
constexpr std::uint32_t kDraws = 0xfffffffb;

bool draws_with_replacement(const Sampler& sampler) {
  return sampler.replacement || !sampler.weights.empty();
}

[[noreturn]] void refuse(const std::string& what) { throw BuildError("a sampler with " + what); }

void check_settings(const Sampler& s) {
  const bool draws = draws_with_replacement(s);
  if (s.order.given() && (s.shuffle || s.window != 0 || draws || s.draws != 0 || s.subset.given() ||
                          s.stick_to_shard)) {
    refuse(
        "a custom order defines its samples; of the other settings it takes only `shard` and "
        "`uneven`");
  }
  if (draws && s.shuffle)
    refuse(
        "`shuffle` that draws with replacement, which is in random order already; leave one out");
  if (draws && s.stick_to_shard) {
    refuse("`stick_to_shard` that draws with replacement, from the whole dataset; leave one out");
  }
  if (s.draws != 0 && !draws)
    refuse("`draws` draws with replacement; set `replacement` or `weights`, too");
  if (s.draws < 0) {
    refuse(std::to_string(s.draws) +
           " draws; there are 1 or more, or 0 for as many as there are samples");
  }
  if (s.window != 0 && !s.shuffle) refuse("a `window` shuffles; set `shuffle`, too");
  if (s.window < 0) {
    refuse("a window of " + std::to_string(s.window) +
           "; it is 1 or more, or 0 for a shuffle of the whole epoch");
  }
}

std::string size_text(std::int64_t dataset_size) {
  if (dataset_size == kUntilEnd) return "samples of the dataset are counted from 0";
  return "the dataset has " + counted(dataset_size, "sample") + ", counted from 0";
}

void check_subset(const Indices& subset, std::int64_t dataset_size) {
  if (subset.size() == 0) return;
  for (const std::int64_t i : {subset.place_of_least(), subset.place_of_largest()}) {
    if (subset[i] >= 0 && subset[i] < dataset_size) continue;
    refuse("a subset whose entry " + std::to_string(i) + " is " + std::to_string(subset[i]) + "; " +
           size_text(dataset_size));
  }
}

void check_choice(const Sampler& s, std::int64_t choice) {
  if (choice == kUntilEnd) {
    if (!s.shuffle && !draws_with_replacement(s)) return;
    refuse(
        "a random order needs the number of samples, which this dataset does not know; read it in "
        "order, or give a `subset`");
  }
  if (!s.weights.empty() && s.weights.size() != choice) {
    refuse(counted(s.weights.size(), "weight") + " for " + counted(choice, "sample") +
           "; give one for each");
  }
  if (choice == 0 && s.draws > 0) refuse(counted(s.draws, "draw") + " has no samples to draw from");
}

}  // namespace

Indices::Indices(std::vector<std::int64_t> indices) {
  const auto [least, largest] = std::minmax_element(indices.begin(), indices.end());
  least_ = least - indices.begin();
  largest_ = largest - indices.begin();
  list_ = std::make_shared<const std::vector<std::int64_t>>(std::move(indices));
}
Indices::Indices(std::initializer_list<std::int64_t> indices)
    : Indices(std::vector<std::int64_t>(indices)) {}

std::int64_t Indices::size() const {
  return given() ? static_cast<std::int64_t>(list_->size()) : 0;
}

std::uint64_t Indices::hash() const {
  return given() ? XXH3_64bits(list_->data(), list_->size() * sizeof(std::int64_t)) : 0;
}

bool operator==(const Indices& a, const Indices& b) {
  return a.list_ == b.list_ || (a.given() && b.given() && *a.list_ == *b.list_);
}

UserOrder::UserOrder(std::string name, std::int64_t samples, Index index)
    : UserOrder(
          std::move(name), [samples](std::int64_t) { return samples; }, std::move(index)) {}
UserOrder::UserOrder(std::string name, Samples samples, Index index)
    : name_(std::move(name)),
      functions_(
          std::make_shared<const Functions>(Functions{std::move(samples), std::move(index)})) {
  if (!functions_->samples || !functions_->index)
    refuse("an order '" + escape_control_chars(name_) + "' that lacks a function");
}

EpochOrder::EpochOrder(const Sampler& sampler, std::int64_t dataset_size, std::int64_t epoch,
                       std::uint64_t seed, const std::vector<Progress>& done)
    : sampler_(sampler),
      dataset_size_(dataset_size),
      epoch_(epoch),
      seed_(sampler.seed.value_or(seed)) {
  check_settings(sampler_);
  check_subset(sampler_.subset, dataset_size_);
  choice_ = sampler_.subset.given() ? sampler_.subset.size() : dataset_size_;
  if (!sampler_.order.given()) check_choice(sampler_, choice_);
  std::int64_t samples = samples_of_all();
  if (!done.empty() && sampler_.stick_to_shard) {
    refuse(
        "`stick_to_shard` cannot continue with another number of shards, because no shard keeps "
        "its samples; begin the next epoch");
  }
  for (const Progress& progress : done) {
    remaining_.emplace_back(samples, progress);
    samples = remaining_.back().size();
  }
  const Shard& shard = sampler_.shard;
  places_ = ShardPlaces(sampler_.stick_to_shard ? shard : moved_on(shard, epoch), samples,
                        sampler_.uneven);
  if (!sampler_.shuffle) return;
  if (!sampler_.stick_to_shard) {
    begin_order(choice_);
    return;
  }
  // Shards of the same length must not have the same order.
  if (shard.count > 1) seed_ = seed_of_iteration(seed_, static_cast<std::uint64_t>(shard.index));
  begin_order(places_.end() - places_.begin());
}

std::int64_t EpochOrder::samples_of_all() const {
  if (sampler_.order.given()) return sampler_.order.samples(epoch_);
  return sampler_.draws > 0 ? sampler_.draws : choice_;
}

void EpochOrder::begin_order(std::int64_t samples) {
  const ShuffleKey key{seed_, static_cast<std::uint64_t>(epoch_)};
  if (sampler_.window == 0) {
    shuffled_.emplace<Permutation>(samples, key);
  } else {
    shuffled_.emplace<WindowedShuffle>(samples, sampler_.window, key);
  }
}

std::int64_t EpochOrder::drawn(std::int64_t place) const {
  Random random({.seed = seed_,
                 .epoch = static_cast<std::uint64_t>(epoch_),
                 .sample = static_cast<std::uint64_t>(place),
                 .generator = kDraws});
  if (!sampler_.weights.empty()) return sampler_.weights.draw(random);
  return static_cast<std::int64_t>(random.below64(static_cast<std::uint64_t>(choice_)));
}

std::int64_t EpochOrder::from_user(std::int64_t place) const {
  const std::int64_t index = sampler_.order.index(epoch_, place);
  if (index >= 0 && index < dataset_size_) return index;
  throw Error("the order '" + escape_control_chars(sampler_.order.name()) + "' gives index " +
              std::to_string(index) + " for place " + std::to_string(place) + " of epoch " +
              std::to_string(epoch_) + "; " + size_text(dataset_size_));
}

// Returns the place in the whole epoch.
std::int64_t EpochOrder::place_of(std::int64_t position) const {
  std::int64_t place = places_(position);
  for (auto rest = remaining_.rbegin(); rest != remaining_.rend(); ++rest) place = (*rest)(place);
  return place;
}

std::int64_t EpochOrder::operator[](std::int64_t position) const {
  return index_at(place_of(position));
}

SampleKey EpochOrder::key(std::int64_t position) const {
  const std::int64_t place = place_of(position);
  return {epoch_, index_at(place), draws_with_replacement(sampler_) ? place + 1 : 0};
}

std::int64_t EpochOrder::index_at(std::int64_t place) const {
  if (sampler_.order.given()) return from_user(place);
  // The shuffle covers all places, or those of the shard alone, which may have no sample of its
  // own.
  const std::int64_t begin = sampler_.stick_to_shard ? places_.begin() : 0;
  if (draws_with_replacement(sampler_)) {
    place = drawn(place);
  } else if (const auto* all = std::get_if<Permutation>(&shuffled_)) {
    if (all->size() > 0) place = begin + (*all)(place - begin);
  } else if (const auto* windows = std::get_if<WindowedShuffle>(&shuffled_)) {
    if (windows->size() > 0) place = begin + (*windows)(place - begin);
  }
  return sampler_.subset.given() ? sampler_.subset[place] : place;
}

namespace {

std::string list_text(std::int64_t size, std::uint64_t hash) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld (hash %016llx)", static_cast<long long>(size),
                static_cast<unsigned long long>(hash));
  return text;
}

std::string order_text(const Sampler& s) {
  if (s.order.given()) return "order '" + escape_control_chars(s.order.name()) + "'";
  if (!s.weights.empty()) return "weights " + list_text(s.weights.size(), s.weights.hash());
  if (s.replacement) return "replacement";
  return s.shuffle ? "shuffle" : "in order";
}

std::string uneven_text(UnevenShards uneven) {
  switch (uneven) {
    case UnevenShards::keep:
      return "";
    case UnevenShards::repeat_last:
      return ", short ones repeat their last sample";
    case UnevenShards::wrap:
      return ", short ones repeat their first sample";
    case UnevenShards::drop:
      return ", long ones drop their last sample";
  }
  return "";
}

}  // namespace

std::string to_string(const Sampler& s) {
  std::string text = order_text(s);
  if (s.draws != 0) text += ", draws " + std::to_string(s.draws);
  if (s.seed) text += ", seed " + std::to_string(*s.seed);
  if (s.window != 0) text += ", window " + std::to_string(s.window);
  if (s.subset.given()) text += ", subset " + list_text(s.subset.size(), s.subset.hash());
  if (s.shard == Shard{} && s.uneven == UnevenShards::keep && !s.stick_to_shard) return text;
  text += "; shard " + std::to_string(s.shard.index) + " of " + std::to_string(s.shard.count);
  if (s.stick_to_shard) text += ", sticks";
  return text + uneven_text(s.uneven);
}

}  // namespace sluice
