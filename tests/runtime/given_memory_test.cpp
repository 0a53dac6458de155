// Batches in memory from the user.
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/error.h>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace given_memory_test {

// Provides memory, until it is told to stop.
class Given : public MemoryResource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    asked.push_back(bytes);
    if (instead) return instead();
    ++out;
    return host_memory()->allocate(bytes, alignment);
  }
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override {
    --out;
    host_memory()->deallocate(at, bytes, alignment);
  }
  std::function<void*()> instead;
  std::vector<std::size_t> asked;
  int out = 0;
};

class GivenMemoryTest : public ::testing::Test {
 protected:
  BatchMemory memory(std::size_t cells) { return {cells, pool_, history_, given_}; }
  static void put(BatchMemory& memory, std::size_t cell, std::int64_t size) {
    std::memset(memory.place(cell, {{size}, DType::u8, Layout::none}), static_cast<int>(cell) + 1,
                static_cast<std::size_t>(size));
  }
  static std::vector<std::uint32_t> all(std::size_t n) {
    std::vector<std::uint32_t> cells(n);
    std::iota(cells.begin(), cells.end(), 0u);
    return cells;
  }
  static void expect_values(const BatchMemory& memory, const std::vector<int>& values) {
    ASSERT_EQ(memory.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t k = 0; k < memory.spec(i).bytes(); ++k)
        EXPECT_EQ(memory.data(i)[k], static_cast<std::byte>(values[i]));
    }
  }
  BufferPool pool_;
  BatchHistory history_;
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
};

TEST_F(GivenMemoryTest, IsWrittenStraightFromTheFirstBatchOn) {
  {
    BatchMemory batch = memory(3);
    for (const std::size_t cell : {1u, 0u, 2u}) put(batch, cell, 10);
    EXPECT_EQ(pool_.stats().bytes_peak, 0u);
    const std::byte* const at = batch.data(0);
    batch.finish(all(3), 0);
    EXPECT_EQ(batch.data(0), at);
    EXPECT_EQ(given_->asked, (std::vector<std::size_t>{30}));
    EXPECT_EQ(batch.bytes(), 0u);
    expect_values(batch, {1, 2, 3});
  }
  EXPECT_EQ(given_->out, 0);
}

TEST_F(GivenMemoryTest, TakesABatchWhoseFirstValueWasAStray) {
  struct Case {
    std::int64_t stray;
    std::vector<std::size_t> asked;
  };
  for (const Case& c : {Case{99, {297}}, Case{4, {12, 20}}, Case{7, {21}}}) {
    given_->asked.clear();
    BatchMemory batch = memory(3);
    put(batch, 1, c.stray);
    put(batch, 0, 10);
    put(batch, 2, 10);
    const std::vector<std::uint32_t> kept{0, 2};
    batch.finish(kept, 0);
    EXPECT_EQ(given_->asked, c.asked);
    EXPECT_TRUE(batch.dense());
    EXPECT_EQ(given_->out, 1);
    EXPECT_EQ(batch.bytes(), 0u);
    expect_values(batch, {1, 3});
  }
  EXPECT_EQ(given_->out, 0);
}

TEST_F(GivenMemoryTest, AsksOnceMoreWhenTheBatchIsComplete) {
  given_->instead = []() -> void* { throw std::runtime_error("not now"); };
  BatchMemory batch = memory(2);
  for (const std::size_t cell : {0u, 1u}) put(batch, cell, 10);
  given_->instead = nullptr;
  batch.finish(all(2), 0);
  EXPECT_EQ(given_->out, 1);
  EXPECT_EQ(pool_.stats().bytes_in_use, 0u);
  expect_values(batch, {1, 2});
}

TEST_F(GivenMemoryTest, OfWhichThereIsNoneIsAnError) {
  struct Case {
    std::function<void*()> instead;
    const char* why;
  };
  for (const Case& c : {Case{[]() -> void* { return nullptr; }, "returned a null pointer"},
                        Case{[]() -> void* { throw std::bad_alloc(); }, "bad_alloc"},
                        Case{[]() -> void* { throw std::runtime_error("mine"); }, "mine"},
                        Case{[]() -> void* { throw 7; }, "not a std::exception"}}) {
    given_->instead = c.instead;
    BatchMemory batch = memory(2);
    for (const std::size_t cell : {0u, 1u}) put(batch, cell, 10);
    try {
      batch.finish(all(2), 0);
      FAIL() << c.why;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(c.why), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("20 bytes"), std::string::npos) << error.what();
    }
  }
}

TEST_F(GivenMemoryTest, HoldsNoRaggedBatch) {
  BatchMemory batch = memory(2);
  put(batch, 0, 10);
  put(batch, 1, 11);
  EXPECT_THROW(batch.finish(all(2), 0), Error);
  BatchMemory empty = memory(2);
  put(empty, 1, 11);
  empty.finish({}, 0);
  EXPECT_EQ(empty.size(), 0u);
}

TEST_F(GivenMemoryTest, TakesValuesWithoutElementsAndPadding) {
  BatchMemory batch = memory(4);
  for (const std::size_t cell : {0u, 1u}) put(batch, cell, 0);
  batch.finish(all(2), 2);
  EXPECT_TRUE(batch.dense());
  EXPECT_EQ(batch.size(), 4u);
  BatchMemory padded = memory(4);
  for (const std::size_t cell : {0u, 1u}) put(padded, cell, 3);
  padded.finish(all(2), 2);
  expect_values(padded, {1, 2, 2, 2});
  EXPECT_EQ(given_->out, 2);
}

}  // namespace given_memory_test
}  // namespace sluice
