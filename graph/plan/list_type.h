// ListType: what a std::vector<T> can do, for steps that know of it only its slot type. One static
// object per type. Threads: immutable; its functions are those of a vector. Errors: std::bad_alloc,
// and what copying an element throws.
#pragma once

#include <sluice/runtime/copies.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

struct SlotType;
template <class T>
const SlotType* slot_type();

template <class T>
T copy_of(const T& value) {
  if constexpr (std::is_copy_constructible_v<T>) {
    return value;
  } else {
    return value.clone();
  }
}

// Whether copy_of() can copy a T.
template <class T>
concept duplicates = copies<T>() ||
    (!std::is_copy_constructible_v<T> && requires(const T& value) { T(value.clone()); });

struct ListType {
  const SlotType* element;
  std::size_t (*size)(const void* list);
  void (*resize)(void* list, std::size_t size);  // fills up with default values
  void (*reverse)(void* list);
  // Copies, which own their memory. Null when elements do not copy.
  void (*append)(void* list, const void* value);
  void (*take)(const void* list, std::size_t i, void* element);
  void (*take_reversed)(const void* list, void* reversed);
};

template <class T>
void append_copy(std::vector<T>& list, const T& value) {
  T copy = copy_of<T>(value);
  take_ownership(copy);
  list.push_back(std::move(copy));
}

template <class T>
const ListType& list_type() {
  using List = std::vector<T>;
  static const ListType type = [] {
    ListType t{};
    t.element = slot_type<T>();
    t.size = [](const void* list) { return static_cast<const List*>(list)->size(); };
    t.resize = [](void* list, std::size_t size) { static_cast<List*>(list)->resize(size); };
    t.reverse = [](void* list) {
      std::reverse(static_cast<List*>(list)->begin(), static_cast<List*>(list)->end());
    };
    if constexpr (duplicates<T>) {
      t.append = [](void* list, const void* value) {
        append_copy<T>(*static_cast<List*>(list), *static_cast<const T*>(value));
      };
      t.take = [](const void* list, std::size_t i, void* element) {
        T copy = copy_of<T>((*static_cast<const List*>(list))[i]);
        take_ownership(copy);
        *static_cast<T*>(element) = std::move(copy);
      };
      t.take_reversed = [](const void* list, void* reversed) {
        const List& all = *static_cast<const List*>(list);
        List& turned = *static_cast<List*>(reversed);
        turned.clear();
        for (auto it = all.rbegin(); it != all.rend(); ++it) append_copy<T>(turned, *it);
      };
    }
    return t;
  }();
  return type;
}

}  // namespace sluice::detail
