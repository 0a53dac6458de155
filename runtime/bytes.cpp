#include <sluice/runtime/bytes.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

// Tracks which parts of some bytes have been read, and reads the others. Any number of threads may
// call it at once: a part is read once, and is not written again.
class BytesOnDemand {
 public:
  // The first `there` bytes have been read.
  BytesOnDemand(std::size_t there, std::unique_ptr<ByteSource> source)
      : source_(std::move(source)) {
    if (there > 0) there_.push_back({0, there});
  }

  // Reads the missing bytes of these parts, which may be in any order. Throws std::out_of_range for
  // a part that does not lie inside.
  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole);
  void read_all(std::span<std::uint8_t> whole) {
    if (has_all()) return;
    const ByteRange all{0, whole.size()};
    read({&all, 1}, whole);
  }
  bool has_all() const { return all_.load(std::memory_order_acquire); }
  // The number of bytes that have been read from the first one on.
  std::size_t prefix() const;

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<ByteSource> source_;
  std::vector<ByteRange> there_;  // in order; they do not touch
  std::atomic<bool> all_{false};
};

namespace {

bool begins_before(const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; }

// Returns the ranges in order; those that lie no more than `gap` apart become one.
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

// Returns the parts of `wanted` that lie in none of `there`. Both are merged.
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
      without(merged({parts.begin(), parts.end()}, Bytes::kReadGap), there_);
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

}  // namespace detail

Bytes::Bytes() noexcept = default;

Bytes::Bytes(std::size_t size)
    : buffer_(BufferPool::current().allocate(size)),
      bytes_{reinterpret_cast<std::uint8_t*>(buffer_.data()), size} {}

Bytes::Bytes(Bytes&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      owner_(std::move(other.owner_)),
      bytes_(std::exchange(other.bytes_, {})),
      on_demand_(std::move(other.on_demand_)),
      index_(std::move(other.index_)),
      content_hash_(std::exchange(other.content_hash_, {})) {}

Bytes& Bytes::operator=(Bytes&& other) noexcept {
  if (this == &other) return *this;
  std::shared_ptr<const void> owner_before;  // released last: that may call user code
  if (!other.is_view() || !holds(other.bytes_.data())) {
    buffer_ = std::move(other.buffer_);
    owner_before = std::exchange(owner_, std::move(other.owner_));
  }
  bytes_ = std::exchange(other.bytes_, {});
  on_demand_ = std::move(other.on_demand_);
  index_ = std::move(other.index_);
  content_hash_ = std::exchange(other.content_hash_, {});
  return *this;
}

Bytes::~Bytes() = default;

Bytes Bytes::copy_of(std::span<const std::uint8_t> source) {
  Bytes bytes(source.size());
  if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
  return bytes;
}

Bytes Bytes::view_of(std::span<const std::uint8_t> source) {
  Bytes bytes;
  bytes.bytes_ = {const_cast<std::uint8_t*>(source.data()), source.size()};
  return bytes;
}

Bytes Bytes::shared(std::shared_ptr<const void> owner, std::span<const std::uint8_t> source) {
  if (owner == nullptr) throw std::invalid_argument("bytes cannot share memory without an owner");
  Bytes bytes = view_of(source);
  bytes.owner_ = std::move(owner);
  return bytes;
}

Bytes Bytes::on_demand(Bytes bytes, std::size_t there, std::unique_ptr<ByteSource> source) {
  if (source == nullptr || there > bytes.size() || bytes.is_view() || bytes.owner_ != nullptr)
    throw std::invalid_argument("bytes on demand need a source, and memory of their own");
  bytes.on_demand_ = std::make_unique<detail::BytesOnDemand>(there, std::move(source));
  return bytes;
}

void Bytes::own() {
  if (!is_view()) return read_all();
  Bytes copy = copy_of(bytes_);
  copy.set_index(std::move(index_), content_hash_);
  *this = std::move(copy);
}

bool Bytes::is_on_demand() const { return on_demand_ != nullptr && !on_demand_->has_all(); }

std::span<const std::uint8_t> Bytes::read_parts(std::span<const ByteRange> parts) const {
  if (is_on_demand()) on_demand_->read(parts, bytes_);
  return bytes_;
}

std::span<const std::uint8_t> Bytes::prefix() const {
  return is_on_demand() ? bytes_.first(on_demand_->prefix()) : bytes_;
}

void Bytes::read_rest() const { on_demand_->read_all(bytes_); }

void Bytes::set_index(std::shared_ptr<JpegIndex> index, std::optional<std::uint64_t> content_hash) {
  index_ = std::move(index);
  content_hash_ = content_hash;
}

bool Bytes::holds(const std::uint8_t* at) const {
  const std::less_equal<const std::uint8_t*> not_after;
  return buffer_.contains(at) || (owner_ != nullptr && not_after(bytes_.data(), at) &&
                                  !not_after(bytes_.data() + bytes_.size(), at));
}

}  // namespace sluice
