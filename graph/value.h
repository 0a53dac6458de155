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

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sluice {

class Recorder;

namespace detail {
// A recorder's number, different from that of every other one in the process.
std::uint64_t id_of(const Recorder& recorder);
// The recorder, if the one with this number is still there; else BuildError: its pipeline has been
// described.
Recorder& live_recorder(Recorder* recorder, std::uint64_t id);
}  // namespace detail

template <class T>
class Value {
 public:
  using value_type = T;
  Value() = default;
  Value(Recorder& recorder, SlotId slot)
      : recorder_(&recorder), id_(detail::id_of(recorder)), slot_(slot) {}

  // Throws BuildError when the pipeline that the value belongs to has been described already.
  Recorder& recorder() const { return detail::live_recorder(recorder_, id_); }
  SlotId slot() const { return slot_; }
  bool valid() const { return recorder_ != nullptr; }
  bool is_of(const Recorder& recorder) const { return id_ == detail::id_of(recorder); }

  // A choice between values is made for each sample: use if_else or select.
  explicit operator bool() const = delete;

 private:
  Recorder* recorder_ = nullptr;
  std::uint64_t id_ = 0;
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
      : constant_(static_cast<T>(constant)) {}               // NOLINT(google-explicit-constructor)
  Param(Value<T> value) : value_(value), is_value_(true) {}  // NOLINT(google-explicit-constructor)

  bool is_constant() const { return !is_value_; }
  const T& constant() const { return constant_; }
  Value<T> value() const { return value_; }

  // The parameter of the sample that `frame` carries.
  const T& of(const Frame& frame) const {
    return is_value_ ? frame.get<T>(value_.slot()) : constant_;
  }

 private:
  T constant_{};
  Value<T> value_;
  bool is_value_ = false;
};

}  // namespace sluice
