// Batches that are written into memory from the user.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace output_memory_test {

constexpr std::size_t kBytes = 256;  // of a buffer
struct alignas(64) Memory {
  std::array<std::byte, kBytes> bytes{};
};
// So many buffers in a ring, which are all back in the end.
struct Buffers {
  explicit Buffers(std::size_t count, MemoryPlace place = {}) : memory(count) {
    std::vector<void*> at;
    for (Memory& each : memory) at.push_back(&each);
    ring = std::make_shared<BufferRing>(std::move(at), kBytes, place);
  }
  bool holds(const void* at) const {
    for (const Memory& each : memory) {
      if (at == &each) return true;
    }
    return false;
  }
  std::vector<Memory> memory;
  std::shared_ptr<BufferRing> ring;
};

// Squares of `side(index)` pixels, filled with their index.
Value<Image> squares(Graph& g, Value<std::int64_t> i,
                     const std::function<int(std::int64_t)>& side) {
  return g.map_into<Image>(
      "square",
      [side](std::int64_t x, Image& out) {
        out.create(side(x), side(x), 1);
        std::memset(out.data(), static_cast<int>(x), out.row_bytes() * out.row_bytes());
      },
      i);
}
int eight(std::int64_t) { return 8; }

TEST(OutputMemory, BatchesLieInTheRing) {
  for (const bool compact : {false, true}) {
    for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
      Buffers buffers(4);
      std::size_t batches = 0;
      {
        auto pipeline = make_pipeline({.batch_size = 4,
                                       .threads = 2,
                                       .last_batch = last,
                                       .compact = compact,
                                       .output_memory = {nullptr, buffers.ring}},
                                      [](Graph& g) {
                                        auto i = indices(g, 42);
                                        g.filter(i % 5 != 3);
                                        return std::tuple{i, squares(g, i, eight)};
                                      });
        for (int epoch = 0; epoch < 3; ++epoch) {
          for (const auto& [numbers, images] : pipeline.epoch()) {
            ++batches;
            EXPECT_TRUE(buffers.holds(images.data()));
            for (std::size_t k = 0; k < images.size(); ++k)
              EXPECT_EQ(images[k].at(7, 7, 0), numbers[k]);
          }
        }
        EXPECT_TRUE(pipeline.stats().epoch.balanced());
      }
      EXPECT_GT(batches, 20u);
      EXPECT_EQ(buffers.ring->free(), 4u);
    }
  }
}

// Even the first step that makes the value writes there, from the first batch on.
TEST(OutputMemory, IsWrittenWithoutACopy) {
  Buffers buffers(4);
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .output_memory = {buffers.ring}}, [](Graph& g) {
        auto image = squares(g, indices(g, 40), eight);
        return std::tuple{image,
                          g.map(
                              "where", [](const Image& in) { return in.tensor().bytes(); }, image)};
      });
  for (const auto& [images, where] : pipeline.epoch()) {
    for (std::size_t k = 0; k < images.size(); ++k) EXPECT_EQ(images[k].tensor().bytes(), where[k]);
  }
}

TEST(OutputMemory, IsNotUsedAgainWhileSomebodyHoldsIt) {
  Buffers buffers(6, {MemoryKind::pinned, 2});
  std::vector<Tensor> held;
  DLManagedTensor* capsule = nullptr;
  {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .output_memory = {buffers.ring}},
                                  [](Graph& g) { return squares(g, indices(g, 80), eight); });
    for (const auto& batch : pipeline.epoch()) {
      const ImageBatch& images = batch.get<0>();
      EXPECT_EQ(images.place(), (MemoryPlace{MemoryKind::pinned, 2}));
      if (batch.index() == 3) held.push_back(images.tensor(1));
      if (batch.index() == 5) capsule = to_dlpack(images.tensor());
      EXPECT_EQ(images[0].at(0, 0, 0), 4 * batch.index());
    }
    if (!held.empty()) {
      EXPECT_EQ(held[0].data<std::uint8_t>()[63], 13);
    }
    (void)pipeline.epoch().next();  // and goes with a batch in the making
  }
  EXPECT_EQ(buffers.ring->free(), 4u);
  held.clear();
  EXPECT_EQ(buffers.ring->free(), 5u);
  const Tensor back = from_dlpack(capsule);
  EXPECT_EQ(back.data<std::uint8_t>()[255], 23);
  EXPECT_EQ(back.place(), (MemoryPlace{MemoryKind::pinned, 2}));
}

