#include "tests/in_child.h"
#include <sluice/runtime/memory.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <latch>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace buffer_pool_test {

TEST(BufferPool, GivesAlignedBlocksOfEverySize) {
  BufferPool pool;
  for (std::size_t size :
       {0u, 1u, 63u, 64u, 65u, 80u, 81u, 127u, 128u, 129u, 1000u, 4096u, 4097u, 1000000u}) {
    Buffer buffer = pool.allocate(size);
    EXPECT_TRUE(buffer);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % Buffer::kAlignment, 0u);
    std::memset(buffer.data(), 0xab, size);
  }
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
}

TEST(BufferPool, WastesAtMostAQuarter) {
  BufferPool pool;
  for (std::size_t size = 64; size < 100000; size = size * 9 / 8 + 1) {
    const Buffer buffer = pool.allocate(size);
    EXPECT_GE(pool.stats().bytes_in_use, size);
    EXPECT_LE(pool.stats().bytes_in_use, size + size / 4 + 16) << size;
  }
}

TEST(BufferPool, ReusesWhatCameBack) {
  BufferPool pool;
  for (int i = 0; i < 100; ++i) (void)pool.allocate(5000);
  EXPECT_EQ(pool.stats().system_allocations, 1u);
  std::vector<Buffer> held;
  for (int i = 0; i < 10; ++i) held.push_back(pool.allocate(5000));
  EXPECT_EQ(pool.stats().system_allocations, 10u);
  const std::size_t reserved = pool.stats().bytes_reserved;
  held.clear();
  EXPECT_EQ(pool.stats().bytes_reserved, reserved);
  EXPECT_EQ(pool.stats().bytes_peak, reserved);
  pool.trim();
  EXPECT_EQ(pool.stats().bytes_reserved, 0u);
}

TEST(BufferPool, LendsABlockOfUpToTwiceTheSize) {
  BufferPool pool;
  (void)pool.allocate(8192);
  for (const auto& [size, lent] : {std::pair{8192u, true}, {7000u, true}, {4096u, true}}) {
    const std::uint64_t before = pool.stats().system_allocations;
    const Buffer buffer = pool.allocate(size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(buffer.capacity(), 8192u);
    EXPECT_EQ(pool.stats().bytes_in_use, 8192u);
    EXPECT_EQ(pool.stats().system_allocations == before, lent) << size;
  }
  EXPECT_EQ(pool.allocate(3000).capacity(), 3072u);  // too small for it
  // The nearest first.
  const Buffer large = pool.allocate(8192);
  (void)pool.allocate(6144);
  EXPECT_EQ(pool.allocate(4096).capacity(), 6144u);
}

// Whatever the sequence of sizes, the pool keeps no more than was needed at one time.
TEST(BufferPool, KeepsNoMoreThanWasInUseAtOnce) {
  BufferPool pool;
  std::uint64_t draw = 1;
  std::vector<Buffer> held(20);
  for (int i = 0; i < 20000; ++i) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    Buffer& place = held[draw >> 33 & 15];
    place.reset();
    place = pool.allocate((draw >> 40) % (std::size_t{1} << (draw >> 60) << 5));
    const BufferPoolStats stats = pool.stats();
    ASSERT_LE(stats.bytes_reserved, stats.bytes_peak);
    ASSERT_LE(stats.bytes_in_use, stats.bytes_reserved);
  }
  EXPECT_LT(pool.stats().system_allocations, 4000u);
  held.clear();
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
  pool.trim();
  EXPECT_EQ(pool.stats().bytes_reserved, 0u);
}

// A child of fork() has the memory, but not the threads that might hold the pool's lock.
TEST(BufferPool, BuffersAreReadAndReleasedInAChild) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "counts threads, or forks beside them";
  BufferPool pool;
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) (void)pool.allocate(100);
    });
  }
  for (int i = 0; i < 50; ++i) {
    Buffer kept = pool.allocate(1000);
    std::memset(kept.data(), 7, kept.size());
    EXPECT_EQ(testing::in_child([&] {
                const bool read = kept.data()[999] == std::byte{7};
                kept.reset();
                Buffer another = pool.allocate(500);
                std::memset(another.data(), 8, another.size());
                another.reset();
                pool.trim();
                return read ? "read" : "lost";
              }),
              "read");
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
}

