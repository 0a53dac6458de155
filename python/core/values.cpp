#include "values.h"

#include "text.h"
#include <sluice/graph/plan/number_types.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/tensor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

using detail::slot_type;

std::string type_of(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

// Describes an array by its elements and shape, and any other object by its text.
std::string description_of(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (!dtype.is_none()) {
    const nb::object shape = nb::getattr(object, "shape", nb::none());
    if (nb::isinstance<nb::tuple>(shape) && nb::len(shape) > 0)
      return fmt::format("an array of {} of shape {}", message_of(dtype), message_of(shape));
  }
  return fmt::format("{} of type {}", message_of(nb::repr(object)), type_of(object));
}

[[noreturn]] void refuse(nb::handle object, std::string_view expected) {
  throw std::invalid_argument(
      fmt::format("{} is expected, not {}", expected, description_of(object)));
}

// True for lists, tuples and arrays with at least one dimension.
bool is_list(nb::handle object) {
  if (PySequence_Check(object.ptr()) == 0 || nb::isinstance<nb::str>(object)) return false;
  if (PySequence_Size(object.ptr()) >= 0) return true;
  PyErr_Clear();
  return false;
}

// True for the bools of Python, NumPy and PyTorch, which also behave like numbers.
bool is_bool(nb::handle object) {
  if (PyBool_Check(object.ptr())) return true;
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr())) return false;
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (dtype.is_none()) return false;
  const std::string name = message_of(dtype);
  return name == "bool" || name == "torch.bool";
}

// NumPy would drop the imaginary part, with a warning.
bool is_complex(nb::handle object) {
  if (PyComplex_Check(object.ptr())) return true;
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr())) return false;
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return !dtype.is_none() && message_of(dtype).find("complex") != std::string::npos;
}

template <class T>
T number_of(nb::handle object) {
  if constexpr (std::is_same_v<T, bool>) {
    if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
    // NumPy's bool is accepted too; numbers are not.
    if (type_of(object) == "bool" || type_of(object) == "bool_") {
      const int truth = PyObject_IsTrue(object.ptr());
      if (truth < 0) throw nb::python_error();
      return truth == 1;
    }
    refuse(object, "a bool");
  } else if constexpr (std::is_integral_v<T>) {
    if (is_bool(object) || !PyIndex_Check(object.ptr())) refuse(object, "a whole number");
    const nb::object whole = nb::steal(PyNumber_Index(object.ptr()));
    if (!whole.is_valid()) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
      PyErr_Clear();  // an array of several numbers
      refuse(object, "a whole number");
    }
    T number{};
    if (!nb::try_cast(whole, number)) {
      throw std::invalid_argument(
          fmt::format("{} does not fit into {} ({} to {})", nb::cast<std::string>(nb::str(whole)),
                      detail::known_number_name<T>(), std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max()));
    }
    return number;
  } else {
    if (is_bool(object) || is_complex(object)) refuse(object, "a number");
    const double number = PyFloat_AsDouble(object.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(object, "a number");
    }
    T made{};
    if (!detail::fits(number, made)) {
      throw std::invalid_argument(
          fmt::format("{} does not fit into {}, in which it would be infinite", number,
                      detail::known_number_name<T>()));
    }
    return made;
  }
}

template <class T>
struct Convert {
  static nb::object to(const T& value) {
    if constexpr (std::is_same_v<T, Half>) {
      return nb::float_(static_cast<double>(static_cast<float>(value)));
    } else {
      return nb::cast(value);
    }
  }
  static void from(nb::handle object, T& value) { value = number_of<T>(object); }
};

template <>
struct Convert<std::string> {
  static nb::object to(const std::string& value) { return to_str(value); }
  static void from(nb::handle object, std::string& value) {
    if (!nb::isinstance<nb::str>(object)) refuse(object, "a str");
    value = bytes_of(object);
  }
};

template <>
struct Convert<Bytes> {
  static nb::object to(const Bytes& value) {
    const std::span<const std::uint8_t> bytes = value;
    return nb::bytes(bytes.data(), bytes.size());
  }
  static void from(nb::handle object, Bytes& value) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_C_CONTIGUOUS) != 0) {
      PyErr_Clear();
      refuse(object, "bytes");
    }
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> release(&buffer, PyBuffer_Release);
    // A row of bytes. Other arrays would lose their shape and their type.
    if (buffer.itemsize != 1 || buffer.ndim > 1) refuse(object, "bytes");
    value = Bytes::copy_of(
        {static_cast<const std::uint8_t*>(buffer.buf), static_cast<std::size_t>(buffer.len)});
  }
};

nb::object numpy_of(Tensor tensor) { return Array(std::move(tensor)).numpy(); }

