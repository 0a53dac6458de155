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
      auto values = detail::results<R>::add(recorder_, step);
      if constexpr (detail::gives_later<F>) {
        step.kind = detail::StepKind::wait;
        const bool is_told = step.epoch != nullptr;
        step.run = [f, count, gate, is_told, slots = step.writes](detail::Sample& sample) {
          const SampleInfo info = sample.info();
          Completion<R> done(sample, slots);
          if (info.index < count) {
            const auto ask = [&] { (*f)(std::move(done), info); };
            if (is_told && !sample.is_alone()) {
              gate->pass(ask);
            } else {
              ask();
            }
          } else {  // another source does not know where it ends
            (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
          }
        };
      } else {
        step.run = [f, count, slots = step.writes](detail::Sample& sample) {
          const SampleInfo info = sample.info();
          try {
            if (info.index >= count) throw EndOfEpoch();
            detail::results<R>::template write<detail::Origin::source>(
                sample, slots, detail::invoke_to_own<R>(*f, info));
          } catch (const EndOfEpoch&) {
            sample.end_epoch();
          }
        };
      }
      recorder_.add_step(std::move(step));
      return values;
    } else {
      return detail::Refused();
    }
  } else {
    return detail::Refused();
  }
}

}  // namespace sluice
