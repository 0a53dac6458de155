#include <sluice/runtime/batch_memory.h>

#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace batch_memory_test {

ValueSpec spec_of(std::int64_t n) { return {{n}, DType::u8, Layout::none}; }

class BatchMemoryTest : public ::testing::Test {
 protected:
  void put(BatchMemory& memory, std::size_t cell, std::int64_t size) {
    std::memset(memory.place(cell, spec_of(size)), static_cast<int>(cell) + 1,
                static_cast<std::size_t>(size));
  }
  // A dense batch of `count` values that was finished before.
  void finish_dense(std::size_t count, std::int64_t size) {
    BatchMemory memory(count, pool_, history_);
    for (std::size_t cell = 0; cell < count; ++cell) put(memory, cell, size);
    memory.finish(all(count), 0);
    EXPECT_TRUE(memory.dense());
  }
  static bool holds(const BatchMemory& memory, std::size_t i, int value) {
    for (std::size_t k = 0; k < memory.spec(i).bytes(); ++k) {
      if (memory.data(i)[k] != static_cast<std::byte>(value)) return false;
    }
    return true;
  }
  static std::vector<std::uint32_t> all(std::size_t n) {
    std::vector<std::uint32_t> cells(n);
    std::iota(cells.begin(), cells.end(), 0u);
    return cells;
  }
  BufferPool pool_;
  BatchHistory history_;
};

TEST_F(BatchMemoryTest, EqualShapesLieSideBySideWithoutBeingMoved) {
  finish_dense(4, 10);
  const std::uint64_t before = pool_.stats().system_allocations;
  BatchMemory memory(4, pool_, history_);
  for (const std::size_t cell : {2u, 0u, 3u, 1u}) put(memory, cell, 10);
  const std::byte* first = memory.data(0);
  memory.finish(all(4), 0);
  EXPECT_TRUE(memory.dense());
  EXPECT_EQ(memory.data(0), first);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(memory.data(i), first + 10 * i);
    EXPECT_TRUE(holds(memory, i, static_cast<int>(i) + 1));
  }
  EXPECT_EQ(pool_.stats().system_allocations, before);
}

// An empty batch has a block, and says what its values would be.
TEST_F(BatchMemoryTest, ABatchOfNothingIsAsTheOneBeforeIt) {
  const auto nothing = [&](std::size_t cells) {
    BatchMemory memory(cells, pool_, history_);
    for (std::size_t cell = 0; cell < cells; ++cell) put(memory, cell, 99);  // failed later
    memory.finish({}, 0);
    EXPECT_EQ(memory.size(), 0u);
    EXPECT_NE(memory.block(), nullptr);
    return memory.each();
  };
  history_.each = spec_of(7);
  EXPECT_EQ(nothing(0), spec_of(7));
  EXPECT_EQ(nothing(3), spec_of(7));
  finish_dense(4, 10);
  EXPECT_EQ(nothing(3), spec_of(10));
  EXPECT_TRUE(history_.last_dense);
  BatchMemory ragged(2, pool_, history_);
  for (const std::size_t cell : {0u, 1u})
    (void)ragged.place(cell, {{4, 2 + static_cast<std::int64_t>(cell), 3}, DType::u8, Layout::hwc});
  ragged.finish(all(2), 0);
  EXPECT_FALSE(ragged.dense());
  EXPECT_EQ(nothing(1), (ValueSpec{{4, 0, 3}, DType::u8, Layout::hwc}));
}

