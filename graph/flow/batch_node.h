// batch_node: gathers tokens into batches by their ids and sends the batches on in order.
//
//   batch_node<Token*> batches(g, 32, [](Token* t) { return t->id; });
//   batches.expect(count);
//   make_edge(last, batches.input());
//   make_edge(batches.output(), train);     // receives const token_batch<Token*>*
//
// A ring of batches: a token with id i has place i % batch_size of batch i / batch_size, whatever
// the order of arrival. A batch leaves when all of its ids have arrived and all batches before it
// have left. There is no way for a token to be missing: one that failed arrives like any other and
// says so itself. Ids are dense from 0 and come once each; expect(total) says how many there are,
// so that the last batch may be short. The receiver calls release(batch) when it is done with it;
// its place in the ring is then used again. The ring grows when ids run further ahead than it is
// long, so a window bounds it.
//
// Ownership: batches belong to the node. Threads: input from any number; batches leave one at a
// time, so that a lightweight receiver sees them in order. Errors: the position function must not
// throw; an id that came before or lies outside 0 .. total - 1 is counted in misplaced() and is not
// placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>

namespace sluice::flow {

template <class Token>
struct token_batch {
  std::int64_t index = 0;
  std::vector<Token> tokens;  // in the order of their ids
};

template <class Token>
class batch_node {
 public:
  using batch = token_batch<Token>;

  template <class Position>
  batch_node(tbb::flow::graph& g, std::size_t batch_size, Position position)
      : batch_size_(batch_size),
        output_(g),
        input_(
            g, tbb::flow::unlimited,
            [this, position = std::move(position)](const Token& token) -> tbb::flow::continue_msg {
              arrive(token, static_cast<std::int64_t>(position(token)));
              return {};
            }) {}
  batch_node(const batch_node&) = delete;
  batch_node& operator=(const batch_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<const batch*>& output() { return output_; }

  // Starts over: ids 0 .. total - 1. Call it while no token is on its way.
  void expect(std::int64_t total) {
    const std::lock_guard lock(mutex_);
    for (auto& place : ring_) recycle(std::move(place));
    for (auto& place : lent_) recycle(std::move(place));
    ring_.clear();
    lent_.clear();
    total_ = total;
    head_ = 0;
    misplaced_ = 0;
  }

  // The receiver is done with the batch.
  void release(const batch* done) {
    const std::lock_guard lock(mutex_);
    for (auto it = lent_.begin(); it != lent_.end(); ++it) {
      if (&(*it)->content != done) continue;
      recycle(std::move(*it));
      lent_.erase(it);
      return;
    }
  }

  std::int64_t misplaced() const {
    const std::lock_guard lock(mutex_);
    return misplaced_;
  }

  // Calls visit(token) for each token that is held in a batch which has not left.
  template <class Visit>
  void for_each_held(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& place : ring_) {
      if (place == nullptr) continue;
      for (std::size_t i = 0; i < place->here.size(); ++i) {
        if (place->here[i]) visit(place->content.tokens[i]);
      }
    }
  }

 private:
  struct Place {
    batch content;
    std::vector<char> here;
    std::size_t arrived = 0;
  };

  std::size_t size_of(std::int64_t index) const {
    const std::int64_t first = index * static_cast<std::int64_t>(batch_size_);
    const auto left = static_cast<std::uint64_t>(total_ - first);
    return left < batch_size_ ? static_cast<std::size_t>(left) : batch_size_;
  }

  void arrive(const Token& token, std::int64_t id) {
    std::unique_lock lock(mutex_);
    const std::int64_t index = id / static_cast<std::int64_t>(batch_size_);
    if (id < 0 || id >= total_ || index < head_) {
      ++misplaced_;
      return;
    }
    const auto ahead = static_cast<std::size_t>(index - head_);
    if (ahead >= ring_.size()) ring_.resize(ahead + 1);
    if (ring_[ahead] == nullptr) ring_[ahead] = take(index);
    Place& place = *ring_[ahead];
    const auto at = static_cast<std::size_t>(id % static_cast<std::int64_t>(batch_size_));
    if (place.here[at]) {
      ++misplaced_;
      return;
    }
    place.here[at] = 1;
    place.content.tokens[at] = token;
    ++place.arrived;
    if (emitting_) return;  // whoever is sending will find this batch too
    emitting_ = true;
    while (!ring_.empty() && ring_.front() != nullptr && ring_.front()->arrived == size_of(head_)) {
      const batch* ready = &ring_.front()->content;
      lent_.push_back(std::move(ring_.front()));
      ring_.pop_front();
      ++head_;
      lock.unlock();
      output_.try_put(ready);
      lock.lock();
    }
    emitting_ = false;
  }

  std::unique_ptr<Place> take(std::int64_t index) {
    std::unique_ptr<Place> place;
    if (spare_.empty()) {
      place = std::make_unique<Place>();
    } else {
      place = std::move(spare_.back());
      spare_.pop_back();
    }
    place->content.index = index;
    place->content.tokens.assign(size_of(index), Token{});
    place->here.assign(size_of(index), 0);
    place->arrived = 0;
    return place;
  }

  void recycle(std::unique_ptr<Place> place) {
    if (place != nullptr) spare_.push_back(std::move(place));
  }

  const std::size_t batch_size_;
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Place>> ring_;  // batches head_, head_ + 1, ... that have begun
  std::vector<std::unique_ptr<Place>> lent_;
  std::vector<std::unique_ptr<Place>> spare_;
  std::int64_t total_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t head_ = 0;
  std::int64_t misplaced_ = 0;
  bool emitting_ = false;
  tbb::flow::broadcast_node<const batch*> output_;
  tbb::flow::function_node<Token> input_;
};

}  // namespace sluice::flow
