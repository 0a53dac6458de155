// Pipeline<Ts...>: runs a program over samples and delivers batches in order.
//
//   for (const auto& [images, labels] : pipeline.epoch()) train(images, labels);
//
// epoch() starts the next epoch, beginning with epoch 0. reset() goes back to epoch 0 (or any
// other), so that the same batches come again, byte for byte. Results do not depend on the number
// of threads, the window or the batch size, which only decides where batches end. Work continues in
// the background: `prefetch` batches are prepared while the user works on one. Leaving the loop
// early ends the epoch; the pipeline stays usable.
//
// Ownership: a Pipeline owns its threads and memory. It may be destroyed at any moment; that
// returns once the running steps have ended and no completion handle is left (see completion.h).
// Batches outlive it. Destroying it inside one of its own steps prints an error and ends the
// process.
//
// After fork() only the process that made a pipeline can use it. The child may destroy it and may
// read batches that were taken before; any other call throws Error. The child cannot make a
// pipeline of its own unless all others were destroyed before fork().
//
// Threads: cancel() and stats() from any, also inside steps. The rest from one thread at a time,
// and not inside a step of the same pipeline, which throws Error. Errors: next() (and the loop)
// throws BatchError, BudgetError or StallError as PipelineOptions says. It throws std::bad_alloc if
// there is no memory to continue; the epoch has then ended. It throws Error if epoch(), reset() or
// the destruction of the pipeline has ended this epoch before its last batch. All members of a
// moved-from Pipeline or Epoch throw Error.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/graph/builder/checks.h>
#include <sluice/graph/exec/engine.h>
#include <sluice/graph/exec/inspect.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/options.h>
#include <sluice/graph/plan/plan_text.h>
#include <sluice/graph/stats.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/sample_key.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

// The batches of one epoch, in order. Its destructor ends the epoch.
template <class... Ts>
class Epoch {
 public:
  class iterator {
   public:
    using value_type = Batch<Ts...>;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using reference = Batch<Ts...>&;
    using pointer = Batch<Ts...>*;
    iterator() = default;
    explicit iterator(Epoch* epoch) : epoch_(epoch) { ++*this; }
    reference operator*() const { return *epoch_->current_; }
    pointer operator->() const { return &*epoch_->current_; }
    iterator& operator++() {
      epoch_->current_.reset();
      epoch_->current_ = epoch_->next();
      if (!epoch_->current_) epoch_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.epoch_ == b.epoch_; }

   private:
    Epoch* epoch_ = nullptr;
  };

  // Functions to apply to each batch before it is delivered; see Pipeline::batch_step().
  using Steps = std::vector<Function<void(Batch<Ts...>&, const BatchKey&)>>;

  Epoch(std::shared_ptr<detail::Engine> engine, std::shared_ptr<detail::Run> run,
        std::shared_ptr<const Steps> steps = nullptr)
      : engine_(std::move(engine)), run_(std::move(run)), steps_(std::move(steps)) {}
  Epoch(Epoch&&) noexcept = default;
  Epoch& operator=(Epoch&&) = delete;
  ~Epoch() {
    if (engine_ != nullptr) engine_->cancel(*run_);
  }

  // Returns the next batch; nothing when the epoch is over. After a BatchError, the next call
  // returns the same batch without the failed samples. Exceptions from steps on batches are passed
  // on; the next call then continues with the batch after that.
  std::optional<Batch<Ts...>> next() {
    if (engine_ == nullptr) detail::throw_moved_from("epoch");
    std::optional<Batch<Ts...>> batch;
    if (auto data = engine_->next(*run_)) {
      batch.emplace(std::move(data));
      if (steps_ == nullptr) return batch;
      const BatchKey key{engine_->options().seed, batch->epoch(), batch->index()};
      for (const auto& step : *steps_) step(*batch, key);
    }
    return batch;
  }
  iterator begin() { return iterator(this); }
  iterator end() { return {}; }

 private:
  std::shared_ptr<detail::Engine> engine_;
  std::shared_ptr<detail::Run> run_;
  std::shared_ptr<const Steps> steps_;  // null when there are none
  std::optional<Batch<Ts...>> current_;
};

template <class... Ts>
class Pipeline {
 public:
  explicit Pipeline(std::shared_ptr<detail::Engine> engine) : engine_(std::move(engine)) {
    if (const auto& from = engine_->options().resume) next_epoch_ = from->epoch;
  }
  Pipeline(Pipeline&&) noexcept = default;
  Pipeline& operator=(Pipeline&&) = delete;
  ~Pipeline() {
    if (engine_ != nullptr) engine_->shut_down();
  }

