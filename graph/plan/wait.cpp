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

}  // namespace

void CompletionHandle::give_to(Sample& sample, const GiveFunction& give) noexcept {
  {
    const BufferPoolScope scope(*sample.wait.pool);
    try {
      give(sample);
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

bool CompletionHandle::fire_error(const std::exception_ptr& why) noexcept {
  if (why == nullptr) return fire_error("was told of an error by an empty std::exception_ptr");
  return fire([&](Sample&) { std::rethrow_exception(why); });
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
