#include <sluice/runtime/bytes.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sluice::detail {
namespace {

bool begins_before(const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; }

// In order; those that lie no more than `gap` apart become one.
std::vector<ByteRange> merged(std::vector<ByteRange> ranges, std::size_t gap) {
  std::sort(ranges.begin(), ranges.end(), begins_before);
  std::vector<ByteRange> all;
  for (const ByteRange& range : ranges) {
    if (range.begin == range.end) continue;
    if (all.empty() || range.begin > all.back().end + gap) {
      all.push_back(range);
    } else {
      all.back().end = std::max(all.back().end, range.end);
    }
  }
  return all;
}

// What of `wanted` lies in none of `there`; both are joined.
std::vector<ByteRange> without(const std::vector<ByteRange>& wanted,
                               const std::vector<ByteRange>& there) {
  std::vector<ByteRange> rest;
  for (ByteRange range : wanted) {
    for (const ByteRange& known : there) {
      if (known.end <= range.begin || known.begin >= range.end) continue;
      if (known.begin > range.begin) rest.push_back({range.begin, known.begin});
      range.begin = std::min(known.end, range.end);
    }
    if (range.begin < range.end) rest.push_back(range);
  }
  return rest;
}

}  // namespace

void BytesOnDemand::read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) {
  for (const ByteRange& part : parts) {
    if (part.begin <= part.end && part.end <= whole.size()) continue;
    throw std::out_of_range("the bytes " + std::to_string(part.begin) + " to " +
                            std::to_string(part.end) + " of " + std::to_string(whole.size()));
  }
  const std::lock_guard lock(mutex_);
  const std::vector<ByteRange> missing =
      without(merged({parts.begin(), parts.end()}, kGap), there_);
  if (!missing.empty()) {
    std::vector<ByteRange> then = there_;
    then.insert(then.end(), missing.begin(), missing.end());
    then = merged(std::move(then), 0);
    source_->read(missing, whole);
    there_ = std::move(then);
  }
  const bool all = whole.empty() || there_ == std::vector<ByteRange>{{0, whole.size()}};
  if (!all) return;
  source_.reset();
  all_.store(true, std::memory_order_release);
}

std::size_t BytesOnDemand::prefix() const {
  const std::lock_guard lock(mutex_);
  return there_.empty() || there_.front().begin > 0 ? 0 : there_.front().end;
}

}  // namespace sluice::detail
