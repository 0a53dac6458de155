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
// its place in the ring is then used again.
//
// Memory: the ring grows when ids run further ahead than it is long, so a window bounds it.
// expect(total, batches) makes room for that many batches at once; no token's arrival takes memory
// then, for as long as no more batches are under way.
//
// Ownership: batches belong to the node. Threads: input from any number; batches leave one at a
// time, so that a lightweight receiver sees them in order. Errors: the position function must not
// throw; an id that came before or lies outside 0 .. total - 1 is counted in misplaced() and is not
// placed. std::bad_alloc where the ring cannot grow ends the flow graph's run.
#pragma once

#include <sluice/graph/flow/carrier.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/spin_mutex.h>

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

  using position_function = std::function<std::int64_t(const Token&)>;

  batch_node(tbb::flow::graph& g, std::size_t batch_size, position_function position)
      : batch_size_(batch_size),
        output_(g),
        position_(std::move(position)),
        input_(g, [this](const Token& token) { put(token); }) {}
  batch_node(const batch_node&) = delete;
  batch_node& operator=(const batch_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<const batch*>& output() { return output_; }

  // Starts over: ids 0 .. total - 1, with room for so many batches at once. Call it while no token
  // is on its way.
  void expect(std::int64_t total, std::size_t batches = 1) {
    const std::lock_guard lock(mutex_);
    total_ = total;
    head_ = tail_ = 0;
    misplaced_ = 0;
    emitting_ = false;
    if (ring_.size() < batches) ring_.resize(batches);
    for (auto& place : ring_) {
      if (place == nullptr) place = std::make_unique<Place>();
      place->state = State::free;
      place->content.tokens.reserve(size_of(0));
      place->here.reserve(size_of(0));
    }
  }

  // A token arrives, as through input(), on the caller's thread.
  void put(const Token& token) { arrive(token, position_(token)); }

  // The receiver is done with the batch.
  void release(const batch* done) {
    const std::lock_guard lock(mutex_);
    if (done->index < tail_ || done->index >= head_) return;
    place_of(done->index).state = State::free;
    while (tail_ < head_ && place_of(tail_).state == State::free) ++tail_;
  }

  // The batch with this index, which has left and is not released; null when there is none.
  const batch* find(std::int64_t index) const {
    const std::lock_guard lock(mutex_);
    if (index < tail_ || index >= head_) return nullptr;
    const Place& place = place_of(index);
    return place.state == State::lent ? &place.content : nullptr;
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
      if (place == nullptr || place->state != State::filling) continue;
      for (std::size_t i = 0; i < place->here.size(); ++i) {
        if (place->here[i]) visit(place->content.tokens[i]);
      }
    }
  }

 private:
  enum class State : std::uint8_t { free, filling, lent };
  struct Place {
    State state = State::free;
    batch content;
    std::vector<char> here;
    std::size_t arrived = 0;
  };

  std::size_t size_of(std::int64_t index) const {
    const std::int64_t first = index * static_cast<std::int64_t>(batch_size_);
    const auto left = static_cast<std::uint64_t>(total_ - first);
    return left < batch_size_ ? static_cast<std::size_t>(left) : batch_size_;
  }

  // Of a batch from tail_ on, as far as the ring reaches.
  Place& place_of(std::int64_t index) const {
    return *ring_[static_cast<std::size_t>(index) % ring_.size()];
  }

  // The place of a batch that has not left; it begins with its first token.
  Place& place_for(std::int64_t index) {
    const auto reach = static_cast<std::size_t>(index - tail_) + 1;
    if (reach > ring_.size()) grow(std::max(reach, 2 * ring_.size()));
    Place& place = place_of(index);
    if (place.state == State::free) {
      place.content.index = index;
      place.content.tokens.assign(size_of(index), Token{});
      place.here.assign(size_of(index), 0);
      place.arrived = 0;
      place.state = State::filling;
    }
    return place;
  }

  void grow(std::size_t size) {
    std::vector<std::unique_ptr<Place>> longer(size);
    const auto tail = static_cast<std::size_t>(tail_);
    for (std::size_t i = ring_.size(); i < size; ++i) {
      longer[(tail + i) % size] = std::make_unique<Place>();
    }
    // Batches that have left keep their places, which their receivers look at.
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      longer[(tail + i) % size] = std::move(ring_[(tail + i) % ring_.size()]);
    }
    ring_ = std::move(longer);
  }

  void arrive(const Token& token, std::int64_t id) {
    std::unique_lock lock(mutex_);
    const std::int64_t index = id / static_cast<std::int64_t>(batch_size_);
    if (id < 0 || id >= total_ || index < head_) {
      ++misplaced_;
      return;
    }
    Place& place = place_for(index);
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
    while (is_complete(head_)) {
      Place& ready = place_of(head_++);
      ready.state = State::lent;
      lock.unlock();
      output_.try_put(&ready.content);
      lock.lock();
    }
    emitting_ = false;
  }

  bool is_complete(std::int64_t index) const {
    if (static_cast<std::size_t>(index - tail_) >= ring_.size()) return false;
    const Place& place = place_of(index);
    return place.state == State::filling && place.arrived == place.here.size();
  }

  const std::size_t batch_size_;
  mutable tbb::spin_mutex mutex_;             // held for moments
  std::vector<std::unique_ptr<Place>> ring_;  // batch i is at i % size; those from tail_ on
  std::int64_t total_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t head_ = 0;  // the first batch that has not left
  std::int64_t tail_ = 0;  // the first batch that is not released
  std::int64_t misplaced_ = 0;
  bool emitting_ = false;
  tbb::flow::broadcast_node<const batch*> output_;
  position_function position_;
  input_node<Token, as_task> input_;
};

}  // namespace sluice::flow
