// Object: any Python object as the value of a sample: what a Python function gives, and another one
// takes.
//
// Ownership: a reference, which is given back under Python's lock; after the interpreter has ended
// it is left alone. Threads: like a shared_ptr; moving and looking need no lock. Errors: none.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

namespace sluice::python {

namespace nb = nanobind;

class Object {
 public:
  Object() = default;
  // Takes over a reference. Under Python's lock.
  explicit Object(nb::object object) : object_(object.release().ptr()) {}
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Object(const Object& other) : object_(other.object_) {
    if (object_ == nullptr) return;
    const nb::gil_scoped_acquire lock;
    Py_INCREF(object_);
  }
  Object& operator=(const Object& other) {
    Object copy(other);
    std::swap(object_, copy.object_);
    return *this;
  }
  ~Object() { release(); }

  void release() noexcept {
    if (object_ == nullptr || !Py_IsInitialized()) return;
    const nb::gil_scoped_acquire lock;
    Py_DECREF(std::exchange(object_, nullptr));
  }
  // None where there is nothing. Under Python's lock.
  nb::object get() const { return object_ == nullptr ? nb::none() : nb::borrow(object_); }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace sluice::python