// Some batches cannot be had; the others are not affected.
TEST(OutputMemory, WhatDoesNotFitCostsItsBatchOnly) {
  struct Case {
    const char* name;
    std::function<int(std::int64_t)> side;
    const char* what;
  };
  for (const bool compact : {false, true}) {
    for (const Case& c :
         {Case{"ragged", [](std::int64_t x) { return x == 9 ? 7 : 8; }, "differ in shape"},
          Case{"too large", [](std::int64_t x) { return x / 4 == 2 ? 9 : 8; },
               "324 bytes do not fit into a buffer of 256"}}) {
      Buffers buffers(4);
      {
        auto pipeline = make_pipeline(
            {.batch_size = 4, .threads = 2, .compact = compact, .output_memory = {buffers.ring}},
            [&](Graph& g) { return squares(g, indices(g, 20), c.side); });
        for (int round = 0; round < 2; ++round) {
          auto epoch = pipeline.epoch();
          std::vector<std::int64_t> first;
          int errors = 0;
          for (bool more = true; more;) {
            try {
              const auto batch = epoch.next();
              more = batch.has_value();
              if (more) first.push_back(batch->ids().front());
            } catch (const Error& error) {
              ++errors;
              EXPECT_NE(std::string(error.what()).find("batch 2, output 0: "), std::string::npos)
                  << error.what();
              EXPECT_NE(std::string(error.what()).find(c.what), std::string::npos) << error.what();
            }
          }
          EXPECT_EQ(errors, 1) << c.name;
          EXPECT_EQ(first, (std::vector<std::int64_t>{0, 4, 12, 16})) << c.name;
          const Ledger ledger = pipeline.stats().epoch;
          EXPECT_TRUE(ledger.balanced());
          EXPECT_EQ(ledger.delivered, 16) << c.name << compact;
          EXPECT_EQ(ledger.failed, 4) << c.name << compact;
        }
        EXPECT_TRUE(pipeline.stats().total.balanced());
      }
      EXPECT_EQ(buffers.ring->free(), 4u);
    }
  }
}

// An allocator that is of no use.
class Broken : public MemoryResource {
 public:
  explicit Broken(std::function<void*()> give) : give_(std::move(give)) {}
  void* allocate(std::size_t, std::size_t) override { return give_(); }
  void deallocate(void*, std::size_t, std::size_t) noexcept override { ADD_FAILURE(); }

 private:
  std::function<void*()> give_;
};

TEST(OutputMemory, AnAllocatorThatGivesNothingCostsBatchesAndNotTheProcess) {
  struct Case {
    std::function<void*()> give;
    const char* what;
  };
  for (const Case& c :
       {Case{[]() -> void* { return nullptr; }, "returned a null pointer"},
        Case{[]() -> void* { throw std::bad_alloc(); }, "bad_alloc"},
        Case{[]() -> void* { throw std::runtime_error("out of luck"); }, "out of luck"},
        Case{[]() -> void* { throw 7; }, "not a std::exception"}}) {
    auto pipeline = make_pipeline({.batch_size = 4,
                                   .threads = 2,
                                   .on_error = OnError::skip,
                                   .output_memory = {std::make_shared<Broken>(c.give)}},
                                  [](Graph& g) { return squares(g, indices(g, 12), eight); });
    auto epoch = pipeline.epoch();
    for (int batch = 0; batch < 3; ++batch) {
      try {
        (void)epoch.next();
        ADD_FAILURE() << c.what;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(c.what), std::string::npos) << error.what();
      }
    }
    EXPECT_FALSE(epoch.next());
    EXPECT_EQ(pipeline.stats().epoch.failed, 12);
  }
}

TEST(OutputMemory, WhatCannotWorkIsRefusedWhenThePipelineIsMade) {
  const auto told = [](std::vector<std::shared_ptr<MemoryResource>> memory, int prefetch = 2) {
    try {
      (void)make_pipeline(
          {.batch_size = 4, .prefetch = prefetch, .output_memory = std::move(memory)},
          [](Graph& g) {
            auto i = indices(g, 80);
            return std::tuple{i, squares(g, i, eight)};
          });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto ring = [](std::size_t count, MemoryPlace place = {}) {
    return Buffers(count, place).ring;
  };
  EXPECT_EQ(told({nullptr, ring(4)}), "");
  EXPECT_EQ(told({nullptr, ring(2)}, 0), "");
  EXPECT_EQ(told({nullptr, nullptr}), "");
  EXPECT_EQ(told({nullptr, ring(3)}),
            "output_memory of output 1 has only 3 blocks, but 4 batches may be in flight or held "
            "by you at one time; give it more, or make prefetch or window smaller");
  EXPECT_EQ(told({nullptr, ring(1)}, 0),
            "output_memory of output 1 has only 1 block, but 2 batches may be in flight or held by "
            "you at one time; give it more, or make prefetch or window smaller");
  EXPECT_EQ(told({ring(9)}),
            "output_memory of output 0: only images and tensors can be written to given memory");
  EXPECT_EQ(told({nullptr, nullptr, ring(9)}),
            "output_memory is given for 3 outputs, but the pipeline has 2");
  EXPECT_EQ(told({nullptr, ring(9, {MemoryKind::device, 0})}),
            "output_memory of output 1 is device memory of device 0, which the CPU cannot write; "
            "give host memory");
}

TEST(OutputMemory, TheWindowIsThatOfTheBatchesAndSpareSamplesForTheThreads) {
  struct Case {
    const char* name;
    PipelineOptions options;
    std::size_t window;
  };
  const Buffers buffers(5);
  for (const Case& c : std::vector<Case>{
           {"one thread", {.batch_size = 4, .threads = 1}, 12},
           {"threads", {.batch_size = 4, .threads = 3}, 12 + 24},
           {"nothing ahead", {.batch_size = 4, .threads = 3, .prefetch = 0}, 4},
           {"said", {.batch_size = 4, .threads = 3, .window = 7}, 7},
           {"buffers", {.batch_size = 4, .threads = 3, .output_memory = {buffers.ring}}, 12},
       }) {
    auto pipeline = make_pipeline(c.options, [](Graph& g) {
      return squares(g, g.source(100, [](const SampleInfo& info) { return info.index_in_epoch; }),
                     [](std::int64_t) { return 4; });
    });
    EXPECT_EQ(pipeline.stats().memory.window, c.window) << c.name;
  }
}

}  // namespace output_memory_test
}  // namespace sluice
