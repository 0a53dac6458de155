// Segment: memory that two processes share. It has no name in the file system, so nothing is left
// of it when the last process that has it ends. Internal.
//
// A worker makes segments; the process that started it is sent a descriptor of each. Its size is
// sealed: nobody can cut it while another one reads.
//
// Ownership: unmaps its memory. Threads: all. Errors: std::system_error; Nonsense for a descriptor
// that is something else.
#pragma once

#include <sluice/io/workers/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice::detail {

class Segment {
 public:
  // A new one of at least `bytes` bytes, and the descriptor to send.
  static std::pair<Segment, Descriptor> make(std::size_t bytes);
  // One that somebody else has made, of at most `most` bytes. What is written to a `copied` one
  // nobody else sees.
  enum class Pages : std::uint8_t { shared, copied };
  static Segment of(const Descriptor& descriptor, std::size_t most, Pages pages = Pages::shared);

  Segment(Segment&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return at_; }
  std::size_t size() const { return size_; }
  // Whether these bytes lie in it.
  bool holds(std::size_t offset, std::size_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }

 private:
  Segment(int descriptor, std::size_t bytes, Pages pages);
  std::byte* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sluice::detail
