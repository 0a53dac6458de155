// Pipeline<Ts...>: a program over samples that runs, and delivers batches in order.
//
//   for (const auto& [images, labels] : pipeline.epoch()) train(images, labels);
//
// epoch() starts the next epoch, 0 at first; reset() goes back to epoch 0 (or any), so that the
// same batches come again, byte for byte. Nothing depends on the number of threads, the window or
// the batch size but where batches end. Work goes on in the background: `prefetch` batches are made
// ready while the user works on one. Leaving the loop early ends the epoch; the pipeline stays
// usable.
//
// Ownership: a Pipeline owns its threads and memory; destroying it, at any moment, returns as soon
// as the steps that run have ended and no completion handle is left (see completion.h). Batches
// outlive it. Destroyed inside one of its own steps, it says so and ends the process.
//
// After fork() it is of use to the process that made it only: the child may destroy it, and may
// read batches that were taken before, but whatever else it asks of it throws an Error. Nor can the
// child make a pipeline of its own unless all others were destroyed before fork().
//
// Threads: cancel() and stats() from any, also inside steps; the rest from one thread at a time,
// and not inside a step of the same pipeline, which throws Error.
// Errors: next() (and the loop) throws BatchError, BudgetError or StallError as PipelineOptions
// say, std::bad_alloc when there is no memory to go on (the epoch has ended then), and Error when a
// call of epoch(), of reset() or the destruction of the pipeline has ended this epoch before its
// last batch. A Pipeline or Epoch that was moved from throws Error whatever it is asked.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/graph/builder/checks.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/options.h>
#include <sluice/graph/plan/plan_text.h>
#include <sluice/graph/run/engine.h>
#include <sluice/graph/run/inspect.h>
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

// The batches of one epoch, in order. Ends its epoch when it is destroyed.
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

  // What is done to each batch before it is given; see Pipeline::batch_step().
  using Steps = std::vector<Function<void(Batch<Ts...>&, const BatchKey&)>>;

  Epoch(std::shared_ptr<detail::Engine> engine, std::shared_ptr<detail::Run> run,
        std::shared_ptr<const Steps> steps = nullptr)
      : engine_(std::move(engine)), run_(std::move(run)), steps_(std::move(steps)) {}
  Epoch(Epoch&&) noexcept = default;
  Epoch& operator=(Epoch&&) = delete;
  ~Epoch() {
    if (engine_ != nullptr) engine_->cancel(*run_);
  }

  // The next batch; nothing when the epoch is over. After a BatchError the next call gives the
  // batch that threw, without the samples that failed. What a step on batches throws comes out of
  // it, too; the next call then goes on with the batch after that.
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

  // Starts the next epoch. What is left of one that runs is cancelled.
  // Throws what a dataset's begin_epoch() throws; the next call tries the same epoch again.
  [[nodiscard]] Epoch<Ts...> epoch() & {
    auto run = engine().begin_epoch(next_epoch_);
    ++next_epoch_;
    return {engine_, std::move(run), batch_steps_};
  }
  // In `for (auto& batch : make_pipeline(...).epoch())` the pipeline is gone before the first
  // batch: give it a name.
  Epoch<Ts...> epoch() && = delete;
  // Does f(batch, key) to each batch of the epochs that begin from now on, before it is given: what
  // concerns several samples, mix_up for example. Steps run in the order in which they are said, on
  // the thread that takes batches, one batch at a time; f may keep a state. What it draws from the
  // key (Random, or random_of() of ops/batch.h) follows from the seed, the epoch and the number
  // of the batch alone. A Batch is given as it is made: it may be short, see missing().
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
  // The next call of epoch() starts this one.
  void reset(std::int64_t epoch = 0) {
    engine().stop();
    next_epoch_ = epoch;
  }
  // The epoch that the next call of epoch() starts.
  std::int64_t next_epoch() const { return next_epoch_; }
  // What PipelineOptions::resume takes to go on with the first batch that was not taken: of the
  // epoch that was begun last, even if it was left early, until epoch() or reset() is called; of
  // the next one where that epoch is complete.
  Checkpoint checkpoint() const { return engine().checkpoint(next_epoch_); }
  // Ends the epoch that runs; next() gives no more batches of it. Returns at once.
  void cancel() { engine().cancel(); }

  // Runs one sample of an epoch on the calling thread and keeps everything that it computes. Throws
  // std::out_of_range for a sample that does not exist.
  Inspection inspect(std::int64_t sample, std::int64_t epoch = 0) const {
    return inspect(SampleKey{epoch, sample});
  }
  Inspection inspect(const SampleKey& key) const { return engine().inspect(key); }

  // Samples and batches of an epoch; of a source with kUntilEnd samples -1 before an epoch has
  // shown its end, then those of that epoch. With `compact`, at most so many batches: there are
  // fewer where samples are left out, and Stats::batches counts those that come.
  std::int64_t samples() const { return engine().samples(); }
  std::int64_t batches() const { return engine().batches(); }
  const PipelineOptions& options() const { return engine().options(); }
  Stats stats() const { return engine().stats(); }
  // What runs: the plan after all passes.
  const detail::Plan& plan() const { return engine().plan(); }
  // What was described.
  const detail::Plan& recorded_plan() const { return engine().recorded_plan(); }
  // How one became the other, in words: the plan as it was described, and after each pass.
  std::string explain() const { return detail::explain(recorded_plan(), options().compose); }
  // Writes what was described as JSON, without the source, for load_plan() and `sluice augment
  // --pipeline FILE`. All operators must be registered. Throws BuildError for a step that is a
  // function of the program's own, and IoError.
  void save(const std::string& file) const { detail::save_plan(recorded_plan(), file); }

 private:
  detail::Engine& engine() const {
    if (engine_ == nullptr) detail::throw_moved_from("pipeline");
    return *engine_;
  }

  std::shared_ptr<detail::Engine> engine_;  // shared with the epochs, which may outlive the
                                            // pipeline but then give no more batches
  std::shared_ptr<const typename Epoch<Ts...>::Steps> batch_steps_;  // epochs have it, too
  std::int64_t next_epoch_ = 0;
};

