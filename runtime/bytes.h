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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

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
class BytesOnDemand;
}

class JpegIndex;

class Bytes {
 public:
  // Two parts of bytes on demand are read in one call if the gap between them is at most this.
  // Copying a page costs about as much as a system call.
  static constexpr std::size_t kReadGap = 4096;

  Bytes() noexcept;
  // `size` uninitialised bytes from the current BufferPool.
  explicit Bytes(std::size_t size);
  Bytes(Bytes&& other) noexcept;
  // Bytes that are given a view of themselves keep their memory.
  Bytes& operator=(Bytes&& other) noexcept;
  ~Bytes();

  static Bytes copy_of(std::span<const std::uint8_t> source);
  // `source` must stay as it is for as long as there is a view of it, and nobody may write through
  // the view.
  static Bytes view_of(std::span<const std::uint8_t> source);
  // Bytes at `source` that live as long as `owner`, and that nobody may write. For memory with a
  // deleter of its own:
  //   Bytes::shared(std::shared_ptr<const void>(memory, unmap), {memory, size})
  // Such a deleter runs once, when the last share goes, on that thread, and must not throw.
  static Bytes shared(std::shared_ptr<const void> owner, std::span<const std::uint8_t> source);
  // Bytes of which the first `there` have been read. `source` reads the others into the same
  // memory, when somebody asks for them.
  static Bytes on_demand(Bytes bytes, std::size_t there, std::unique_ptr<ByteSource> source);

  // True for bytes that belong to somebody else.
  bool is_view() const { return bytes_.data() != nullptr && !buffer_ && owner_ == nullptr; }
  // Makes a view a copy, and reads what is missing of bytes on demand.
  void own();

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
  bool is_on_demand() const;
  // The bytes, of which these parts have been read. What lies outside may be anything, and may be
  // written meanwhile.
  std::span<const std::uint8_t> read_parts(std::span<const ByteRange> parts) const;
  // As many as have been read from the first one on: all, unless they are on demand.
  std::span<const std::uint8_t> prefix() const;
  void read_all() const {
    if (on_demand_ != nullptr) read_rest();
  }

  // What is known of the file, or may be learnt of it; null when there is none.
  JpegIndex* index() const { return index_.get(); }
  // The hash of all bytes, if it is known (digest_of in io/jpeg/index.h).
  std::optional<std::uint64_t> content_hash() const { return content_hash_; }
  // Nobody may write any more when the hash is given, also not through a pointer that was taken
  // before.
  void set_index(std::shared_ptr<JpegIndex> index, std::optional<std::uint64_t> content_hash = {});

  // Gives the memory back to the pool, and forgets the index and the hash.
  void release() noexcept { *this = Bytes(); }

 private:
  bool holds(const std::uint8_t* at) const;
  void read_rest() const;

  Buffer buffer_;                      // of the pool; empty for a view, and beside an owner
  std::shared_ptr<const void> owner_;  // of bytes that are shared
  std::span<std::uint8_t> bytes_;
  std::unique_ptr<detail::BytesOnDemand> on_demand_;  // null where all are there
  std::shared_ptr<JpegIndex> index_;
  std::optional<std::uint64_t> content_hash_;
};

}  // namespace sluice
