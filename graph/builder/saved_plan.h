// SavedPlan: a plan that was saved as JSON, which can be recorded again. It does not include the
// source. You provide a source with values of the same types.
//
//   const SavedPlan plan = load_plan("train.json");
//   auto pipeline = make_pipeline(options, [&](Graph& g) {
//     auto [jpeg, label] = g.read(files_in(folder));
//     return plan.apply<Image, std::int64_t>(jpeg, label);
//   });
//
// Ownership: copies share the parsed data. Threads: any number at once; describe a pipeline on one.
// Errors: BuildError that names the file, the place in it (a JSON pointer), what is wrong and what
// to do. The file is not trusted: any content yields either a valid plan or an error.
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
  // `file` is the name used in messages. The registry must outlive the plan.
  static SavedPlan parse(const std::string& text, std::string file,
                         const detail::OperatorRegistry& registry);

  const std::string& file() const;
  // Returns the plan without white space: files with the same content have the same text.
  std::string text() const;
  // The types of the values that the source must provide, and of the outputs.
  const std::vector<const detail::SlotType*>& source_types() const;
  const std::vector<const detail::SlotType*>& output_types() const;

  // Records the steps, with these values in place of the source's; returns the outputs.
  template <class... Outs, class In, class... Ins>
  std::tuple<Value<Outs>...> apply(const Value<In>& first, const Value<Ins>&... more) const {
    if (((&more.builder() != &first.builder()) || ...)) throw_other_pipeline();
    const std::vector<detail::SlotId> outputs =
        add_to(first.builder(), {first.slot(), more.slot()...});
    require_outputs({detail::slot_type<Outs>()...});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Value<Outs>...>{Value<Outs>(first.builder(), outputs[I])...};
    }
    (std::index_sequence_for<Outs...>());
  }
  std::vector<detail::SlotId> add_to(detail::PlanBuilder& builder,
                                     const std::vector<detail::SlotId>& source) const;

 private:
  struct Impl;
  explicit SavedPlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[noreturn]] void throw_other_pipeline() const;
  void require_outputs(const std::vector<const detail::SlotType*>& types) const;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sluice
