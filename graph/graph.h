// Graph: what the function given to make_pipeline describes its program with.
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
// The function runs once and computes nothing: each call writes a step into the plan. What it means
// is the same program run for one sample at a time. Only the arm that is taken runs, and a step
// outside the arms which only one arm uses runs only there.
//
// Callables given to source() and map() run later, on several threads at once, for different
// samples: they must not change what they share. What they throw becomes that sample's error and
// touches no other sample. Threads: describe a pipeline on one thread. Errors: BuildError, at the
// line that is wrong.
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
  explicit Graph(detail::Recorder& recorder) : recorder_(recorder) {}

  // `count` samples in an epoch; sample i is f(SampleInfo): one value or a std::tuple of values.
  // `f` is called from several threads, in no order, and must give the same sample for the same
  // info. Bytes may be a view on what the data set keeps for as long as the pipeline and its
  // batches live. With `count` = kUntilEnd an epoch goes on until `f` throws EndOfEpoch: the
  // smallest index for which it does is the number of its samples. It is called for a few beyond
  // that.
  // The sampler says which of them an epoch has, and in which order; see Sampler, and for what
  // else there is to say SourceOptions.
  template <class F>
  auto source(std::int64_t count, F f, const Sampler& sampler = {}) {
    return source(count, std::move(f), SourceOptions{.sampler = sampler});
  }
  template <class F>
  auto source(std::int64_t count, F f, const SourceOptions& options);

  // Reads a dataset: any type with size(), which may be kUntilEnd, name(key), and operator()(const
  // SampleInfo&) as in source(). The name, for errors, is of the sample with this SampleKey;
  // name(i), with its index alone, will do. It is asked for on any thread, and never under a lock.
  // One that stands still for a disk or the network says `static constexpr bool blocks = true`: it
  // is called on threads of its own then, see PipelineOptions::io_threads. One that gives each
  // sample once, whatever it is asked for, says `static constexpr bool in_order = true`: samplers
  // and OnError::replace are refused then. `std::string fingerprint() const` tells its data from
  // others, for checkpoints; `SourceReads reads() const` what it has read so far, for stats(), from
  // any thread. What keeps a state besides has `std::string save(epoch, position) const`, the state
  // in which that sample comes next, and `void restore(epoch, position, state) const`, called
  // before anything else is asked of it.
  //
  // The samples of a dataset may come later. Its operator() takes a Completion<Sample> and a const
  // SampleInfo&, where `Sample` is a type that it names: one value or a std::tuple. It begins what
  // is to be waited for and returns; the sample is what the handle is fired with, from any thread,
  // and occupies no thread meanwhile. As many may be asked for as the window holds. Each handle is
  // fired, those behind the end of the epoch with EndOfEpoch. See completion.h.
  //
  // Any dataset may have begin_epoch(const EpochInfo&), which is called before an epoch asks for
  // its first sample, and throws where that cannot be: Pipeline::epoch() throws it then; and
  // end_epoch() noexcept, called once for each of those, when the epoch ends in whatever way.
  // Nobody wants what was asked for and has not come: fire or destroy such handles soon. There
  // are no more calls then; one that stands still is waited for, at most 5 seconds. Both are const,
  // and called on the thread that takes batches. Pipeline::inspect() calls neither: it asks for one
  // sample by its key, maybe while an epoch runs (Completion::out_of_turn()).
  template <class Reader>
  auto read(Reader reader, const Sampler& sampler = {}) {
    return read(std::move(reader), SourceOptions{.sampler = sampler});
  }
  template <class Reader>
  auto read(Reader reader, const SourceOptions& options);

  // A step of the user's own: f(args...) for each sample, where f is anything that std::invoke
  // takes: a lambda, &Image::width, or a pointer to a field, which copies it. Arguments that are
  // Values become const references to what the sample has, other arguments are passed as they are;
  // f and they live as long as the pipeline. A std::tuple as result becomes a tuple of Values.
  // Views in the result, on an argument for instance, become copies: see own.h.
  template <class F, class... Args>
  auto map(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_map<F, Args...>::check()) {
      using Gives = std::invoke_result_t<const F&, const detail::argument_t<Args>&...>;
      if constexpr (detail::result_of_map<Gives>::check()) {
        using R = std::decay_t<Gives>;
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        auto values = detail::results<R>::add(recorder_, step);
        step.run = [f = std::move(f), slots = step.writes,
                    ... args = std::move(args)](detail::Sample& sample) {
          detail::results<R>::write(
              sample, slots,
              detail::invoke_to_own<R>(f, detail::argument<Args>::of(args, sample)...));
        };
        recorder_.add_step(std::move(step));
        return values;
      } else {
        return detail::Refused();
      }
    } else {
      return detail::Refused();
    }
  }

  // Like map, for steps that write their result in place: f(args..., R& out). An Image or Tensor
  // that is made by out.create(...) may so be written straight into its batch.
  template <class R, class F, class... Args>
  Value<R> map_into(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_map_into<R, F, Args...>::check()) {
      detail::require_function(name, f);
      detail::Step step = begin_step<Args...>(name, args...);
      auto value = detail::results<R>::add(recorder_, step);
      step.run = [f = std::move(f), slot = value.slot(),
                  ... args = std::move(args)](detail::Sample& sample) {
        R& out = sample.get<R>(slot);
        // An Image keeps its place in the batch; anything else shows nothing of the sample before.
        if constexpr (!detail::Placeable<R>) out = R();
        detail::invoke(f, detail::argument<Args>::of(args, sample)..., out);
        detail::take_ownership(out);
      };
      recorder_.add_step(std::move(step));
      return value;
    } else {
      return {};
    }
  }

  // Like map, for steps whose value comes later, from elsewhere: f(Completion<R>, args...) begins
  // what is to be waited for and returns; the value is what the completion handle is fired with,
  // from any thread. The sample occupies no thread meanwhile, so as many may wait as the window
  // holds. The args are valid until f has returned and the handle has been fired. What f throws is
  // the sample's error, which ends its wait when f has not kept the handle. See completion.h.
  template <class R = detail::NotSaid, class F, class... Args>
  auto map_async(std::string_view name, F f, Args... args) {
    if constexpr (detail::result_of_map_async<R>::check()) {
      if constexpr (detail::function_of_map_async<Completion<R>, F, Args...>::check()) {
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        step.kind = detail::StepKind::wait;
        auto values = detail::results<R>::add(recorder_, step);
        step.run = [f = std::move(f), slots = step.writes,
                    ... args = std::move(args)](detail::Sample& sample) {
          detail::invoke(f, Completion<R>(sample, slots),
                         detail::argument<Args>::of(args, sample)...);
        };
        recorder_.add_step(std::move(step));
        return values;
      } else {
        return detail::Refused();
      }
    } else {
      return detail::Refused();
    }
  }

  // Like map, for steps that draw random numbers: f(Random&, args...). The numbers depend on the
  // pipeline's seed, the epoch, the sample and on which of the graph's generators this is, in loops
  // on the numbers of the iterations, and on nothing else.
  template <class F, class... Args>
  auto random(std::string_view name, F f, Args... args) {
    if constexpr (detail::function_of_random<F, Args...>::check()) {
      using Gives = std::invoke_result_t<const F&, Random&, const detail::argument_t<Args>&...>;
      if constexpr (detail::result_of_random<Gives>::check()) {
        using R = std::decay_t<Gives>;
        detail::require_function(name, f);
        detail::Step step = begin_step<Args...>(name, args...);
        auto values = detail::results<R>::add(recorder_, step);
        step.run = [f = std::move(f), slots = step.writes, generator = recorder_.next_generator(),
                    ... args = std::move(args)](detail::Sample& sample) {
          Random draw(sample.random_key(generator));
          detail::results<R>::write(
              sample, slots,
              detail::invoke_to_own<R>(f, draw, detail::argument<Args>::of(args, sample)...));
        };
        recorder_.add_step(std::move(step));
        return values;
      } else {
        return detail::Refused();
      }
    } else {
      return detail::Refused();
    }
  }

  // Says what is known of the tensor that a step has just made: the same for every sample. A step
  // of the user's own gives tensors of which nothing is known until then; arms and loops refuse,
  // while the graph is built, tensors that are known to differ in type, layout or number of
  // dimensions. The step fails for a sample whose tensor is not so. Gives the value.
  Value<Tensor> declare(Value<Tensor> value, const TensorSpec& spec);

  // Parameters that make no sense (NaN, say) are a BuildError if constant, else the error of the
  // sample that has them.
  //
  // Uniform in [lo, hi); lo when they are equal.
  Value<float> uniform(Param<float> lo, Param<float> hi);
  // Normal distribution; the standard deviation is at least 0.
  Value<float> normal(Param<float> mean, Param<float> stddev);
  // True with the given probability, 0 to 1.
  Value<bool> coin_flip(Param<float> probability = 0.5f);

  // The same for every sample; a string literal is a std::string.
  template <class T>
  Value<detail::constant_t<std::decay_t<T>>> constant(T&& value) {
    using C = detail::constant_t<std::decay_t<T>>;
    if constexpr (detail::value_of_constant<C>::check()) {
      return detail::constant_value<C>(recorder_, C(std::forward<T>(value)));
    } else {
      return {};
    }
  }

  // then() where the predicate holds, otherwise() where it does not. The predicate is a bool or a
  // number (zero is false), a Value or a constant. Arms are callables that run while the pipeline
  // is described, or what such a callable would return; both give the same structure (see
  // structure.h): a Value, a constant, a tuple, array, vector, map or plain struct of such. A
  // constant number in one arm takes the type of the Value in the other, where nothing is lost.
  template <class Predicate, class Then, class Otherwise>
  auto if_else(const Predicate& predicate, Then then, Otherwise otherwise,
               const ChoiceOptions& options = {});

  // change(value) where the predicate holds, else the value as it is.
  template <class Predicate, class X, class Change>
  auto apply_if(const Predicate& predicate, const X& value, Change change,
                const ChoiceOptions& options = {});

  // The arm whose number is `index`, 0 to N - 1. An index outside is that sample's error. The cost
  // of a choice does not depend on the number of arms.
  template <class Index, class... Arms>
  requires(sizeof...(Arms) > 1 ||
           !detail::is_vector<
               std::tuple_element_t<0, std::tuple<Arms..., int>>>) auto select(const Index& index,
                                                                               Arms... arms) {
    return select(index, SelectOptions(), std::move(arms)...);
  }
  template <class Index, class... Arms>
  auto select(const Index& index, const SelectOptions& options, Arms... arms);

  // The same with arms that are only known at run time; they and the branch may be named, for
  // errors and drawings.
  template <class Index, class Arm>
  auto select(const Index& index, const std::vector<Arm>& arms, const SelectOptions& options = {});

  // a and b, a or b, as a program for one sample means it: the right side is a callable, and runs
  // only where the left side does not decide. Values of bool and constants; compare numbers first.
  template <class A, class B>
  Value<bool> all_of(const A& a, B b, const ChoiceOptions& options = {});
  template <class A, class B>
  Value<bool> any_of(const A& a, B b, const ChoiceOptions& options = {});

  // Runs body(state) -> next state for as long as condition(state) holds, which is asked before
  // each iteration; gives the last state. The state is any structure; a std::tuple may also be
  // taken as separate arguments. A constant number in it takes the type that the body gives for it,
  // where nothing is lost. A sample whose condition still holds after max_iterations fails; the
  // others go on.
  template <class Init, class Condition, class Body>
  auto while_loop(const Init& init, Condition condition, Body body,
                  const LoopOptions& options = {});

  // Runs body(i, state) -> next state for i = 0, 1, ..., count - 1; gives the last state. The count
  // is a constant or a Value of any integer type; 0 or less runs nothing.
  template <class Count, class Init, class Body>
  auto for_loop(const Count& count, const Init& init, Body body, const LoopOptions& options = {});

  // The same, and besides the state body gives a Value<T> each time: std::tuple{next state, value}.
  // Gives the last state and the values of all iterations as one Value<std::vector<T>>, in order or
  // in reverse.
  template <class Count, class Init, class Body>
  auto for_loop_collect(const Count& count, const Init& init, Body body,
                        const CollectOptions& options = {});

  // The same by explicit boundaries, for tools that generate graphs: see boundaries.h.
  ConditionalBoundary add_conditional(std::string_view name = "conditional");
  LoopBoundary add_loop(std::string_view name = "loop", const LoopOptions& options = {});

  // Runs f(args...) for its effect, for each sample that comes by, and gives `value` on. It runs
  // even when nobody uses the result. f runs on several threads at once.
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
      recorder_.add_step(std::move(step));
    }
    return value;
  }

  // Goes on only with samples for which the predicate holds; the others end as `filtered`, without
  // an error, and their batches are short and name them. Inside an arm it concerns the samples that
  // take the arm.
  template <class Predicate>
  void filter(const Predicate& predicate) {
    if constexpr (detail::predicate_of_filter<detail::argument_t<Predicate>>::check()) {
      if constexpr (detail::is_known_number<detail::argument_t<Predicate>>) {
        detail::apply_operator<void>(recorder_, detail::filter_operator(), predicate);
      } else {
        detail::Step step = begin_step<Predicate>("filter", predicate);
        step.effect = true;
        step.run = [predicate](detail::Sample& sample) {
          if (!detail::truth(detail::argument<Predicate>::of(predicate, sample))) sample.drop();
        };
        recorder_.add_step(std::move(step));
      }
    }
  }

  detail::Recorder& recorder() { return recorder_; }

 private:
  template <class... Args>
  detail::Step begin_step(std::string_view name, const Args&... args) {
    return detail::begin_step<Args...>(recorder_, name, args...);
  }

  template <class F>
  auto add_source(std::string_view name, std::int64_t count, const SourceOptions& options,
                  const std::shared_ptr<const F>& f,
                  Function<std::string(const SampleKey&)> sample_name);

  template <class On, class Choose>
  void open(std::string_view kind, std::vector<std::string> arms, const On& on, Choose choose);
  template <class Index>
  void open_select(const Index& index, std::size_t arms, const SelectOptions& options);
  // A branch of two arms, the first for where the predicate holds.
  template <class R, class Predicate, class Yes, class No>
  R choose(std::string_view name, std::vector<std::string> arms, const Predicate& predicate,
           const Yes& yes, const No& no);
  // Records the arms of the branch that is open, and gives what it gives.
  template <class R, class... Arms>
  R run_arms(const Arms&... arms);
  template <class Arm, class R>
  void run_arm(const Arm& arm, std::optional<R>& first);

  // The arm, condition or body that is being recorded, which is about to give values.
  detail::ArgumentContext giver() { return {recorder_, recorder_.place() + " gives"}; }

  // Records the loop, and gives its last state.
  template <class S, class Init, class Condition, class Body>
  S run_loop(std::string_view kind, const LoopOptions& options, const Init& init,
             Condition condition, Body body);
  template <class S, class Count, class Init, class Body>
  S count_loop(const Count& count, const Init& init, Body body, const LoopOptions& options);
  template <class S, class T, class Count, class Init, class Body>
  std::tuple<S, Value<std::vector<T>>> collect_loop(const Count& count, const Init& init, Body body,
                                                    const CollectOptions& options);

  void require_same_structure(const std::string& difference) const;

  static std::vector<std::string> arm_names(std::size_t count, const SelectOptions& options);
  static void require_arms(std::size_t count);

  detail::Recorder& recorder_;
};

}  // namespace sluice

#include <sluice/graph/graph_templates.h>
