// PoolThread: the event loop of a worker pool. pool_thread.h has the contract.
//
// Problem: any thread may request a sample, and several worker processes produce samples. A worker
// may crash, hang, or hold too much memory. Each request must get exactly one answer. A crash must
// cost only the sample that caused it. So a single thread keeps track of all requests.
//
// Example: 2 workers, `prefetch` = 2, and requests for samples 0 to 4. Brackets are groups.
//
//     event                           queue_       worker 0     worker 1
//     take_orders()                   0 1 2 3 4
//     hand_out(): equal shares                     [0 1 2]      [3 4]
//     worker 0 answers 0                           [1 2]        [3 4]
//     worker 0 crashes: 1 fails       2            restarts     [3 4]
//     hand_out(): who has room                     restarts     [3 4] [2]
//
// 1. fetch() appends the request to `ordered_`, and wakes the thread through an eventfd (EventFd).
// 2. serve() loops: take orders, look at deadlines, hand out groups, tell workers which values are
//    no longer used, wait in epoll. take_orders() moves `ordered_` to `queue_`.
// 3. epoll watches the eventfd and three descriptors of each worker: its socket, its output and its
//    pidfd. An event's data is 4 * worker + kind.
// 4. A worker answers in the order of its requests. So when it ends, it was working on the first
//    one in hand. save_work() fails this one, or retries it once if the options say so. The others
//    return to the front of the queue. If the reader makes a whole group at once, each sample of it
//    may be the cause. Then all return, and are sent one by one.
// 5. may_hand_out() adds an estimate for the samples in hand to the bytes in use, and compares the
//    sum with `max_bytes`. If nothing is in hand, it always allows one sample.
//
// Invariants:
// - A request is in one place: `ordered_`, `queue_`, or the list in hand of a worker. The pool's
//   thread answers it.
// - `mutex_` guards `ordered_`, `cancelled_`, `cancel_`, `stop_` and `broken_`. Requests are
//   answered without it. The counts for stats() are atomic. All other state that changes belongs to
//   the pool's thread; it also reads `broken_` without the lock, because it alone writes it.
// - No wake-up is lost: EventFd::heard() precedes take_orders(), also after an exception, because
//   serve() begins with it. may_hand_out() sets the flag
//   `short_of_memory`, and then checks again. If a group cannot be sent, wait() returns soon, and
//   hand_out() tries again.
// - While the loop runs, a descriptor leaves epoll before it is closed.
//
// Cancellation: WorkerPool calls cancel() when the last open epoch ends. All requests made before
// fail. Those in hand leave empty entries, until the worker has answered them or left them out.
// Errors: replace() starts a new process while restarts are left. If no worker is left, a restart
// is hopeless, or memory is short, give_up() fails all requests. take_orders() refuses later ones.
// End: after stop(), stop_all() closes the sockets and waits up to 2 seconds for the workers.
//
// Read serve() first, then hand_out(). The functions after it handle ended workers.
#include <sluice/io/workers/pool_thread.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <sys/epoll.h>

