#include <sluice/runtime/error.h>
#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/no_memory.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {
namespace {

class HostMemory : public MemoryResource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return ::operator new (bytes, std::align_val_t{alignment});
  }
  void deallocate(void* at, std::size_t, std::size_t alignment) noexcept override {
    ::operator delete (at, std::align_val_t{alignment});
  }
};

class LimitedMemory : public MemoryResource {
 public:
  LimitedMemory(std::shared_ptr<MemoryResource> from, std::size_t bytes, const std::string& advice)
      : MemoryResource(from->place()),
        from_(std::move(from)),
        most_(bytes),
        what_(std::make_shared<const std::string>("no more than " + std::to_string(bytes) +
                                                  " bytes of " + to_string(place()) +
                                                  " may be used; " + advice)) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (used_.fetch_add(bytes) + bytes > most_) {
      used_.fetch_sub(bytes);
      throw NoMemory(what_);
    }
    try {
      return from_->allocate(bytes, alignment);
    } catch (...) {
      used_.fetch_sub(bytes);
      throw;
    }
  }
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override {
    from_->deallocate(at, bytes, alignment);
    used_.fetch_sub(bytes);
  }
  std::size_t most_blocks() const override { return from_->most_blocks(); }

 private:
  const std::shared_ptr<MemoryResource> from_;
  const std::size_t most_;
  const std::shared_ptr<const std::string> what_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace

std::shared_ptr<MemoryResource> limited(std::shared_ptr<MemoryResource> from, std::size_t bytes,
                                        const std::string& advice) {
  return std::make_shared<LimitedMemory>(std::move(from), bytes, advice);
}

const char* name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
  }
  return "?";
}

std::string to_string(const MemoryPlace& place) {
  std::string text = std::string(name_of(place.kind)) + " memory";
  if (place.kind != MemoryKind::host) text += " of device " + std::to_string(place.device);
  return text;
}

void require_on_host(const MemoryPlace& place) {
  if (place.on_host()) return;
  throw std::logic_error("the processor cannot read " + to_string(place) +
                         "; say .cpu() in the pipeline, or take to_host() of what it gives");
}

const std::shared_ptr<MemoryResource>& host_memory() {
  // Never destroyed: Buffers of static objects may be released after main.
  static const auto* const host =
      new std::shared_ptr<MemoryResource>(std::make_shared<HostMemory>());
  return *host;
}

// Free buffers form a queue: `free` entries from `next` on. The buffer that has been free longest
// is used first, which gives late readers the most time.
struct BufferRing::Queue {
  explicit Queue(std::vector<void*> all) : buffers(std::move(all)), free(buffers.size()) {}
  std::mutex mutex;
  std::vector<void*> buffers;
  std::size_t next = 0;
  std::size_t free;
};

BufferRing::BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place)
    : MemoryResource(place),
      count_(buffers.size()),
      bytes_each_(bytes_each),
      queue_(std::make_unique<Queue>(std::move(buffers))) {
  const std::vector<void*>& all = queue_->buffers;
  if (all.empty()) throw std::invalid_argument("a ring needs at least one buffer");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == nullptr) {
      throw std::invalid_argument("buffer " + std::to_string(i) + " of a ring is null");
    }
  }
}

BufferRing::~BufferRing() = default;

void* BufferRing::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > bytes_each_) {
    throw Error(std::to_string(bytes) + " bytes do not fit into a buffer of " +
                std::to_string(bytes_each_));
  }
  const std::lock_guard lock(queue_->mutex);
  if (queue_->free == 0) {
    throw Error("all " + std::to_string(count_) +
                " buffers of the ring are in use: give it more, or let batches and their tensors "
                "go sooner");
  }
  void* const at = queue_->buffers[queue_->next];
  if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) {
    throw Error("a buffer of the ring does not begin at a multiple of " +
                std::to_string(alignment) + " bytes");
  }
  queue_->next = (queue_->next + 1) % count_;
  --queue_->free;
  return at;
}

void BufferRing::deallocate(void* at, std::size_t, std::size_t) noexcept {
  const std::lock_guard lock(queue_->mutex);
  queue_->buffers[(queue_->next + queue_->free) % count_] = at;
  ++queue_->free;
}

std::size_t BufferRing::free() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->free;
}

}  // namespace sluice
