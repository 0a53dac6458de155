// The policies for a batch with a failed sample: fail, skip or replace. A failure never affects
// another sample.
//
//   source (0 .. 7) --> risky (5 throws) --> batch of 4
#include <sluice/sluice.h>

#include <cstdio>
#include <stdexcept>

using namespace sluice;

namespace {

long risky(std::int64_t number) {
  if (number == 5) throw std::runtime_error("five is right out");
  return static_cast<long>(number);
}

void run(const char* name, OnError policy) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = policy}, [](Graph& g) {
    auto number = g.source(8, [](const SampleInfo& info) { return info.index; });
    return g.map("risky", risky, number);
  });
  std::printf("%s\n", name);
  auto epoch = pipeline.epoch();
  while (true) {
    try {
      const auto batch = epoch.next();
      if (!batch) break;
      std::printf("  batch %d:", static_cast<int>(batch->index()));
      for (const long number : batch->get<0>()) std::printf(" %ld", number);
      for (const SampleError& error : batch->errors())
        std::printf("  [%s]", to_string(error).c_str());
      std::printf("\n");
    } catch (const BatchError& error) {
      // Thrown once; the next call gives the batch without the samples that failed.
      std::printf("  %s\n", error.what());
    }
  }
}

}  // namespace

int main() {
  run("fail: the batch is thrown", OnError::fail);
  run("skip: the batch is short", OnError::skip);
  run("replace: another sample stands in", OnError::replace);
}