namespace sluice::detail {
namespace {

constexpr unsigned kMessages = 0, kWords = 1, kExit = 2, kKinds = 4;
constexpr std::uint64_t kWake = ~std::uint64_t{0};

void watch(const Descriptor& epoll, int descriptor, std::uint64_t data) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = data;
  if (::epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

// Removes the descriptor explicitly: if a child of fork() has a copy, closing it does not end its
// events.
void forget(const Descriptor& epoll, int descriptor) {
  if (descriptor >= 0) (void)::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, descriptor, nullptr);
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

PoolThread::PoolThread(WorkerSetup setup)
    : setup_(std::move(setup)),
      name_(escape_control_chars(setup_.name)),
      event_fd_(std::make_shared<EventFd>()),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  watch(epoll_, event_fd_->number(), kWake);
  for (int i = 0; i < setup_.options.workers; ++i)
    workers_.push_back(std::make_unique<Worker>(i, setup_, event_fd_, samples_));
}

void PoolThread::fetch(Work work) {
  WorkList one;
  one.push_back(std::move(work));
  {
    const std::lock_guard lock(mutex_);
    ordered_.splice(ordered_.end(), one);
  }
  event_fd_->call();
}

void PoolThread::cancel() noexcept {
  {
    const std::lock_guard lock(mutex_);
    cancel_ = true;
    cancelled_ = ordered_.size();
  }
  event_fd_->call();
}

void PoolThread::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  event_fd_->call();
}

std::string PoolThread::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

WorkerStats PoolThread::stats() const {
  return {.workers = setup_.options.workers,
          .ready = ready_,
          .samples = samples_,
          .restarts = restarts_,
          .renewals = renewals_,
          .bytes_held = event_fd_->held_bytes};
}

void PoolThread::start_all() {
  try {
    for (const auto& worker : workers_) start(*worker);
  } catch (...) {
    stop_all();
    throw;
  }
}

void PoolThread::run() noexcept {
  while (true) {
    try {
      serve();
      return stop_all();
    } catch (const std::exception& error) {  // std::bad_alloc
      give_up(failed(error.what()));
    } catch (...) {
      give_up(failed("something that is not a std::exception"));
    }
  }
}

std::string PoolThread::failed(const char* why) const noexcept {
  try {
    return "the thread that serves the workers of '" + name_ + "' failed: " + why;
  } catch (const std::bad_alloc&) {
    return "no memory left";  // fits into the string without an allocation
  }
}

void PoolThread::serve() {
  // First, so that an exception after EventFd::heard() loses no order.
  while (take_orders()) {
    look_at_deadlines();
    hand_out();
    keep_going();
    wait();
  }
}

// If this process was suspended, extends the workers' deadlines.
void PoolThread::wait() {
  constexpr auto kLate = std::chrono::seconds(1);
  constexpr auto kRetry = std::chrono::milliseconds(10);
  auto until = Clock::time_point::max();
  for (const auto& worker : workers_) until = std::min(until, worker->deadline());
  const auto before = Clock::now();
  if (!dying_.empty()) until = std::min(until, before + kLate);
  if (unsent_) until = std::min(until, before + kRetry);
  int milliseconds = -1;
  if (until != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - before).count();
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  std::array<epoll_event, 64> events{};
  const int count =
      ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), milliseconds);
  if (milliseconds >= 0) {
    const auto late = Clock::now() - before - std::chrono::milliseconds(milliseconds);
    for (const auto& worker : workers_) {
      if (late > kLate) worker->postpone(late);
    }
  }
  for (int i = 0; i < count; ++i) {
    const std::uint64_t data = events[static_cast<std::size_t>(i)].data.u64;
    if (data == kWake) {
      event_fd_->heard();
    } else {
      on_event(*workers_[data / kKinds], static_cast<unsigned>(data % kKinds));
    }
  }
}

bool PoolThread::take_orders() {
  WorkList ordered, cancelled;
  bool cancel = false;
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return false;
    ordered.swap(ordered_);
    const auto wanted = std::next(ordered.begin(), static_cast<std::ptrdiff_t>(cancelled_));
    cancelled.splice(cancelled.end(), ordered, ordered.begin(), wanted);
    cancelled_ = 0;
    cancel = std::exchange(cancel_, false);
  }
  fail_all(cancelled, unwanted_);
  if (cancel) cancel_all();
  if (broken_.empty()) {
    queue_.splice(queue_.end(), ordered);
  } else {
    for (const Work& work : ordered) work.request->refuse(broken_);
  }
  return true;
}

void PoolThread::cancel_all() noexcept {
  fail_all(queue_, unwanted_);
  for (const auto& worker : workers_) worker->cancel(unwanted_);
}

void PoolThread::on_event(Worker& worker, unsigned which) {
  if (!worker.runs()) return;  // it has ended in the meantime
  if (which == kMessages) {
    on_messages(worker);
  } else if (which == kExit) {
    on_exit(worker);
  } else if (!worker.process()->listen()) {
    forget(epoll_, worker.process()->words_descriptor());
  }
}

// Returns true if there may be more messages.
bool PoolThread::on_messages(Worker& worker) {
  const bool was_ready = worker.ready();
  try {
    const auto heard = worker.receive();
    if (!was_ready && worker.ready()) ++ready_;
    if (heard == Worker::Heard::closed) end(worker, "");
    return heard == Worker::Heard::more;
  } catch (const ProtocolError& error) {
    end(worker, std::string("was ended because it sent an invalid message: ") + error.what());
  } catch (const WorkerFailure& error) {
    worker.count_failed_setup();
    end(worker, error.what(), error.lasting() || all_fail(worker));
  }
  return false;
}

// Handles the messages that it sent before it ended.
void PoolThread::on_exit(Worker& worker) {
  if (!worker.process()->has_ended(0)) return;  // the event is of an earlier process
  if (worker.closed()) return renew(worker, "");
  while (worker.runs() && on_messages(worker)) {
  }
  if (worker.runs()) end(worker, "");
}

// Replaces a worker that was closed after `renew_after` samples.
void PoolThread::renew(Worker& worker, const std::string& why) {
  --ready_;
  ++renewals_;
  unwatch(worker);
  auto ending = worker.end(why);
  if (ending.process != nullptr) dying_.push_back(std::move(ending.process));
  const std::string failure = try_start(worker);
  if (!failure.empty()) replace(worker, failure, count_restart());
}

void PoolThread::look_at_deadlines() {
  const auto now = Clock::now();
  for (const auto& worker : workers_) {
    if (worker->deadline() > now) continue;
    if (worker->ready() && worker->closed()) {
      renew(*worker, "did not end by itself");
      continue;
    }
    const std::string limit =
        " than deadline_s = " + seconds_text(setup_.options.deadline_s) + " seconds";
    if (worker->ready()) {
      end(*worker, "was ended because it took longer for a sample" + limit);
    } else {
      end(*worker,
          "was ended because it took longer for its start" + limit + hint(worker->said_hello()),
          nobody_was_ready());
    }
  }
}

