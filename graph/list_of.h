// list_of: several values of one type as a list of each sample.
//
//   Value<std::vector<Image>> views = list_of(image, flip(image), gaussian_blur(image));
//
// Steps and operators that take a list take it, and an output of it is a std::vector for each
// sample. The elements are copies.
//
// Threads: describe a pipeline on one thread. Errors: BuildError for a list without elements.
#pragma once

#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/builder/recorder.h>
#include <sluice/graph/plan/list_type.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/error.h>

#include <concepts>
#include <vector>

namespace sluice {

template <class T>
Value<std::vector<T>> list_of(const std::vector<Value<T>>& values) {
  static_assert(detail::duplicates<T>,
                "list_of: the values must copy: give their type a copy constructor, or "
                "`T clone() const`");
  if (values.empty()) throw BuildError("list_of: there are no values; give at least one");
  detail::Recorder& recorder = values.front().recorder();
  const detail::SlotType* const type = detail::slot_type<std::vector<T>>();
  detail::SlotId list = recorder.add(detail::list_operator(),
                                     {detail::Constant(detail::ValueType{type})}, "list_of")[0];
  for (const Value<T>& value : values) {
    if (!value.is_of(recorder))
      throw BuildError("list_of: one of the values belongs to another pipeline");
    list = recorder.add(detail::appended_operator(),
                        {detail::SlotArgument{list, type},
                         detail::SlotArgument{value.slot(), detail::slot_type<T>()}},
                        "list_of")[0];
  }
  return Value<std::vector<T>>(recorder, list);
}

template <class T, std::same_as<Value<T>>... More>
Value<std::vector<T>> list_of(const Value<T>& first, const More&... more) {
  return list_of(std::vector<Value<T>>{first, more...});
}

}  // namespace sluice
