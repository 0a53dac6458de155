// Explicit boundaries: conditionals and loops for tools that generate graphs, in the style of
// TensorRT's IIfConditional and ILoop. Nothing is nested: steps are recorded as they come, and
// boundary calls say which values go in and out. When the block that contains a boundary ends, data
// flow determines what lies inside (Boundary). The result is the same plan as for if_else and
// while_loop.
//
//   auto cond = g.add_conditional();
//   cond.set_condition(is_large);
//   auto x = cond.add_input(image);                          // steps that x leads to are inside
//   auto turned = cond.add_output(rotate(x, 30.f), x);       // if it holds, if it does not
//
//   auto loop = g.add_loop();
//   loop.add_trip_limit(count);
//   auto sum = loop.add_recurrence(0);                       // starts as 0
//   sum.set_next(sum.value() + loop.add_iterator(numbers));  // the value of the next iteration
//   auto total = loop.add_output(sum);                       // its last value
//
// A step lies in a branch if it is on a path from an input of the conditional to a value that the
// branch returns. It then runs only if the branch is taken. Any other step runs before the
// decision, even if no branch needs it. Steps that run for their effect (tap, filter) are inside if
// the value that they look at is; that value must lead to an output.
//
// Two tensors that can become the same value must agree in type, layout and number of dimensions,
// as far as these are known when the second one is passed. These are the two values of an output,
// and the initial and the next value of a recurrence. The spec of an output is the intersection of
// both.
//
// Ownership: handles on objects of the builder; they copy freely and are valid while their block
// is described. Threads: describe a pipeline on one thread. Errors: BuildError at the call that is
// wrong or, for errors that only the data flow shows, at the end of the block.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

// A handle on a boundary of a pipeline that is being described.
class BoundaryHandle {
 public:
  BoundaryHandle(detail::PlanBuilder& builder, std::size_t number)
      : builder_(&builder), id_(id_of(builder)), number_(number) {}
  // Throws BuildError if the pipeline has been described already.
  detail::PlanBuilder& builder() const { return live_builder(builder_, id_); }
  // Returns the boundary. `call` is the name of the call in errors.
  detail::Boundary& at(const char* call) const { return builder().boundary(number_, call); }
  bool operator==(const BoundaryHandle& other) const = default;

 private:
  detail::PlanBuilder* builder_;
  std::uint64_t id_;
  std::size_t number_;
};

// The name of the boundary in messages and step names.
const std::string& name_of(const Boundary& boundary);

// Returns the slot of a value, and checks that the boundary can use it.
template <class T>
detail::SlotId slot_of(const Value<T>& value, detail::PlanBuilder& builder,
                       const detail::Boundary& user) {
  (void)normal({builder, is_given(name_of(user))}, value);
  builder.use(value.slot(), name_of(user));
  return value.slot();
}

// The type of an output that holds the values of all iterations.
template <class T>
using stack_t = std::conditional_t<std::is_same_v<T, Tensor>, Tensor, std::vector<T>>;

}  // namespace detail

class ConditionalBoundary {
 public:
  explicit ConditionalBoundary(const detail::BoundaryHandle& handle) : handle_(handle) {}

  // Sets the condition, a Value<bool>, exactly once. It must not depend on what is inside.
  template <class C>
  void set_condition(const C& condition) {
    static_assert(std::is_same_v<C, Value<bool>>,
                  "set_condition: the condition must be a Value<bool>; compare a number first");
    detail::Boundary& at = handle_.at("set_condition");
    set_condition(at, detail::slot_of(condition, handle_.builder(), at));
  }

  // Returns the value as the branches see it. It may lead to one branch or to both, but each step
  // that it leads to belongs to one of them.
  template <class T>
  Value<T> add_input(const Value<T>& value) {
    detail::Boundary& at = handle_.at("add_input");
    detail::PlanBuilder& builder = handle_.builder();
    return {builder, add_input(at, detail::slot_of(value, builder, at))};
  }

