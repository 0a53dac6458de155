// What a worker process does. Users call run_worker_if_asked, which is in workers.h too.
#pragma once

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
