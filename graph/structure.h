// structure<X>: how something that an arm or a pipeline's function returns is made of values. A
// Value is itself; a constant becomes a value; a tuple holds structures. Arms must return the same
// structure: normal_t<X> is the type that remains when constants have become values.
#pragma once

#include <sluice/graph/recorder.h>
#include <sluice/graph/value.h>

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

template <class T>
Value<T> constant_value(Recorder& recorder, T constant) {
  Step step;
  step.name = recorder.unique_name("constant");
  const SlotId slot = recorder.add_slot(slot_type<T>(), step.name);
  step.writes = {slot};
  step.run = [slot, constant = std::move(constant)](Frame& frame) {
    frame.get<T>(slot) = constant;
  };
  recorder.add_step(std::move(step));
  return {recorder, slot};
}

// Any copyable constant: a number, a string, an enum, a user's own type.
template <class X>
struct structure {
  using type = Value<X>;
  static type normal(Recorder& recorder, const X& x) { return constant_value<X>(recorder, x); }
};

template <class T>
struct structure<Value<T>> {
  using type = Value<T>;
  static type normal(Recorder& recorder, const Value<T>& value) {
    if (!value.valid()) throw_empty_value();
    recorder.require_same(value.recorder());
    return value;
  }
  static void flatten(const Value<T>& value, std::vector<SlotId>& slots) {
    slots.push_back(value.slot());
  }
  static type rebuild(Recorder& recorder, const SlotId*& slot) { return {recorder, *slot++}; }

 private:
  [[noreturn]] static void throw_empty_value();
};

[[noreturn]] void throw_empty();
template <class T>
void structure<Value<T>>::throw_empty_value() {
  throw_empty();
}

template <class... Xs>
struct structure<std::tuple<Xs...>> {
  using type = std::tuple<typename structure<Xs>::type...>;
  static type normal(Recorder& recorder, const std::tuple<Xs...>& xs) {
    return std::apply([&](const Xs&... x) { return type{structure<Xs>::normal(recorder, x)...}; },
                      xs);
  }
  static void flatten(const std::tuple<Xs...>& xs, std::vector<SlotId>& slots) {
    std::apply([&](const Xs&... x) { (structure<Xs>::flatten(x, slots), ...); }, xs);
  }
  static type rebuild(Recorder& recorder, const SlotId*& slot) {
    return type{structure<Xs>::rebuild(recorder, slot)...};  // braces: left to right
  }
};

template <class X>
using normal_t = typename structure<std::decay_t<X>>::type;

template <class X>
normal_t<X> normal(Recorder& recorder, const X& x) {
  return structure<std::decay_t<X>>::normal(recorder, x);
}

template <class X>
std::vector<SlotId> flatten(const X& x) {
  std::vector<SlotId> slots;
  structure<X>::flatten(x, slots);
  return slots;
}

template <class X>
X rebuild(Recorder& recorder, const std::vector<SlotId>& slots) {
  const SlotId* slot = slots.data();
  return structure<X>::rebuild(recorder, slot);
}

}  // namespace sluice::detail
