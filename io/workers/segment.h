// Segment: memory that two processes share. It has no name in the file system, so the system frees
// it when the last process that maps it ends. Internal.
//
// A worker makes segments and sends the descriptor of each to the process that started it. The size
// is sealed, so no process can shrink a segment while another one reads it.
//
// Ownership: unmaps its memory. Threads: all. Errors: std::system_error; Nonsense for an unsuitable
// descriptor.
#pragma once

#include <sluice/io/workers/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice::detail {

class Segment {
 public:
  // Makes a segment of at least `bytes` bytes, and the descriptor to send.
  static std::pair<Segment, Descriptor> make(std::size_t bytes);
  // Maps a segment that another process made, of at most `most` bytes. Writes to a `copied` one are
  // private.
  enum class Pages : std::uint8_t { shared, copied };
  static Segment of(const Descriptor& descriptor, std::size_t most, Pages pages = Pages::shared);

  Segment(Segment&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return at_; }
  std::size_t size() const { return size_; }
  // True if these bytes lie in the segment.
  bool holds(std::size_t offset, std::size_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }

 private:
  Segment(int descriptor, std::size_t bytes, Pages pages);
  std::byte* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sluice::detail