template <>
struct Convert<Image> {
  static nb::object to(const Image& value) {
    return value.empty() ? nb::none() : numpy_of(value.to_host().tensor().clone());
  }
  static void from(nb::handle object, Image& value) { copy_image(object, value); }
};
template <>
struct Convert<Tensor> {
  static nb::object to(const Tensor& value) { return numpy_of(value.to_host().clone()); }
  static void from(nb::handle object, Tensor& value) { copy_array(object, value); }
};

template <>
struct Convert<Rectangle> {
  static nb::object to(const Rectangle& value) {
    return nb::make_tuple(value.y, value.x, value.height, value.width);
  }
  static void from(nb::handle object, Rectangle& value) { value = rectangle_of(object); }
};

template <>
struct Convert<Object> {
  static nb::object to(const Object& value) { return value.get(); }
  static void from(nb::handle object, Object& value) { value = Object(nb::borrow(object)); }
};

template <class T>
struct Convert<std::vector<T>> {
  static nb::object to(const std::vector<T>& value) {
    nb::list list;
    for (const auto& element : value) list.append(Convert<T>::to(element));
    return list;
  }
  static void from(nb::handle object, std::vector<T>& value) {
    if (!is_list(object)) refuse(object, "a list");
    value.clear();
    for (const nb::handle element : object) {
      T one{};
      Convert<T>::from(element, one);
      value.push_back(std::move(one));
    }
  }
};
template <class T>
nb::object column_of_values(detail::Column& column) {
  auto& typed = static_cast<typename detail::column_of<T>::type&>(column);
  if constexpr (std::is_same_v<T, Image>) {
    return nb::cast(ArrayColumn(ImageBatch(typed.take())));
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return nb::cast(ArrayColumn(TensorBatch(typed.take())));
  } else {
    Items<T> items = typed.take();
    if constexpr (detail::TensorElement<T>) return nb::cast(Array(items.tensor()));
    nb::list list;
    for (const auto& item : items) list.append(Convert<T>::to(item));
    return list;
  }
}

template <class T>
TypeTable entry(std::string name) {
  TypeTable table{};
  table.type = slot_type<T>();
  table.name = std::move(name);
  table.to_python = [](const void* value) { return Convert<T>::to(*static_cast<const T*>(value)); };
  table.from_python = [](nb::handle object, void* value) {
    Convert<T>::from(object, *static_cast<T*>(value));
  };
  table.make_column = []() -> std::unique_ptr<detail::ColumnMaker> {
    return std::make_unique<detail::MakerOf<T>>();
  };
  table.column = column_of_values<T>;
  table.inspected = [](const Inspection& sample, const Inspection::Named& value) {
    return Convert<T>::to(sample.get<T>(value));
  };
  return table;
}

template <class T>
void add(std::vector<TypeTable>& tables, const std::string& name) {
  tables.push_back(entry<T>(name));
  tables.push_back(entry<std::vector<T>>("list of " + name));
}

std::vector<TypeTable> all_tables() {
  std::vector<TypeTable> tables;
  detail::for_each_number_type([&]<class T>(std::type_identity<T>, const char* name) {
    if constexpr (!std::is_same_v<T, bool>) add<T>(tables, name);
  });
  tables.push_back(entry<bool>("bool"));
  add<std::string>(tables, "text");
  add<Bytes>(tables, "bytes");
  add<Image>(tables, "image");
  add<Tensor>(tables, "tensor");
  add<Rectangle>(tables, "rectangle");
  tables.push_back(entry<Object>("object"));
  return tables;
}

const std::vector<TypeTable>& tables() {
  static const std::vector<TypeTable> all = all_tables();
  return all;
}

// Adds the parameter's name to the error of a constant.
template <class F>
detail::Constant named(const detail::Parameter& parameter, const F& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", parameter.name, error.what()));
  }
}

}  // namespace

const TypeTable& table_of(std::string_view name) {
  for (const TypeTable& table : tables()) {
    if (table.name == name) return table;
  }
  std::string known;
  for (const TypeTable& table : tables()) {
    if (!table.name.starts_with("list of")) known += (known.empty() ? "" : ", ") + table.name;
  }
  throw BuildError(fmt::format(
      "there is no type '{}' of values; there are {}, and lists of them ('list of f32')", name,
      known));
}

const TypeTable& table_of(const detail::SlotType* type) {
  for (const TypeTable& table : tables()) {
    if (table.type == type) return table;
  }
  throw BuildError(
      fmt::format("a value of type '{}' cannot go to Python; make something else of it first",
                  detail::registry().name_of_type(type)));
}

const char* cure_of_none(nb::handle given) {
  return given.is_none() ? "; is a `return` missing?" : "";
}

void take_value(const TypeTable& type, nb::handle object, void* value) {
  try {
    type.from_python(object, value);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}; the declared type is '{}'{}", error.what(),
                                            type.name, cure_of_none(object)));
  }
}

