// WorkerRequest: who waits for a sample that a worker makes. Internal.
//
// Exactly one of its functions is called, once, on the pool's thread, which does nothing else
// meanwhile. One that is destroyed before has to tell by itself.
#pragma once

#include <sluice/graph/plan/sample.h>
#include <sluice/io/workers/values.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>

namespace sluice::detail {

class RequestInputs;

class WorkerRequest {
 public:
  virtual ~WorkerRequest() = default;
  // Throws Nonsense, before it has given anything, if this is no such sample: it will be called
  // again then, with something else.
  virtual void give(ReplyReader& reply) = 0;
  virtual void fail(const std::string& what) noexcept = 0;
  // There is no such sample: the epoch ends here.
  virtual void end() noexcept = 0;
  // Whether the reader makes all samples of a group at once, so that it is not known at which of
  // them it was when it ended.
  virtual bool made_with_others() const noexcept { return false; }
  // No worker is left, and none will be. Where nobody knows how many samples there are, the epoch
  // has to end some time.
  virtual void refuse(const std::string& what) noexcept { fail(what); }
};

// Reads a whole sample.
void finish_sample(const ReplyReader& reply);
template <class Sample>
Sample read_sample(ReplyReader& reply) {
  Sample sample = travelling<Sample>::read(reply);
  finish_sample(reply);
  return sample;
}

struct Work {
  SampleInfo info;
  std::unique_ptr<WorkerRequest> request;      // null: nobody wants it any more
  bool tried = false;                          // by a worker that ended
  bool alone = false;                          // it is not given to a worker with others
  std::shared_ptr<RequestInputs> inputs = {};  // of a function; null for a source's sample
  // Set by the worker that has it in hand.
  std::uint64_t number = 0;
  bool last_of_group = false;
};
// A list, so that work moves from one to another without an allocation.
using WorkList = std::list<Work>;

}  // namespace sluice::detail
