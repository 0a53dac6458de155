// Templates of Graph: choices, loops, sources and lists. Included at the end of graph.h; include
// that instead.
#pragma once

#include <sluice/graph/builder/checks.h>
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/function.h>

#include <concepts>
#include <cstddef>
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

namespace detail {
// Marks a choice by branch number.
struct ByNumber {};
}  // namespace detail

template <class Predicate, class Then, class Otherwise>
auto Graph::if_else(const Predicate& predicate, Then then, Otherwise otherwise,
                    const ChoiceOptions& options) {
  using Branches = detail::branches_of_if_else<detail::given_t<Then>, detail::given_t<Otherwise>>;
  if constexpr (detail::predicate_of_if_else<detail::argument_t<Predicate>>::check() &&
                Branches::check()) {
    return choose<typename Branches::result>(options.name.empty() ? "if_else" : options.name,
                                             {"then", "otherwise"}, predicate, then, otherwise);
  } else {
    return detail::type_error<typename Branches::result>();
  }
}

template <class Predicate, class X, class Change>
auto Graph::apply_if(const Predicate& predicate, const X& value, Change change,
                     const ChoiceOptions& options) {
  if constexpr (detail::call_of_apply_if<Change, X>::check()) {
    using Branches =
        detail::change_of_apply_if<std::decay_t<X>, std::decay_t<decltype(change(value))>>;
    if constexpr (Branches::check()) {
      return if_else(
          predicate, [&] { return change(value); }, [&] { return value; }, options);
    } else {
      return detail::type_error<typename Branches::result>();
    }
  } else {
    return detail::TypeError();
  }
}

template <class Index, class... Branches>
auto Graph::select(const Index& index, const SelectOptions& options, Branches... branches) {
  static_assert(sizeof...(Branches) > 0, "select: give at least one branch");
  if constexpr (sizeof...(Branches) > 0) {
    using Check = detail::branches_of_select<detail::given_t<Branches>...>;
    if constexpr (detail::index_of_select<detail::argument_t<Index>>::check() && Check::check()) {
      const detail::PlanBuilder::Attempt attempt(builder_);
      open_select(index, sizeof...(Branches), options);
      return run_branches<typename Check::result>(branches...);
    } else {
      return detail::type_error<typename Check::result>();
    }
  } else {
    return detail::TypeError();
  }
}

template <class Index, class Branch>
auto Graph::select(const Index& index, const std::vector<Branch>& branches,
                   const SelectOptions& options) {
  using Check = detail::branches_of_select<detail::given_t<Branch>>;
  if constexpr (detail::index_of_select<detail::argument_t<Index>>::check() && Check::check()) {
    require_branches(branches.size());
    const detail::PlanBuilder::Attempt attempt(builder_);
    open_select(index, branches.size(), options);
    using R = typename Check::result;
    std::optional<R> first;
    for (const Branch& branch : branches) run_branch(branch, first);
    return detail::rebuild<R>(*first, builder_, builder_.close_choice());
  } else {
    return detail::type_error<typename Check::result>();
  }
}

template <class A, class B>
Value<bool> Graph::all_of(const A& a, B b, const ChoiceOptions& options) {
  using Sides = detail::sides_of_all_of<A, B>;
  if constexpr (Sides::check()) {
    if constexpr (detail::right_side_of_all_of<detail::given_t<B>>::check()) {
      return choose<Value<bool>>(options.name.empty() ? "all_of" : options.name,
                                 {"right side", "decided"}, a, b, false);
    }
  }
  return {};
}
template <class A, class B>
Value<bool> Graph::any_of(const A& a, B b, const ChoiceOptions& options) {
  using Sides = detail::sides_of_any_of<A, B>;
  if constexpr (Sides::check()) {
    if constexpr (detail::right_side_of_any_of<detail::given_t<B>>::check()) {
      return choose<Value<bool>>(options.name.empty() ? "any_of" : options.name,
                                 {"decided", "right side"}, a, true, b);
    }
  }
  return {};
}