namespace detail {
// Takes the plan that was recorded.
std::shared_ptr<Engine> make_engine(Recorder& recorder, const PipelineOptions& options,
                                    std::vector<SlotId> outputs,
                                    std::vector<std::unique_ptr<ColumnMaker>> makers);

template <class... Ts>
Pipeline<Ts...> build(Recorder& recorder, const PipelineOptions& options,
                      std::vector<SlotId> outputs, std::type_identity<std::tuple<Value<Ts>...>>) {
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  (makers.push_back(std::make_unique<MakerOf<Ts>>()), ...);
  return Pipeline<Ts...>(make_engine(recorder, options, std::move(outputs), std::move(makers)));
}
}  // namespace detail

// Makes a pipeline from a function that describes it: `describe(Graph&)` returns a Value or a
// constant for each column of the batches: one, or a std::tuple, std::pair, std::array or plain
// struct of them, also one inside the other; the columns come in the order in which they stand.
// Throws BuildError when the description makes no sense.
template <class Describe>
auto make_pipeline(const PipelineOptions& options, Describe&& describe) {
  if constexpr (detail::call_of_make_pipeline<Describe>::check()) {
    using Check =
        detail::result_of_make_pipeline<std::decay_t<std::invoke_result_t<Describe, Graph&>>>;
    if constexpr (Check::check()) {
      detail::Recorder recorder;
      Graph graph(recorder);
      const auto outputs = detail::normal({recorder, "the pipeline's result is"}, describe(graph));
      return detail::build(recorder, options, detail::flatten(outputs),
                           std::type_identity<typename Check::type>{});
    } else {
      return detail::refused<Pipeline<>>();
    }
  } else {
    return detail::refused<Pipeline<>>();
  }
}

}  // namespace sluice
