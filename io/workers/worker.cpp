#include <sluice/io/workers/request_inputs.h>
#include <sluice/io/workers/worker.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace sluice::detail {
namespace {

constexpr std::size_t kIdsOfMessage = 1024;
constexpr int kMessagesOfTurn = 256;
constexpr int kToDie = 1000;  // milliseconds, after a kill
// The first samples of a worker may be slower, so they do not count for the average.
constexpr std::int64_t kNew = 16;

}  // namespace

void finish_sample(const ReplyReader& reply) { reply.finish(); }

Worker::Worker(int number, const WorkerSetup& setup, std::shared_ptr<Wake> wake,
               std::atomic<std::int64_t>& samples)
    : number_(number), setup_(setup), wake_(std::move(wake)), samples_(samples) {}

std::string Worker::title() const {
  std::string title = "worker " + std::to_string(number_) + " of '" + printable(setup_.name) + "'";
  if (process_ != nullptr) title += " (pid " + std::to_string(process_->pid()) + ")";
  return title;
}

void Worker::start() {
  process_ = std::make_unique<WorkerProcess>(setup_.program);
  returns_ = std::make_shared<Returns>(wake_);
  segments_.clear();
  said_hello_ = ready_ = retiring_ = false;
  handed_ = 0;
  since_ = Clock::now();
  MessageWriter message({MessageKind::setup, 0, kWorkerProtocol});
  message.add(
      SetupFields{number_, setup_.options.workers, setup_.options.max_bytes, setup_.name.size()});
  message.add_text(setup_.name);
  message.add_text(setup_.options.argument);
  (void)process_->channel().send(message.message(), Patience::none);
}

bool Worker::wants_work() const {
  return ready_ && !retiring_ && groups_ < setup_.options.prefetch;
}

bool Worker::hand(WorkList& group) {
  flush(1);
  RequestInputs* const inputs = group.front().inputs.get();
  if (inputs != nullptr) {
    try {
      inputs->seal();
    } catch (const std::exception& error) {
      group.front().request->fail(error.what());
      return true;
    }
  }
  MessageWriter message(
      inputs == nullptr
          ? Header{MessageKind::fetch, static_cast<std::uint32_t>(group.size()), next_number_}
          : Header{MessageKind::call, inputs->count(), next_number_});
  for (const Work& work : group) message.add(work.info);
  if (inputs != nullptr) inputs->write(message);
  const int descriptor = inputs == nullptr ? -1 : inputs->descriptor();
  if (process_->channel().send(message.message(), Patience::none, descriptor) !=
      Channel::Result::done)
    return false;
  if (in_hand_.empty()) since_ = Clock::now();
  for (Work& work : group) {
    work.number = next_number_++;
    work.last_of_group = &work == &group.back();
  }
  ++groups_;
  handed_ += static_cast<std::int64_t>(group.size());
  in_hand_.splice(in_hand_.end(), group);
  if (setup_.options.renew_after > 0 && handed_ >= setup_.options.renew_after) retiring_ = true;
  return true;
}

void Worker::flush(std::size_t at_least) {
  if (!ready_) return;
  const auto ids = returns_->take(at_least, kIdsOfMessage);
  if (ids.empty()) return;
  MessageWriter message({MessageKind::give_back, static_cast<std::uint32_t>(ids.size()), 0});
  for (const std::uint64_t id : ids) message.add(id);
  if (process_->channel().send(message.message(), Patience::none) == Channel::Result::later)
    returns_->put_back(ids);
}

Worker::Heard Worker::receive() {
  for (int i = 0; i < kMessagesOfTurn; ++i) {
    auto received = process_->channel().receive(Patience::none);
    if (received.result == Channel::Result::later) return Heard::all;
    if (received.result == Channel::Result::closed) return Heard::closed;
    handle(received);
  }
  return Heard::more;
}

void Worker::handle(Channel::Received& received) {
  if (received.too_long) throw Nonsense("a message that is too long");
  MessageReader message(received.message);
  const auto header = message.take<Header>();
  if (!ready_) return handle_ready(header, message);
  switch (header.kind) {
    case MessageKind::segment:
      return add_segment(header, received);
    case MessageKind::gone:
      if (segments_.erase(header.number) == 0) throw Nonsense("the end of what it never shared");
      return;
    case MessageKind::sample:
    case MessageKind::error:
    case MessageKind::end:
      return answer(header, message);
    case MessageKind::cancelled:
      return leave_out(header);
    default:
      throw Nonsense("a message of kind " + std::to_string(static_cast<unsigned>(header.kind)));
  }
}

void Worker::handle_ready(const Header& header, const MessageReader& message) {
  if (header.kind == MessageKind::hello && !said_hello_) {
    said_hello_ = true;
    return;
  }
  if (header.kind == MessageKind::failed) {
    const bool lasting = header.count != 0;
    throw WorkerFailure("cannot be set up: " + message.text(), lasting);
  }
  if (header.kind != MessageKind::ready || header.number != kWorkerProtocol)
    throw Nonsense("a message before it was ready");
  if (message.text() != setup_.types) {
    throw WorkerFailure("gives samples of (" + printable(message.text()) +
                            "), and workers<...> is told of (" + setup_.types +
                            "): let both be the same",
                        true);
  }
  ready_ = true;
}