  // Returns the first value if the condition holds, else the second: Values of one type, made
  // inside or outside. A conditional has at least one output.
  template <class A, class B>
  A add_output(const A& when_true, const B& when_false) {
    static_assert(std::is_same_v<A, B>, "add_output: both must be Values of the same type");
    detail::Boundary& at = handle_.at("add_output");
    detail::PlanBuilder& builder = handle_.builder();
    return {builder, add_output(at, detail::slot_of(when_true, builder, at),
                                detail::slot_of(when_false, builder, at))};
  }

 private:
  static void set_condition(detail::Boundary& boundary, detail::SlotId condition);
  detail::SlotId add_input(detail::Boundary& boundary, detail::SlotId source) const;
  detail::SlotId add_output(detail::Boundary& boundary, detail::SlotId when_true,
                            detail::SlotId when_false) const;
  detail::BoundaryHandle handle_;
};

// A value that a loop carries from one iteration to the next.
template <class T>
class Recurrence {
 public:
  Recurrence(const detail::BoundaryHandle& loop, std::size_t number, const Value<T>& value)
      : loop_(loop), number_(number), value_(value) {}

  // The value in the current iteration.
  const Value<T>& value() const { return value_; }
  // Sets the value of the next iteration, exactly once; usually a value made inside.
  template <class Next>
  void set_next(const Next& next) const;

 private:
  friend class LoopBoundary;
  detail::BoundaryHandle loop_;
  std::size_t number_;
  Value<T> value_;
};

// Steps that depend on a recurrence or an iterator are inside, and their values leave only by an
// output. A loop whose outputs are not needed does not run, unless a step in it runs for its
// effect.
class LoopBoundary {
 public:
  explicit LoopBoundary(const detail::BoundaryHandle& handle) : handle_(handle) {}

  // There is at least one limit, and at most one of each kind. With both, the loop ends with the
  // one that comes first.
  //
  // Limits the loop to `count` iterations: a constant or a Value of any integer type, known
  // outside. 0 or less: no iterations.
  template <class Count>
  void add_trip_limit(const Count& count) {
    static_assert(detail::is_integer_argument<Count>,
                  "add_trip_limit: the count must be an integer, or a Value of one");
    detail::PlanBuilder& builder = handle_.builder();
    detail::Boundary& at = handle_.at("add_trip_limit");
    const std::string name = trip_limit_name(at);
    add_count(at, name, detail::whole_argument(count, {builder, detail::is_given(name)}));
  }
  // Sets the condition that is evaluated before each iteration: a Value<bool> that depends on a
  // recurrence or an iterator. A sample for which it still holds after LoopOptions::max_iterations
  // fails.
  template <class C>
  void add_while(const C& more) {
    static_assert(std::is_same_v<C, Value<bool>>,
                  "add_while: the condition must be a Value<bool>; compare a number first");
    detail::Boundary& at = handle_.at("add_while");
    add_while(at, detail::slot_of(more, handle_.builder(), at));
  }

  // Adds a recurrence that starts as `initial`, a Value or a constant; its set_next() is required.
  template <class X>
  auto add_recurrence(const X& initial) {
    detail::PlanBuilder& builder = handle_.builder();
    const auto first =
        detail::normal({builder, detail::is_given(name_of(handle_.at("add_recurrence")))}, initial);
    using V = std::remove_cv_t<decltype(first)>;
    using T = typename V::value_type;
    static_assert(std::is_same_v<V, Value<T>>,
                  "add_recurrence: the initial value must be a constant or one Value");
    detail::Boundary& at = handle_.at("add_recurrence");
    const auto [number, state] = new_recurrence(at, detail::slot_of(first, builder, at));
    return Recurrence<T>(handle_, number, V(builder, state));
  }

  // Returns element i of a list, or slice i of a tensor along the axis, in iteration i; in reverse,
  // element count - 1 - i, which requires a trip limit. Beyond the end the sample fails.
  template <class T>
  Value<T> add_iterator(const Value<std::vector<T>>& list, const IteratorOptions& options = {}) {
    detail::Boundary& at = handle_.at("add_iterator");
    if (options.axis != 0) throw_axis(at, options.axis);
    static_assert(detail::clonable<T>,
                  "add_iterator: the elements of the list must copy: give their type a copy "
                  "constructor, or `T clone() const`");
    return detail::apply_as<T>(handle_.builder(), name_of(at) + "'s iterator",
                               detail::element_operator(), list, index(at, options.reverse));
  }
  Value<Tensor> add_iterator(const Value<Tensor>& tensor, const IteratorOptions& options = {});

