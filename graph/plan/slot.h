// SlotType: how a sample's record keeps a value of some C++ type without knowing the type. One
// static object per type. Threads: immutable. Any movable, default-constructible type has one.
#pragma once

#include <sluice/graph/plan/list_type.h>
#include <sluice/graph/plan/whole_number.h>
#include <sluice/runtime/tensor.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
class Bytes;
class Image;
struct Rectangle;
}  // namespace sluice

namespace sluice::detail {

using SlotId = std::uint32_t;

// The name of T for messages: as the compiler spells it, but for integers, which compilers spell
// in different ways.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::same_as<T, short>) return "short int";
  if constexpr (std::same_as<T, unsigned short>) return "short unsigned int";
  if constexpr (std::same_as<T, long>) return "long int";
  if constexpr (std::same_as<T, unsigned long>) return "long unsigned int";
  if constexpr (std::same_as<T, long long>) return "long long int";
  if constexpr (std::same_as<T, unsigned long long>) return "long long unsigned int";
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.find("T = ") + 4;
  constexpr std::size_t end = text.find_first_of(";]", begin);
  return text.substr(begin, end - begin);
}

struct SlotType {
  std::string_view name;
  std::size_t size;
  std::size_t alignment;
  void (*construct)(void*);
  void (*destroy)(void*) noexcept;
  void (*move)(void* to, void* from);
  void (*release)(void*);  // gives back what the value holds; null when it holds nothing
  void (*set_placer)(void*, Placer*);  // null when the type cannot be written straight into a batch
  std::int64_t (*count)(const void*);  // to_count(); null unless it is a whole number or enumerator
  const ListType& (*list)();           // null unless it is a std::vector
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Types with a release() of their own keep nothing after it; others are replaced by a fresh object.
// It gives nothing: that of a unique_ptr gives what nobody would destroy then.
template <class T>
concept Releasable = requires(T& value) {
  { value.release() }
  noexcept->std::same_as<void>;
};
template <class T>
concept Placeable = requires(T& value, Placer* placer) {
  value.set_placer(placer);
};

template <class T>
const SlotType* slot_type() {
  static_assert(
      std::is_object_v<T> && std::is_default_constructible_v<T> &&
          std::is_nothrow_destructible_v<T>,
      "a value's type must have a default constructor and a destructor that does not throw");
  static_assert(std::is_move_constructible_v<T> && std::is_move_assignable_v<T>,
                "a value's type must be movable");
  static_assert(alignof(T) <= 64, "values aligned to more than 64 bytes cannot travel");
  static constexpr SlotType type = [] {
    SlotType t{};
    t.name = type_name<T>();
    t.size = sizeof(T);
    t.alignment = alignof(T);
    t.construct = [](void* at) { new (at) T(); };
    t.destroy = [](void* at) noexcept { static_cast<T*>(at)->~T(); };
    t.move = [](void* to, void* from) { *static_cast<T*>(to) = std::move(*static_cast<T*>(from)); };
    if constexpr (Releasable<T>) {
      t.release = [](void* at) { static_cast<T*>(at)->release(); };
    } else if constexpr (!std::is_trivially_destructible_v<T>) {
      t.release = [](void* at) {
        try {
          *static_cast<T*>(at) = T();
        } catch (...) {  // a type that does not let itself be replaced keeps what it has until its
                         // next value
        }
      };
    }
    if constexpr (Placeable<T>) {
      t.set_placer = [](void* at, Placer* placer) { static_cast<T*>(at)->set_placer(placer); };
    }
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      t.count = [](const void* at) { return to_count(*static_cast<const T*>(at)); };
    if constexpr (is_vector<T>) t.list = list_type<typename T::value_type>;
    return t;
  }();
  return &type;
}

// Of the types that most files name: made once, in operator_registry.cpp.
extern template const SlotType* slot_type<bool>();
extern template const SlotType* slot_type<std::int8_t>();
extern template const SlotType* slot_type<std::uint8_t>();
extern template const SlotType* slot_type<std::int16_t>();
extern template const SlotType* slot_type<std::uint16_t>();
extern template const SlotType* slot_type<std::int32_t>();
extern template const SlotType* slot_type<std::uint32_t>();
extern template const SlotType* slot_type<std::int64_t>();
extern template const SlotType* slot_type<std::uint64_t>();
extern template const SlotType* slot_type<Half>();
extern template const SlotType* slot_type<float>();
extern template const SlotType* slot_type<double>();
extern template const SlotType* slot_type<std::string>();
extern template const SlotType* slot_type<Rectangle>();
extern template const SlotType* slot_type<Image>();
extern template const SlotType* slot_type<Tensor>();
extern template const SlotType* slot_type<Bytes>();

}  // namespace sluice::detail
