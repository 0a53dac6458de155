// Value<T>: a handle on one value of each sample, while a pipeline is described. It holds no T: the
// T exists when a sample runs. Handles are small, copy freely and are good only inside the function
// given to make_pipeline.
//
// Param<T>: what an operator takes where a number may be a constant or differ from sample to
// sample: rotate(image, 15.f) and rotate(image, angle).
//
// Threads: describe a pipeline on one thread. Errors: BuildError at the line that misuses a value.
#pragma once

#include <sluice/graph/frame.h>
#include <sluice/graph/slot.h>

#include <type_traits>
#include <utility>

namespace sluice {

class Recorder;

template <class T>
class Value {
 public:
  using value_type = T;
  Value() = default;
  Value(Recorder& recorder, SlotId slot) : recorder_(&recorder), slot_(slot) {}

  Recorder& recorder() const { return *recorder_; }
  SlotId slot() const { return slot_; }
  bool valid() const { return recorder_ != nullptr; }

  // A choice between values is made for each sample: use if_else or select.
  explicit operator bool() const = delete;

 private:
  Recorder* recorder_ = nullptr;
  SlotId slot_ = 0;
};

template <class T>
class Param {
 public:
  using value_type = T;
  Param() = default;
  Param(T constant) : constant_(std::move(constant)) {}  // NOLINT(google-explicit-constructor)
  template <class U>
  requires(std::is_arithmetic_v<U>&& std::is_arithmetic_v<T> && !std::is_same_v<U, T>)
      Param(U constant)
      : constant_(static_cast<T>(constant)) {}  // NOLINT(google-explicit-constructor)
  Param(Value<T> value) : value_(value) {}      // NOLINT(google-explicit-constructor)

  bool is_constant() const { return !value_.valid(); }
  const T& constant() const { return constant_; }
  Value<T> value() const { return value_; }

  // The parameter of the sample that `frame` carries.
  const T& of(const Frame& frame) const {
    return value_.valid() ? frame.get<T>(value_.slot()) : constant_;
  }

 private:
  T constant_{};
  Value<T> value_;
};

}  // namespace sluice
