// Bytes: an encoded file (or any sequence of bytes), in pooled memory, in memory that a deleter
// releases, or as a view of bytes that are owned elsewhere. Moves, does not copy. Threads: like a
// vector.
//
// Bytes on demand are read at first use. A reader that needs only a part calls read_parts(). Any
// other access reads all of them; it only takes longer, and may throw what the reading throws. This
// holds for data(), begin(), end(), own() and the conversion to a span.
//
// The reader of a file may attach the JPEG index that knows it, and the hash of its content, by
// which an index finds the file. Decoders use both. Ownership: owns the bytes or a share of their
// owner, unless they are a view; and a share of the index. Errors: std::bad_alloc,
// std::invalid_argument, and what the source of bytes on demand throws.
#pragma once

#include <sluice/runtime/memory.h>

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

// ByteSource: reads Bytes on demand, part by part.
//
// Ownership: Bytes own their source (Bytes::on_demand). Threads: one at a time, any of them.
// Errors: what read() throws goes to the caller that asked for the part.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // Fills these parts of `whole`, which are in order and do not touch. Writes nothing else. If it
  // throws, none of the parts counts as read.
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
  // `size` uninitialized bytes from the current BufferPool.
  explicit Bytes(std::size_t size);
  Bytes(Bytes&& other) noexcept;
  // Assigning a view of these bytes to themselves keeps their memory.
  Bytes& operator=(Bytes&& other) noexcept;
  ~Bytes();

  static Bytes copy_of(std::span<const std::uint8_t> source);
  // `source` must stay unchanged while a view of it exists. Do not write through the view.
  static Bytes view_of(std::span<const std::uint8_t> source);
  // Returns read-only bytes at `source` that live as long as `owner`. For memory with its own
  // deleter:
  //   Bytes::shared(std::shared_ptr<const void>(memory, unmap), {memory, size})
  // The deleter runs once, on the thread that drops the last share, and must not throw.
  static Bytes shared(std::shared_ptr<const void> owner, std::span<const std::uint8_t> source);
  // Returns bytes whose first `there` have been read. `source` reads the others into the same
  // memory, when they are needed.
  static Bytes on_demand(Bytes bytes, std::size_t there, std::unique_ptr<ByteSource> source);

  // True if the bytes are owned elsewhere.
  bool is_view() const { return bytes_.data() != nullptr && !buffer_ && owner_ == nullptr; }
  // Turns a view into a copy. Reads the missing bytes of bytes on demand.
  void own();

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return size() == 0; }
  // For writing: clears the content hash.
  std::uint8_t* data() {
    read_all();
    if (content_hash_) content_hash_.reset();  // no write if unset: threads may be reading
    return bytes_.data();
  }
  const std::uint8_t* data() const {
    read_all();
    return bytes_.data();
  }
  const std::uint8_t* begin() const { return data(); }
  const std::uint8_t* end() const { return data() + size(); }
  operator std::span<const std::uint8_t>() const { return {data(), size()}; }

  // True if some of the bytes may not have been read yet.
  bool is_on_demand() const;
  // Reads these parts, and returns all bytes. Bytes outside the parts are undefined, and may be
  // written meanwhile.
  std::span<const std::uint8_t> read_parts(std::span<const ByteRange> parts) const;
  // Returns the bytes that have been read from the first one on: all, unless they are on demand.
  std::span<const std::uint8_t> prefix() const;
  void read_all() const {
    if (on_demand_ != nullptr) read_rest();
  }

  // The JPEG index of the file: what is known of it, or may be learned. Null if there is none.
  JpegIndex* index() const { return index_.get(); }
  // The hash of all bytes, if it is known (digest_of in io/jpeg/index.h).
  std::optional<std::uint64_t> content_hash() const { return content_hash_; }
  // If a hash is passed, do not write any more, even through a pointer that was taken before.
  void set_index(std::shared_ptr<JpegIndex> index, std::optional<std::uint64_t> content_hash = {});

  // Returns the memory to the pool, and drops the index and the hash.
  void release() noexcept { *this = Bytes(); }

 private:
  bool holds(const std::uint8_t* at) const;
  void read_rest() const;

  Buffer buffer_;                      // pooled; empty for a view or with an owner
  std::shared_ptr<const void> owner_;  // of shared bytes
  std::span<std::uint8_t> bytes_;
  std::unique_ptr<detail::BytesOnDemand> on_demand_;  // null if all bytes are there
  std::shared_ptr<JpegIndex> index_;
  std::optional<std::uint64_t> content_hash_;
};

}  // namespace sluice
