#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace buffer_ring_test {

struct alignas(64) Memory {
  std::array<std::byte, 64> bytes;
};

template <std::size_t kCount>
Memory* at(std::array<Memory, kCount>& memory, std::size_t i) {
  return memory.data() + i;
}

TEST(BufferRing, LendsEachBufferOnceAndTheOneThatRestedLongest) {
  std::array<Memory, 3> memory{};
  BufferRing ring({at(memory, 0), at(memory, 1), at(memory, 2)}, 64);
  EXPECT_EQ(ring.most_blocks(), 3u);
  std::vector<void*> out;
  for (const std::size_t bytes : {64u, 1u, 0u}) out.push_back(ring.allocate(bytes, 64));
  EXPECT_EQ(out, (std::vector<void*>{at(memory, 0), at(memory, 1), at(memory, 2)}));
  EXPECT_EQ(ring.free(), 0u);
  EXPECT_THROW((void)ring.allocate(1, 64), Error);
  for (const std::size_t i : {1u, 2u, 0u}) ring.deallocate(out[i], 64, 64);
  for (const std::size_t i : {1u, 2u, 0u}) EXPECT_EQ(ring.allocate(64, 64), at(memory, i));
}

TEST(BufferRing, RefusesWhatDoesNotFit) {
  std::array<Memory, 2> memory{};
  BufferRing ring({at(memory, 0), &memory[1].bytes[8]}, 56, {MemoryKind::pinned, 1});
  EXPECT_EQ(ring.place(), (MemoryPlace{MemoryKind::pinned, 1}));
  EXPECT_EQ(ring.bytes_each(), 56u);
  EXPECT_THROW((void)ring.allocate(57, 64), Error);
  EXPECT_EQ(ring.allocate(56, 64), at(memory, 0));
  EXPECT_THROW((void)ring.allocate(56, 64), Error);  // begins at a multiple of 8 only
  EXPECT_EQ(ring.free(), 1u);
  EXPECT_EQ(ring.allocate(56, 8), &memory[1].bytes[8]);
  EXPECT_THROW(BufferRing({}, 8), std::invalid_argument);
  EXPECT_THROW(BufferRing({at(memory, 0), nullptr}, 8), std::invalid_argument);
}

TEST(BufferRing, IsUsedFromSeveralThreads) {
  std::array<Memory, 4> memory{};
  BufferRing ring({at(memory, 0), at(memory, 1), at(memory, 2), at(memory, 3)}, 64);
  const auto work = [&] {
    for (int i = 0; i < 2000; ++i) {
      auto* const at = static_cast<Memory*>(ring.allocate(64, 64));
      at->bytes[0] = static_cast<std::byte>(i);  // a race, if two had it
      ring.deallocate(at, 64, 64);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ring.free(), 4u);
}

}  // namespace buffer_ring_test
}  // namespace sluice
