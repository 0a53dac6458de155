// Log: the few warnings of the library that belong to no sample, batch or exception, each a message
// of one line. By default they go to standard error, after "sluice: ".
//
//   set_log_handler([](std::string_view message) { my_logger.warn(message); });
//
// Everything else is returned as data: the errors and warnings of batches, what sources left out,
// stats().
//
// Ownership: the library keeps a handler until it is replaced and all of its calls have returned.
// It never destroys the last one. A message is valid only during the call. Threads: any thread may
// log or exchange the handler, at any time. The handler runs on the thread that logs, so it may run
// on several threads at once. The library holds no lock meanwhile. A thread that is logging may
// still call the former handler after set_log_handler() has returned. A handler must not wait for a
// pipeline, because the pipeline may wait for the thread that logs. Errors: logging throws nothing.
// If the handler throws, the message goes to standard error. A message that is logged inside a
// handler also goes there.
#pragma once

#include <sluice/runtime/function.h>

#include <initializer_list>
#include <string_view>

namespace sluice {

// Called with a message, without a prefix and a line end.
using LogHandler = Function<void(std::string_view message)>;

// Sends all later messages of the process to `handler`; an empty one means standard error. Returns
// the former handler, which may be empty. A child of fork() keeps the handler. A worker process is
// another program, and sets its own.
LogHandler set_log_handler(LogHandler handler) noexcept;

namespace detail {

// Logs the parts as one message. Call it without a lock, because the handler is the user's code. If
// there is no memory for the message, its parts go to standard error.
void log_message(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace detail
}  // namespace sluice
