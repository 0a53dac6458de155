// Completion: the handle that delivers the value of an asynchronous step. See Graph::map_async.
//
//   auto reply = g.map_async<Reply>("ask", [client](Completion<Reply> done, const Query& query) {
//     client->send(query, [done = std::move(done)](Reply r) mutable { done.set(std::move(r)); });
//   }, query);
//
// Fire it once, from any thread: call set() with the value, or fail() with the error, which becomes
// the sample's error. The first call counts. Any other call returns false and does nothing, so an
// answer and a timeout may race. If a handle is destroyed before it is fired, its sample fails.
// Firing only moves the value into the sample; the pipeline's threads do the rest. Do not run long
// work on the thread that fires.
//
// A dataset with asynchronous samples receives such handles, too: see Graph::read. There, fail()
// with EndOfEpoch means that the epoch ends before this sample.
//
// Ownership: move-only. A sample waits while its handle is held, and the end of an epoch and the
// destruction of the pipeline wait for the sample. So fire or destroy every handle, even if the
// value is no longer needed. An end that waits long is logged, see
// PipelineOptions::stall_timeout. Threads: any. Errors: a handle throws nothing; an exception from
// moving the value becomes the sample's error.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/exec/work_scope.h>
#include <sluice/graph/plan/step.h>

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

template <class R>
class Completion : public detail::CompletionHandle {
 public:
  Completion() = default;
  // Called by the pipeline.
  Completion(detail::Sample& sample, const std::vector<detail::SlotId>& slots)
      : CompletionHandle(sample), slots_(&slots) {}

  // Returns true if this call fired the handle.
  bool set(R value) noexcept {
    return fire([&](detail::Sample& sample) { write(sample, std::move(value)); });
  }
  // Ends the sample as filtered, without an error.
  bool filter() noexcept {
    return fire([](detail::Sample& sample) { sample.drop(); });
  }
  bool fail(const std::exception_ptr& why) noexcept { return fire_error(why); }
  bool fail(std::string_view what) noexcept { return fire_error(what); }
  // For a dataset that has failed as a whole. If its length is unknown, this sample, with its
  // error, is the last one of the epoch. Otherwise it is the same as fail().
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
