// Requests samples from a pool of workers, and waits for them, without a pipeline.
#pragma once

#include <sluice/io/workers/pool.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::testing {

template <class S>
struct Answer {
  std::optional<S> sample;
  std::string error;
  bool end = false;
};

template <class S>
class Asked {
 public:
  // `together`: the reader makes all samples of a group at once.
  explicit Asked(const std::string& name, WorkerOptions options = {}, std::int64_t samples = 1000,
                 bool together = false)
      : pool_(name, detail::wire_type<S>::names(), samples, with_program(std::move(options))),
        together_(together) {}

  detail::WorkerPool& pool() { return pool_; }

  void begin(std::int64_t index, std::int64_t epoch = 0) {
    {
      const std::lock_guard lock(state_->mutex);
      state_->answers.emplace_back();
    }
    const SampleInfo info{.index_in_epoch = index, .epoch = epoch, .index = index};
    pool_.fetch(info, std::make_unique<Request>(state_, asked_++, together_));
  }
  // Waits for all requests since the last call. Returns the answers in their order.
  std::vector<Answer<S>> all() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->open == 0 && state_->done == asked_; });
    asked_ = state_->done = 0;
    return std::exchange(state_->answers, {});
  }
  std::vector<Answer<S>> all_of(std::int64_t count, std::int64_t epoch = 0) {
    for (std::int64_t i = 0; i < count; ++i) begin(i, epoch);
    return all();
  }
  // Waits until so many requests are answered.
  void wait_for(std::size_t count) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->done >= count; });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Answer<S>> answers;
    std::size_t done = 0;
    std::size_t open = 0;  // requests that are not destroyed yet
  };
  class Request final : public detail::WorkerRequest {
   public:
    Request(std::shared_ptr<State> state, std::size_t place, bool together)
        : state_(std::move(state)), place_(place), together_(together) {
      const std::lock_guard lock(state_->mutex);
      ++state_->open;
    }
    ~Request() override {
      if (!told_) tell({{}, "was dropped", false});
      const std::lock_guard lock(state_->mutex);
      --state_->open;
      state_->changed.notify_all();
    }
    void give(detail::ReplyReader& reply) override {
      Answer<S> answer;
      answer.sample = detail::read_sample<S>(reply);
      tell(std::move(answer));
    }
    void fail(const std::string& what) noexcept override { tell({{}, what, false}); }
    void end() noexcept override { tell({{}, {}, true}); }
    bool made_with_others() const noexcept override { return together_; }

   private:
    void tell(Answer<S> answer) {
      const std::lock_guard lock(state_->mutex);
      told_ = true;
      state_->answers[place_] = std::move(answer);
      ++state_->done;
      state_->changed.notify_all();
    }
    std::shared_ptr<State> state_;
    const std::size_t place_;
    const bool together_;
    bool told_ = false;
  };

  static WorkerOptions with_program(WorkerOptions options) {
    if (options.program.empty()) options.program = SLUICE_WORKER_PROGRAM;
    return options;
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::size_t asked_ = 0;
  detail::WorkerPool pool_;
  const bool together_;
};

}  // namespace sluice::testing
