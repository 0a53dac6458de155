#include "text.h"

#include <stdexcept>

namespace sluice::python {
namespace {

std::string contents(const nb::object& bytes) {
  const auto known = nb::borrow<nb::bytes>(bytes);
  return {known.c_str(), known.size()};
}

}  // namespace

nb::str to_str(std::string_view text) {
  PyObject* const made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

std::string bytes_of(nb::handle str) {
  const auto bytes = nb::steal(PyUnicode_AsEncodedString(str.ptr(), "utf-8", "surrogateescape"));
  if (bytes.is_valid()) return contents(bytes);
  PyErr_Clear();
  throw std::invalid_argument("a text is expected, not " + message_of(nb::repr(str)) +
                              " with a lone surrogate that stands for no byte");
}

std::string message_of(nb::handle object) {
  nb::object text = nb::borrow(object);
  if (!nb::isinstance<nb::str>(object)) text = nb::steal(PyObject_Str(object.ptr()));
  const auto bytes =
      text.is_valid()
          ? nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"))
          : nb::object();
  if (bytes.is_valid()) return contents(bytes);
  PyErr_Clear();  // an error in the user's __str__
  return "(an object whose __str__ raises)";
}

std::string path_of(nb::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw nb::python_error();
  return contents(nb::steal(bytes));
}

}  // namespace sluice::python
