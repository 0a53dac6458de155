// What Python sees of the values of a sample, and what they become of what Python gives.
//
// | type                | in Python                                                    |
// |---------------------|--------------------------------------------------------------|
// | bool, i8 ... f64    | bool, int, float                                             |
// | text, bytes         | str, bytes                                                   |
// | image               | array of u8, height x width x channels                       |
// | tensor              | array                                                        |
// | rectangle           | (y, x, height, width)                                        |
// | list of ...         | list                                                         |
// | object              | what it is                                                   |
//
// Arrays are copied both ways: a value's memory belongs to its sample, and is used again. Threads:
// any, under Python's lock. Errors: std::invalid_argument, which says what came and what was
// expected.
#pragma once

#include "array.h"
#include "object.h"
#include <sluice/sluice.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::python {

// What is done with values of one type.
struct TypeTable {
  const detail::SlotType* type;
  std::string name;
  nb::object (*to_python)(const void* value);
  void (*from_python)(nb::handle object, void* value);
  std::unique_ptr<detail::ColumnMaker> (*make_column)();
  // Of a finished column of such values: an Array, a Pictures, or a list.
  nb::object (*column)(detail::Column& column);
  // One of the sample's values().
  nb::object (*inspected)(const Inspection& sample, const Inspection::Named& value);
};

// Throws BuildError for a name of which no value can go to Python or come from there.
const TypeTable& table_of(std::string_view name);
const TypeTable& table_of(const detail::SlotType* type);
// Calls use(table) for all types that Python has values of.
void for_each_table(const std::function<void(const TypeTable&)>& use);

// Names the type of Python's objects, once.
void register_object_type();

// A constant of the named type: "f32", "i64", "text", ...
detail::Constant constant_of(std::string_view type, nb::handle object);
// For a parameter of an operator.
detail::Constant constant_for(const detail::Parameter& parameter, nb::handle object);
Rectangle rectangle_of(nb::handle object);
// A list, tuple or array of numbers, none of which is a bool; `wanted` says what they are.
template <class T>
std::vector<T> numbers_of(nb::handle object, std::string_view wanted);
[[noreturn]] void refuse_list(nb::handle object, std::string_view wanted);

}  // namespace sluice::python
