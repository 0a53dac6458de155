// SavedPlan: a plan that was saved as JSON, to be recorded again. The source is not part of it:
// whoever loads the plan gives one that makes values of the same types.
//
//   const SavedPlan plan = load_plan("train.json");
//   auto pipeline = make_pipeline(options, [&](Graph& g) {
//     auto [jpeg, label] = g.read(files_in(folder));
//     return plan.apply<Image, std::int64_t>(jpeg, label);
//   });
//
// Ownership: copies share what was read. Threads: any number at once; describe a pipeline on one.
// Errors: BuildError that names the file, the place in it (a JSON pointer), what is wrong and what
// to do. Nothing in a file is trusted: whatever it holds, there is a plan that makes sense, or an
// error.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

class SavedPlan {
 public:
  // `file` is what messages call it. The registry outlives the plan.
  static SavedPlan parse(const std::string& text, std::string file,
                         const detail::OperatorRegistry& registry);

  const std::string& file() const;
  // What was read, without white space: files that say the same have the same.
  std::string text() const;
  // What the source must give, and what the plan gives.
  const std::vector<const detail::SlotType*>& source_types() const;
  const std::vector<const detail::SlotType*>& output_types() const;

  // Records the steps, with these values in the place of those that the source gave; gives the
  // outputs.
  template <class... Outs, class In, class... Ins>
  std::tuple<Value<Outs>...> apply(const Value<In>& first, const Value<Ins>&... more) const {
    if (((&more.recorder() != &first.recorder()) || ...)) throw_other_pipeline();
    const std::vector<detail::SlotId> outputs =
        add_to(first.recorder(), {first.slot(), more.slot()...});
    require_outputs({detail::slot_type<Outs>()...});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Value<Outs>...>{Value<Outs>(first.recorder(), outputs[I])...};
    }
    (std::index_sequence_for<Outs...>());
  }
  std::vector<detail::SlotId> add_to(detail::Recorder& recorder,
                                     const std::vector<detail::SlotId>& source) const;

 private:
  struct Impl;
  explicit SavedPlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[noreturn]] void throw_other_pipeline() const;
  void require_outputs(const std::vector<const detail::SlotType*>& types) const;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sluice
