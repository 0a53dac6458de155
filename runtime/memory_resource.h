// MemoryResource: a source of memory of one kind: host memory, host memory that is pinned for a
// device, or a device's own. Implement one to have batches made in your memory (see
// PipelineOptions::output_memory), or use BufferRing.
//
// Ownership: a holder of memory shares its resource, so memory may be returned at any time, even
// after the pipeline is gone. Threads: allocate() and deallocate() may be called from any thread,
// several at once; other samples of the same batch may wait while allocate() runs. Errors:
// allocate() may throw anything, or return null; deallocate() must not throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

enum class MemoryKind : std::uint8_t { host, pinned, device };
const char* name_of(MemoryKind kind);

// The kind of a memory and, unless it is plain host memory, the device that it belongs to.
struct MemoryPlace {
  MemoryKind kind = MemoryKind::host;
  int device = 0;
  // True if the CPU can read and write it.
  bool on_host() const { return kind != MemoryKind::device; }
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};
// "host memory", "pinned memory of device 0".
std::string to_string(const MemoryPlace& place);
// Throws std::logic_error for memory that the CPU cannot read.
void require_on_host(const MemoryPlace& place);

class MemoryResource {
 public:
  explicit MemoryResource(MemoryPlace place = {}) : place_(place) {}
  virtual ~MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;

  MemoryPlace place() const { return place_; }
  // Returns memory for `bytes` bytes, at a multiple of `alignment`, a power of two.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  // Takes back what allocate() returned, with the same arguments.
  virtual void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept = 0;
  // The number of blocks that can be allocated at one time, if it is known to be small.
  virtual std::size_t most_blocks() const { return std::numeric_limits<std::size_t>::max(); }

 private:
  MemoryPlace place_;
};

// Returns a resource that allocates from `from`, at most `bytes` bytes at one time. Beyond that,
// allocate() throws a std::bad_alloc that says so, followed by `advice`: what to do.
std::shared_ptr<MemoryResource> limited(std::shared_ptr<MemoryResource> from, std::size_t bytes,
                                        const std::string& advice);

// Returns the memory of operator new. It is never destroyed.
const std::shared_ptr<MemoryResource>& host_memory();

// BufferRing: a MemoryResource of a fixed number of buffers of one size that belong to the user.
// Each batch is written directly into one of them. A buffer is reused when the batch, and every
// tensor and DLPack capsule of it, are gone.
//
//   auto ring = std::make_shared<BufferRing>(std::vector{first, second, third, ...}, bytes_of_one);
//   make_pipeline({.batch_size = 64, .output_memory = {ring}}, ...);
//
// Ownership: the user owns the buffers, which must live as long as the ring; any batch in the ring
// keeps the ring alive. Threads: as MemoryResource says. Errors: Error if a requested block is
// larger than a buffer or more strictly aligned, and if no buffer is free; std::invalid_argument
// for no buffers, or a null one.

class BufferRing : public MemoryResource {
 public:
  // `place`: the kind of the buffers' memory.
  BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place = {});
  ~BufferRing() override;

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;
  std::size_t most_blocks() const override { return count_; }

  std::size_t bytes_each() const { return bytes_each_; }
  // The number of buffers that no batch uses.
  std::size_t free() const;

 private:
  const std::size_t count_;
  const std::size_t bytes_each_;
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace sluice
