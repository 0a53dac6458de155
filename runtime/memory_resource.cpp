#include <sluice/runtime/memory_resource.h>

#include <new>
#include <stdexcept>

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

}  // namespace

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
