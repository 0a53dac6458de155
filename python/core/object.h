// Object: a Python object as a sample value. Function: a Python function that a pipeline calls.
// PyRefs: holds the functions of one pipeline.
//
// Ownership: an Object owns a reference and releases it with the GIL held; after the interpreter
// has ended, the reference is leaked. A function often refers to the object that holds its
// pipeline. Python's garbage collector can collect such cycles through PyRefs, which owns the only
// reference to each function. Threads: like a shared_ptr; moving and testing need no GIL. Errors:
// none.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace sluice::python {

namespace nb = nanobind;

class Object {
 public:
  Object() = default;
  // Takes over the reference. Call it with the GIL held.
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
  // Returns None if it is empty. Call it with the GIL held.
  nb::object get() const { return object_ == nullptr ? nb::none() : nb::borrow(object_); }

 private:
  PyObject* object_ = nullptr;
};

class PyRefs {
 public:
  PyRefs() = default;
  PyRefs(const PyRefs&) = delete;
  PyRefs& operator=(const PyRefs&) = delete;
  ~PyRefs() {
    if (objects_.empty() || !Py_IsInitialized()) return;
    const nb::gil_scoped_acquire lock;
    for (PyObject* const object : objects_) Py_DECREF(object);
  }

  PyObject* add(nb::object object) {
    objects_.reserve(objects_.size() + 1);
    return objects_.emplace_back(object.release().ptr());
  }
  // For the garbage collector. Only one owner may call it: the pipeline.
  int traverse(visitproc visit, void* arg) const {
    for (PyObject* const object : objects_) Py_VISIT(object);
    return 0;
  }

 private:
  std::vector<PyObject*> objects_;
};

class Function {
 public:
  // Call it with the GIL held.
  Function(std::shared_ptr<PyRefs> py_refs, nb::object function)
      : py_refs_(std::move(py_refs)), function_(py_refs_->add(std::move(function))) {}
  // Call it with the GIL held.
  nb::object get() const { return nb::borrow(function_); }

 private:
  std::shared_ptr<PyRefs> py_refs_;
  PyObject* function_;
};

}  // namespace sluice::python
