#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/wait.h>

namespace sluice::detail {
namespace {

void fail(Sample& sample, std::string_view what) noexcept {
  sample.fail(sample.running()->name, what);
}
void fail(Sample& sample, const std::exception& error) noexcept {
  const char* const what = error.what();
  fail(sample, what != nullptr ? what : "threw an exception whose what() is null");
}

// Of a source it says where the epoch ends; of any other step it is an error.
void end_epoch(Sample& sample, const EndOfEpoch& end) noexcept {
  if (!sample.running()->pinned) return fail(sample, end);
  try {
    sample.end_epoch();
  } catch (const std::exception& error) {
    fail(sample, error);
  }
}

}  // namespace

void CompletionHandle::give_to(Sample& sample, const GiveFunction& give) noexcept {
  {
    const BufferPoolScope scope(*sample.wait.pool);
    try {
      give(sample);
    } catch (const EndOfEpoch& end) {
      end_epoch(sample, end);
    } catch (const std::exception& error) {
      fail(sample, error);
    } catch (...) {
      fail(sample, "threw something that is not a std::exception");
    }
    sample.wait.bytes_given = scope.bytes_allocated();
  }
  leave(sample);
}

bool CompletionHandle::fire_error(std::string_view what) noexcept {
  Sample* const sample = take();
  if (sample == nullptr) return false;
  fail(*sample, what);
  leave(*sample);
  return true;
}

bool CompletionHandle::fire_last_error(std::string_view what) noexcept {
  Sample* const sample = take();
  if (sample == nullptr) return false;
  if (sample->running()->pinned) {
    sample->fail_as_last(sample->running()->name, what);
  } else {
    fail(*sample, what);
  }
  leave(*sample);
  return true;
}

bool CompletionHandle::fire_error(const std::exception_ptr& why) noexcept {
  if (why == nullptr) return fire_error("was told of an error by an empty std::exception_ptr");
  return fire([&](Sample&) { std::rethrow_exception(why); });
}

bool CompletionHandle::out_of_turn() const noexcept {
  const Sample* const sample = sample_.load(std::memory_order_acquire);
  return sample != nullptr && sample->out_of_turn();
}

void CompletionHandle::drop() noexcept {
  (void)fire_error(
      "its completion handle was destroyed before it was fired: call set() or fail() on it, from "
      "any thread");
}

// After this the sample may be anybody's.
void CompletionHandle::leave(Sample& sample) noexcept {
  if (sample.wait.leave()) sample.wait.listener->wait_is_over(sample);
}

}  // namespace sluice::detail
