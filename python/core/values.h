// Converts the values of a sample to Python objects and back.
//
// | type                | in Python                                                    |
// |---------------------|--------------------------------------------------------------|
// | bool, i8 ... f64    | bool, int, float                                             |
// | text, bytes         | str, bytes                                                   |
// | image               | array of u8, height x width x channels                       |
// | tensor              | array                                                        |
// | rectangle           | (y, x, height, width)                                        |
// | list of ...         | list                                                         |
// | object              | any Python object                                            |
//
// Arrays are copied in both directions, since a value's memory belongs to its sample and is reused.
// Threads: any, with the GIL held. Errors: std::invalid_argument with the value received and what
// was expected.
#pragma once

#include "array.h"
#include "object.h"
#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/inspect.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/image.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::python {

// The conversions of one type.
struct TypeTable {
  const detail::SlotType* type;
  std::string name;
  nb::object (*to_python)(const void* value);
  void (*from_python)(nb::handle object, void* value);
  std::unique_ptr<detail::ColumnMaker> (*make_column)();
  // Converts a finished column to an Array, an ArrayColumn, or a list.
  nb::object (*column)(detail::Column& column);
  // Converts one of the sample's values().
  nb::object (*inspected)(const Inspection& sample, const Inspection::Named& value);
};

// Throws BuildError for a type without a Python form.
const TypeTable& table_of(std::string_view name);
const TypeTable& table_of(const detail::SlotType* type);
// Calls use(table) for each type with a Python form.
void for_each_table(const std::function<void(const TypeTable&)>& use);

// Converts the object to a value of the type, which a Python function has declared.
void take_value(const TypeTable& type, nb::handle object, void* value);

// Returns advice for a function that returned None, to add to a message; "" for anything else.
const char* cure_of_none(nb::handle given);

// Registers the type name of Python objects, once.
void register_object_type();

// Makes a constant of the named type: "f32", "i64", "text", ...
detail::Constant constant_of(std::string_view type, nb::handle object);
// Makes a constant for a parameter of an operator.
detail::Constant constant_for(const detail::Parameter& parameter, nb::handle object);
Rectangle rectangle_of(nb::handle object);
// Converts a list, tuple or array of numbers; bools are not allowed. `wanted` describes them in the
// error.
template <class T>
std::vector<T> numbers_of(nb::handle object, std::string_view wanted);
[[noreturn]] void refuse_list(nb::handle object, std::string_view wanted);

}  // namespace sluice::python
