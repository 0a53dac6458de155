// batch_node: collects tokens into batches by their ids and sends the batches on in order.
//
//   batch_node<Token*> batches(g, 32, [](Token* t) { return t->id; });
//   batches.expect(count);
//   make_edge(last, batches.input());
//   make_edge(batches.output(), train);     // receives const token_batch<Token*>*
//
// The batches form a ring: a token with id i has place i % batch_size of batch i / batch_size,
// whatever the order of arrival. A batch leaves when all of its ids have arrived and all batches
// before it have left. No token may be missing: one that failed arrives like any other, and carries
// its failure. Ids are dense from 0 and come once each; expect(total) says how many there are, so
// that the last batch may be short. The receiver calls release(batch) when it is done with it; its
// place in the ring is then reused.
//
// Memory: the ring grows when ids run further ahead than it is long, so a window bounds it.
// expect(total, batches) makes room for that many batches at once. Arriving tokens then allocate
// nothing, as long as no more batches are in progress.
//
// Ownership: batches belong to the node. Threads: input from any number; batches leave one at a
// time, so that a lightweight receiver sees them in order. Errors: the position function must not
// throw. An id that came before or lies outside 0 .. total - 1 is counted in misplaced() and is not
// placed. If the ring cannot grow, std::bad_alloc ends the flow graph's run.
#pragma once

#include <sluice/graph/flow/inline_dispatch.h>

