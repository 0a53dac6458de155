#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/no_memory.h>

#include <atomic>
#include <new>
#include <stdexcept>
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

}  // namespace sluice