std::size_t PoolThread::in_hand() const {
  std::size_t all = 0;
  for (const auto& worker : workers_) all += worker->in_hand();
  return all;
}

// If no sample is being made, always returns true: the consumer needs the next sample to go on and
// give memory back.
bool PoolThread::may_hand_out() {
  const std::size_t busy = in_hand();
  if (busy == 0) return true;
  std::size_t each = 0;
  for (const auto& worker : workers_) each = std::max(each, worker->usual_bytes());
  const auto exceeded = [&] {
    return event_fd_->held_bytes + (busy + 1) * each > setup_.options.max_bytes;
  };
  event_fd_->short_of_memory = exceeded();
  // Memory that was given back before the flag was set did not wake this thread, so check again.
  return !event_fd_->short_of_memory || !exceeded();
}

// Returns the worker that wants work and has the fewest groups, and the number of such workers.
Worker* PoolThread::who_wants(std::size_t& how_many) {
  Worker* least = nullptr;
  how_many = 0;
  for (const auto& worker : workers_) {
    if (!worker->wants_work()) continue;
    if (least == nullptr || worker->groups() < least->groups()) {
      least = worker.get();
      how_many = 0;
    }
    how_many += worker->groups() == least->groups() ? 1 : 0;
  }
  return least;
}

void PoolThread::hand_out() {
  unsent_ = false;
  while (!queue_.empty() && may_hand_out()) {
    std::size_t wanting = 0;
    Worker* const worker = who_wants(wanting);
    if (worker == nullptr) return;
    const bool scarce = event_fd_->held_bytes >= setup_.options.max_bytes / 2;
    const std::size_t share = (queue_.size() + wanting - 1) / wanting;
    const bool alone = scarce || queue_.front().alone || queue_.front().inputs != nullptr;
    const std::size_t most = queue_.front().request->made_with_others()
                                 ? static_cast<std::size_t>(setup_.options.mini_batch)
                                 : worker->group_size();
    const std::size_t size = alone ? 1 : std::min(share, most);
    WorkList group;
    for (std::size_t i = 0; i < size; ++i) {
      const Work& next = queue_.front();
      if (i > 0 && (next.alone || next.info.epoch != group.front().info.epoch)) break;
      group.splice(group.end(), queue_, queue_.begin());
    }
    if (worker->hand(group)) continue;
    queue_.splice(queue_.begin(), group);
    unsent_ = true;  // the socket has no room, and no event tells when it has
    return;
  }
}

void PoolThread::keep_going() {
  constexpr std::size_t kMany = 32;
  for (const auto& worker : workers_) {
    if (!worker->runs()) continue;
    worker->flush(event_fd_->short_of_memory ? 1 : kMany);
    if (!worker->is_due() || worker->closed()) continue;
    forget(epoll_, worker->process()->channel().number());
    worker->close();
  }
  std::erase_if(dying_, [](const auto& process) { return process->has_ended(0); });
}

void PoolThread::unwatch(Worker& worker) {
  WorkerProcess& process = *worker.process();
  forget(epoll_, process.channel().number());
  forget(epoll_, process.words_descriptor());
  forget(epoll_, process.exit_descriptor());
}

void PoolThread::start(Worker& worker) {
  worker.start();
  const auto place = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const auto& other) { return other.get() == &worker; });
  const auto data = static_cast<std::uint64_t>(place - workers_.begin()) * kKinds;
  WorkerProcess& process = *worker.process();
  watch(epoll_, process.channel().number(), data + kMessages);
  watch(epoll_, process.words_descriptor(), data + kWords);
  watch(epoll_, process.exit_descriptor(), data + kExit);
}

// Ended workers, their work, and the shutdown.

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
  // Count before a request fails: its caller may read the statistics at once.
  const bool again = !lasting && count_restart();
  save_work(ending);
  if (lasting) return give_up(ending.what);
  replace(worker, ending.what, again);
}

bool PoolThread::all_fail(const Worker& worker) const {
  return nobody_was_ready() && worker.failed_setups() > 1 &&
         std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& each) { return each->failed_setups() > 0; });
}

// The worker was working on the first request in hand, or on a group that begins with it. In the
// second case all requests in hand are retried, one by one.
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

// Returns why it could not be started; empty if it was.
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

bool PoolThread::count_restart() {
  if (restarts_ >= setup_.options.restarts) return false;
  ++restarts_;
  return true;
}

void PoolThread::replace(Worker& worker, std::string what, bool may_start) {
  for (; may_start; may_start = count_restart()) {
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
  // Log it, because a pipeline that skips failed samples would not show it.
  log_message({"from now on each sample of the workers '", name_, "' fails: ", what});
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
