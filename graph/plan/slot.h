// SlotType, ListType and TensorSpec: the types of the values that a Sample holds, and what is known
// about its tensors.
#pragma once

#include <sluice/runtime/memory.h>
#include <sluice/runtime/take_ownership.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

// Converts an integer or enum to std::int64_t. A value that is too large becomes the greatest
// std::int64_t. Pure function.
template <class T>
constexpr std::int64_t to_count(const T& number) {
  if constexpr (std::is_enum_v<T>) {
    return to_count(static_cast<std::underlying_type_t<T>>(number));
  } else {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(kMost)) {
      if (number > static_cast<T>(kMost)) return kMost;
    }
    return static_cast<std::int64_t>(number);
  }
}

struct SlotType;
// A type is identified by the address of its SlotType. So it is exported even from libraries that
// hide all other names: every library of a process then finds the same object.
template <class T>
[[gnu::visibility("default")]] const SlotType* slot_type();

template <class T>
T copy_of(const T& value) {
  if constexpr (std::is_copy_constructible_v<T>) {
    return value;
  } else {
    return value.clone();
  }
}

// True if copy_of() can copy a T.
template <class T>
concept clonable = copies<T>() ||
    (!std::is_copy_constructible_v<T> && requires(const T& value) { T(value.clone()); });

// ListType: the operations of a std::vector<T>, for steps that know only its slot type. One static
// object per type. Threads: immutable; its functions are those of a vector. Errors: std::bad_alloc,
// and what copying an element throws.
struct ListType {
  const SlotType* element;
  std::size_t (*size)(const void* list);
  void (*resize)(void* list, std::size_t size);  // fills up with default values
  void (*reverse)(void* list);
  // These copy elements; the copies own their memory. Null if elements cannot be copied.
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
    t.reverse = [](void* list) {  // not std::reverse: <algorithm> is a large header
      List& all = *static_cast<List*>(list);
      for (std::size_t first = 0, last = all.size(); first + 1 < last; ++first) {
        T kept = std::move(all[first]);
        all[first] = std::move(all[--last]);
        all[last] = std::move(kept);
      }
    };
    if constexpr (clonable<T>) {
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

namespace sluice {

class Bytes;
class Image;
struct Rectangle;
}  // namespace sluice

namespace sluice::detail {

using SlotId = std::uint32_t;
// The number of a Scope in a plan, see plan.h.
using ScopeId = std::uint32_t;
// The number of a counter that each Sample has, see StepCounters in exec/sample.h.
using CounterId = std::uint32_t;

// A type's name. It stands in checkpoints, so each source has to spell it alike.
template <std::size_t kMost>
struct TypeName {
  std::array<char, kMost> text = {};
  std::size_t size = 0;
};

// Leaves out allocators and character traits, which GCC prints in some sources and not in others:
// "std::vector<int, std::allocator<int> >" becomes "std::vector<int>".
template <std::size_t kMost>
constexpr TypeName<kMost> without_allocators(std::string_view name) {
  TypeName<kMost> made;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view rest = name.substr(at);
    if (!rest.starts_with(", std::allocator<") && !rest.starts_with(", std::char_traits<")) {
      made.text[made.size++] = name[at];
      continue;
    }
    int open = 0;
    do {
      ++at;
      open += name[at] == '<' ? 1 : name[at] == '>' ? -1 : 0;
    } while (open > 0 || name[at] != '>');
    if (name.substr(at + 1).starts_with(" >") && made.text[made.size - 1] != '>') ++at;
  }
  return made;
}

template <class T>
constexpr std::string_view spelled_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.find("T = ") + 4;
  constexpr std::size_t end = text.find_first_of(";]", begin);
  return text.substr(begin, end - begin);
}
// Two sources may spell T with different lengths. Each length has its own object, so the linker
// does not take one for the other.
template <class T, std::size_t kMost>
inline constexpr TypeName<kMost> plain_name = without_allocators<kMost>(spelled_name<T>());

// Returns the name of T for messages, as the compiler spells it. Integers have fixed names, because
// compilers spell them in different ways.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::same_as<T, short>) return "short int";
  if constexpr (std::same_as<T, unsigned short>) return "short unsigned int";
  if constexpr (std::same_as<T, long>) return "long int";
  if constexpr (std::same_as<T, unsigned long>) return "long unsigned int";
  if constexpr (std::same_as<T, long long>) return "long long int";
  if constexpr (std::same_as<T, unsigned long long>) return "long long unsigned int";
  constexpr const auto& name = plain_name<T, spelled_name<T>().size()>;
  return {name.text.data(), name.size};
}

// SlotType: the operations by which a Sample keeps a value of a C++ type without knowing the type.
// One static object per type. Threads: immutable. Any movable, default-constructible type has one.
struct SlotType {
  std::string_view name;
  std::size_t size;
  std::size_t alignment;
  void (*construct)(void*);
  void (*destroy)(void*) noexcept;
  void (*move)(void* to, void* from);
  void (*release)(void*);              // releases what the value holds; null if it holds nothing
  void (*set_placer)(void*, Placer*);  // null if it cannot be written straight into a batch
  std::int64_t (*count)(const void*);  // to_count(); null unless it is an integer or enum
  const ListType& (*list)();           // null unless it is a std::vector
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// A type with its own release() holds nothing after the call; other values are replaced by a fresh
// object. release() must return void: unique_ptr's release() returns a pointer that would leak.
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
  static_assert(alignof(T) <= 64, "values aligned to more than 64 bytes are not supported");
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
        } catch (...) {  // if replacing throws, the value stays until the next one
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

// The types that most files use are instantiated once, in slot.cpp.
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

namespace sluice {

// TensorSpec: what is known, while a pipeline is described, about the tensors in a slot. It is the
// same for every sample. Branches that would return tensors of different type, layout, number of
// dimensions or memory are an error before any sample runs. Sizes are not part of it, because they
// may differ from sample to sample. An unknown property is empty and agrees with everything, except
// that a value on a device agrees only with another value on a device.
//
// Threads: pure functions. Errors: BuildError and Error, as said below.

struct TensorSpec {
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};
  std::optional<int> rank = {};  // number of dimensions, 0 to Shape::kMaxRank
  std::optional<MemoryPlace> place = {};

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// Returns "f16, CHW, 3 dimensions". Unknown properties and host memory are left out.
std::string to_string(const TensorSpec& spec);

namespace detail {

// Returns the full spec of an existing value.
TensorSpec spec_of(const ValueSpec& spec, MemoryPlace place = {});

// False if a property is known on both sides and differs, or if only one side is on a device.
bool agree(const TensorSpec& a, const TensorSpec& b);
// Returns the properties that are known and equal on both sides. A property that one side does not
// know stays unknown, so that no program is rejected on a guess.
TensorSpec common(const TensorSpec& a, const TensorSpec& b);

// One of several origins of a value, with the text that names it in messages.
struct Side {
  TensorSpec spec;
  std::string where;  // "in the branch 'then'"
};
Side in_branch(const TensorSpec& spec, const std::string& branch);
Side as_it_begins(const TensorSpec& spec);          // a value that a loop carries
Side as_the_body_gives_it(const TensorSpec& spec);  // the same, for the next iteration
// Throws BuildError unless the sides agree. `node` is the Choice or Loop, `what` says which of its
// values this is.
void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs);

// Throws Error unless the tensor matches its declared spec.
void require_declared(const Tensor& tensor, const TensorSpec& spec);

}  // namespace detail
}  // namespace sluice
