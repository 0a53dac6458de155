// SLUICE_WORKER: gives a name to a function that makes a reader, so that worker processes can be
// started for it; and run_worker_if_asked, by which such a process works. Users include workers.h.
//
//   auto make_reader(const WorkerArguments& arguments) {
//     return [database = open(arguments.argument)](const SampleInfo& info) {
//       return std::tuple{database.picture(info.index), database.label(info.index)};
//     };
//   }
//   SLUICE_WORKER("imagenet", make_reader);
//
// The function runs once in each worker, before its first sample. The reader is called there with
// one SampleInfo at a time, on one thread, and may keep what it likes from call to call: it need be
// neither const nor copyable. What it throws is the error of that sample; EndOfEpoch ends the
// epoch.
//
// Ownership: names live as long as the program. Threads: all; names are given before main() begins.
// Errors: a reader of another type does not compile. Of a name that is given twice whoever asks for
// it is told.
#pragma once

#include <sluice/graph/plan/sample.h>
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

// What the function that makes a reader is told.
struct WorkerArguments {
  std::string argument;  // WorkerOptions::argument
  int worker = 0;        // 0 to workers - 1
  int workers = 1;
};

namespace detail {

struct WorkerTask {
  const SampleInfo& info;
  // The samples that were asked for together, of which this is the one at `place`. The first of
  // them is made first.
  std::span<const SampleInfo> group;
  std::size_t place;
  ReplyReader* inputs;  // null but for a function that is called with values
};
using AnyWorkerReader = Function<void(const WorkerTask&, ReplyWriter&)>;

struct WorkerEntry {
  std::string types;  // of a sample, as text
  Function<AnyWorkerReader(const WorkerArguments&)> make;
};

// Null for a name that nobody gave. Throws BuildError for one that was given twice.
const WorkerEntry* find_worker(std::string_view name);
// What to say then, with the names that there are.
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
                  "what the function of SLUICE_WORKER gives must be callable with a const "
                  "SampleInfo&, and nothing else");
    if constexpr (reads) {
      using Gives = std::decay_t<std::invoke_result_t<Reader&, const SampleInfo&>>;
      if constexpr (travelling<Gives>::check()) {
        auto any = [make](const WorkerArguments& arguments) -> AnyWorkerReader {
          return [reader = std::make_shared<Reader>(make(arguments))](const WorkerTask& task,
                                                                      ReplyWriter& to) {
            travelling<Gives>::write(to, (*reader)(task.info));
          };
        };
        return add_worker(name, {travelling<Gives>::names(), std::move(any)});
      }
    }
  }
  return false;
}

}  // namespace detail
}  // namespace sluice

#define SLUICE_WORKER_JOIN(a, b) a##b
#define SLUICE_WORKER_VARIABLE(line) SLUICE_WORKER_JOIN(sluice_worker_, line)
// At namespace scope.
#define SLUICE_WORKER(name, make)                                       \
  [[maybe_unused]] static const bool SLUICE_WORKER_VARIABLE(__LINE__) = \
      ::sluice::detail::add_worker_function(name, make)

namespace sluice {

// To be called first thing in main() of a program that uses workers(): in a worker process it
// serves, and ends the process; in any other it returns at once. Nothing is thrown: a worker that
// cannot go on says why on standard error, and ends with status 1.
void run_worker_if_asked(int argc, char** argv);

namespace detail {
// The same, but returns true once it has served: for a program that has more to do then. Throws
// Error when the program that started this worker sends a message that makes no sense.
bool serve_if_asked(int argc, char** argv);

// How a worker is told that it is one: this argument, the first of all, which begins so and goes on
// with the reader's name, and this variable of the environment. The socket is descriptor 3.
inline constexpr char kWorkerArgument[] = "--sluice-worker=";
inline constexpr char kWorkerVariable[] = "SLUICE_WORKER";
inline constexpr int kWorkerSocket = 3;
}  // namespace detail

}  // namespace sluice
