// Samples from worker processes, compared with memcpy of the same size in this process. The readers
// only fill their samples; up to 64 samples are in flight.
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/workers.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

constexpr std::size_t kUnderWay = 64;

auto make_copies(const WorkerArguments& arguments) {
  const auto bytes = static_cast<std::size_t>(std::stoll(arguments.argument));
  return [from = std::vector<std::uint8_t>(bytes, 7)](const SampleInfo&) {
    return Bytes::copy_of(from);
  };
}
SLUICE_WORKER("copies", make_copies);

auto make_numbers(const WorkerArguments&) {
  return [](const SampleInfo& info) { return info.index; };
}
SLUICE_WORKER("numbers", make_numbers);

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t open = 0;
};

template <class S>
class Request final : public detail::WorkerRequest {
 public:
  explicit Request(Count& count) : count_(count) {}
  void give(detail::ReplyReader& reply) override {
    const S sample = detail::read_sample<S>(reply);
    benchmark::DoNotOptimize(&sample);
    answered();
  }
  void fail(const std::string&) noexcept override { answered(); }
  void end() noexcept override { answered(); }

 private:
  void answered() {
    const std::lock_guard lock(count_.mutex);
    if (--count_.open <= kUnderWay / 2) count_.changed.notify_one();
  }
  Count& count_;
};

template <class S>
void ask(benchmark::State& state, const std::string& name, const std::string& argument) {
  Count count;
  detail::WorkerPool pool(name, detail::wire_type<S>::names(), kUntilEnd,
                          {.workers = static_cast<int>(state.range(0)), .argument = argument});
  std::int64_t index = 0;
  for (auto _ : state) {
    {
      std::unique_lock lock(count.mutex);
      if (count.open >= kUnderWay)
        count.changed.wait(lock, [&] { return count.open <= kUnderWay / 2; });
      ++count.open;
    }
    pool.fetch({.index = index++}, std::make_unique<Request<S>>(count));
  }
  std::unique_lock lock(count.mutex);
  count.changed.wait(lock, [&] { return count.open == 0; });
}

void WorkerBytes(benchmark::State& state) {
  ask<Bytes>(state, "copies", std::to_string(state.range(1)));
  state.SetBytesProcessed(state.iterations() * state.range(1));
}
BENCHMARK(WorkerBytes)->Args({1, 1'000'000})->Args({2, 1'000'000})->UseRealTime();

// Copies into as many blocks as there are samples in flight.
void WorkerMemcpy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::vector<std::uint8_t> from(bytes, 7);
  std::vector<std::vector<std::uint8_t>> to(kUnderWay, std::vector<std::uint8_t>(bytes));
  std::size_t i = 0;
  for (auto _ : state) {
    std::memcpy(to[i++ % kUnderWay].data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(WorkerMemcpy)->Arg(1'000'000)->UseRealTime();

void WorkerNumbers(benchmark::State& state) { ask<std::int64_t>(state, "numbers", ""); }
BENCHMARK(WorkerNumbers)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace sluice