  // Starts the next epoch and cancels the rest of a running one. Throws what a dataset's
  // begin_epoch() throws; the next call then tries the same epoch again.
  [[nodiscard]] Epoch<Ts...> epoch() & {
    auto run = engine().begin_epoch(next_epoch_);
    ++next_epoch_;
    return {engine_, std::move(run), batch_steps_};
  }
  // In `for (auto& batch : make_pipeline(...).epoch())` the pipeline is destroyed before the first
  // batch: give it a name.
  Epoch<Ts...> epoch() && = delete;
  // Adds f(batch, key), which is applied to each batch before delivery, in epochs that begin from
  // now on. Use it for work that combines several samples, such as mix_up. Steps run in the order
  // in which they were added, on the thread that takes batches, one batch at a time; f may keep a
  // state. Random numbers drawn from the key (Random, or random_of() of ops/batch.h) depend only on
  // the seed, the epoch and the number of the batch. The batch may be short, see missing().
  template <class F>
  Pipeline& batch_step(F f) {
    static_assert(std::is_invocable_v<F&, Batch<Ts...>&, const BatchKey&>,
                  "batch_step: the function takes (Batch<...>& batch, const BatchKey& key)");
    using Steps = typename Epoch<Ts...>::Steps;
    auto steps = batch_steps_ == nullptr ? std::make_shared<Steps>()
                                         : std::make_shared<Steps>(*batch_steps_);
    steps->push_back(std::move(f));
    batch_steps_ = std::move(steps);
    return *this;
  }
  // Makes the next call of epoch() start this one.
  void reset(std::int64_t epoch = 0) {
    engine().stop();
    next_epoch_ = epoch;
  }
  // The epoch that the next call of epoch() starts.
  std::int64_t next_epoch() const { return next_epoch_; }
  // Returns the checkpoint with which PipelineOptions::resume continues at the first batch not yet
  // taken. It refers to the epoch that began last, even after it was left early, until epoch() or
  // reset() is called. If that epoch is complete, it refers to the next one.
  Checkpoint checkpoint() const { return engine().checkpoint(next_epoch_); }
  // Ends the running epoch; next() returns no more of its batches. Returns at once.
  void cancel() { engine().cancel(); }

  // Runs one sample of an epoch on the calling thread and keeps everything that it computes. Throws
  // std::out_of_range if the sample does not exist.
  Inspection inspect(std::int64_t sample, std::int64_t epoch = 0) const {
    return inspect(SampleKey{epoch, sample});
  }
  Inspection inspect(const SampleKey& key) const { return engine().inspect(key); }

  // The number of samples and batches of an epoch. For a source with kUntilEnd samples: -1 until an
  // epoch has reached its end, then the numbers of that epoch. With `compact`, batches() is an
  // upper bound: missing samples make fewer, and Stats::batches counts the delivered ones.
  std::int64_t samples() const { return engine().samples(); }
  std::int64_t batches() const { return engine().batches(); }
  const PipelineOptions& options() const { return engine().options(); }
  Stats stats() const { return engine().stats(); }
  // Returns the plan that runs: the recorded one after all passes.
  const detail::Plan& plan() const { return engine().plan(); }
  // Returns the plan as described.
  const detail::Plan& recorded_plan() const { return engine().recorded_plan(); }
  // Returns the plan as described and after each pass, as text.
  std::string explain() const { return detail::explain(recorded_plan(), options().compose); }
  // Writes the recorded plan as JSON, without the source, for load_plan() and `sluice augment
  // --pipeline FILE`. All operators must be registered. Throws BuildError if a step is a function
  // of the program's own, and IoError.
  void save(const std::string& file) const { detail::save_plan(recorded_plan(), file); }

 private:
  detail::Engine& engine() const {
    if (engine_ == nullptr) detail::throw_moved_from("pipeline");
    return *engine_;
  }

  std::shared_ptr<detail::Engine> engine_;  // shared with the epochs, which may outlive the
                                            // pipeline but then deliver no more batches
  std::shared_ptr<const typename Epoch<Ts...>::Steps> batch_steps_;  // shared with the epochs
  std::int64_t next_epoch_ = 0;
};

namespace detail {
// Takes the recorded plan.
std::shared_ptr<Engine> make_engine(PlanBuilder& builder, const PipelineOptions& options,
                                    std::vector<SlotId> outputs,
                                    std::vector<std::unique_ptr<ColumnMaker>> makers);

template <class... Ts>
Pipeline<Ts...> build(PlanBuilder& builder, const PipelineOptions& options,
                      std::vector<SlotId> outputs, std::type_identity<std::tuple<Value<Ts>...>>) {
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  (makers.push_back(std::make_unique<MakerOf<Ts>>()), ...);
  return Pipeline<Ts...>(make_engine(builder, options, std::move(outputs), std::move(makers)));
}
}  // namespace detail

// Makes a pipeline from a function that describes it. `describe(Graph&)` returns a Value or a
// constant for each column of the batches: one, or a std::tuple, std::pair, std::array or plain
// struct of them, also nested. The columns come in that order. Throws BuildError if the description
// is invalid.
template <class Describe>
auto make_pipeline(const PipelineOptions& options, Describe&& describe) {
  if constexpr (detail::call_of_make_pipeline<Describe>::check()) {
    using Check =
        detail::result_of_make_pipeline<std::decay_t<std::invoke_result_t<Describe, Graph&>>>;
    if constexpr (Check::check()) {
      detail::PlanBuilder builder;
      Graph graph(builder);
      const auto outputs = detail::normal({builder, "the pipeline's result is"}, describe(graph));
      return detail::build(builder, options, detail::flatten(outputs),
                           std::type_identity<typename Check::type>{});
    } else {
      return detail::type_error<Pipeline<>>();
    }
  } else {
    return detail::type_error<Pipeline<>>();
  }
}

}  // namespace sluice
