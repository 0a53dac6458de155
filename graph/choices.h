// Choices, as Graph records them. Included by graph.h; not to be included alone.
#pragma once

#include <sluice/graph/graph.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {
// Stands for what chooses an arm by its number.
struct ByNumber {};
}  // namespace detail

template <class Predicate, class Then, class Otherwise>
auto Graph::if_else(const Predicate& predicate, Then then, Otherwise otherwise,
                    const ChoiceOptions& options) {
  using Arms = detail::arms_of_if_else<detail::given_t<Then>, detail::given_t<Otherwise>>;
  if constexpr (detail::predicate_of_if_else<detail::argument_t<Predicate>>::check() &&
                Arms::check()) {
    return choose<typename Arms::result>(options.name.empty() ? "if_else" : options.name,
                                         {"then", "otherwise"}, predicate, then, otherwise);
  } else {
    return detail::refused<typename Arms::result>();
  }
}

template <class Predicate, class X, class Change>
auto Graph::apply_if(const Predicate& predicate, const X& value, Change change,
                     const ChoiceOptions& options) {
  if constexpr (detail::call_of_apply_if<Change, X>::check()) {
    using Arms = detail::change_of_apply_if<std::decay_t<X>, std::decay_t<decltype(change(value))>>;
    if constexpr (Arms::check()) {
      return if_else(
          predicate, [&] { return change(value); }, [&] { return value; }, options);
    } else {
      return detail::refused<typename Arms::result>();
    }
  } else {
    return detail::Refused();
  }
}

template <class Index, class... Arms>
auto Graph::select(const Index& index, const SelectOptions& options, Arms... arms) {
  static_assert(sizeof...(Arms) > 0, "select: give at least one arm");
  if constexpr (sizeof...(Arms) > 0) {
    using Check = detail::arms_of_select<detail::given_t<Arms>...>;
    if constexpr (detail::index_of_select<detail::argument_t<Index>>::check() && Check::check()) {
      const detail::Recorder::Attempt attempt(recorder_);
      open_select(index, sizeof...(Arms), options);
      return run_arms<typename Check::result>(arms...);
    } else {
      return detail::refused<typename Check::result>();
    }
  } else {
    return detail::Refused();
  }
}

template <class Index, class Arm>
auto Graph::select(const Index& index, const std::vector<Arm>& arms, const SelectOptions& options) {
  using Check = detail::arms_of_select<detail::given_t<Arm>>;
  if constexpr (detail::index_of_select<detail::argument_t<Index>>::check() && Check::check()) {
    require_arms(arms.size());
    const detail::Recorder::Attempt attempt(recorder_);
    open_select(index, arms.size(), options);
    using R = typename Check::result;
    std::optional<R> first;
    for (const Arm& arm : arms) run_arm(arm, first);
    return detail::rebuild<R>(*first, recorder_, recorder_.close_branch());
  } else {
    return detail::refused<typename Check::result>();
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
// clang-tidy does not see through the template that `arms` moves on.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void Graph::open(std::string_view kind, std::vector<std::string> arms, const On& on,
                 Choose choose) {
  std::string name = recorder_.unique_name(kind);
  const detail::ArgumentContext context{recorder_, detail::is_given(name)};
  if constexpr (detail::is_known_number<detail::argument_t<On>>) {
    constexpr bool kByNumber = std::is_same_v<Choose, detail::ByNumber>;
    recorder_.open_branch(std::move(name), std::move(arms),
                          {kByNumber ? detail::Choosing::By::number : detail::Choosing::By::truth,
                           detail::AsArgument<On>::of(on, context, detail::Parameter())});
  } else if constexpr (std::is_same_v<Choose, detail::ByNumber>) {
    recorder_.open_branch(std::move(name), std::move(arms),
                          {detail::Choosing::By::number, detail::whole_argument(on, context)});
  } else {
    std::vector<detail::SlotId> reads;
    detail::argument<On>::reads(on, context, reads);
    recorder_.open_branch(std::move(name), std::move(arms), std::move(reads), std::move(choose));
  }
}

template <class R, class Predicate, class Yes, class No>
R Graph::choose(std::string_view name, std::vector<std::string> arms, const Predicate& predicate,
                const Yes& yes, const No& no) {
  const detail::Recorder::Attempt attempt(recorder_);
  open(name, std::move(arms), predicate, [predicate](const detail::Sample& sample) -> std::int64_t {
    return detail::truth(detail::argument<Predicate>::of(predicate, sample)) ? 0 : 1;
  });
  return run_arms<R>(yes, no);
}

template <class Index>
void Graph::open_select(const Index& index, std::size_t arms, const SelectOptions& options) {
  open(options.name, arm_names(arms, options), index, detail::ByNumber());
}

template <class R, class... Arms>
R Graph::run_arms(const Arms&... arms) {
  std::optional<R> first;
  (run_arm(arms, first), ...);
  return detail::rebuild<R>(*first, recorder_, recorder_.close_branch());
}

template <class Arm, class R>
void Graph::run_arm(const Arm& arm, std::optional<R>& first) {
  recorder_.begin_arm();
  const R result = detail::normal_as<R>(giver(), detail::give(arm));
  if (first) {
    require_same_structure(detail::structure<R>::compare(*first, result));
  } else {
    first = result;
  }
  recorder_.end_arm(detail::flatten(result),
                    [&](std::size_t i) { return detail::place_in(result, i); });
}

}  // namespace sluice
