#include <sluice/runtime/buffer_ring.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {

BufferRing::BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place)
    : MemoryResource(place),
      count_(buffers.size()),
      bytes_each_(bytes_each),
      buffers_(std::move(buffers)),
      free_(buffers_.size()) {
  if (buffers_.empty()) throw std::invalid_argument("a ring needs at least one buffer");
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i] == nullptr) {
      throw std::invalid_argument("buffer " + std::to_string(i) + " of a ring is null");
    }
  }
}

// The free buffers are a queue of free_ entries that begins at next_, so that the one that has been
// free for longest goes first: whoever still reads a buffer that he gave back has the most time.
void* BufferRing::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > bytes_each_) {
    throw Error(std::to_string(bytes) + " bytes do not fit into a buffer of " +
                std::to_string(bytes_each_));
  }
  const std::lock_guard lock(mutex_);
  if (free_ == 0) {
    throw Error("all " + std::to_string(count_) +
                " buffers of the ring are in use: give it more, or let batches and their tensors "
                "go sooner");
  }
  void* const at = buffers_[next_];
  if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) {
    throw Error("a buffer of the ring does not begin at a multiple of " +
                std::to_string(alignment) + " bytes");
  }
  next_ = (next_ + 1) % count_;
  --free_;
  return at;
}

void BufferRing::deallocate(void* at, std::size_t, std::size_t) noexcept {
  const std::lock_guard lock(mutex_);
  buffers_[(next_ + free_) % count_] = at;
  ++free_;
}

std::size_t BufferRing::free() const {
  const std::lock_guard lock(mutex_);
  return free_;
}

}  // namespace sluice
