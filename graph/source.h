// Graph::source and Graph::read: where samples come from. Included by graph.h.
#pragma once

#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/graph.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {
namespace detail {

// A source that gives its samples at once.
template <class R>
auto add_plain_source(Recorder& recorder, Step step, std::int64_t count,
                      std::function<R(const SampleInfo&)> give) {
  auto values = results<R>::add(recorder, step);
  step.run = [give = std::move(give), count, slots = step.writes](Sample& sample) {
    const SampleInfo info = sample.info();
    try {
      if (info.index >= count) throw EndOfEpoch();
      results<R>::template write<Origin::source>(sample, slots, give(info));
    } catch (const EndOfEpoch&) {
      sample.end_epoch();
    }
  };
  recorder.add_step(std::move(step));
  return values;
}

// One that gives them later.
template <class R>
auto add_later_source(Recorder& recorder, Step step, std::int64_t count,
                      const std::shared_ptr<EpochGate>& gate,
                      std::function<void(Completion<R>, const SampleInfo&)> ask) {
  auto values = results<R>::add(recorder, step);
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
    } else {  // another source does not know where it ends
      (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
    }
  };
  recorder.add_step(std::move(step));
  return values;
}

}  // namespace detail

template <class F>
auto Graph::source(std::int64_t count, F f, const SourceOptions& options) {
  recorder_.add_dataset({.step = "source"});
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
  recorder_.add_dataset(detail::dataset_of("read", shared));
  return add_source("read", count, options, shared, std::move(name));
}

template <class F>
auto Graph::add_source(std::string_view name, std::int64_t count, const SourceOptions& options,
                       const std::shared_ptr<const F>& f,
                       std::function<std::string(const SampleKey&)> sample_name) {
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
      recorder_.set_source(step.name, count, options.sampler, once, std::move(sample_name));
      // From here on the type of f is of no concern, which is less for the compiler to do.
      if constexpr (detail::gives_later<F>) {
        return detail::add_later_source<R>(
            recorder_, std::move(step), count, gate,
            [f](Completion<R> done, const SampleInfo& info) { (*f)(std::move(done), info); });
      } else {
        return detail::add_plain_source<R>(
            recorder_, std::move(step), count,
            [f](const SampleInfo& info) { return detail::invoke_to_own<R>(*f, info); });
      }
    } else {
      return detail::Refused();
    }
  } else {
    return detail::Refused();
  }
}

}  // namespace sluice