TEST(BufferPool, BuffersOutliveTheirPool) {
  Buffer kept;
  {
    BufferPool pool;
    kept = pool.allocate(100);
    (void)pool.allocate(100);
  }
  std::memset(kept.data(), 1, kept.size());
  kept.reset();
  EXPECT_FALSE(kept);
}

TEST(BufferPool, BuffersMayReturnOnAnotherThread) {
  BufferPool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool] {
      std::vector<Buffer> mine;
      for (std::size_t i = 0; i < 2000; ++i) {
        mine.push_back(pool.allocate(64 + i % 300));
        if (i % 3 == 0) mine.erase(mine.begin());
      }
      std::thread([moved = std::move(mine)]() mutable { moved.clear(); }).join();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
}

// Memory that holds up the first block that comes back until another thread permits it.
class Held : public MemoryResource {
 public:
  struct Seen {
    std::latch arrived{1}, may_leave{1};
    std::atomic<bool> first{true}, outlived{false};
    std::weak_ptr<MemoryResource> memory;
  };
  explicit Held(Seen& seen) : seen_(seen) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return host_memory()->allocate(bytes, alignment);
  }
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override {
    Seen& seen = seen_;  // `this` may be gone
    host_memory()->deallocate(at, bytes, alignment);
    if (!seen.first.exchange(false)) return;
    seen.arrived.count_down();
    seen.may_leave.wait();
    seen.outlived = !seen.memory.expired();
  }

 private:
  Seen& seen_;
};

// While the memory takes back a block of a closed pool, all other holders release the pool.
TEST(BufferPool, StaysUntilTheLastBlockIsBack) {
  for (const bool pool_first : {false, true}) {
    Held::Seen seen;
    auto memory = std::make_shared<Held>(seen);
    seen.memory = memory;
    auto pool = std::make_unique<BufferPool>(std::move(memory));
    Buffer one = pool->allocate(1000), other = pool->allocate(5000);
    if (pool_first) {
      one.reset();  // returns to the pool, which frees it on closing
    } else {
      pool.reset();
    }
    std::thread held([&] {
      if (pool_first) {
        pool.reset();
      } else {
        one.reset();
      }
    });
    seen.arrived.wait();
    other.reset();
    seen.may_leave.count_down();
    held.join();
    EXPECT_TRUE(seen.outlived) << (pool_first ? "the pool" : "a buffer") << " went first";
    EXPECT_TRUE(seen.memory.expired());
  }
}

// For the sanitizers.
TEST(BufferPool, ItsLastHoldersMayGoAtOnce) {
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    const bool with_pool = round % 2 == 0;
    auto pool = std::make_unique<BufferPool>();
    Buffer one = pool->allocate(1000), other = pool->allocate(5000);
    (void)pool->allocate(70'000);  // is free again
    if (!with_pool) pool.reset();
    std::barrier together(2);
    std::thread thread([&] {
      together.arrive_and_wait();
      one.reset();
      if (with_pool) other.reset();
    });
    together.arrive_and_wait();
    if (with_pool) {
      pool.reset();
    } else {
      other.reset();
    }
    thread.join();
  }
}

TEST(BufferPool, RefusesWhatNoMachineHas) {
  BufferPool pool;
  EXPECT_THROW((void)pool.allocate(std::size_t{1} << 63), std::bad_alloc);
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
}

TEST(BufferPoolScope, ChoosesTheCurrentPoolAndCounts) {
  BufferPool a, b;
  EXPECT_NE(&BufferPool::current(), &a);
  {
    const BufferPoolScope outer(a);
    EXPECT_EQ(&BufferPool::current(), &a);
    {
      const BufferPoolScope inner(b);
      EXPECT_EQ(&BufferPool::current(), &b);
      (void)BufferPool::current().allocate(64);
      (void)a.allocate(64);  // not through this scope's pool
      EXPECT_EQ(inner.bytes_allocated(), 64u);
    }
    EXPECT_EQ(&BufferPool::current(), &a);
    EXPECT_EQ(outer.bytes_allocated(), 0u);
  }
  EXPECT_NE(&BufferPool::current(), &a);
}

}  // namespace buffer_pool_test
}  // namespace sluice