template <class On, class Choose>
// clang-tidy does not see, through the template, that `branches` is moved.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void Graph::open(std::string_view kind, std::vector<std::string> branches, const On& on,
                 Choose choose) {
  std::string name = builder_.unique_name(kind);
  const detail::ArgumentContext context{builder_, detail::is_given(name)};
  if constexpr (detail::is_known_number<detail::argument_t<On>>) {
    constexpr bool kByNumber = std::is_same_v<Choose, detail::ByNumber>;
    builder_.open_choice(std::move(name), std::move(branches),
                         {kByNumber ? detail::Choosing::By::number : detail::Choosing::By::truth,
                          detail::AsArgument<On>::of(on, context, detail::Parameter())});
  } else if constexpr (std::is_same_v<Choose, detail::ByNumber>) {
    builder_.open_choice(std::move(name), std::move(branches),
                         {detail::Choosing::By::number, detail::whole_argument(on, context)});
  } else {
    std::vector<detail::SlotId> reads;
    detail::argument<On>::reads(on, context, reads);
    builder_.open_choice(std::move(name), std::move(branches), std::move(reads), std::move(choose));
  }
}

template <class R, class Predicate, class Yes, class No>
R Graph::choose(std::string_view name, std::vector<std::string> branches,
                const Predicate& predicate, const Yes& yes, const No& no) {
  const detail::PlanBuilder::Attempt attempt(builder_);
  open(name, std::move(branches), predicate,
       [predicate](const detail::Sample& sample) -> std::int64_t {
         return detail::truth(detail::argument<Predicate>::of(predicate, sample)) ? 0 : 1;
       });
  return run_branches<R>(yes, no);
}

template <class Index>
void Graph::open_select(const Index& index, std::size_t branches, const SelectOptions& options) {
  open(options.name, branch_names(branches, options), index, detail::ByNumber());
}

template <class R, class... Branches>
R Graph::run_branches(const Branches&... branches) {
  std::optional<R> first;
  (run_branch(branches, first), ...);
  return detail::rebuild<R>(*first, builder_, builder_.close_choice());
}

template <class Branch, class R>
void Graph::run_branch(const Branch& branch, std::optional<R>& first) {
  builder_.begin_branch();
  const R result = detail::normal_as<R>(giver(), detail::give(branch));
  if (first) {
    require_same_structure(detail::structure<R>::compare(*first, result));
  } else {
    first = result;
  }
  builder_.end_branch(detail::flatten(result),
                      [&](std::size_t i) { return detail::place_in(result, i); });
}