// A value of a new size may be an outlier: no memory is reserved for a whole batch of that size.
TEST_F(BatchMemoryTest, OneLargeValueReservesNoBlockForAll) {
  struct Case {
    const char* name;
    std::int64_t dense_before;  // size of each value in the batch before; 0: there was none
    std::int64_t first;
    bool in_place;
  };
  for (const Case& c :
       {Case{"the first batch", 0, 1 << 16, false}, Case{"as before", 100, 100, true},
        Case{"smaller", 100, 40, true}, Case{"twice as large", 100, 200, true},
        Case{"larger still", 100, 204, false}}) {
    BufferPool pool;
    BatchHistory history;
    if (c.dense_before > 0) {
      BatchMemory before(256, pool, history);
      for (std::size_t cell = 0; cell < 256; ++cell)
        (void)before.place(cell, spec_of(c.dense_before));
      before.finish(all(256), 0);
    }
    BatchMemory memory(256, pool, history);
    const std::byte* const first = memory.place(0, spec_of(c.first));
    const std::byte* const second = memory.place(1, spec_of(c.first));
    EXPECT_EQ(second == first + c.first, c.in_place) << c.name;
    EXPECT_LE(memory.bytes(), static_cast<std::size_t>(c.in_place ? 512 * c.first : 4 * c.first))
        << c.name;
  }
}

TEST_F(BatchMemoryTest, DifferentShapesAreRaggedAndTheNextBatchRemembers) {
  BatchMemory memory(3, pool_, history_);
  for (std::size_t cell = 0; cell < 3; ++cell)
    put(memory, cell, static_cast<std::int64_t>(10 + cell));
  memory.finish(all(3), 0);
  EXPECT_FALSE(memory.dense());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(memory.spec(i), spec_of(static_cast<std::int64_t>(10 + i)));
    EXPECT_TRUE(holds(memory, i, static_cast<int>(i) + 1));
  }
  EXPECT_FALSE(history_.last_dense);
  // All agree again: the batch is dense, although nothing predicted it.
  BatchMemory next(3, pool_, history_);
  for (std::size_t cell = 0; cell < 3; ++cell) put(next, cell, 20);
  next.finish(all(3), 0);
  EXPECT_TRUE(next.dense());
  EXPECT_EQ(next.data(2), next.data(0) + 40);
  EXPECT_TRUE(holds(next, 2, 3));
  EXPECT_TRUE(history_.last_dense);
}

// The values in a batch decide whether it is dense, not the order in which they came.
TEST_F(BatchMemoryTest, ClosesGaps) {
  for (const std::size_t odd_one : {0u, 2u, 4u}) {
    BatchMemory memory(5, pool_, history_);
    for (std::size_t cell = 0; cell < 5; ++cell) put(memory, cell, cell == odd_one ? 7 : 10);
    std::vector<std::uint32_t> kept;
    for (std::uint32_t cell = 0; cell < 5; ++cell) {
      if (cell != odd_one) kept.push_back(cell);
    }
    memory.finish(kept, 0);
    EXPECT_TRUE(memory.dense());
    ASSERT_EQ(memory.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(memory.data(i), memory.data(0) + 10 * i);
      EXPECT_TRUE(holds(memory, i, static_cast<int>(kept[i]) + 1));
    }
  }
}

TEST_F(BatchMemoryTest, FillsUpWithTheLastOne) {
  for (const bool equal : {true, false}) {
    BatchMemory memory(6, pool_, history_);
    for (std::size_t cell = 0; cell < 3; ++cell)
      put(memory, cell, equal ? 5 : static_cast<std::int64_t>(5 + cell));
    memory.finish(all(3), 3);
    ASSERT_EQ(memory.size(), 6u);
    EXPECT_EQ(memory.dense(), equal);
    for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(holds(memory, i, 3));
  }
}

TEST_F(BatchMemoryTest, PlacingAgainReplaces) {
  BatchMemory memory(2, pool_, history_);
  put(memory, 0, 10);
  put(memory, 1, 33);
  put(memory, 1, 10);
  memory.finish(all(2), 0);
  EXPECT_TRUE(memory.dense());
  EXPECT_EQ(memory.data(1), memory.data(0) + 10);
}

TEST_F(BatchMemoryTest, NothingKeptIsEmpty) {
  BatchMemory memory(3, pool_, history_);
  put(memory, 1, 10);
  memory.finish({}, 0);
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_FALSE(memory.dense());
}

}  // namespace batch_memory_test
}  // namespace sluice
