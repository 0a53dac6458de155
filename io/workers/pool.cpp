#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/pool_thread.h>
#include <sluice/io/workers/registry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/text.h>
#include <sluice/runtime/thread_start.h>

#include <cstdlib>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace sluice::detail {
namespace {

constexpr std::size_t kMostSetup = std::size_t{32} << 10;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw BuildError("workers(\"" + escape_control_chars(name) + "\"): " + what);
}

void check(const std::string& name, const WorkerOptions& options) {
  const auto at_least = [&](const char* what, std::int64_t number, std::int64_t least) {
    if (number >= least) return;
    refuse(name, std::string(what) + " is " + std::to_string(number) + "; it must be at least " +
                     std::to_string(least));
  };
  at_least("workers", options.workers, 1);
  at_least("restarts", options.restarts, 0);
  at_least("renew_after", options.renew_after, 0);
  at_least("mini_batch", options.mini_batch, 1);
  at_least("prefetch", options.prefetch, 1);
  constexpr int kMost = 1024;
  for (const int number : {options.workers, options.mini_batch, options.prefetch}) {
    if (number > kMost) {
      refuse(name, "workers, mini_batch and prefetch must be at most " + std::to_string(kMost) +
                       ", not " + std::to_string(number));
    }
  }
  if (!(options.deadline_s > 0) || options.deadline_s > 1e8)
    refuse(name, "deadline_s is " + std::to_string(options.deadline_s) +
                     "; it must be above 0, and 1e8 at the most");
  if (options.max_bytes < (std::size_t{1} << 20))
    refuse(name,
           "max_bytes is " + std::to_string(options.max_bytes) + "; it must be 1 MiB or more");
  if (options.program.empty() && !options.program_arguments.empty())
    refuse(name, "program_arguments are those of another program: name it as program");
  if (name.size() + options.argument.size() > kMostSetup) {
    refuse(name, "the argument has " + std::to_string(options.argument.size()) +
                     " bytes; write it into a file, and let the argument be its path");
  }
}

// Checks the name and types of a reader in this program.
void check_reader(const std::string& name, const std::string& types) {
  const WorkerEntry* const entry = find_worker(name);
  if (entry == nullptr) refuse(name, no_such_worker(name));
  if (entry->types != types) {
    refuse(name, "its reader returns samples of (" + entry->types +
                     "), but workers<...> expects (" + types + "): make both the same");
  }
}

void warn_of_idle(const std::string& name, std::int64_t samples, int workers) {
  if (samples >= workers) return;
  log_message({"workers(\"", escape_control_chars(name), "\") has ", std::to_string(workers),
               " workers for ", std::to_string(samples), " samples: some will have nothing to do"});
}

}  // namespace

struct WorkerPool::Running {
  explicit Running(WorkerSetup setup) : work(std::move(setup)) {}
  PoolThread work;
  std::thread thread;
  std::mutex mutex;  // guards open_epochs
  int open_epochs = 0;
};

WorkerPool::WorkerPool(const std::string& name, const std::string& types, std::int64_t samples,
                       const WorkerOptions& options) {
  check(name, options);
  if (std::getenv(kWorkerVariable) != nullptr) {
    throw Error(
        "this process was started as a worker: let main() call "
        "sluice::run_worker_if_asked(argc, argv) first thing, before it makes a pipeline");
  }
  if (options.program.empty()) check_reader(name, types);
  warn_of_idle(name, samples, options.workers);
  try {
    running_ = std::make_unique<Running>(WorkerSetup{
        name, types, options, WorkerProgram::of(options.program, options.program_arguments, name)});
    start_thread();
  } catch (const std::system_error& error) {
    throw Error(
        "the workers of '" + escape_control_chars(name) + "' cannot be started" +
        (options.program.empty() ? "" : " from '" + escape_control_chars(options.program) + "'") +
        ": " + error.what());
  }
}

// The workers are started on the pool's thread, because they end with the thread that starts them.
void WorkerPool::start_thread() {
  std::promise<void> started;
  {
    const SignalsBlocked blocked;
    running_->thread = std::thread([this, &started] {
      try {
        running_->work.start_all();
      } catch (...) {
        return started.set_exception(std::current_exception());
      }
      started.set_value();
      running_->work.run();
    });
  }
  try {
    started.get_future().get();
  } catch (...) {
    running_->thread.join();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  if (!fork_guard_.here()) {
    // A child of fork() lacks the thread, and its copies of the locks may be locked for ever.
    (void)running_.release();
    return;
  }
  running_->work.stop();
  running_->thread.join();
}

void WorkerPool::fetch(const SampleInfo& info, std::unique_ptr<WorkerRequest> request,
                       std::shared_ptr<RequestInputs> inputs) {
  fork_guard_.require("workers()");
  running_->work.fetch({.info = info, .request = std::move(request), .inputs = std::move(inputs)});
}

void WorkerPool::begin_epoch() {
  fork_guard_.require("workers()");
  if (const std::string broken = running_->work.broken(); !broken.empty()) throw Error(broken);
  const std::lock_guard lock(running_->mutex);
  ++running_->open_epochs;
}

void WorkerPool::end_epoch() noexcept {
  if (!fork_guard_.here()) return;
  const std::lock_guard lock(running_->mutex);
  if (--running_->open_epochs == 0) running_->work.cancel();
}

WorkerStats WorkerPool::stats() const { return running_->work.stats(); }

std::string WorkerPool::broken() const {
  fork_guard_.require("workers()");
  return running_->work.broken();
}

}  // namespace sluice::detail
