#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/options.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace sluice {

int checked_threads(int threads) {
  constexpr int kMostThreads = 4096;
  if (threads < 0) {
    throw BuildError("threads must be at least 1 (or 0 for all CPUs), not " +
                     std::to_string(threads));
  }
  if (threads > kMostThreads)
    throw BuildError("threads must be at most 4096, not " + std::to_string(threads));
  return threads == 0 ? cpu_count() : threads;
}

PipelineOptions checked(PipelineOptions options, bool on_device) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError(what);
  };
  require(options.batch_size >= 1,
          "batch_size must be at least 1, not " + std::to_string(options.batch_size));
  if (options.thread_pool != nullptr) {
    require(options.threads == 0, "threads is " + std::to_string(options.threads) +
                                      " and thread_pool has " +
                                      std::to_string(options.thread_pool->threads()) +
                                      " threads: give only one of them, or set threads to 0");
    options.threads = options.thread_pool->threads();
  }
  options.threads = checked_threads(options.threads);
  require(options.prefetch >= 0,
          "prefetch must be at least 0, not " + std::to_string(options.prefetch));
  require(options.stall_timeout >= 0,
          "stall_timeout must be a number of seconds (or 0 for never), not " +
              std::to_string(options.stall_timeout));
  require(options.on_error.max_errors >= 0,
          "on_error: the number of errors allowed must be at least 0, not " +
              std::to_string(options.on_error.max_errors));
  require(options.on_error.max_rate >= 0 && options.on_error.max_rate <= 1,
          "on_error: the rate must lie between 0 and 1, not " +
              std::to_string(options.on_error.max_rate));
  require(options.device != nullptr || !options.deliver_on_device,
          "deliver_on_device needs a device: set PipelineOptions::device to gpu()");
  require(options.max_device_bytes >= 0,
          "max_device_bytes must be at least 0, not " + std::to_string(options.max_device_bytes));
  require(options.max_image_bytes >= 1,
          "max_image_bytes must be at least 1, not " + std::to_string(options.max_image_bytes));
  require(options.io_threads >= kAutomatic && options.io_threads <= 4096,
          "io_threads must lie between 0 and 4096 (or kAutomatic), not " +
              std::to_string(options.io_threads));
  constexpr std::int64_t kMostEvents = 100'000'000;
  require(options.trace.max_events >= 1 && options.trace.max_events <= kMostEvents,
          "trace: max_events must lie between 1 and 100,000,000, not " +
              std::to_string(options.trace.max_events));
  if (options.io_threads == kAutomatic) options.io_threads = std::max(4, options.threads);
  if (options.window == 0) {
    std::int64_t wanted = std::int64_t{options.batch_size} * (std::int64_t{options.prefetch} + 1);
    // One slow sample, of twenty times the usual duration, would otherwise stop threads that the
    // batches' own room does not keep busy. Does not apply with the user's own memory, which is
    // limited, or without prefetch.
    constexpr std::int64_t kSparePerThread = 8;
    // A device runs several GPU batches at once, while others fill up, or wait for a burst.
    constexpr std::int64_t kOnDevice = 1024;
    if (options.prefetch > 0 && options.output_memory.empty()) {
      if (options.threads > 1) wanted += kSparePerThread * options.threads;
      if (on_device) wanted += kOnDevice;
    }
    options.window = static_cast<int>(std::min<std::int64_t>(wanted, INT32_MAX));
  }
  require(options.window >= options.batch_size,
          "a window of " + std::to_string(options.window) + " samples can never fill a batch of " +
              std::to_string(options.batch_size) +
              "; make window at least batch_size, or leave it out");
  return options;
}

}  // namespace sluice