void Worker::add_segment(const Header& header, Channel::Received& received) {
  if (segments_.size() > 2 * kMostSegments || segments_.contains(header.number) ||
      header.number == 0) {
    throw Nonsense("shared memory of number " + std::to_string(header.number));
  }
  std::shared_ptr<Segment> segment;
  if (received.descriptor) {
    try {
      // A pool's blocks may be up to a quarter larger than the request.
      segment =
          std::make_shared<Segment>(Segment::of(received.descriptor, setup_.options.max_bytes * 2));
    } catch (const std::system_error&) {  // this process has no room for it
    }
  } else if (!received.lost_descriptor) {
    throw Nonsense("shared memory without a descriptor");
  }
  segments_.emplace(header.number, std::move(segment));
}

void Worker::answer(const Header& header, const MessageReader& message) {
  if (in_hand_.empty() || in_hand_.front().number != header.number)
    throw Nonsense("an answer that nobody asked for");
  ++samples_;
  if (header.kind == MessageKind::sample && ++answered_ > kNew) {
    const std::chrono::duration<double> took = Clock::now() - since_;
    usual_time_ += (took - usual_time_) / 8;
  }
  give(in_hand_.front(), header, message);
  pop();
}

std::size_t Worker::group_size() const {
  constexpr std::chrono::duration<double> kWork{1e-3};
  const auto most = static_cast<std::size_t>(setup_.options.mini_batch);
  if (usual_time_ * most <= kWork) return most;
  return std::max(std::size_t{1}, static_cast<std::size_t>(kWork / usual_time_));
}

void Worker::give(Work& work, const Header& header, const MessageReader& message) {
  if (header.kind == MessageKind::end) {
    if (work.request != nullptr) work.request->end();
    return;
  }
  if (header.kind == MessageKind::error) {
    if (work.request != nullptr) work.request->fail(message.text());
    return;
  }
  ReplyReader reply(message, header.count, segments_, returns_);
  usual_bytes_ = std::max(usual_bytes_ - usual_bytes_ / 8, reply.shared_bytes());
  if (work.request == nullptr) return;
  try {
    work.request->give(reply);
  } catch (const Nonsense&) {
    throw;
  } catch (const std::exception& error) {
    work.request->fail(error.what());
  }
}

void Worker::leave_out(const Header& header) {
  for (std::uint32_t i = 0; i < header.count; ++i) {
    if (in_hand_.empty() || in_hand_.front().request != nullptr)
      throw Nonsense("that it left out what is wanted");
    pop();
  }
}

void Worker::pop() {
  if (in_hand_.front().last_of_group) --groups_;
  in_hand_.pop_front();
  since_ = Clock::now();
}

Worker::Clock::time_point Worker::deadline() const {
  if (!runs() || (ready_ && in_hand_.empty() && !retiring_)) return Clock::time_point::max();
  constexpr double kPatience = 10;  // seconds, for a worker that was told to end
  const double seconds = runs() && closed() ? std::min(setup_.options.deadline_s, kPatience)
                                            : setup_.options.deadline_s;
  return since_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void Worker::cancel(const std::string& what) noexcept {
  if (in_hand_.empty()) return;
  for (Work& work : in_hand_) {
    if (work.request != nullptr) work.request->fail(what);
    work.request.reset();
  }
  const Header message{MessageKind::cancel, 0, 0};
  (void)process_->channel().send(std::as_bytes(std::span(&message, 1)), Patience::none);
}

void Worker::drop(const std::string& what) noexcept {
  for (Work& work : in_hand_) {
    if (work.request != nullptr) work.request->fail(what);
  }
  in_hand_.clear();
  groups_ = 0;
  ready_ = retiring_ = false;
  segments_.clear();
  if (process_ == nullptr) return;
  process_->kill();
  (void)process_->has_ended(kToDie);
  (void)process_->listen();
  process_.reset();
}

void Worker::close() noexcept {
  if (process_ != nullptr) process_->channel().end();
}

Worker::Ending Worker::end(const std::string& why) {
  constexpr int kToEnd = 200;  // milliseconds, after its socket was closed
  Ending ending;
  ending.was_ready = ready_;
  ending.said_hello = said_hello_;
  std::optional<std::string> how;
  if (why.empty()) how = process_->ended(kToEnd);
  ending.by_itself = how && process_->ended_by_itself();
  if (!how) process_->kill();
  const bool gone = process_->ended(kToDie).has_value();
  (void)process_->listen();
  ending.what = title() + " " + (why.empty() ? how.value_or("closed its socket") : why);
  if (!process_->last_words().empty()) ending.what += "; its last words: " + process_->last_words();
  ending.in_hand.splice(ending.in_hand.end(), in_hand_);
  groups_ = 0;
  ready_ = retiring_ = false;
  segments_.clear();
  if (!gone) ending.process = std::move(process_);
  process_.reset();
  return ending;
}

}  // namespace sluice::detail
