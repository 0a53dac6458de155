// A dataset whose samples arrive later, for tests of such datasets.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sluice::testing {

using Handle = Completion<std::int64_t>;

// A list of calls, by their descriptions.
struct Calls {
  std::mutex mutex;
  std::vector<std::string> list;
  void add(std::string what) {
    const std::lock_guard lock(mutex);
    list.push_back(std::move(what));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex);
    return std::exchange(list, {});
  }
};

// Calls `answer` with the handle and the info.
struct Later {
  using Sample = std::int64_t;
  std::int64_t count = 0;
  std::function<void(Handle, const SampleInfo&)> answer;
  std::function<void(const EpochInfo&)> begin = [](const EpochInfo&) {};
  std::function<void()> end = [] {};
  std::int64_t size() const { return count; }
  std::string name(std::int64_t i) const { return "later " + std::to_string(i); }
  void operator()(Handle done, const SampleInfo& info) const { answer(std::move(done), info); }
  void begin_epoch(const EpochInfo& info) const { begin(info); }
  void end_epoch() const noexcept { end(); }
};

}  // namespace sluice::testing
