// Bytes: an encoded file (or any run of bytes) in pooled memory, in memory that goes back to
// somebody by a deleter, or a view of bytes that somebody else keeps. Moves, does not copy.
// Threads: like a vector.
//
// Bytes on demand are read when somebody looks at them. Whoever needs but a part of them says so
// (read_parts); anybody else gets all, and notices nothing but what the reading takes, and what it
// throws: from data(), begin(), end(), own() and the conversion to a span.
//
// Whoever reads a file may say which index knows it, and the hash of its content, by which an index
// finds it, for those who decode it. Ownership: of the bytes, or a share of their owner, unless
// they are a view; a share of the index. Errors: std::bad_alloc, std::invalid_argument, and what
// the source of bytes on demand throws.
#pragma once

#include <sluice/runtime/buffer_pool.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice {

// The bytes begin .. end - 1 of a file.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

// ByteSource: where Bytes come from that are read when they are needed, part by part.
//
// Ownership: Bytes own their source (Bytes::on_demand). Threads: one at a time, any of them.
// Errors: whatever read() throws goes to whoever asked for the part.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // Fills these parts of `whole`, which are in order and lie apart. Touches nothing else of it. If
  // it throws, none of them counts as read.
  virtual void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) = 0;
};

namespace detail {

// Which parts of some bytes are there, and where the others come from. Any number of threads may
// ask at once: a part is read once, and what is there is not written again.
class BytesOnDemand {
 public:
  // Ranges that lie no further apart are read in one go: copying a page takes about as long as
  // asking the system.
  static constexpr std::size_t kGap = 4096;

  // The first `there` bytes have been read.
  BytesOnDemand(std::size_t there, std::unique_ptr<ByteSource> source)
      : source_(std::move(source)) {
    if (there > 0) there_.push_back({0, there});
  }

  // Reads what is missing of these parts, which may lie in any order. Throws std::out_of_range for
  // one that does not lie inside.
  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole);
  void read_all(std::span<std::uint8_t> whole) {
    if (all_.load(std::memory_order_acquire)) return;
    const ByteRange all{0, whole.size()};
    read({&all, 1}, whole);
  }
  bool has_all() const { return all_.load(std::memory_order_acquire); }
  // How many bytes are there from the first one on.
  std::size_t prefix() const;

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<ByteSource> source_;
  std::vector<ByteRange> there_;  // in order; they do not touch
  std::atomic<bool> all_{false};
};

}  // namespace detail

class JpegIndex;

