#include "errors.h"

#include "text.h"
#include "words.h"
#include <sluice/io/jpeg/header.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/device.h>

#include <exception>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

namespace sluice::python {
namespace {

// The exception classes; they live as long as the process.
struct Classes {
  nb::object error, build, batch, budget, stall, io, jpeg, device;
};
Classes& classes() {
  static auto* const all = new Classes;
  return *all;
}

nb::object make_class(nb::module_& module, const char* name, const char* text,
                      const nb::tuple& bases) {
  nb::dict content;
  content["__module__"] = "sluice";
  content["__doc__"] = text;
  nb::object made = nb::borrow(reinterpret_cast<PyObject*>(&PyType_Type))(name, bases, content);
  module.attr(name) = made;
  return made;
}

void raise(const nb::object& type, const std::exception& error) {
  PyErr_SetObject(type.ptr(), to_str(in_python(error.what())).ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  const Classes& all = classes();
  try {
    std::rethrow_exception(thrown);
  } catch (const BatchError& error) {
    nb::object made = all.batch(to_str(in_python(error.what())));
    made.attr("errors") = to_list(error.errors());
    made.attr("batch") = error.batch();
    PyErr_SetObject(all.batch.ptr(), made.ptr());
  } catch (const BudgetError& error) {
    raise(all.budget, error);
  } catch (const StallError& error) {
    raise(all.stall, error);
  } catch (const BuildError& error) {
    raise(all.build, error);
  } catch (const IoError& error) {
    raise(all.io, error);
  } catch (const JpegError& error) {
    raise(all.jpeg, error);
  } catch (const DeviceError& error) {
    raise(all.device, error);
  } catch (const Error& error) {
    raise(all.error, error);
  }
}

// Escapes NULs, since the text of a C++ exception ends at one.
std::string without_nul(const std::string& text) {
  std::string clean;
  for (const char one : text) clean += one == '\0' ? std::string("\\0") : std::string(1, one);
  return clean;
}

bool is_main_thread() {
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

nb::dict to_dict(const SampleError& error) {
  nb::dict all;
  all["position"] = error.id;
  all["epoch"] = error.key.epoch;
  all["index"] = error.key.index;
  all["seed"] = error.seed;
  all["source"] = to_str(error.source);
  all["step"] = to_str(error.step);
  all["path"] = to_str(error.path);
  all["what"] = to_str(in_python(error.what));
  all["kept"] = error.kept;
  return all;
}

nb::list to_list(const std::vector<SampleError>& errors) {
  nb::list list;
  for (const SampleError& error : errors) list.append(to_dict(error));
  return list;
}

void bind_errors(nb::module_& module) {
  Classes& all = classes();
  const nb::object runtime = nb::borrow(PyExc_RuntimeError);
  const nb::object value = nb::borrow(PyExc_ValueError), os = nb::borrow(PyExc_OSError);
  all.error = make_class(module, "Error", "Base of all exceptions that Sluice raises on purpose.",
                         nb::make_tuple(runtime));
  all.build = make_class(module, "BuildError",
                         "The description of a pipeline is wrong; found before any sample runs.",
                         nb::make_tuple(all.error, value));
  all.batch = make_class(
      module, "BatchError",
      "Samples of a batch failed, and on_error is 'fail'. `errors` has a dict for each, and "
      "`batch` is the number of the batch. If you continue, the next batch is this one without "
      "them.",
      nb::make_tuple(all.error));
  all.budget = make_class(module, "BudgetError", "More samples failed than the budget allows.",
                          nb::make_tuple(all.error));
  all.stall = make_class(module, "StallError", "No sample has moved for as long as stall_timeout.",
                         nb::make_tuple(all.error));
  all.io = make_class(module, "IoError", "A file or folder cannot be read or written.",
                      nb::make_tuple(all.error, os));
  all.jpeg = make_class(module, "JpegError", "A file is not a JPEG file, or is damaged.",
                        nb::make_tuple(all.error, value));
  all.device = make_class(module, "DeviceError", "There is no such GPU, or it fails.",
                          nb::make_tuple(all.error));
  nb::register_exception_translator(translate);
}

std::string words_of(const nb::python_error& error) {
  try {
    const nb::object text_of = nb::module_::import_("sluice._errors").attr("text_of");
    return without_nul(message_of(text_of(error.value())));
  } catch (const std::exception&) {  // Python ends, or the exception's own class raises
    return nb::cast<std::string>(error.type().attr("__name__")) + ": " +
           without_nul(message_of(error.value()));
  }
}

void call_python(const std::function<void()>& f, Ends ends) {
  // A thread that requests the GIL during finalization would be ended by the interpreter.
  if (!Py_IsInitialized()) throw Error("Python has ended");
  const nb::gil_scoped_acquire lock;
  std::string words;
  bool ended = false, mistake = false;
  try {
    f();
    return;
  } catch (nb::python_error& error) {
    ended = (ends != Ends::never && error.matches(PyExc_StopIteration)) ||
            (ends == Ends::by_stop_or_index && error.matches(PyExc_IndexError));
    mistake = error.matches(classes().build.ptr());
    if (!ended) words = words_of(error);
    // Ctrl-C in a function on the main thread is meant for the program: raise it there next.
    if (error.matches(PyExc_KeyboardInterrupt) && is_main_thread()) PyErr_SetInterrupt();
  }
  if (ended) throw EndOfEpoch();
  if (mistake) throw BuildError(words);
  throw Error(words);
}

std::string name_by(const Function& name_of, std::int64_t index) {
  std::string text;
  call_python([&] {
    const nb::object given = name_of.get()(index);
    text = nb::isinstance<nb::str>(given) ? bytes_of(given) : message_of(given);
  });
  return text;
}

}  // namespace sluice::python