namespace detail {

// The state type of a loop that starts with Init. Constants in it take the type that the body
// returns for them, or that it names explicitly: `0` with a Value<std::int64_t> becomes a
// std::int64_t.
struct WholeResult {
  template <class Gives>
  static constexpr auto of() {
    return std::type_identity<Gives>{};
  }
};
struct FirstOfResult {
  template <class Gives>
  static constexpr auto of() {
    if constexpr (fault_of<Gives>() == Fault::none && is_pair<Gives>) {
      return std::type_identity<std::tuple_element_t<0, Gives>>{};
    } else {
      return std::type_identity<void>{};
    }
  }
};

// The parameter types of a callable with exactly one signature; empty for any other.
template <class F>
struct parameters {
  using type = std::tuple<>;
};
template <class F>
requires requires { &F::operator(); }
struct parameters<F> : parameters<decltype(&F::operator())> {};
template <class R, class C, class... Ps>
struct parameters<R (C::*)(Ps...) const> {
  using type = std::tuple<std::decay_t<Ps>...>;
};
template <class R, class C, class... Ps>
struct parameters<R (C::*)(Ps...)> : parameters<R (C::*)(Ps...) const> {};
template <class R, class... Ps>
struct parameters<R (*)(Ps...)> {
  using type = std::tuple<std::decay_t<Ps>...>;
};

template <class Init, class... Ps>
constexpr auto state_of_parameters(std::type_identity<std::tuple<Ps...>>) {
  using One = std::tuple_element_t<0, std::tuple<Ps..., void>>;
  using Taken = type_join_t<Init, std::conditional_t<sizeof...(Ps) == 1, One, std::tuple<Ps...>>>;
  return std::type_identity<
      normal_t<std::conditional_t<std::is_same_v<Taken, Differ>, Init, Taken>>>{};
}
template <class Init, class First, class... Ps>
constexpr auto state_after_number(std::type_identity<std::tuple<First, Ps...>>) {
  return state_of_parameters<Init>(std::type_identity<std::tuple<Ps...>>{});
}
template <class Init>
constexpr auto state_after_number(std::type_identity<std::tuple<>>) {
  return std::type_identity<normal_t<Init>>{};
}

// Applies the body to the state type that it returned last, until the type no longer changes.
template <int Rounds, class Init, class S, class Result, class Body, class... Before>
constexpr auto settled_state() {
  if constexpr (Rounds > 0 && takes_state<Body, S, Before...>()) {
    using Gives = typename decltype(Result::template of<called_t<Body, S, Before...>>())::type;
    if constexpr (fault_of<Gives>() == Fault::none) {
      using Next = type_join_t<Init, Gives>;
      if constexpr (!std::is_same_v<Next, Differ> && !std::is_same_v<normal_t<Next>, S>) {
        return settled_state<Rounds - 1, Init, normal_t<Next>, Result, Body, Before...>();
      } else {
        return std::type_identity<S>{};
      }
    } else {
      return std::type_identity<S>{};
    }
  } else {
    return std::type_identity<S>{};
  }
}
template <class Init, class Result, class Body, class... Before>
constexpr auto find_state() {
  using S = normal_t<Init>;
  if constexpr (takes_state<Body, S, Before...>()) {
    return settled_state<4, Init, S, Result, Body, Before...>();
  } else {
    using Parameters = std::type_identity<typename parameters<Body>::type>;
    if constexpr (sizeof...(Before) > 0) {
      return state_after_number<Init>(Parameters{});
    } else {
      return state_of_parameters<Init>(Parameters{});
    }
  }
}
template <class Init, class Result, class Body, class... Before>
using state_t = typename decltype(find_state<Init, Result, Body, Before...>())::type;

// True if the loop can be described; otherwise the compiler reports the reason.
template <class Init, class Condition, class Body>
constexpr bool check_while_loop() {
  if constexpr (state_of_loop<Init>::check()) {
    using S = state_t<Init, WholeResult, Body>;
    if constexpr (condition_of_while_loop<S, Condition>::check() &&
                  body_of_while_loop<S, Body>::check()) {
      return answer_of_while_loop<called_t<Condition, S>>::check() &&
             next_state_of_while_loop<S, called_t<Body, S>>::check();
    }
  }
  return false;
}
template <class Count, class Init, class Body>
constexpr bool check_for_loop() {
  if constexpr (count_of_for_loop<argument_t<Count>>::check() && state_of_loop<Init>::check()) {
    using S = state_t<Init, WholeResult, Body, Value<std::int64_t>>;
    if constexpr (body_of_for_loop<S, Body>::check()) {
      return next_state_of_for_loop<S, called_t<Body, S, Value<std::int64_t>>>::check();
    }
  }
  return false;
}
template <class Count, class Init, class Body>
constexpr bool check_for_loop_collect() {
  if constexpr (count_of_for_loop<argument_t<Count>>::check() && state_of_loop<Init>::check()) {
    using S = state_t<Init, FirstOfResult, Body, Value<std::int64_t>>;
    if constexpr (body_of_for_loop_collect<S, Body>::check()) {
      using Gives = called_t<Body, S, Value<std::int64_t>>;
      if constexpr (result_of_for_loop_collect<Gives>::check()) {
        return next_state_of_for_loop_collect<S, std::tuple_element_t<0, Gives>>::check();
      }
    }
  }
  return false;
}

}  // namespace detail

template <class S, class Init, class Condition, class Body>
S Graph::run_loop(std::string_view kind, const LoopOptions& options, const Init& init,
                  Condition condition, Body body) {
  const detail::PlanBuilder::Attempt attempt(builder_);
  std::string name = builder_.unique_name(options.name.empty() ? kind : options.name);
  const S first = detail::normal_as<S>({builder_, "'" + name + "' begins with"}, init);
  const detail::PlanBuilder::LoopView view =
      builder_.open_loop(std::move(name), options.max_iterations, detail::flatten(first));
  const S state = detail::rebuild<S>(first, builder_, view.state);
  const Value<std::int64_t> i(builder_, view.iteration);
  builder_.begin_condition();
  builder_.end_condition(condition(i, state).slot());
  builder_.begin_body();
  const S next = detail::normal_as<S>(giver(), body(i, state));
  require_same_structure(detail::structure<S>::compare(first, next));
  builder_.end_body(detail::flatten(next),
                    [&](std::size_t k) { return detail::place_in(next, k); });
  return detail::rebuild<S>(first, builder_, builder_.close_loop());
}

template <class Init, class Condition, class Body>
auto Graph::while_loop(const Init& init, Condition condition, Body body,
                       const LoopOptions& options) {
  using Begin = std::decay_t<Init>;
  if constexpr (detail::check_while_loop<Begin, Condition, Body>()) {
    using S = detail::state_t<Begin, detail::WholeResult, Body>;
    return run_loop<S>(
        "while_loop", options, init,
        [&](const auto&, const S& state) {
          return detail::normal_as<Value<bool>>(giver(), detail::call(condition, state));
        },
        [&](const auto&, const S& state) { return detail::call(body, state); });
  } else {
    return detail::type_error<typename decltype(detail::normal_or_type_error<Begin>())::type>();
  }
}

