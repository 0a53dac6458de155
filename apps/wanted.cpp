#include "wanted.h"

#include <sluice/graph/order/sampler.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace sluice::app {

std::int64_t Wanted::in_epoch(std::int64_t epoch) const {
  const std::int64_t whole = options_.count / options_.samples;
  if (epoch < whole) return options_.samples;
  return epoch == whole ? options_.count % options_.samples : 0;
}

ShardPlaces Wanted::places(std::int64_t epoch) const {
  return {moved_on(part_.shard(), epoch), in_epoch(epoch)};
}

// Checkpoints compare the name. It includes the count if the last epoch is cut short, since then
// the shards differ.
UserOrder Wanted::order() const {
  std::string name =
      options_.shuffle ? fmt::format("shuffled, seed {}", options_.seed) : std::string("in order");
  if (options_.count % options_.samples != 0) name += fmt::format(", {} samples", options_.count);
  return {std::move(name), [*this](std::int64_t epoch) { return in_epoch(epoch); },
          [options = options_](std::int64_t epoch, std::int64_t place) {
            if (!options.shuffle) return place;
            const auto shuffled = static_cast<std::uint64_t>(epoch);
            return Permutation(options.samples, {options.seed, shuffled})(place);
          }};
}

// Shards rotate: over as many whole epochs as there are processes, each process gets every place
// once.
std::int64_t Wanted::in_epochs(std::int64_t epochs) const {
  const std::int64_t parts = part_.shard().count;
  const std::int64_t rounds = std::min(epochs, options_.count / options_.samples) / parts;
  std::int64_t sum = rounds * options_.samples;
  for (std::int64_t epoch = rounds * parts; epoch < epochs; ++epoch) sum += places(epoch).size();
  return sum;
}

std::int64_t Wanted::in_part() const { return in_epochs(options_.count / options_.samples + 1); }

std::int64_t Wanted::before(const Checkpoint& next) const {
  const std::int64_t epochs = std::min(next.epoch, options_.count / options_.samples + 1);
  return std::min(in_epochs(epochs) + next.position, in_part());
}

bool Wanted::is_left(std::int64_t number, const std::optional<Checkpoint>& next) const {
  const std::int64_t epoch = number / options_.samples, index = number % options_.samples;
  const auto key = static_cast<std::uint64_t>(epoch);
  const std::int64_t place =
      options_.shuffle ? Permutation(options_.samples, {options_.seed, key}).inverse(index) : index;
  const ShardPlaces mine = places(epoch);
  if (place < mine.begin() || place >= mine.end()) return false;
  return !next || epoch > next->epoch ||
         (epoch == next->epoch && place - mine.begin() >= next->position);
}

}  // namespace sluice::app
