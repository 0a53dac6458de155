// The names of things that a saved plan speaks of: operators, and the types of slots; and those of
// functions that record several operators, of which it knows nothing.
//
// Ownership: keeps what is registered for as long as the process. Threads: any number at once.
// Errors: BuildError for a name that is taken.
#pragma once

#include <sluice/graph/plan/operator.h>

#include <functional>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

class OperatorRegistry {
 public:
  // Knows the types of slots that need no operator: numbers, text, rectangle, image, tensor, bytes.
  OperatorRegistry();

  void add(OperatorPtr op);
  // Names the type, and lists of its values ("list of image"), and lists of those.
  template <class T>
  void add_value_type(const std::string& name) {
    add_type(name, slot_type<T>(),
             {slot_type<std::vector<T>>(), slot_type<std::vector<std::vector<T>>>()});
  }
  // Of a function that is made of operators, which are there.
  void add_function(OperatorSchema schema);

  OperatorPtr find(std::string_view name) const;              // null: there is none
  const SlotType* find_type(std::string_view name) const;     // null: there is none
  std::string_view name_of_type(const SlotType* type) const;  // empty: it has none
  std::vector<OperatorPtr> all() const;                       // by name
  std::vector<OperatorSchema> functions() const;              // by name

 private:
  void add_type(std::string name, const SlotType* type, const std::vector<const SlotType*>& lists);

  mutable std::shared_mutex mutex_;
  std::map<std::string, OperatorPtr, std::less<>> operators_;
  std::map<std::string, OperatorSchema, std::less<>> functions_;
  std::map<std::string, const SlotType*, std::less<>> types_;
};

// For messages: the name that plans have for a built-in type ("f32"), else as the compiler spells
// it.
std::string_view short_name(std::string_view spelled);

// Whether the operator is the one that its name finds.
bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op);

}  // namespace sluice::detail
