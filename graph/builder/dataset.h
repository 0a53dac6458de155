// Detects the optional members of a dataset type for Graph::read. Internal to the builder.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace sluice {

template <class R>
class Completion;

namespace detail {

// True if the dataset delivers samples asynchronously: see Graph::read.
template <class F>
concept gives_later = requires {
  typename F::Sample;
}
&&std::is_invocable_v<const F&, Completion<typename F::Sample>, const SampleInfo&>;

template <class F>
struct gives_of_source {
  using type = std::invoke_result_t<const F&, const SampleInfo&>;
};
template <gives_later F>
struct gives_of_source<F> {
  using type = typename F::Sample;
};
template <class F>
using given_by_source = typename gives_of_source<F>::type;

// Collects the dataset's functions for checkpoints and stats.
template <class F>
DatasetRecord dataset_of(std::string step, const std::shared_ptr<const F>& f) {
  DatasetRecord dataset{.step = std::move(step)};
  if constexpr (requires { f->fingerprint(); })
    dataset.fingerprint = [f]() -> std::string { return f->fingerprint(); };
  if constexpr (requires { f->reads(); })
    dataset.reads = [f]() -> SourceReads { return f->reads(); };
  constexpr bool saves = requires { f->save(std::int64_t{}, std::int64_t{}); };
  constexpr bool restores = requires { f->restore(std::int64_t{}, std::int64_t{}, std::string()); };
  static_assert(saves == restores, "source: a dataset has both save() and restore(), or neither");
  if constexpr (saves && restores) {
    dataset.save = [f](std::int64_t epoch, std::int64_t position) -> std::string {
      return f->save(epoch, position);
    };
    dataset.restore = [f](std::int64_t epoch, std::int64_t position, const std::string& state) {
      f->restore(epoch, position, state);
    };
  }
  return dataset;
}

// Returns `threads`, the source's own threads. Throws BuildError if it is not 0 to 4096, or if it
// is above 0 for an asynchronous dataset.
int checked_threads(const std::string& step, int threads, bool gives_later);

// Returns null if the dataset has neither begin_epoch() nor end_epoch(). The gate is open between
// the two calls, while an epoch runs.
template <class F>
std::shared_ptr<const EpochHooks> epoch_hooks(const std::shared_ptr<const F>& f,
                                              const std::shared_ptr<EpochGate>& gate) {
  constexpr bool begins = requires(const F& set, const EpochInfo& info) { set.begin_epoch(info); };
  constexpr bool ends = requires(const F& set) {
    { set.end_epoch() }
    noexcept;
  };
  static_assert(
      begins || !requires(F & set, const EpochInfo& info) { set.begin_epoch(info); },
      "source: begin_epoch(const EpochInfo&) of the dataset must be const");
  static_assert(
      ends || !requires(F & set) { set.end_epoch(); },
      "source: end_epoch() of the dataset must be const and noexcept");
  if constexpr (!begins && !ends) {
    return nullptr;
  } else {
    EpochHooks hooks;
    hooks.begin = [f, gate](const EpochInfo& info) {
      if constexpr (begins) f->begin_epoch(info);
      gate->open();
    };
    hooks.end = [f, gate] {
      gate->close();
      if constexpr (ends) f->end_epoch();
    };
    if constexpr (requires {
                    { f->stats() } -> std::same_as<WorkerStats>;
                  }) {
      hooks.workers = [f] { return f->stats(); };
    }
    return std::make_shared<const EpochHooks>(std::move(hooks));
  }
}

}  // namespace detail
}  // namespace sluice
