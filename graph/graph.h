// Graph: what the function given to make_pipeline describes its program with.
//
//   auto pipeline = make_pipeline({.batch_size = 32}, [](Graph& g) {
//     auto [jpeg, label] = g.read(files_in("photos"));
//     auto image = g.if_else(g.coin_flip(0.5), [&] { return flip(decode_jpeg(jpeg)); }, [&] {
//     return decode_jpeg(jpeg); }); return std::tuple{image, label};
//   });
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

#include <sluice/graph/structure.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

// An argument of map(): a Value or Param is read from the frame, anything else is a constant.
template <class A>
struct argument {
  using type = A;
  static void reads(const A&, Recorder&, std::vector<SlotId>&) {}
  static const A& of(const A& constant, const Frame&) { return constant; }
};
template <class T>
struct argument<Value<T>> {
  using type = T;
  static void reads(const Value<T>& value, Recorder& recorder, std::vector<SlotId>& slots) {
    structure<Value<T>>::normal(recorder, value);
    slots.push_back(value.slot());
  }
  static const T& of(const Value<T>& value, const Frame& frame) {
    return frame.get<T>(value.slot());
  }
};
template <class T>
struct argument<Param<T>> {
  using type = T;
  static void reads(const Param<T>& param, Recorder& recorder, std::vector<SlotId>& slots) {
    if (!param.is_constant()) argument<Value<T>>::reads(param.value(), recorder, slots);
  }
  static const T& of(const Param<T>& param, const Frame& frame) { return param.of(frame); }
};
template <class A>
using argument_t = typename argument<std::decay_t<A>>::type;

template <class T>
struct is_tuple : std::false_type {};
template <class... Ts>
struct is_tuple<std::tuple<Ts...>> : std::true_type {};

// Writes what a callable returned into the slots of the step: a tuple into one each, else all into
// one.
template <class R>
struct results {
  using values = Value<R>;
  static values add(Recorder& recorder, Step& step) {
    step.writes.push_back(recorder.add_slot(slot_type<R>(), step.name));
    return {recorder, step.writes.back()};
  }
  static void write(Frame& frame, const std::vector<SlotId>& slots, R&& result) {
    frame.get<R>(slots[0]) = std::move(result);
  }
};
template <class... Rs>
struct results<std::tuple<Rs...>> {
  using values = std::tuple<Value<Rs>...>;
  static values add(Recorder& recorder, Step& step) {
    return values{results<Rs>::add(recorder, step)...};
  }
  static void write(Frame& frame, const std::vector<SlotId>& slots, std::tuple<Rs...>&& result) {
    write_each(frame, slots, std::move(result), std::index_sequence_for<Rs...>());
  }

 private:
  template <std::size_t... I>
  static void write_each(Frame& frame, const std::vector<SlotId>& slots, std::tuple<Rs...>&& result,
                         std::index_sequence<I...>) {
    ((frame.get<Rs>(slots[I]) = std::move(std::get<I>(result))), ...);
  }
};

}  // namespace detail

class Graph {
 public:
  explicit Graph(Recorder& recorder) : recorder_(recorder) {}

  // `count` samples in an epoch; sample i is f(SampleInfo): one value or a std::tuple of values.
  // `f` is called from several threads, in no order, and must give the same sample for the same
  // info.
  template <class F>
  auto source(std::int64_t count, F f) {
    return add_source("source", count, std::move(f), nullptr);
  }

  // Reads a dataset: any type with size(), name(i), and operator()(const SampleInfo&) as in
  // source().
  template <class Reader>
  auto read(Reader reader) {
    const std::int64_t count = reader.size();
    auto name = [reader](std::int64_t i) { return reader.name(i); };
    return add_source("read", count, std::move(reader), std::move(name));
  }

  // A step of the user's own: f(args...) for each sample. Arguments that are Values become const
  // references to what the sample has, other arguments are passed as they are. A std::tuple as
  // result becomes a tuple of Values.
  template <class F, class... Args>
  auto map(std::string_view name, F f, Args... args) {
    using R = std::decay_t<std::invoke_result_t<const F&, const detail::argument_t<Args>&...>>;
    static_assert(!std::is_void_v<R>, "map: the function must return the step's value");
    Step step = begin_step<Args...>(name, args...);
    auto values = detail::results<R>::add(recorder_, step);
    step.run = [f = std::move(f), slots = step.writes, ... args = std::move(args)](Frame& frame) {
      detail::results<R>::write(frame, slots, f(detail::argument<Args>::of(args, frame)...));
    };
    recorder_.add_step(std::move(step));
    return values;
  }

  // Like map, for steps that write their result in place: f(args..., R& out). An Image or Tensor
  // that is made by out.create(...) may so be written straight into its batch.
  template <class R, class F, class... Args>
  Value<R> map_into(std::string_view name, F f, Args... args) {
    Step step = begin_step<Args...>(name, args...);
    auto value = detail::results<R>::add(recorder_, step);
    step.run = [f = std::move(f), slot = value.slot(), ... args = std::move(args)](Frame& frame) {
      f(detail::argument<Args>::of(args, frame)..., frame.get<R>(slot));
    };
    recorder_.add_step(std::move(step));
    return value;
  }

