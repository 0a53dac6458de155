// Graph: records the steps of a pipeline inside the function given to make_pipeline.
//
// clang-format off
//   auto pipeline = make_pipeline({.batch_size = 32}, [](Graph& g) {
//     auto [jpeg, label] = g.read(files_in("photos"));
//     auto image = decode_jpeg(jpeg);
//     auto flipped = g.if_else(g.coin_flip(0.5f), [&] { return flip(image); }, [&] { return image; });
//     return std::tuple{flipped, label};
//   });
// clang-format on
//
// The function runs once and computes nothing: each call records a step in the plan. The recorded
// program then runs for each sample on its own. Only the selected branch of a choice runs, and a
// step outside the branches that only one branch uses runs only with that branch.
//
// Callables given to source() and map() run later, on several threads at once, for different
// samples. They must not change shared state. An exception from them becomes that sample's error
// and affects no other sample. Threads: describe a pipeline on one thread. Errors: BuildError, at
// the line that is wrong.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/checks.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/step_checks.h>
#include <sluice/graph/builder/structure.h>
#include <sluice/graph/completion.h>
#include <sluice/graph/options.h>
#include <sluice/runtime/function.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

class ConditionalBoundary;
class LoopBoundary;

class Graph {
 public:
  explicit Graph(detail::PlanBuilder& builder) : builder_(builder) {}

  // A source of `count` samples per epoch. Sample i is f(SampleInfo): one value or a std::tuple of
  // values. Several threads call `f`, in no particular order. It must return the same sample for
  // the same info. Bytes may be a view on memory that the dataset keeps as long as the pipeline and
  // its batches live. With `count` = kUntilEnd, an epoch continues until `f` throws EndOfEpoch. The
  // smallest index for which it does so is the number of samples. `f` is also called for a few
  // indices beyond that. The sampler selects the samples of an epoch and their order, see Sampler.
  // For other options see SourceOptions.
  template <class F>
  auto source(std::int64_t count, F f, const Sampler& sampler = {}) {
    return source(count, std::move(f), SourceOptions{.sampler = sampler});
  }
  template <class F>
  auto source(std::int64_t count, F f, const SourceOptions& options);

  // Reads a dataset: any type with size(), which may be kUntilEnd, name(key), and operator()(const
  // SampleInfo&) as in source().
  //
  // name() takes a SampleKey, or just its index, and names the sample in errors. It is called on
  // any thread, and never under a lock. Optional members:
  //  - `static constexpr bool blocks = true`: reading waits for a disk or the network, so separate
  //    threads call the dataset, see PipelineOptions::io_threads.
  //  - `static constexpr bool in_order = true`: the dataset produces each sample once, in its own
  //    order. Samplers and OnError::replace are then refused.
  //  - `std::string fingerprint() const`: identifies its data, for checkpoints.
  //  - `SourceReads reads() const`: what it has read so far, for stats(); called from any thread.
  //  - `std::string save(epoch, position) const` and `void restore(epoch, position, state) const`:
  //    for a dataset with a state. save() returns the state in which that sample comes next.
  //    restore() is called before anything else.
  //
  // A dataset may also be asynchronous. Its operator() then takes a Completion<Sample> and a const
  // SampleInfo&, where the dataset defines `Sample`: one value or a std::tuple. operator() starts
  // the work and returns; the handle delivers the sample later, from any thread. A pending sample
  // occupies no thread. Up to PipelineOptions::window samples may be pending. Fire each handle;
  // beyond the end of the epoch, fire it with EndOfEpoch. See completion.h.
  //
  // Any dataset may have begin_epoch(const EpochInfo&), called before the first sample of an epoch.
  // If it throws, Pipeline::epoch() throws the same. It may have end_epoch() noexcept, called once
  // for each epoch that began, however it ends. Samples that are still pending then are no longer
  // needed, so fire or destroy their handles soon. Before end_epoch() the pipeline waits for
  // running calls, at most 5 seconds; it makes no more calls in this epoch. Both are const and are
  // called on the thread that takes batches. Pipeline::inspect() calls neither: it requests one
  // sample by its key, possibly while an epoch runs (Completion::out_of_turn()).
  template <class Reader>
  auto read(Reader reader, const Sampler& sampler = {}) {
    return read(std::move(reader), SourceOptions{.sampler = sampler});
  }
  template <class Reader>
  auto read(Reader reader, const SourceOptions& options);

