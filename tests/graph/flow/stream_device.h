// A device whose batches end when the test says so, and a sink of the tokens that leave a node. For
// the tests of stream_node.
#pragma once

#include <sluice/graph/flow/stream_node.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::flow::streams {

using tbb::flow::graph;
using Node = stream_node<int>;
using DeviceBatch = std::vector<int>;

// A device whose slots are done when the test says so. It records everything that was begun.
class Device {
 public:
  std::vector<std::unique_ptr<Node::slot>> slots(std::size_t count) {
    std::vector<std::unique_ptr<Node::slot>> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(std::make_unique<Slot>(*this, i));
    states_.resize(count);
    return made;
  }
  // True if begin() or over() shall throw for the GPU batch. Otherwise, the GPU batch is done at
  // once, or when finish() is called.
  std::function<bool(const DeviceBatch&)> refuses = [](const DeviceBatch&) { return false; };
  std::function<bool(const DeviceBatch&)> breaks = [](const DeviceBatch&) { return false; };
  std::atomic<bool> at_once{false};
  std::size_t room = 1000;  // tokens of a GPU batch; more wait again

  // Ends the work of the slot.
  void finish(std::size_t slot) {
    const std::lock_guard lock(mutex_);
    states_[slot].over = true;
  }
  // Waits until so many batches have begun, and returns them.
  std::vector<DeviceBatch> wait_for(std::size_t batches) {
    std::unique_lock lock(mutex_);
    begun_.wait(lock, [&] { return batches_.size() >= batches; });
    return batches_;
  }
  // Returns the slot that works on the token; -1 for none.
  int slot_of(int token) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const DeviceBatch& now = states_[i].now;
      if (std::find(now.begin(), now.end(), token) != now.end()) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  struct State {
    DeviceBatch now;
    bool over = false;
  };
  class Slot : public Node::slot {
   public:
    Slot(Device& of, std::size_t index) : device_(of), index_(index) {}
    std::size_t begin(std::span<const int> tokens) override {
      const std::lock_guard lock(device_.mutex_);
      State& state = device_.states_[index_];
      EXPECT_TRUE(state.now.empty());
      const std::size_t taken = std::min(tokens.size(), device_.room);
      DeviceBatch device_batch(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(taken));
      device_.batches_.push_back(device_batch);
      device_.begun_.notify_all();
      if (device_.refuses(device_batch)) throw std::runtime_error("refused");
      state = {std::move(device_batch), device_.at_once};
      return taken;
    }
    bool over() override {
      const std::lock_guard lock(device_.mutex_);
      State& state = device_.states_[index_];
      EXPECT_FALSE(state.now.empty());
      if (!state.over) return false;
      const DeviceBatch done = std::exchange(state.now, {});
      if (device_.breaks(done)) throw std::runtime_error("broken");
      return true;
    }

   private:
    Device& device_;
    const std::size_t index_;
  };

  std::mutex mutex_;
  std::condition_variable begun_;
  std::vector<State> states_;
  std::vector<DeviceBatch> batches_;
};

// Records the tokens that left a node, in order, and the failures that were reported.
class Sink {
 public:
  explicit Sink(graph& g)
      : node(g, tbb::flow::serial, [this](int token) -> tbb::flow::continue_msg {
          const std::lock_guard lock(mutex_);
          left_.push_back(token);
          came_.notify_all();
          return {};
        }) {}
  void failed(int token, const std::exception_ptr& why) {
    const std::lock_guard lock(mutex_);
    try {
      std::rethrow_exception(why);
    } catch (const std::exception& error) {
      failures_.emplace_back(token, error.what());
    }
  }
  std::vector<int> wait_for(std::size_t tokens) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return left_.size() >= tokens; });
    return left_;
  }
  std::vector<std::pair<int, std::string>> failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<int> left_;
  std::vector<std::pair<int, std::string>> failures_;

 public:
  tbb::flow::function_node<int> node;
};

inline std::vector<int> numbers(int from, int to) {
  std::vector<int> all(static_cast<std::size_t>(to - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

}  // namespace sluice::flow::streams