  // Like map, for steps that draw random numbers: f(Random&, args...). The numbers depend on the
  // pipeline's seed, the epoch, the sample and on which of the graph's generators this is, and on
  // nothing else.
  template <class F, class... Args>
  auto random(std::string_view name, F f, Args... args) {
    using R =
        std::decay_t<std::invoke_result_t<const F&, Random&, const detail::argument_t<Args>&...>>;
    Step step = begin_step<Args...>(name, args...);
    auto values = detail::results<R>::add(recorder_, step);
    step.run = [f = std::move(f), slots = step.writes, generator = recorder_.next_generator(),
                ... args = std::move(args)](Frame& frame) {
      Random draw(frame.random_key(generator));
      detail::results<R>::write(frame, slots, f(draw, detail::argument<Args>::of(args, frame)...));
    };
    recorder_.add_step(std::move(step));
    return values;
  }

  // Uniform in [lo, hi).
  Value<float> uniform(Param<float> lo, Param<float> hi);
  // Normal distribution.
  Value<float> normal(Param<float> mean, Param<float> stddev);
  // True with the given probability, 0 to 1.
  Value<bool> coin_flip(Param<float> probability = 0.5f);

  template <class T>
  Value<std::decay_t<T>> constant(T&& value) {
    return detail::constant_value<std::decay_t<T>>(recorder_, std::forward<T>(value));
  }

  // then() where the predicate holds, otherwise() where it does not. Both run while the pipeline is
  // described, and return the same structure: a Value, a constant, or a std::tuple of such.
  template <class Then, class Otherwise>
  auto if_else(Param<bool> predicate, Then then, Otherwise otherwise) {
    using R = detail::normal_t<std::invoke_result_t<Then&>>;
    static_assert(std::is_same_v<R, detail::normal_t<std::invoke_result_t<Otherwise&>>>,
                  "if_else: both arms must return the same structure and types");
    open("if_else", {"then", "otherwise"}, predicate,
         [predicate](const Frame& frame) -> std::int64_t { return predicate.of(frame) ? 0 : 1; });
    return run_arms<R>(then, otherwise);
  }

  // The arm whose number is `index`, 0 to N - 1. An index outside is that sample's error.
  template <class... Arms>
  auto select(Param<std::int64_t> index, Arms... arms) {
    static_assert(sizeof...(Arms) > 0, "select: give at least one arm");
    using R = detail::normal_t<std::invoke_result_t<std::tuple_element_t<0, std::tuple<Arms...>>&>>;
    static_assert((std::is_same_v<R, detail::normal_t<std::invoke_result_t<Arms&>>> && ...),
                  "select: all arms must return the same structure and types");
    open("select", numbered_arms(sizeof...(Arms)), index,
         [index](const Frame& frame) { return index.of(frame); });
    return run_arms<R>(arms...);
  }

  // The same with arms that are only known at run time.
  template <class Arm>
  auto select(Param<std::int64_t> index, const std::vector<Arm>& arms) {
    using R = detail::normal_t<std::invoke_result_t<const Arm&>>;
    require_arms(arms.size());
    open("select", numbered_arms(arms.size()), index,
         [index](const Frame& frame) { return index.of(frame); });
    return guarded([&] {
      for (const Arm& arm : arms) run_arm<R>(arm);
      return detail::rebuild<R>(recorder_, recorder_.close_branch());
    });
  }

  Recorder& recorder() { return recorder_; }

 private:
  template <class... Args>
  Step begin_step(std::string_view name, const Args&... args) {
    Step step;
    step.name = recorder_.unique_name(name);
    (detail::argument<Args>::reads(args, recorder_, step.reads), ...);
    return step;
  }

  template <class F>
  auto add_source(std::string_view name, std::int64_t count, F f,
                  std::function<std::string(std::int64_t)> sample_name) {
    using R = std::decay_t<std::invoke_result_t<const F&, const SampleInfo&>>;
    Step step = begin_step<>(name);
    step.pinned = true;
    recorder_.set_source(step.name, count, std::move(sample_name));
    auto values = detail::results<R>::add(recorder_, step);
    step.run = [f = std::move(f), slots = step.writes](Frame& frame) {
      detail::results<R>::write(frame, slots, f(frame.info()));
    };
    recorder_.add_step(std::move(step));
    return values;
  }

  template <class T, class Choose>
  // clang-tidy does not see through the template that `arms` moves on.
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  void open(std::string_view kind, std::vector<std::string> arms, const Param<T>& on,
            Choose choose) {
    std::vector<SlotId> reads;
    detail::argument<Param<T>>::reads(on, recorder_, reads);
    recorder_.open_branch(kind, std::move(arms), std::move(reads), std::move(choose));
  }

  template <class R, class Arm>
  void run_arm(Arm& arm) {
    recorder_.begin_arm();
    const R result = detail::normal(recorder_, arm());
    recorder_.end_arm(detail::flatten(result));
  }

  template <class R, class... Arms>
  R run_arms(Arms&... arms) {
    return guarded([&] {
      (run_arm<R>(arms), ...);
      return detail::rebuild<R>(recorder_, recorder_.close_branch());
    });
  }

  // An exception of an arm reaches the caller unchanged and leaves the recorder usable.
  template <class F>
  auto guarded(F f) {
    try {
      return f();
    } catch (...) {
      recorder_.abandon_branch();
      throw;
    }
  }

  static std::vector<std::string> numbered_arms(std::size_t count);
  static void require_arms(std::size_t count);

  Recorder& recorder_;
};

}  // namespace sluice
