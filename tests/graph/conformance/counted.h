// A step that counts how often it runs.
#pragma once

#include "tests/graph/conformance/setup.h"
#include <sluice/graph/boundaries.h>

#include <atomic>
#include <string>

namespace sluice::conformance {

class Counted {
 public:
  // Returns x + add.
  Value<int> operator()(Graph& g, Value<int> x, int add = 1) {
    return g.map(
        "counted",
        [this, add](int v) {
          ++runs_;
          return v + add;
        },
        x);
  }
  // Returns the number of runs since the last call.
  int runs() { return runs_.exchange(0); }

 private:
  std::atomic<int> runs_{0};
};

// Runs an epoch of the described program on 1 and on 4 threads. Calls check(), which looks at
// counters, after each.
template <class Describe, class Plain, class Check>
void expect_counts(Describe describe, Plain plain, Check check) {
  for (const int threads : {1, 4}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    auto pipeline = make_pipeline({.batch_size = kBatch, .threads = threads}, describe);
    int idx = 0;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.size(); ++k, ++idx)
        EXPECT_EQ(row_of(batch, k), as_row(plain(at(idx)))) << "sample " << idx;
    }
    EXPECT_EQ(idx, kSamples);
    check();
  }
}

}  // namespace sluice::conformance
