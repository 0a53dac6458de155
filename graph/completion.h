// Completion: the handle by which a step that waits is told its value. See Graph::map_async.
//
//   auto reply = g.map_async<Reply>("ask", [client](Completion<Reply> done, const Query& query) {
//     client->send(query, [done = std::move(done)](Reply r) mutable { done.set(std::move(r)); });
//   }, query);
//
// Fire it once, from any thread: set() with the value, or fail() with what went wrong, which is the
// sample's error then. The first one counts: any other says false and does nothing, so that an
// answer and a timeout may race. A handle that is destroyed before it was fired fails its sample.
// Do nothing long where you fire: the value is moved into the sample there, and the rest of the
// sample's way is left to the pipeline's threads.
//
// A dataset whose samples come later is given such handles, too: see Graph::read. There EndOfEpoch,
// as what went wrong, says that the epoch ends before this sample.
//
// Ownership: move-only. While a handle is held its sample waits, so that the end of an epoch, and
// the destruction of the pipeline, wait for it: fire or destroy every handle, also where nobody
// wants the value any more. Such an end that waits long says so on standard error, see
// PipelineOptions::stall_timeout. Threads: any. Errors: nothing is thrown by a handle; what moving
// the value throws is the sample's error.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/step.h>
#include <sluice/graph/run/work_scope.h>

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

template <class R>
class Completion : public detail::CompletionHandle {
 public:
  Completion() = default;
  // The pipeline makes them.
  Completion(detail::Sample& sample, const std::vector<detail::SlotId>& slots)
      : CompletionHandle(sample), slots_(&slots) {}

  // True if this fires it.
  bool set(R value) noexcept {
    return fire([&](detail::Sample& sample) { write(sample, std::move(value)); });
  }
  // The sample is not wanted: it ends as filtered, without an error.
  bool filter() noexcept {
    return fire([](detail::Sample& sample) { sample.drop(); });
  }
  bool fail(const std::exception_ptr& why) noexcept { return fire_error(why); }
  bool fail(std::string_view what) noexcept { return fire_error(what); }
  // For a dataset that has broken down: if its length is unknown, this sample, with its error, is
  // the last one of the epoch. Otherwise this is fail().
  bool fail_as_last(std::string_view what) noexcept { return fire_last_error(what); }

 private:
  void write(detail::Sample& sample, R&& value) {
    if (sample.running()->pinned) {
      detail::results<R>::template write<detail::Origin::source>(sample, *slots_, std::move(value));
    } else {
      detail::results<R>::write(sample, *slots_, std::move(value));
    }
  }

  const std::vector<detail::SlotId>* slots_ = nullptr;  // the step's
};

}  // namespace sluice
