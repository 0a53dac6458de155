// Code that crashes, in processes of its own: a crash costs the sample that it was at.
#include <sluice/sluice.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sluice;

// Runs in each worker, once: database handles and the like are made here.
auto make_reader(const WorkerArguments& arguments) {
  return [factor = std::stoll(arguments.argument)](const SampleInfo& info) -> std::int64_t {
    if (info.index == 5) std::abort();
    return factor * info.index * info.index;
  };
}
SLUICE_WORKER("squares", make_reader);

int main(int argc, char** argv) {
  run_worker_if_asked(argc, argv);  // first thing: workers are this program, too
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    return g.read(workers<std::int64_t>("squares", 8, {.workers = 2, .argument = "1"}));
  });
  int number = 0;
  for (const auto& batch : pipeline.epoch()) {
    std::printf("batch %d:", number++);
    const auto& [squares] = batch;
    for (const std::int64_t square : squares) std::printf(" %lld", static_cast<long long>(square));
    for (const SampleError& error : batch.errors())
      std::printf(", without %s", error.source.c_str());
    std::printf("\n");
  }
}
