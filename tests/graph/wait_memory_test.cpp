// Failing memory while samples wait: the n-th allocation and those after it fail, on whichever
// thread makes them, also on the one that fires the handles. Nothing is lost silently, and the
// pipeline can be used again.
#include "tests/failing_allocations.h"
#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace wait_memory_test {

using testing::Elsewhere;
using testing::FailingAllocations;

constexpr std::int64_t kSamples = 24;
constexpr std::uint64_t kMost = 20'000;

// Returns the number of samples that were delivered or reported as errors. `broke_off`: the epoch
// ended with std::bad_alloc.
std::int64_t take(Pipeline<std::string>& pipeline, bool& broke_off) {
  std::int64_t known = 0;
  broke_off = false;
  try {
    auto epoch = pipeline.epoch();
    while (const auto batch = epoch.next()) {
      for (std::size_t k = 0; k < batch->size(); ++k)
        EXPECT_EQ(batch->get<0>()[k], std::string(100, 'x') + std::to_string(batch->ids()[k] + 2));
      known += static_cast<std::int64_t>(batch->size() + batch->errors().size());
      for (const SampleError& error : batch->errors()) EXPECT_FALSE(error.what.empty());
    }
  } catch (const std::bad_alloc&) {
    broke_off = true;
  }
  return known;
}

TEST(WaitMemory, WhatFailsIsToldAndNothingHangs) {
  for (const auto of : {FailingAllocations::Of::operator_new, FailingAllocations::Of::all}) {
    for (const std::uint64_t in_a_row : {1, 25}) {
      auto elsewhere = std::make_unique<Elsewhere>();
      auto pipeline =
          make_pipeline({.batch_size = 5, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
            const auto count = [&](Completion<std::int64_t> done, std::int64_t x) {
              elsewhere->post(std::move(done), [x](auto& handle) { handle.set(x + 1); });
            };
            const auto write = [&](Completion<std::string> done, std::int64_t x) {
              elsewhere->post(std::move(done), [x](auto& handle) {
                try {
                  handle.set(std::string(100, 'x') + std::to_string(x));
                } catch (...) {  // no memory for the text
                  handle.fail(std::current_exception());
                }
              });
            };
            auto two = g.for_loop(2, indices(g, kSamples), [&](const auto&, const auto& x) {
              return g.map_async<std::int64_t>("count", count, x);
            });
            return g.map_async<std::string>("write", write, two);
          });
      bool broke_off = false;
      std::uint64_t n = 1;
      for (; n < kMost; ++n) {
        {
          const FailingAllocations fails(n, in_a_row, of);
          const std::int64_t known = take(pipeline, broke_off);
          if (!broke_off) {
            EXPECT_EQ(known, kSamples) << n;
          }
        }
        EXPECT_TRUE(pipeline.stats().epoch.balanced()) << n;
        if (!FailingAllocations::reached() || HasFailure()) break;
        EXPECT_EQ(take(pipeline, broke_off), kSamples);
        EXPECT_FALSE(broke_off);
        // oneTBB takes memory for a thread that is new to it.
        elsewhere = std::make_unique<Elsewhere>();
      }
      EXPECT_GT(n, 1u);
      EXPECT_LT(n, kMost);
    }
  }
}

}  // namespace wait_memory_test
}  // namespace sluice