class Bytes {
 public:
  Bytes() = default;
  // `size` uninitialised bytes from the current BufferPool.
  explicit Bytes(std::size_t size)
      : buffer_(BufferPool::current().allocate(size)),
        bytes_{reinterpret_cast<std::uint8_t*>(buffer_.data()), size} {}
  Bytes(Bytes&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        owner_(std::move(other.owner_)),
        bytes_(std::exchange(other.bytes_, {})),
        on_demand_(std::move(other.on_demand_)),
        index_(std::move(other.index_)),
        content_hash_(std::exchange(other.content_hash_, {})) {}
  // Bytes that are given a view of themselves keep their memory.
  Bytes& operator=(Bytes&& other) noexcept {
    if (this == &other) return *this;
    std::shared_ptr<const void> owner_before;  // who is told when all is as it shall be
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
  ~Bytes() = default;

  static Bytes copy_of(std::span<const std::uint8_t> source) {
    Bytes bytes(source.size());
    if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
    return bytes;
  }
  // `source` must stay as it is for as long as there is a view of it, and nobody may write through
  // the view.
  static Bytes view_of(std::span<const std::uint8_t> source) {
    Bytes bytes;
    bytes.bytes_ = {const_cast<std::uint8_t*>(source.data()), source.size()};
    return bytes;
  }
  // Bytes at `source` that live as long as `owner`, and that nobody may write. For memory with a
  // deleter of its own:
  //   Bytes::shared(std::shared_ptr<const void>(memory, unmap), {memory, size})
  // Such a deleter runs once, when the last share goes, on that thread, and must not throw.
  static Bytes shared(std::shared_ptr<const void> owner, std::span<const std::uint8_t> source) {
    if (owner == nullptr) throw std::invalid_argument("bytes cannot share memory without an owner");
    Bytes bytes = view_of(source);
    bytes.owner_ = std::move(owner);
    return bytes;
  }
  // Bytes of which the first `there` have been read. `source` reads the others into the same
  // memory, when somebody asks for them.
  static Bytes on_demand(Bytes bytes, std::size_t there, std::unique_ptr<ByteSource> source) {
    if (source == nullptr || there > bytes.size() || bytes.is_view() || bytes.owner_ != nullptr)
      throw std::invalid_argument("bytes on demand need a source, and memory of their own");
    bytes.on_demand_ = std::make_unique<detail::BytesOnDemand>(there, std::move(source));
    return bytes;
  }

  // True for bytes that belong to somebody else.
  bool is_view() const { return bytes_.data() != nullptr && !buffer_ && owner_ == nullptr; }
  // Makes a view a copy, and reads what is missing of bytes on demand.
  void own() {
    if (!is_view()) return read_all();
    Bytes copy = copy_of(bytes_);
    copy.set_index(std::move(index_), content_hash_);
    *this = std::move(copy);
  }

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return size() == 0; }
  // For those who write: the hash of the content is forgotten.
  std::uint8_t* data() {
    read_all();
    if (content_hash_) content_hash_.reset();  // bytes without one may be read by several threads
    return bytes_.data();
  }
  const std::uint8_t* data() const {
    read_all();
    return bytes_.data();
  }
  const std::uint8_t* begin() const { return data(); }
  const std::uint8_t* end() const { return data() + size(); }
  operator std::span<const std::uint8_t>() const { return {data(), size()}; }

  // Whether some of them may not have been read yet.
  bool is_on_demand() const { return on_demand_ != nullptr && !on_demand_->has_all(); }
  // The bytes, of which these parts have been read. What lies outside may be anything, and may be
  // written meanwhile.
  std::span<const std::uint8_t> read_parts(std::span<const ByteRange> parts) const {
    if (is_on_demand()) on_demand_->read(parts, bytes_);
    return bytes_;
  }
  // As many as have been read from the first one on: all, unless they are on demand.
  std::span<const std::uint8_t> prefix() const {
    return is_on_demand() ? bytes_.first(on_demand_->prefix()) : bytes_;
  }
  void read_all() const {
    if (on_demand_ != nullptr) on_demand_->read_all(bytes_);
  }

  // What is known of the file, or may be learnt of it; null when there is none.
  JpegIndex* index() const { return index_.get(); }
  // The hash of all bytes, if it is known (digest_of in io/jpeg/index.h).
  std::optional<std::uint64_t> content_hash() const { return content_hash_; }
  // Nobody may write any more when the hash is given, also not through a pointer that was taken
  // before.
  void set_index(std::shared_ptr<JpegIndex> index, std::optional<std::uint64_t> content_hash = {}) {
    index_ = std::move(index);
    content_hash_ = content_hash;
  }

  // Gives the memory back to the pool, and forgets the index and the hash.
  void release() noexcept { *this = Bytes(); }

 private:
  bool holds(const std::uint8_t* at) const {
    const std::less_equal<const std::uint8_t*> not_after;
    return buffer_.contains(at) || (owner_ != nullptr && not_after(bytes_.data(), at) &&
                                    !not_after(bytes_.data() + bytes_.size(), at));
  }

  Buffer buffer_;                      // of the pool; empty for a view, and beside an owner
  std::shared_ptr<const void> owner_;  // of bytes that are shared
  std::span<std::uint8_t> bytes_;
  std::unique_ptr<detail::BytesOnDemand> on_demand_;  // null where all are there
  std::shared_ptr<JpegIndex> index_;
  std::optional<std::uint64_t> content_hash_;
};

}  // namespace sluice