  // Adds a step of your own: f(args...) for each sample, where f is anything that std::invoke
  // takes: a lambda, &Image::width, or a pointer to a field, which copies it. Value arguments
  // become const references to the sample's values. Other arguments are passed as they are; f and
  // they live as long as the pipeline. A std::tuple as result becomes a tuple of Values. Views in
  // the result, for instance on an argument, are copied: see take_ownership.h.
  template <class F, class... Args>
  auto map(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_map<F, Args...>::check()) {
      using Gives = std::invoke_result_t<const F&, const detail::argument_t<Args>&...>;
      if constexpr (detail::result_of_map<Gives>::check()) {
        using R = std::decay_t<Gives>;
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        auto values = detail::results<R>::add(builder_, step);
        step.run = [f = std::move(f), slots = step.writes,
                    ... args = std::move(args)](detail::Sample& sample) {
          detail::results<R>::write(
              sample, slots,
              detail::invoke_to_own<R>(f, detail::argument<Args>::of(args, sample)...));
        };
        builder_.add_step(std::move(step));
        return values;
      } else {
        return detail::TypeError();
      }
    } else {
      return detail::TypeError();
    }
  }

  // Like map, but the step writes its result in place: f(args..., R& out). An Image or Tensor made
  // with out.create(...) can be written directly into its batch.
  template <class R, class F, class... Args>
  Value<R> map_into(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_map_into<R, F, Args...>::check()) {
      detail::require_function(name, f);
      detail::Step step = begin_step<Args...>(name, args...);
      auto value = detail::results<R>::add(builder_, step);
      step.run = [f = std::move(f), slot = value.slot(),
                  ... args = std::move(args)](detail::Sample& sample) {
        R& out = sample.get<R>(slot);
        // An Image keeps its place in the batch; other values are reset, so no data of the previous
        // sample remain.
        if constexpr (!detail::Placeable<R>) out = R();
        detail::invoke(f, detail::argument<Args>::of(args, sample)..., out);
        detail::take_ownership(out);
      };
      builder_.add_step(std::move(step));
      return value;
    } else {
      return {};
    }
  }

  // Like map, but the value is delivered later: f(Completion<R>, args...) starts the work and
  // returns. The completion handle delivers the value, from any thread. A pending sample occupies
  // no thread, so up to PipelineOptions::window samples may be pending. The args are valid until f
  // has returned and the handle has been fired. An exception from f is the sample's error; the
  // sample stops waiting once no handle is left. See completion.h.
  template <class R = detail::NotSaid, class F, class... Args>
  auto map_async(std::string_view name, F f, Args... args) {
    if constexpr (detail::result_of_map_async<R>::check()) {
      if constexpr (detail::function_of_map_async<Completion<R>, F, Args...>::check()) {
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        step.kind = detail::StepKind::wait;
        auto values = detail::results<R>::add(builder_, step);
        step.run = [f = std::move(f), slots = step.writes,
                    ... args = std::move(args)](detail::Sample& sample) {
          detail::invoke(f, Completion<R>(sample, slots),
                         detail::argument<Args>::of(args, sample)...);
        };
        builder_.add_step(std::move(step));
        return values;
      } else {
        return detail::TypeError();
      }
    } else {
      return detail::TypeError();
    }
  }

  // Like map, for steps that draw random numbers: f(Random&, args...). The numbers depend only on
  // the pipeline's seed, the epoch, the sample and the number of this generator in the graph, and
  // in loops on the iteration numbers.
  template <class F, class... Args>
  auto random(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_random<F, Args...>::check()) {
      using Gives = std::invoke_result_t<const F&, Random&, const detail::argument_t<Args>&...>;
      if constexpr (detail::result_of_random<Gives>::check()) {
        using R = std::decay_t<Gives>;
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        auto values = detail::results<R>::add(builder_, step);
        step.run = [f = std::move(f), slots = step.writes, generator = builder_.next_generator(),
                    ... args = std::move(args)](detail::Sample& sample) {
          Random draw(sample.random_key(generator));
          detail::results<R>::write(
              sample, slots,
              detail::invoke_to_own<R>(f, draw, detail::argument<Args>::of(args, sample)...));
        };
        builder_.add_step(std::move(step));
        return values;
      } else {
        return detail::TypeError();
      }
    } else {
      return detail::TypeError();
    }
  }

  // Declares properties of the tensor that a step has just made. They must hold for every sample.
  // For tensors from your own steps, nothing is known without this. While the graph is built,
  // branches and loops reject tensors that are known to differ in type, layout or number of
  // dimensions. At run time the step fails for a sample whose tensor does not match. Returns the
  // value.
  Value<Tensor> declare(Value<Tensor> value, const TensorSpec& spec);

  // Invalid parameters (NaN, for example) throw BuildError if constant, and otherwise fail their
  // sample.
  //
  // Uniform in [lo, hi); lo if they are equal.
  Value<float> uniform(Param<float> lo, Param<float> hi);
  // Normal distribution; the standard deviation is at least 0.
  Value<float> normal(Param<float> mean, Param<float> stddev);
  // True with this probability, 0 to 1.
  Value<bool> coin_flip(Param<float> probability = 0.5f);

  // A constant for all samples; a string literal becomes a std::string.
  template <class T>
  Value<detail::constant_t<std::decay_t<T>>> constant(T&& value) {
    using C = detail::constant_t<std::decay_t<T>>;
    if constexpr (detail::value_of_constant<C>::check()) {
      return detail::constant_value<C>(builder_, C(std::forward<T>(value)));
    } else {
      return {};
    }
  }

  // Selects then() if the predicate holds, else otherwise(). The predicate is a bool or a number
  // (zero is false), a Value or a constant. A branch is a callable that runs while the pipeline is
  // described, or what such a callable would return. Both return the same structure (see
  // structure.h): a Value, a constant, or a tuple, array, vector, map or plain struct of these. A
  // constant number in one branch takes the type of the Value in the other, if the conversion is
  // lossless.
  template <class Predicate, class Then, class Otherwise>
  auto if_else(const Predicate& predicate, Then then, Otherwise otherwise,
               const ChoiceOptions& options = {});

  // Returns change(value) if the predicate holds, else the unchanged value.
  template <class Predicate, class X, class Change>
  auto apply_if(const Predicate& predicate, const X& value, Change change,
                const ChoiceOptions& options = {});

  // Selects the branch with the number `index`, 0 to N - 1. An index out of range fails its sample.
  // The cost of a choice does not depend on the number of branches.
  template <class Index, class... Branches>
  requires(sizeof...(Branches) > 1 ||
           !detail::is_vector<std::tuple_element_t<
               0, std::tuple<Branches..., int>>>) auto select(const Index& index,
                                                              Branches... branches) {
    return select(index, SelectOptions(), std::move(branches)...);
  }
  template <class Index, class... Branches>
  auto select(const Index& index, const SelectOptions& options, Branches... branches);

  // The same with a number of branches that is known only at run time. The branches and the choice
  // may be named, for errors and drawings.
  template <class Index, class Branch>
  auto select(const Index& index, const std::vector<Branch>& branches,
              const SelectOptions& options = {});

  // Logical AND and OR, with short-circuit evaluation for each sample. The right side is a callable
  // and runs only if the left side does not decide. Takes bools, as Values or constants; compare
  // numbers first.
  template <class A, class B>
  Value<bool> all_of(const A& a, B b, const ChoiceOptions& options = {});
  template <class A, class B>
  Value<bool> any_of(const A& a, B b, const ChoiceOptions& options = {});

  // Runs body(state) -> next state while condition(state) holds; the condition is evaluated before
  // each iteration. Returns the last state. The state is any structure; a std::tuple may also be
  // taken as separate arguments. A constant number in it takes the type that the body returns for
  // it, if the conversion is lossless. A sample whose condition still holds after max_iterations
  // fails; others continue.
  template <class Init, class Condition, class Body>
  auto while_loop(const Init& init, Condition condition, Body body,
                  const LoopOptions& options = {});

  // Runs body(i, state) -> next state for i = 0, 1, ..., count - 1 and returns the last state. The
  // count is a constant or a Value of any integer type; 0 or less runs nothing.
  template <class Count, class Init, class Body>
  auto for_loop(const Count& count, const Init& init, Body body, const LoopOptions& options = {});

  // Like for_loop, but the body also returns a Value<T> each time: std::tuple{next state, value}.
  // Returns the last state and the values of all iterations as one Value<std::vector<T>>, in order
  // or in reverse.
  template <class Count, class Init, class Body>
  auto for_loop_collect(const Count& count, const Init& init, Body body,
                        const CollectOptions& options = {});

  // The same with explicit boundaries, for tools that generate graphs: see boundaries.h.
  ConditionalBoundary add_conditional(std::string_view name = "conditional");
  LoopBoundary add_loop(std::string_view name = "loop", const LoopOptions& options = {});

  // Runs f(args...) for its side effect on each sample and returns `value`. It runs even if the
  // result is not used. f runs on several threads at once.
  template <class F, class T, class... Args>
  Value<T> tap(std::string_view name, F f, Value<T> value, Args... args) {
    if constexpr (detail::function_of_tap<F, Value<T>, Args...>::check()) {
      detail::require_function(name, f);
      detail::Step step = begin_step<Value<T>, Args...>(name, value, args...);
      step.effect = true;
      step.run = [f = std::move(f), value, ... more = std::move(args)](detail::Sample& sample) {
        detail::invoke(f, detail::argument<Value<T>>::of(value, sample),
                       detail::argument<Args>::of(more, sample)...);
      };
      builder_.add_step(std::move(step));
    }
    return value;
  }

  // Continues only with samples for which the predicate holds. The others end as `filtered`,
  // without an error; their batches are shorter and list them. Inside a branch it applies to the
  // samples that take the branch.
  template <class Predicate>
  void filter(const Predicate& predicate) {
    if constexpr (detail::predicate_of_filter<detail::argument_t<Predicate>>::check()) {
      if constexpr (detail::is_known_number<detail::argument_t<Predicate>>) {
        detail::apply_operator<void>(builder_, detail::filter_operator(), predicate);
      } else {
        detail::Step step = begin_step<Predicate>("filter", predicate);
        step.effect = true;
        step.run = [predicate](detail::Sample& sample) {
          if (!detail::truth(detail::argument<Predicate>::of(predicate, sample))) sample.drop();
        };
        builder_.add_step(std::move(step));
      }
    }
  }

  detail::PlanBuilder& builder() { return builder_; }

 private:
  template <class... Args>
  detail::Step begin_step(std::string_view name, const Args&... args) {
    return detail::begin_step<Args...>(builder_, name, args...);
  }

  template <class F>
  auto add_source(std::string_view name, std::int64_t count, const SourceOptions& options,
                  const std::shared_ptr<const F>& f,
                  Function<std::string(const SampleKey&)> sample_name);

  template <class On, class Choose>
  void open(std::string_view kind, std::vector<std::string> branches, const On& on, Choose choose);
  template <class Index>
  void open_select(const Index& index, std::size_t branches, const SelectOptions& options);
  // Records a choice of two branches; the first one is taken if the predicate holds.
  template <class R, class Predicate, class Yes, class No>
  R choose(std::string_view name, std::vector<std::string> branches, const Predicate& predicate,
           const Yes& yes, const No& no);
  // Records the branches of the open choice and returns its result.
  template <class R, class... Branches>
  R run_branches(const Branches&... branches);
  template <class Branch, class R>
  void run_branch(const Branch& branch, std::optional<R>& first);

  // The branch, condition or body that is being recorded and is about to return values.
  detail::ArgumentContext giver() { return {builder_, builder_.place() + " gives"}; }

  // Records the loop and returns its last state.
  template <class S, class Init, class Condition, class Body>
  S run_loop(std::string_view kind, const LoopOptions& options, const Init& init,
             Condition condition, Body body);
  template <class S, class Count, class Init, class Body>
  S count_loop(const Count& count, const Init& init, Body body, const LoopOptions& options);
  template <class S, class T, class Count, class Init, class Body>
  std::tuple<S, Value<std::vector<T>>> collect_loop(const Count& count, const Init& init, Body body,
                                                    const CollectOptions& options);

  void require_same_structure(const std::string& difference) const;

  static std::vector<std::string> branch_names(std::size_t count, const SelectOptions& options);
  static void require_branches(std::size_t count);

  detail::PlanBuilder& builder_;
};

}  // namespace sluice

#include <sluice/graph/graph_templates.h>
