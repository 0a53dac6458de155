#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/regions.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>

#include <stdexcept>

namespace sluice {
namespace {

void require_first(bool first, const detail::Boundary& boundary, const std::string& what) {
  if (!first)
    throw BuildError("'" + boundary.name + "' has " + what + " already; give it only one");
}

}  // namespace

namespace detail {

const std::string& name_of(const Boundary& boundary) { return boundary.name; }

void set_next(detail::PlanBuilder& builder, detail::Boundary& loop, std::size_t recurrence,
              detail::SlotId next) {
  auto& carried = std::get<detail::LoopRecord>(loop.record).recurrences[recurrence];
  require_first(!carried.next, loop, "a next value for this recurrence");
  const std::vector<detail::Slot>& slots = builder.plan().slots;
  require_agreement(loop.name, "recurrence " + std::to_string(recurrence),
                    as_the_body_gives_it(slots[next].spec), as_it_begins(slots[carried.init].spec));
  carried.next = next;
  builder.merge_spec(carried.result, carried.init, next);
}

}  // namespace detail

ConditionalBoundary Graph::add_conditional(std::string_view name) {
  detail::Boundary boundary;
  boundary.name = builder_.unique_name(name);
  boundary.record = detail::ConditionalRecord{};
  return ConditionalBoundary({builder_, builder_.add_boundary(std::move(boundary))});
}

LoopBoundary Graph::add_loop(std::string_view name, const LoopOptions& options) {
  detail::Boundary boundary;
  boundary.name = builder_.unique_name(options.name.empty() ? name : options.name);
  detail::LoopRecord loop;
  loop.max_iterations = options.max_iterations;
  loop.less = detail::arithmetic_operator("less");
  loop.iteration =
      builder_.add_slot(detail::slot_type<std::int64_t>(), boundary.name + "'s iteration");
  loop.count = builder_.add_slot(detail::slot_type<std::int64_t>(), boundary.name + "'s count");
  boundary.record = std::move(loop);
  return LoopBoundary({builder_, builder_.add_boundary(std::move(boundary))});
}

void ConditionalBoundary::set_condition(detail::Boundary& boundary, detail::SlotId condition) {
  auto& record = std::get<detail::ConditionalRecord>(boundary.record);
  require_first(!record.condition, boundary, "a condition");
  record.condition = condition;
}

detail::SlotId ConditionalBoundary::add_input(detail::Boundary& boundary,
                                              detail::SlotId source) const {
  detail::PlanBuilder& builder = handle_.builder();
  const detail::SlotId input =
      builder.add_alias(source, builder.unique_name(boundary.name + "'s input"));
  std::get<detail::ConditionalRecord>(boundary.record).inputs.push_back(input);
  return input;
}

detail::SlotId ConditionalBoundary::add_output(detail::Boundary& boundary, detail::SlotId when_true,
                                               detail::SlotId when_false) const {
  detail::PlanBuilder& builder = handle_.builder();
  auto& record = std::get<detail::ConditionalRecord>(boundary.record);
  const std::vector<detail::Slot>& slots = builder.plan().slots;
  detail::require_agreement(boundary.name, "output " + std::to_string(record.outputs.size()),
                            detail::in_branch(slots[when_false].spec, "false"),
                            detail::in_branch(slots[when_true].spec, "true"));
  const detail::SlotId output = builder.add_pointer(when_true, boundary.name);
  builder.merge_spec(output, when_true, when_false);
  // All three grow or none does: each branch has as many results as there are outputs.
  auto& [if_true, if_false] = record.gives;
  for (auto* list : {&if_true, &if_false, &record.outputs}) list->reserve(list->size() + 1);
  if_true.push_back(when_true);
  if_false.push_back(when_false);
  record.outputs.push_back(output);
  return output;
}

std::string LoopBoundary::trip_limit_name(const detail::Boundary& loop) const {
  const auto& record = std::get<detail::LoopRecord>(loop.record);
  require_first(!record.has_count, loop, "a trip limit");
  return handle_.builder().name_of(record.count);
}

void LoopBoundary::add_while(detail::Boundary& loop, detail::SlotId more) {
  auto& record = std::get<detail::LoopRecord>(loop.record);
  require_first(!record.more, loop, "a condition");
  record.more = more;
}

std::pair<std::size_t, detail::SlotId> LoopBoundary::new_recurrence(detail::Boundary& loop,
                                                                    detail::SlotId initial) const {
  detail::PlanBuilder& builder = handle_.builder();
  detail::LoopRecord::Recurrence carried;
  carried.init = initial;
  carried.state = builder.add_pointer(initial, loop.name + "'s recurrence");
  carried.storage = builder.add_slot(builder.plan().slots[initial].type, loop.name);
  // The spec of its tensors, like that of the storage, is unknown until there is a next value.
  carried.result = builder.add_pointer(carried.storage, loop.name);
  auto& all = std::get<detail::LoopRecord>(loop.record).recurrences;
  all.push_back(carried);
  return {all.size() - 1, carried.state};
}

Value<std::int64_t> LoopBoundary::index(detail::Boundary& loop, bool reverse) const {
  auto& record = std::get<detail::LoopRecord>(loop.record);
  const Value<std::int64_t> iteration(handle_.builder(), record.iteration);
  if (!reverse) return iteration;
  record.reads_count = true;
  const Value<std::int64_t> count(handle_.builder(), record.count);
  const auto last = detail::apply_as<std::int64_t>(handle_.builder(), loop.name + "'s last index",
                                                   detail::arithmetic_operator("subtract"), count,
                                                   std::int64_t{1});
  return detail::apply_as<std::int64_t>(handle_.builder(), loop.name + "'s index",
                                        detail::arithmetic_operator("subtract"), last, iteration);
}

Value<Tensor> LoopBoundary::add_iterator(const Value<Tensor>& tensor,
                                         const IteratorOptions& options) {
  detail::Boundary& at = handle_.at("add_iterator");
  if (options.axis < 0 || options.axis >= Shape::kMaxRank) throw_axis(at, options.axis);
  return detail::apply_as<Tensor>(handle_.builder(), at.name + "'s iterator",
                                  detail::slice_operator(), tensor, index(at, options.reverse),
                                  std::int32_t{options.axis});
}

void LoopBoundary::add_count(detail::Boundary& loop, const std::string& name,
                             detail::Argument count) const {
  auto& record = std::get<detail::LoopRecord>(loop.record);
  handle_.builder().add_step(
      detail::step_of(detail::count_operator(), {std::move(count)}, name, {record.count}));
  record.has_count = true;
}

detail::SlotId LoopBoundary::add_collected(detail::Boundary& loop, detail::SlotId value,
                                           const std::string& name, const detail::Argument& length,
                                           const StackOptions& options,
                                           const detail::SlotType* list,
                                           const detail::SlotType* out) const {
  using detail::Constant;
  detail::PlanBuilder& builder = handle_.builder();
  auto& record = std::get<detail::LoopRecord>(loop.record);
  const std::string so_far = name + " so far";
  const detail::SlotArgument all{builder.add_slot(list, so_far), list};
  const detail::SlotId whole = builder.add_slot(out, name);
  const detail::SlotArgument one{value, list->list().element};

  detail::Step add =
      step_of(detail::append_operator(), {all, one, length, Constant(name)}, name, {all.slot});
  // Reads the iteration number, so that it stays in the loop wherever the value is made.
  add.reads.push_back(record.iteration);
  builder.add_step(std::move(add));

  detail::LoopRecord::Collected collected;
  collected.list = all.slot;
  collected.begin =
      step_of(detail::list_operator(), {Constant(detail::ValueType{list})}, so_far, {all.slot});
  detail::Arguments arguments{all, length, Constant(options.reverse), Constant(name)};
  const bool tensors = out == detail::slot_type<Tensor>();
  if (tensors) arguments.emplace_back(Constant(std::int32_t{options.axis}));
  // A separate name, because files distinguish steps by name.
  collected.end = step_of(tensors ? detail::stack_operator() : detail::pad_operator(),
                          std::move(arguments), name + " as one", {whole});
  if (const auto* slot = std::get_if<detail::SlotArgument>(&length))
    collected.outer_reads = {slot->slot};
  record.collected.push_back(std::move(collected));
  return whole;
}

detail::SlotId LoopBoundary::add_output(const detail::BoundaryHandle& loop,
                                        std::size_t recurrence) const {
  const detail::Boundary& at = handle_.at("add_output");
  if (!(loop == handle_)) {
    throw BuildError("'" + at.name +
                     "': the recurrence given to add_output is of another loop; its last value is "
                     "an output of that one");
  }
  return std::get<detail::LoopRecord>(at.record).recurrences[recurrence].result;
}

void LoopBoundary::throw_axis(const detail::Boundary& loop, int axis) {
  throw BuildError("'" + loop.name + "': there is no axis " + std::to_string(axis) +
                   "; a list has axis 0, a tensor 0 to " + std::to_string(Shape::kMaxRank - 1));
}

}  // namespace sluice
