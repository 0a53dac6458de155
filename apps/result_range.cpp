#include "result_range.h"

#include "usage.h"
#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/readers/environment.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sluice::app {
namespace {

bool read(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Shard shard_of(std::string_view option) {
  const std::size_t slash = option.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !read(option.substr(0, slash), shard.index) ||
      !read(option.substr(slash + 1), shard.count) || shard.index < 0 ||
      shard.index >= shard.count) {
    throw UsageError(fmt::format(
        "--shard must be I/N, where N processes share the work and I is 0 to N - 1, such as 0/4; "
        "not '{}'",
        escape_control_chars(option)));
  }
  return shard;
}

}  // namespace

ProcessShard::ProcessShard(const std::string& option)
    : shard_(option.empty() ? shard_of_environment() : shard_of(option)),
      together_(option.empty()) {}

std::string ProcessShard::words() const {
  return is_whole() ? std::string() : fmt::format(" (shard {}/{})", shard_.index, shard_.count);
}

std::int64_t ResultRange::in_epoch(std::int64_t epoch) const {
  const std::int64_t whole = options_.count / options_.samples;
  if (epoch < whole) return options_.samples;
  return epoch == whole ? options_.count % options_.samples : 0;
}

ShardPlaces ResultRange::places(std::int64_t epoch) const {
  return {moved_on(share_.shard(), epoch), in_epoch(epoch)};
}

// Checkpoints compare the name. It includes the count if the last epoch is cut short, since then
// the shards differ. It also says whether failed samples are replaced, since then results differ.
UserOrder ResultRange::order() const {
  std::string name =
      options_.shuffle ? fmt::format("shuffled, seed {}", options_.seed) : std::string("in order");
  if (options_.count % options_.samples != 0) name += ", " + counted(options_.count, "sample");
  if (options_.replace) name += ", failed samples replaced";
  return {std::move(name), [*this](std::int64_t epoch) { return in_epoch(epoch); },
          [options = options_](std::int64_t epoch, std::int64_t place) {
            if (!options.shuffle) return place;
            const auto shuffled = static_cast<std::uint64_t>(epoch);
            return Permutation(options.samples, {options.seed, shuffled})(place);
          }};
}

// Shards rotate: over as many whole epochs as there are processes, each process gets every place
// once.
std::int64_t ResultRange::in_epochs(std::int64_t epochs) const {
  const std::int64_t parts = share_.shard().count;
  const std::int64_t rounds = std::min(epochs, options_.count / options_.samples) / parts;
  std::int64_t sum = rounds * options_.samples;
  for (std::int64_t epoch = rounds * parts; epoch < epochs; ++epoch) sum += places(epoch).size();
  return sum;
}

std::int64_t ResultRange::in_shard() const {
  return in_epochs(options_.count / options_.samples + 1);
}

std::int64_t ResultRange::before(const Checkpoint& next) const {
  const std::int64_t epochs = std::min(next.epoch, options_.count / options_.samples + 1);
  return std::min(in_epochs(epochs) + next.position, in_shard());
}

bool ResultRange::is_left(std::int64_t number, const std::optional<Checkpoint>& next) const {
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
