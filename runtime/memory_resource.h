// MemoryResource: where memory comes from, and what kind it is: the host's, the host's pinned for a
// device, or a device's own. Write one of your own to have batches made in your memory (see
// PipelineOptions::output_memory); BufferRing is one that exists.
//
// Ownership: whoever holds memory of a resource shares the resource, so that it may be given back
// at any time, after the pipeline has gone, too. Threads: allocate() and deallocate() may be called
// from any thread, several at once; other samples of the same batch may wait for allocate()
// meanwhile. Errors: allocate() throws whatever it likes, or returns null; deallocate() must not
// throw.
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

// Where memory lies: its kind and, for all but the host's, the device that it belongs to.
struct MemoryPlace {
  MemoryKind kind = MemoryKind::host;
  int device = 0;
  // Whether the processor can read and write it.
  bool on_host() const { return kind != MemoryKind::device; }
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};
// "host memory", "pinned memory of device 0".
std::string to_string(const MemoryPlace& place);
// Throws std::logic_error for memory that the processor cannot read.
void require_on_host(const MemoryPlace& place);

class MemoryResource {
 public:
  explicit MemoryResource(MemoryPlace place = {}) : place_(place) {}
  virtual ~MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;

  MemoryPlace place() const { return place_; }
  // Memory for `bytes` bytes, at a multiple of `alignment`, a power of two.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  // Takes back what allocate() gave, with the same arguments.
  virtual void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept = 0;
  // How many blocks can be out at one time, where that is known to be few.
  virtual std::size_t most_blocks() const { return std::numeric_limits<std::size_t>::max(); }

 private:
  MemoryPlace place_;
};

// Gives out memory of `from`, at most so many bytes at one time; beyond, allocate() throws a
// std::bad_alloc that says so, and what to do: `advice`.
std::shared_ptr<MemoryResource> limited(std::shared_ptr<MemoryResource> from, std::size_t bytes,
                                        const std::string& advice);

// The process's own: operator new. Lives for ever.
const std::shared_ptr<MemoryResource>& host_memory();

// BufferRing: a fixed number of buffers of one size, which belong to the user, as a MemoryResource.
// Each batch is written straight into one of them; a buffer is used again when the batch, and every
// tensor and DLPack capsule of it, are gone.
//
//   auto ring = std::make_shared<BufferRing>(std::vector{first, second, third, ...}, bytes_of_one);
//   make_pipeline({.batch_size = 64, .output_memory = {ring}}, ...);
//
// Ownership: the buffers are the user's, and must live as long as the ring, which lives as long as
// any batch in it. Threads: as MemoryResource says. Errors: Error when a block is asked for that is
// larger than a buffer or more strictly aligned, and when no buffer is free;
// std::invalid_argument for no buffers, or a null one.

class BufferRing : public MemoryResource {
 public:
  // `place`: what kind of memory the buffers are.
  BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place = {});
  ~BufferRing() override;

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;
  std::size_t most_blocks() const override { return count_; }

  std::size_t bytes_each() const { return bytes_each_; }
  // Buffers that no batch lies in.
  std::size_t free() const;

 private:
  const std::size_t count_;
  const std::size_t bytes_each_;
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace sluice
