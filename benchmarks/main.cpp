// Google Benchmark's main(), in a program that can also run as its own worker process.
#include <sluice/io/workers/registry.h>

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  sluice::run_worker_if_asked(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
