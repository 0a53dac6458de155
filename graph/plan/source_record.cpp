#include <sluice/graph/plan/source_record.h>

#include <atomic>
#include <chrono>
#include <shared_mutex>

namespace sluice::detail {

struct EpochGate::State {
  std::shared_timed_mutex mutex;
  std::atomic<bool> open{false};
};

EpochGate::EpochGate() : state_(std::make_unique<State>()) {}

EpochGate::~EpochGate() = default;

void EpochGate::open() noexcept { state_->open = true; }

void EpochGate::close() noexcept {
  state_->open = false;
  if (state_->mutex.try_lock_for(std::chrono::seconds(5))) state_->mutex.unlock();
}

void EpochGate::enter() const { state_->mutex.lock_shared(); }

void EpochGate::leave() const noexcept { state_->mutex.unlock_shared(); }

bool EpochGate::is_open() const noexcept { return state_->open; }

}  // namespace sluice::detail