void refuse_list(nb::handle object, std::string_view wanted) {
  std::string shown = message_of(nb::repr(object));
  constexpr std::size_t kMost = 200;
  if (shown.size() > kMost) shown = shown.substr(0, kMost) + "...";
  throw std::invalid_argument(fmt::format("cannot be {}; give {}", shown, wanted));
}

template <class T>
std::vector<T> numbers_of(nb::handle object, std::string_view wanted) {
  // Converts an array to a list of Python numbers, because reading its elements one by one is slow.
  const nb::object list =
      nb::hasattr(object, "tolist") ? object.attr("tolist")() : nb::borrow(object);
  if (nb::isinstance<nb::str>(list) || nb::isinstance<nb::bytes>(list) ||
      !PySequence_Check(list.ptr()))
    refuse_list(object, wanted);
  std::vector<T> numbers;
  for (const nb::handle one : list) {
    try {
      numbers.push_back(number_of<T>(one));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(
          fmt::format("element {}: {}; give {}", numbers.size(), error.what(), wanted));
    }
  }
  return numbers;
}
template std::vector<double> numbers_of<double>(nb::handle, std::string_view);
template std::vector<std::int64_t> numbers_of<std::int64_t>(nb::handle, std::string_view);

void for_each_table(const std::function<void(const TypeTable&)>& use) {
  for (const TypeTable& table : tables()) use(table);
}

void register_object_type() {
  static std::once_flag once;
  std::call_once(once, [] { detail::registry().add_value_type<Object>("object"); });
}

Rectangle rectangle_of(nb::handle object) {
  if (!is_list(object) || nb::len(object) != 4) refuse(object, "a rectangle (y, x, height, width)");
  Rectangle rectangle;
  int* const numbers[] = {&rectangle.y, &rectangle.x, &rectangle.height, &rectangle.width};
  for (std::size_t i = 0; i < 4; ++i) *numbers[i] = number_of<int>(nb::object(object[i]));
  return rectangle;
}

detail::Constant constant_of(std::string_view type, nb::handle object) {
  std::optional<detail::Number> number;
  detail::for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view name) {
    if (name == type) number = number_of<T>(object);
  });
  if (number) return *number;
  if (type == "text") return bytes_of(object);
  if (type == "rectangle") return rectangle_of(object);
  throw BuildError(fmt::format("there are no constants of type '{}'", type));
}

detail::Constant constant_for(const detail::Parameter& parameter, nb::handle object) {
  using Type = detail::ParameterType;
  return named(parameter, [&]() -> detail::Constant {
    switch (parameter.type) {
      case Type::boolean:
        return number_of<bool>(object);
      case Type::integer:
        return number_of<std::int32_t>(object);
      case Type::wide_integer:
        return number_of<std::int64_t>(object);
      case Type::number:
        return number_of<float>(object);
      case Type::wide_number:
        return number_of<double>(object);
      case Type::text:
      case Type::choice:
        if (!nb::isinstance<nb::str>(object)) refuse(object, "a str");
        return bytes_of(object);
      case Type::rectangle:
        return rectangle_of(object);
      case Type::numbers: {
        if (!is_list(object))  // one number for all of them
          return std::vector<double>(parameter.count, number_of<double>(object));
        std::vector<double> numbers;
        for (const nb::handle number : object) numbers.push_back(number_of<double>(number));
        const std::size_t given = numbers.size();
        if (const auto* rest = parameter.default_value
                                   ? std::get_if<std::vector<double>>(&*parameter.default_value)
                                   : nullptr) {
          if (given == 1) numbers.resize(parameter.count, double{numbers[0]});
          // If there are three colors for four channels, the fourth takes its default.
          while (numbers.size() > 2 && numbers.size() < rest->size())
            numbers.push_back((*rest)[numbers.size()]);
        }
        if (numbers.size() != parameter.count) {
          const bool of_channels =
              parameter.count == 4 && parameter.per_sample && parameter.default_value.has_value();
          throw std::invalid_argument(fmt::format("{}{} numbers are expected, not {}",
                                                  of_channels ? "1, 3 or " : "", parameter.count,
                                                  given));
        }
        return numbers;
      }
      case Type::any_number:
      case Type::any_whole:
      case Type::any: {
        // A pair (type, value); the Python side has chosen the type.
        const auto typed = nb::cast<nb::tuple>(object);
        return constant_of(nb::cast<std::string>(typed[0]), typed[1]);
      }
      case Type::value_type: {
        if (!nb::isinstance<nb::str>(object)) refuse(object, "the name of a type, 'f32' say,");
        const std::string name = bytes_of(object);
        const detail::SlotType* type = detail::registry().find_type(name);
        if (type == nullptr)
          throw std::invalid_argument(fmt::format("there is no type '{}'", name));
        return detail::ValueType{type};
      }
    }
    throw std::invalid_argument("a parameter of an unknown type");
  });
}

}  // namespace sluice::python
