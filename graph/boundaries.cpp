#include <sluice/graph/boundaries.h>
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

std::size_t check_element(std::int64_t index, std::size_t size) {
  if (index >= 0 && std::cmp_less(index, size)) return static_cast<std::size_t>(index);
  throw std::out_of_range("there is no element " + std::to_string(index) + " in a list that has " +
                          std::to_string(size));
}

void check_room(const std::string& output, std::size_t values, std::int64_t length) {
  if (std::cmp_less(values, length)) return;
  throw std::length_error("'" + output + "' has the length " + std::to_string(length) +
                          ", but there are more iterations; make it longer, or limit the loop");
}

std::size_t check_length(const std::string& output, std::int64_t length) {
  if (length >= 0) return static_cast<std::size_t>(length);
  throw std::length_error("'" + output + "' has the length " + std::to_string(length) +
                          "; it must not be negative");
}

void set_next(detail::Recorder& recorder, detail::Boundary& loop, std::size_t recurrence,
              detail::SlotId next) {
  auto& carried = std::get<detail::LoopRecord>(loop.record).recurrences[recurrence];
  require_first(!carried.next, loop, "a next value for this recurrence");
  const std::vector<detail::Slot>& slots = recorder.plan().slots;
  require_agreement(loop.name, "recurrence " + std::to_string(recurrence),
                    as_the_body_gives_it(slots[next].spec), as_it_begins(slots[carried.init].spec));
  carried.next = next;
  recorder.know_in_common(carried.result, carried.init, next);
}

}  // namespace detail

ConditionalBoundary Graph::add_conditional(std::string_view name) {
  detail::Boundary boundary;
  boundary.name = recorder_.unique_name(name);
  boundary.record = detail::ConditionalRecord{};
  return ConditionalBoundary({recorder_, recorder_.add_boundary(std::move(boundary))});
}

LoopBoundary Graph::add_loop(std::string_view name, const LoopOptions& options) {
  detail::Boundary boundary;
  boundary.name = recorder_.unique_name(options.name.empty() ? name : options.name);
  detail::LoopRecord loop;
  loop.max_iterations = options.max_iterations;
  loop.iteration =
      recorder_.add_slot(detail::slot_type<std::int64_t>(), boundary.name + "'s iteration");
  loop.count = recorder_.add_slot(detail::slot_type<std::int64_t>(), boundary.name + "'s count");
  boundary.record = std::move(loop);
  return LoopBoundary({recorder_, recorder_.add_boundary(std::move(boundary))});
}

void ConditionalBoundary::set_condition(detail::Boundary& boundary, detail::SlotId condition) {
  auto& record = std::get<detail::ConditionalRecord>(boundary.record);
  require_first(!record.condition, boundary, "a condition");
  record.condition = condition;
}

detail::SlotId ConditionalBoundary::add_input(detail::Boundary& boundary,
                                              detail::SlotId source) const {
  detail::Recorder& recorder = handle_.recorder();
  const detail::SlotId input =
      recorder.add_alias(source, recorder.unique_name(boundary.name + "'s input"));
  std::get<detail::ConditionalRecord>(boundary.record).inputs.push_back(input);
  return input;
}

detail::SlotId ConditionalBoundary::add_output(detail::Boundary& boundary, detail::SlotId when_true,
                                               detail::SlotId when_false) const {
  detail::Recorder& recorder = handle_.recorder();
  auto& record = std::get<detail::ConditionalRecord>(boundary.record);
  const std::vector<detail::Slot>& slots = recorder.plan().slots;
  detail::require_agreement(boundary.name, "output " + std::to_string(record.outputs.size()),
                            detail::in_arm(slots[when_false].spec, "false"),
                            detail::in_arm(slots[when_true].spec, "true"));
  const detail::SlotId output = recorder.add_pointer(when_true, boundary.name);
  recorder.know_in_common(output, when_true, when_false);
  // All three grow or none does: the arms give as many values as there are outputs.
  auto& [if_true, if_false] = record.gives;
  for (auto* list : {&if_true, &if_false, &record.outputs}) list->reserve(list->size() + 1);
  if_true.push_back(when_true);
  if_false.push_back(when_false);
  record.outputs.push_back(output);
  return output;
}

detail::LoopRecord& LoopBoundary::begin_trip_limit() {
  detail::Boundary& loop = handle_.at("add_trip_limit");
  auto& record = std::get<detail::LoopRecord>(loop.record);
  require_first(!record.has_count, loop, "a trip limit");
  return record;
}

void LoopBoundary::add_while(detail::Boundary& loop, detail::SlotId more) {
  auto& record = std::get<detail::LoopRecord>(loop.record);
  require_first(!record.more, loop, "a condition");
  record.more = more;
}

void LoopBoundary::add_recurrence(detail::Boundary& loop, detail::SlotId initial) const {
  detail::Recorder& recorder = handle_.recorder();
  detail::LoopRecord::Recurrence carried;
  carried.init = initial;
  carried.state = recorder.add_pointer(initial, loop.name + "'s recurrence");
  carried.storage = recorder.add_slot(recorder.plan().slots[initial].type, loop.name);
  // Nothing is known of its tensors, as of the storage's, until there is a next value.
  carried.result = recorder.add_pointer(carried.storage, loop.name);
  std::get<detail::LoopRecord>(loop.record).recurrences.push_back(carried);
}

Value<std::int64_t> LoopBoundary::index(detail::Boundary& loop, bool reverse) const {
  auto& record = std::get<detail::LoopRecord>(loop.record);
  const Value<std::int64_t> iteration(handle_.recorder(), record.iteration);
  if (!reverse) return iteration;
  record.reads_count = true;
  const Value<std::int64_t> count(handle_.recorder(), record.count);
  return Graph(handle_.recorder())
      .map(
          loop.name + "'s index", [](std::int64_t i, std::int64_t n) { return n - 1 - i; },
          iteration, count);
}

Value<Tensor> LoopBoundary::add_iterator(const Value<Tensor>& tensor,
                                         const IteratorOptions& options) {
  detail::Boundary& at = handle_.at("add_iterator");
  if (options.axis < 0 || options.axis >= Shape::kMaxRank) throw_axis(at, options.axis);
  return Graph(handle_.recorder())
      .map_into<Tensor>(
          at.name + "'s iterator",
          [axis = options.axis](const Tensor& all, std::int64_t i, Tensor& out) {
            take_slice(all, axis, i, out);
          },
          tensor, index(at, options.reverse));
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
