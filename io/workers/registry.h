// SLUICE_WORKER: names a function that makes a reader, so that worker processes can be started for
// it. run_worker_if_asked: serves requests in such a process. Users include workers.h.
//
//   auto make_reader(const WorkerArguments& arguments) {
//     return [database = open(arguments.argument)](const SampleInfo& info) {
//       return std::tuple{database.image(info.index), database.label(info.index)};
//     };
//   }
//   SLUICE_WORKER("imagenet", make_reader);
//
// The function runs once in each worker, before its first sample. The reader is called in the
// worker with one SampleInfo at a time, on one thread. It may keep state between calls, and need be
// neither const nor copyable. An exception is the error of that sample; EndOfEpoch ends the epoch.
//
// Ownership: names live as long as the program. Threads: all; names are registered before main()
// begins. Errors: a reader of the wrong type does not compile. Looking up a name that was
// registered twice throws.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/io/workers/values.h>
#include <sluice/runtime/function.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

// The argument of the function that makes a reader.
struct WorkerArguments {
  std::string argument;  // WorkerOptions::argument
  int worker = 0;        // 0 to workers - 1
  int workers = 1;
};

namespace detail {

struct WorkerTask {
  const SampleInfo& info;
  // The samples that were requested together; `info` is the one at `place`. They are made in this
  // order.
  std::span<const SampleInfo> group;
  std::size_t place;
  ReplyReader* inputs;  // null unless a function is called with values
};
using AnyWorkerReader = Function<void(const WorkerTask&, ReplyWriter&)>;

struct WorkerEntry {
  std::string types;  // the types of a sample
  Function<AnyWorkerReader(const WorkerArguments&)> make;
};

// Returns null for an unknown name. Throws BuildError for a name that was registered twice.
const WorkerEntry* find_worker(std::string_view name);
// The error for an unknown name; it lists the known names.
std::string no_such_worker(std::string_view name);
bool add_worker(std::string_view name, WorkerEntry entry) noexcept;

template <class Make>
bool add_worker_function(std::string_view name, Make make) noexcept {
  constexpr bool makes = std::is_invocable_v<Make&, const WorkerArguments&>;
  static_assert(makes, "SLUICE_WORKER takes a function of a const WorkerArguments&");
  if constexpr (makes) {
    using Reader = std::decay_t<std::invoke_result_t<Make&, const WorkerArguments&>>;
    constexpr bool reads = std::is_invocable_v<Reader&, const SampleInfo&>;
    static_assert(reads,
                  "the result of SLUICE_WORKER's function must be callable with a const "
                  "SampleInfo&, and nothing else");
    if constexpr (reads) {
      using Gives = std::decay_t<std::invoke_result_t<Reader&, const SampleInfo&>>;
      if constexpr (wire_type<Gives>::check()) {
        auto any = [make](const WorkerArguments& arguments) -> AnyWorkerReader {
          return [reader = std::make_shared<Reader>(make(arguments))](const WorkerTask& task,
                                                                      ReplyWriter& to) {
            wire_type<Gives>::write(to, (*reader)(task.info));
          };
        };
        return add_worker(name, {wire_type<Gives>::names(), std::move(any)});
      }
    }
  }
  return false;
}

}  // namespace detail
}  // namespace sluice

#define SLUICE_WORKER_JOIN(a, b) a##b
#define SLUICE_WORKER_VARIABLE(line) SLUICE_WORKER_JOIN(sluice_worker_, line)
// Use it at namespace scope.
#define SLUICE_WORKER(name, make)                                       \
  [[maybe_unused]] static const bool SLUICE_WORKER_VARIABLE(__LINE__) = \
      ::sluice::detail::add_worker_function(name, make)

namespace sluice {

// Call it first in main() of a program that uses workers(). In a worker process it serves requests
// and then ends the process; in any other process it returns at once. It throws nothing: a worker
// that fails logs the reason (runtime/log.h) and exits with status 1.
void run_worker_if_asked(int argc, char** argv);

namespace detail {
// The same, but returns true after it has served, for a program with more to do. Throws Error if
// the program that started this worker sends an invalid message.
bool worker_main(int argc, char** argv);

// A process is a worker if its first argument begins with kWorkerArgument, followed by the reader's
// name, and if kWorkerVariable is in its environment. The socket is descriptor 3.
inline constexpr char kWorkerArgument[] = "--sluice-worker=";
inline constexpr char kWorkerVariable[] = "SLUICE_WORKER";
inline constexpr int kWorkerSocket = 3;
}  // namespace detail

}  // namespace sluice