  // Returns the last value of a recurrence of this loop; its initial value if there was no
  // iteration.
  template <class T>
  Value<T> add_output(const Recurrence<T>& recurrence) {
    return {handle_.builder(), add_output(recurrence.loop_, recurrence.number_)};
  }

  // Returns the values of all iterations, in order or in reverse, followed by default values up to
  // `length`: a Value<std::vector<T>> of `length` elements. `length` is a constant or a Value of
  // any integer type, known outside. For Tensors, returns a Value<Tensor> with a new dimension of
  // that size at `axis`, filled up with zeros; empty if there was no iteration. The sample fails if
  // there are more iterations than `length`, or if the tensors differ in shape or type.
  template <class T, class Length>
  auto add_output(const Value<T>& value, const Length& length, const StackOptions& options = {}) {
    static_assert(detail::is_integer_argument<Length>,
                  "add_output: the length must be an integer, or a Value of one");
    using List = std::vector<T>;
    using Out = detail::stack_t<T>;
    detail::PlanBuilder& builder = handle_.builder();
    detail::Boundary& at = handle_.at("add_output");
    constexpr int kAxes = std::is_same_v<T, Tensor> ? Shape::kMaxRank : 1;
    if (options.axis < 0 || options.axis >= kAxes) throw_axis(at, options.axis);
    const detail::SlotId from = detail::slot_of(value, builder, at);
    static_assert(detail::clonable<T>,
                  "add_output: the values of iterations must copy: give their type a copy "
                  "constructor, or `T clone() const`");
    const std::string name = builder.unique_name(name_of(at) + "'s output");
    const detail::Argument most = detail::whole_argument(length, {builder, detail::is_given(name)});
    return Value<Out>(builder, add_collected(at, from, name, most, options,
                                             detail::slot_type<List>(), detail::slot_type<Out>()));
  }

 private:
  // Returns the name of the count. Throws if there is a trip limit already.
  std::string trip_limit_name(const detail::Boundary& loop) const;
  void add_count(detail::Boundary& loop, const std::string& name, detail::Argument count) const;
  // Adds the steps that keep the value of each iteration and make the output of them.
  detail::SlotId add_collected(detail::Boundary& loop, detail::SlotId value,
                               const std::string& name, const detail::Argument& length,
                               const StackOptions& options, const detail::SlotType* list,
                               const detail::SlotType* out) const;
  static void add_while(detail::Boundary& loop, detail::SlotId more);
  // Returns the number of the recurrence, and its slot inside.
  std::pair<std::size_t, detail::SlotId> new_recurrence(detail::Boundary& loop,
                                                        detail::SlotId initial) const;
  // Returns the number of the element that an iterator is at.
  Value<std::int64_t> index(detail::Boundary& loop, bool reverse) const;
  detail::SlotId add_output(const detail::BoundaryHandle& loop, std::size_t recurrence) const;
  [[noreturn]] static void throw_axis(const detail::Boundary& loop, int axis);
  detail::BoundaryHandle handle_;
};

namespace detail {
void set_next(detail::PlanBuilder& builder, detail::Boundary& loop, std::size_t recurrence,
              detail::SlotId next);
}

template <class T>
template <class Next>
void Recurrence<T>::set_next(const Next& next) const {
  static_assert(std::is_same_v<Next, Value<T>>,
                "set_next: the next value must be a Value of the type that the recurrence begins "
                "with; begin with a constant of that type, or convert with cast<T>(value)");
  detail::Boundary& at = loop_.at("set_next");
  detail::PlanBuilder& builder = loop_.builder();
  detail::set_next(builder, at, number_, detail::slot_of(next, builder, at));
}

}  // namespace sluice
