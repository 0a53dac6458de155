#include <sluice/graph/sources/source_threads.h>
#include <sluice/runtime/error.h>

#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace sluice::detail {

struct SourceThreads::Threads {
  std::vector<std::jthread> all;
};

SourceThreads::SourceThreads(std::size_t wanted,
                             const std::function<void(const std::stop_token&)>& work)
    : threads_(std::make_unique<Threads>()) {
  threads_->all.reserve(wanted);
  try {
    while (threads_->all.size() < wanted) threads_->all.emplace_back(work);
  } catch (const std::system_error& error) {
    if (threads_->all.empty()) {
      throw Error("a source cannot make a single thread: " + error.code().message() +
                  "; allow the process more threads (ulimit -u, pids.max) or more memory");
    }
  }
}

SourceThreads::~SourceThreads() {
  if (!home_.here()) static_cast<void>(threads_.release());
}

}  // namespace sluice::detail
