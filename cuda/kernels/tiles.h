// Tiles: let one launch serve many samples of different sizes. Each sample's job has a number of
// tiles, and one block of GPU threads (a thread block) does one tile. It finds its job by the
// numbers of each job's first tile. No block idles for a small sample.
//
//   JobBlock<CopyPixelsJob> block(pinned, count);    // in memory of the caller
//   for (...) block.add(job);
//   stream.copy(device, pinned, block.bytes(count)); // or together with other data
//   launch_copy_pixels(stream, block.on_device(device));
//
// A kernel's body is written once, for a thread block of any size. On the host a thread block is
// one thread, which does all of the work between two calls of sync().
//
// Ownership: the caller owns the memory on both sides; see device.h for how long it must live.
// Threads: as values. Errors: std::invalid_argument for too many jobs or tiles.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace sluice::device {

// The argument of a launch. The arrays are in device memory; first_tiles has count + 1 numbers.
template <class Job>
struct Batch {
  const Job* jobs = nullptr;
  const std::int32_t* first_tiles = nullptr;
  const DeviceGuard* guards = nullptr;  // null: all jobs are done
  std::int32_t count = 0;
  std::int32_t tiles = 0;
};

// Writes jobs, and the numbers of their first tiles, to host memory (256-byte aligned) in the
// layout that device memory needs.
template <class Job>
class JobBlock {
  static_assert(std::is_trivially_copyable_v<Job> && alignof(Job) <= 16);

 public:
  // `guarded`: true if jobs have guards.
  static std::size_t bytes(int count, bool guarded = false) {
    return guards_at(count) + (guarded ? at(count) * sizeof(DeviceGuard) : 0);
  }

  JobBlock(void* memory, int count, bool guarded = false)
      : first_tiles_(static_cast<std::int32_t*>(memory)),
        jobs_(reinterpret_cast<std::byte*>(memory) + jobs_at(count)),
        guards_(guarded ? reinterpret_cast<std::byte*>(memory) + guards_at(count) : nullptr),
        count_(count) {
    first_tiles_[0] = 0;
  }
  void add(const Job& job, const DeviceGuard& guard = {}) {
    if (added_ == count_) throw std::invalid_argument("a block of jobs is full");
    const std::int64_t next = std::int64_t{first_tiles_[added_]} + job.tiles;
    if (next > INT32_MAX) throw std::invalid_argument("a block of jobs has too many tiles");
    new (jobs_ + at(added_) * sizeof(Job)) Job(job);
    if (guards_ != nullptr) new (guards_ + at(added_) * sizeof(DeviceGuard)) DeviceGuard(guard);
    first_tiles_[++added_] = static_cast<std::int32_t>(next);
  }
  // Returns the jobs added so far; `memory` is the address that the block is copied to.
  Batch<Job> on_device(const void* memory) const {
    const auto* const start = static_cast<const std::byte*>(memory);
    return {reinterpret_cast<const Job*>(start + jobs_at(count_)),
            reinterpret_cast<const std::int32_t*>(start),
            guards_ != nullptr ? reinterpret_cast<const DeviceGuard*>(start + guards_at(count_))
                               : nullptr,
            added_, first_tiles_[added_]};
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::size_t jobs_at(int count) {
    return (at(count + 1) * sizeof(std::int32_t) + 15) / 16 * 16;
  }
  static std::size_t guards_at(int count) {
    return (jobs_at(count) + at(count) * sizeof(Job) + 15) / 16 * 16;
  }

  std::int32_t* first_tiles_;
  std::byte* jobs_;
  std::byte* guards_;  // null: no guards
  int count_;
  int added_ = 0;
};

// True if the job with this number must be done.
template <class Job>
SLUICE_HOST_DEVICE bool is_done(const Batch<Job>& batch, int job) {
  if (batch.guards == nullptr) return true;
  const DeviceGuard& guard = device_view(batch.guards, static_cast<std::size_t>(job) + 1)[job];
  return guard.taken == nullptr || *device_view(guard.taken, 1) == guard.branch;
}

// Returns the job that the tile belongs to; skips jobs without tiles.
SLUICE_HOST_DEVICE inline int job_of_tile(const std::int32_t* first_tiles, int count, int tile) {
  return find_range(count, tile, [=](int job) { return first_tiles[job]; });
}

// The number of threads in a GPU block.
inline constexpr int kBlockThreads = 256;

// The number of threads in a thread block.
#if defined(__CUDA_ARCH__)
inline constexpr int kThreadBlockSize = kBlockThreads;
#else
inline constexpr int kThreadBlockSize = 1;
#endif

// The threads that do one tile, as seen by one of them: thread `index` of kThreadBlockSize.
struct ThreadBlock {
  int index = 0;
  // Waits for all threads of the thread block; they then see each other's writes.
  SLUICE_HOST_DEVICE void sync() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
};

// Calls body(job, tile within the job) for all tiles of a batch, one after the other, on the host.
template <class Job, class Body>
void for_each_tile(const Batch<Job>& batch, const Body& body) {
  if (batch.tiles == 0) return;
  const auto count = static_cast<std::size_t>(batch.count);
  const Job* const jobs = device_view(batch.jobs, count);
  const std::int32_t* const first = device_view(batch.first_tiles, count + 1);
  for (int tile = 0; tile < batch.tiles; ++tile) {
    const int job = job_of_tile(first, batch.count, tile);
    if (is_done(batch, job)) body(jobs[job], tile - first[job]);
  }
}

// The host version of a kernel that does each tile by itself: calls kTile(job, tile within the job,
// thread_block), perhaps with memory that the thread block shares: kCount of T. (tiles_on_cuda() is
// the CUDA version.)
template <class Job, void (*kTile)(const Job&, int, const ThreadBlock&)>
void tiles_on_host(const void* batch) {
  for_each_tile(*static_cast<const Batch<Job>*>(batch),
                [](const Job& job, int tile) { kTile(job, tile, ThreadBlock()); });
}
template <class Job, class T, int kCount, void (*kTile)(const Job&, int, const ThreadBlock&, T*)>
void tiles_on_host(const void* batch) {
  T memory[kCount];
  for_each_tile(*static_cast<const Batch<Job>*>(batch),
                [&](const Job& job, int tile) { kTile(job, tile, ThreadBlock(), memory); });
}

}  // namespace sluice::device