template <class S, class Count, class Init, class Body>
S Graph::count_loop(const Count& count, const Init& init, Body body, const LoopOptions& options) {
  Value<std::int64_t> limit;
  if constexpr (!detail::is_known_number<detail::argument_t<Count>>) {
    limit = {
        builder_,
        builder_.add(detail::count_operator(),
                     {detail::whole_argument(count, {builder_, detail::is_given("count")})})[0]};
  }
  return run_loop<S>(
      "for_loop", options, init,
      [&](const Value<std::int64_t>& i, const S&) {
        if constexpr (detail::is_known_number<detail::argument_t<Count>>) {
          return detail::apply_as<bool>(builder_, "more", detail::arithmetic_operator("less"), i,
                                        count);
        } else {
          return detail::apply_as<bool>(builder_, "more", detail::arithmetic_operator("less"), i,
                                        limit);
        }
      },
      body);
}

template <class Count, class Init, class Body>
auto Graph::for_loop(const Count& count, const Init& init, Body body, const LoopOptions& options) {
  using Begin = std::decay_t<Init>;
  using Number = Value<std::int64_t>;
  if constexpr (detail::check_for_loop<Count, Begin, Body>()) {
    using S = detail::state_t<Begin, detail::WholeResult, Body, Number>;
    return count_loop<S>(
        count, init, [&](const Number& i, const S& state) { return detail::call(body, state, i); },
        options);
  } else {
    return detail::type_error<typename decltype(detail::normal_or_type_error<Begin>())::type>();
  }
}

template <class Count, class Init, class Body>
auto Graph::for_loop_collect(const Count& count, const Init& init, Body body,
                             const CollectOptions& options) {
  using Begin = std::decay_t<Init>;
  using Number = Value<std::int64_t>;
  if constexpr (detail::check_for_loop_collect<Count, Begin, Body>()) {
    using S = detail::state_t<Begin, detail::FirstOfResult, Body, Number>;
    using Kept = std::tuple_element_t<1, detail::called_t<Body, S, Number>>;
    return collect_loop<S, typename detail::normal_t<Kept>::value_type>(count, init, body, options);
  } else {
    return detail::TypeError();
  }
}

template <class S, class T, class Count, class Init, class Body>
std::tuple<S, Value<std::vector<T>>> Graph::collect_loop(const Count& count, const Init& init,
                                                         Body body, const CollectOptions& options) {
  using List = std::vector<T>;
  static_assert(detail::clonable<T>,
                "for_loop_collect: the values to keep must copy: give their type a copy "
                "constructor, or `T clone() const`");
  const Value<List> list(
      builder_,
      builder_.add(detail::list_operator(),
                   {detail::Constant(detail::ValueType{detail::slot_type<List>()})}, "collect")[0]);
  const S last = count_loop<S>(
      count, init,
      [&](const Value<std::int64_t>& i, const S& state) {
        const auto given = detail::call(body, state, i);
        const auto value = detail::normal_as<Value<T>>(giver(), std::get<1>(given));
        builder_.add(
            detail::append_operator(),
            detail::append_operator()->arrange({{"list", detail::SlotArgument{list.slot()}},
                                                {"value", detail::SlotArgument{value.slot()}}}),
            "collect");
        return std::get<0>(given);
      },
      {options.max_iterations, options.name});
  if (!options.reverse) return {last, list};
  const detail::SlotId reversed =
      builder_.add(detail::reverse_operator(), {detail::SlotArgument{list.slot()}})[0];
  return {last, Value<List>(builder_, reversed)};
}

