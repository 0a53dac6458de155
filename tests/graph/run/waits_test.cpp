#include <sluice/graph/exec/engine_impl.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace waits_test {

// Times in nanoseconds. A batch is complete, requested, received, and handed to the consumer.
struct Taken {
  int completed, asked, got, returned;
};
struct Case {
  const char* name;
  std::vector<Taken> batches;
  std::int64_t consumer_ns, batches_ns;
};
const Case kCases[] = {
    {"nothing happened", {}, 0, 0},
    {"the consumer waits for a batch", {{30, 10, 32, 33}}, 22, 0},
    {"a batch waits for the consumer", {{10, 40, 40, 41}}, 0, 30},
    {"batches that are complete wait one after the other",
     {{10, 40, 40, 41}, {12, 50, 50, 51}, {14, 60, 60, 61}},
     0,
     30 + 9 + 9},
    {"nothing waits while a batch is handed over", {{10, 10, 10, 50}, {20, 50, 50, 60}}, 0, 0},
    {"now one, now the other", {{30, 10, 30, 31}, {40, 70, 70, 71}, {90, 75, 90, 91}}, 35, 30},
};

Waits::Time at(int nanoseconds) { return Waits::Time(std::chrono::nanoseconds(nanoseconds)); }

TEST(Waits, AreThoseOfTheConsumerAndOfCompleteBatches) {
  for (const Case& c : kCases) {
    Waits waits;
    for (int epoch = 1; epoch <= 2; ++epoch) {
      waits.restart();
      waits.returned(at(0));
      for (const Taken& batch : c.batches) {
        waits.taken(at(batch.asked), at(batch.got), at(batch.completed));
        waits.returned(at(batch.returned));
      }
      EXPECT_EQ(waits.epoch().consumer_ns, c.consumer_ns) << c.name;
      EXPECT_EQ(waits.epoch().batches_ns, c.batches_ns) << c.name;
      EXPECT_EQ(waits.total().consumer_ns, epoch * c.consumer_ns) << c.name;
      EXPECT_EQ(waits.total().batches_ns, epoch * c.batches_ns) << c.name;
    }
  }
}

}  // namespace waits_test
}  // namespace sluice::detail