#include <algorithm>
#include <atomic>
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
        input_(g, [this](const Token& token) { put(token); }) {
    grow(1);
  }
  batch_node(const batch_node&) = delete;
  batch_node& operator=(const batch_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<const batch*>& output() { return output_; }

  // Starts over: ids 0 .. total - 1, with room for `batches` batches at once. Call it while no
  // token is in the graph.
  void expect(std::int64_t total, std::size_t batches = 1) {
    const std::lock_guard lock(mutex_);
    total_ = total;
    head_ = tail_ = 0;
    misplaced_ = 0;
    emitting_ = false;
    if (ring().size() < batches) grow(batches);
    for (const auto& place : places_) {
      place->state = State::free;
      place->index = kNone;
      place->make_room(size_of(0));
    }
    rings_.erase(rings_.begin(), rings_.end() - 1);
  }

  // Adds a token, as input() does, on the caller's thread.
  void put(const Token& token) { arrive(token, position_(token)); }

  // Call it when the receiver is done with the batch.
  void release(const batch* done) {
    const std::lock_guard lock(mutex_);
    if (done->index < tail_ || done->index >= head_) return;
    Place& place = place_of(done->index);
    place.state = State::free;
    place.index = kNone;
    while (tail_ < head_ && place_of(tail_).state == State::free) ++tail_;
  }

  // Returns the batch with this index if it has left and is not released; else null.
  const batch* find(std::int64_t index) const {
    const std::lock_guard lock(mutex_);
    if (index < tail_ || index >= head_) return nullptr;
    const Place& place = place_of(index);
    return place.state == State::lent ? &place.content : nullptr;
  }

  std::int64_t misplaced() const { return misplaced_; }

  // Calls visit(token) for each token in a batch that has not left.
  template <class Visit>
  void for_each_held(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& place : places_) {
      if (place->state != State::filling) continue;
      for (std::size_t i = 0; i < place->content.tokens.size(); ++i) {
        if (place->here[i]) visit(place->content.tokens[i]);
      }
    }
  }

 private:
  static constexpr std::int64_t kNone = -1;
  enum class State : std::uint8_t { free, filling, lent };
  // While it has an index it accepts the tokens of that batch, which arrive without a lock.
  struct Place {
    void make_room(std::size_t size) {
      if (size <= room) return;
      content.tokens.reserve(size);
      here = std::make_unique<std::atomic<bool>[]>(size);
      room = size;
    }
    State state = State::free;
    std::atomic<std::int64_t> index{kNone};
    std::atomic<std::size_t> arrived{0};
    batch content;
    std::unique_ptr<std::atomic<bool>[]> here;
    std::size_t room = 0;
  };
  using Ring = std::vector<Place*>;  // batch i is at i % size

  std::size_t size_of(std::int64_t index) const {
    const std::int64_t first = index * static_cast<std::int64_t>(batch_size_);
    const auto left = static_cast<std::uint64_t>(total_ - first);
    return left < batch_size_ ? static_cast<std::size_t>(left) : batch_size_;
  }

  const Ring& ring() const { return *rings_.back(); }

  // Returns the place of a batch from tail_ on, as far as the ring reaches.
  Place& place_of(std::int64_t index) const {
    return *ring()[static_cast<std::size_t>(index) % ring().size()];
  }

  // Returns the place of a batch that has not left, and sets it up for the first token. Requires
  // the lock.
  Place& place_for(std::int64_t index) {
    const auto reach = static_cast<std::size_t>(index - tail_) + 1;
    if (reach > ring().size()) grow(std::max(reach, 2 * ring().size()));
    Place& place = place_of(index);
    if (place.state == State::free) {
      const std::size_t size = size_of(index);
      place.make_room(size);
      place.content.index = index;
      place.content.tokens.assign(size, Token{});
      for (std::size_t i = 0; i < size; ++i) place.here[i].store(false, std::memory_order_relaxed);
      place.arrived = 0;
      place.state = State::filling;
      place.index.store(index, std::memory_order_release);
    }
    return place;
  }

  // Outgrown rings stay until the next run, because another thread may be reading one.
  void grow(std::size_t size) {
    auto longer = std::make_unique<Ring>(size);
    const std::size_t old = rings_.empty() ? 0 : ring().size();
    const auto tail = static_cast<std::size_t>(tail_);
    for (std::size_t i = 0; i < size; ++i) {
      if (i < old) {  // places keep their batches
        (*longer)[(tail + i) % size] = ring()[(tail + i) % old];
      } else {
        places_.push_back(std::make_unique<Place>());
        (*longer)[(tail + i) % size] = places_.back().get();
      }
    }
    rings_.push_back(std::move(longer));
    newest_.store(rings_.back().get(), std::memory_order_release);
  }

  // Returns the place of a batch that has a token; null if it must be looked up under the lock.
  Place* begun(std::int64_t index) const {
    const Ring* const here = newest_.load(std::memory_order_acquire);
    Place* const place = (*here)[static_cast<std::size_t>(index) % here->size()];
    return place->index.load(std::memory_order_acquire) == index ? place : nullptr;
  }

  void arrive(const Token& token, std::int64_t id) {
    const std::int64_t index = id / static_cast<std::int64_t>(batch_size_);
    Place* place = nullptr;
    if (0 <= id && id < total_) {
      place = begun(index);
      if (place == nullptr) {
        const std::lock_guard lock(mutex_);
        if (index >= head_) place = &place_for(index);
      }
    }
    const auto at = static_cast<std::size_t>(id) % batch_size_;
    if (place == nullptr || place->here[at].exchange(true, std::memory_order_relaxed)) {
      ++misplaced_;
      return;
    }
    place->content.tokens[at] = token;
    // The thread that counts the last token here sees all tokens that were stored before.
    const std::size_t size = size_of(index);
    if (place->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) send();
  }

  // Sends complete batches. Only one thread at a time does so.
  void send() {
    std::unique_lock lock(mutex_);
    if (emitting_) return;  // the thread that emits will find this batch, too
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
    if (static_cast<std::size_t>(index - tail_) >= ring().size()) return false;
    const Place& place = place_of(index);
    return place.state == State::filling &&
           place.arrived.load(std::memory_order_acquire) == place.content.tokens.size();
  }

  const std::size_t batch_size_;
  mutable tbb::spin_mutex mutex_;  // held briefly
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Ring>> rings_;  // the last one holds the places from tail_ on
  std::atomic<const Ring*> newest_{nullptr};
  std::int64_t total_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t head_ = 0;  // the first batch that has not left
  std::int64_t tail_ = 0;  // the first batch that is not released
  std::atomic<std::int64_t> misplaced_{0};
  bool emitting_ = false;
  tbb::flow::broadcast_node<const batch*> output_;
  position_function position_;
  input_node<Token, as_task> input_;
};

}  // namespace sluice::flow