namespace detail {

// A source that produces its samples synchronously.
template <class R>
auto add_plain_source(PlanBuilder& builder, Step step, std::int64_t count,
                      Function<R(const SampleInfo&)> give) {
  auto values = results<R>::add(builder, step);
  step.run = [give = std::move(give), count, slots = step.writes](Sample& sample) {
    const SampleInfo info = sample.info();
    try {
      if (info.index >= count) throw EndOfEpoch();
      results<R>::template write<Origin::source>(sample, slots, give(info));
    } catch (const EndOfEpoch&) {
      sample.end_epoch();
    }
  };
  builder.add_step(std::move(step));
  return values;
}

// A source that produces its samples asynchronously.
template <class R>
auto add_later_source(PlanBuilder& builder, Step step, std::int64_t count,
                      const std::shared_ptr<EpochGate>& gate,
                      Function<void(Completion<R>, const SampleInfo&)> ask) {
  auto values = results<R>::add(builder, step);
  step.kind = StepKind::wait;
  const bool is_told = step.epoch != nullptr;
  step.run = [ask = std::move(ask), count, gate, is_told, slots = step.writes](Sample& sample) {
    const SampleInfo info = sample.info();
    Completion<R> done(sample, slots);
    if (info.index < count) {
      const auto go = [&] { ask(std::move(done), info); };
      if (is_told && !sample.is_alone()) {
        gate->pass(go);
      } else {
        go();
      }
    } else {  // the end is unknown because of another source
      (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
    }
  };
  builder.add_step(std::move(step));
  return values;
}

}  // namespace detail

template <class F>
auto Graph::source(std::int64_t count, F f, const SourceOptions& options) {
  builder_.add_dataset({.step = "source"});
  return add_source("source", count, options, std::make_shared<const F>(std::move(f)), nullptr);
}

template <class Reader>
auto Graph::read(Reader reader, const SourceOptions& options) {
  const std::int64_t count = reader.size();
  const auto shared = std::make_shared<const Reader>(std::move(reader));
  auto name = [shared](const SampleKey& key) -> std::string {
    if constexpr (requires { shared->name(key); }) {
      return shared->name(key);
    } else {
      return shared->name(key.index);
    }
  };
  builder_.add_dataset(detail::dataset_of("read", shared));
  return add_source("read", count, options, shared, std::move(name));
}

template <class F>
auto Graph::add_source(std::string_view name, std::int64_t count, const SourceOptions& options,
                       const std::shared_ptr<const F>& f,
                       Function<std::string(const SampleKey&)> sample_name) {
  if constexpr (detail::function_of_source<F>::check()) {
    using Gives = detail::given_by_source<F>;
    if constexpr (detail::result_of_source<Gives>::check()) {
      using R = std::decay_t<Gives>;
      detail::require_function(name, *f);
      detail::Step step = begin_step<>(name);
      step.pinned = true;
      constexpr bool blocks = requires { requires F::blocks; };
      constexpr bool once = requires { requires F::in_order; };
      if (blocks || options.threads > 0) step.kind = detail::StepKind::io;
      step.threads = detail::checked_threads(step.name, options.threads, detail::gives_later<F>);
      const auto gate = std::make_shared<detail::EpochGate>();
      step.epoch = detail::epoch_hooks(f, gate);
      builder_.set_source(step.name, count, options.sampler, once, std::move(sample_name));
      // From here on the type of f is erased, which leaves less for the compiler to do.
      if constexpr (detail::gives_later<F>) {
        return detail::add_later_source<R>(
            builder_, std::move(step), count, gate,
            [f](Completion<R> done, const SampleInfo& info) { (*f)(std::move(done), info); });
      } else {
        return detail::add_plain_source<R>(
            builder_, std::move(step), count,
            [f](const SampleInfo& info) { return detail::invoke_to_own<R>(*f, info); });
      }
    } else {
      return detail::TypeError();
    }
  } else {
    return detail::TypeError();
  }
}

// list_of: combines several values of one type into one list for each sample.
//
//   Value<std::vector<Image>> views = list_of(image, flip(image), gaussian_blur(image));
//
// Pass it to steps and operators that take a list. As an output it is a std::vector for each
// sample. The elements are copies.
//
// Threads: describe a pipeline on one thread. Errors: BuildError for a list without elements.

template <class T>
Value<std::vector<T>> list_of(const std::vector<Value<T>>& values) {
  static_assert(detail::clonable<T>,
                "list_of: the values must copy: give their type a copy constructor, or "
                "`T clone() const`");
  if (values.empty()) throw BuildError("list_of: there are no values; give at least one");
  detail::PlanBuilder& builder = values.front().builder();
  const detail::SlotType* const type = detail::slot_type<std::vector<T>>();
  detail::SlotId list = builder.add(detail::list_operator(),
                                    {detail::Constant(detail::ValueType{type})}, "list_of")[0];
  for (const Value<T>& value : values) {
    if (!value.is_of(builder))
      throw BuildError("list_of: one of the values belongs to another pipeline");
    list = builder.add(detail::appended_operator(),
                       {detail::SlotArgument{list, type},
                        detail::SlotArgument{value.slot(), detail::slot_type<T>()}},
                       "list_of")[0];
  }
  return Value<std::vector<T>>(builder, list);
}

template <class T, std::same_as<Value<T>>... More>
Value<std::vector<T>> list_of(const Value<T>& first, const More&... more) {
  return list_of(std::vector<Value<T>>{first, more...});
}

}  // namespace sluice
