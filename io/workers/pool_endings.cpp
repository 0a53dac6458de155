// Of PoolThread: what becomes of a worker that ends, of its work, and of all at the end.
#include <sluice/io/workers/pool_thread.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

namespace sluice::detail {

void PoolThread::end(Worker& worker, const std::string& why, bool lasting) {
  unwatch(worker);
  auto ending = worker.end(why);
  if (ending.process != nullptr) dying_.push_back(std::move(ending.process));
  if (ending.was_ready) {
    --ready_;
  } else if (why.empty()) {
    ending.what += ", before it was ready";
    if (ending.by_itself) {
      worker.count_failed_setup();
      lasting = ending.said_hello ? all_fail(worker) : nobody_was_ready();
      ending.what += hint(ending.said_hello);
    }
  }
  save_work(ending);
  if (lasting) return give_up(ending.what);
  replace(worker, ending.what);
}

bool PoolThread::all_fail(const Worker& worker) const {
  return nobody_was_ready() && worker.failed_setups() > 1 &&
         std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& each) { return each->failed_setups() > 0; });
}

// The first one in hand is what it was at, or a group begins with it: then all in hand are made
// once more, one by one.
void PoolThread::save_work(Worker::Ending& ending) {
  auto& all = ending.in_hand;
  if (!all.empty() && all.front().request != nullptr) {
    Work& work = all.front();
    if (work.request->made_with_others() && !work.alone) {
      for (Work& each : all) each.alone = true;
    } else if (setup_.options.retry && !work.tried) {
      work.tried = true;
    } else {
      work.request->fail(ending.what);
      work.request.reset();
    }
  }
  std::erase_if(all, [](const Work& work) { return work.request == nullptr; });
  queue_.splice(queue_.begin(), all);
}

// Why it could not be started, or nothing.
std::string PoolThread::try_start(Worker& worker) {
  try {
    start(worker);
    return {};
  } catch (const std::system_error& error) {
    if (worker.runs()) {
      unwatch(worker);
      (void)worker.end("is not watched");
    }
    return worker.title() + " cannot be started: " + error.what();
  }
}

void PoolThread::replace(Worker& worker, std::string what) {
  while (restarts_ < setup_.options.restarts) {
    ++restarts_;
    const std::string failure = try_start(worker);
    if (failure.empty()) return;
    what = failure;
  }
  const bool some = std::any_of(workers_.begin(), workers_.end(),
                                [](const auto& other) { return other->runs(); });
  if (!some) {
    give_up("no worker of '" + name_ + "' is left, and restarts = " +
            std::to_string(setup_.options.restarts) + " are used up; the last one: " + what);
  }
}

void PoolThread::give_up(std::string what) noexcept {
  // Where samples that fail are passed over nobody would hear of it.
  (void)std::fprintf(stderr, "sluice: from now on each sample of the workers '%s' fails: %s\n",
                     name_.c_str(), what.c_str());
  {
    const std::lock_guard lock(mutex_);
    broken_ = std::move(what);
    queue_.splice(queue_.end(), ordered_);
    cancelled_ = 0;
  }
  for (const auto& worker : workers_) {
    if (!worker->runs()) continue;
    unwatch(*worker);
    worker->drop(broken_);
  }
  ready_ = 0;
  fail_all(queue_, broken_);
}

void PoolThread::fail_all(WorkList& all, const std::string& what) noexcept {
  for (Work& work : all) {
    if (work.request != nullptr) work.request->fail(what);
  }
  all.clear();
}

void PoolThread::stop_all() noexcept {
  constexpr auto kPatience = std::chrono::seconds(2);  // for the destructors of readers
  WorkList ordered;
  {
    const std::lock_guard lock(mutex_);
    ordered.swap(ordered_);
    cancelled_ = 0;
  }
  fail_all(ordered, unwanted_);
  cancel_all();
  for (const auto& worker : workers_) worker->close();
  const auto until = Clock::now() + kPatience;
  for (const auto& worker : workers_) {
    if (!worker->runs()) continue;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    (void)worker->process()->has_ended(static_cast<int>(std::max<std::int64_t>(left, 0)));
    (void)worker->process()->listen();
  }
  workers_.clear();
  dying_.clear();
  ready_ = 0;
}

}  // namespace sluice::detail
