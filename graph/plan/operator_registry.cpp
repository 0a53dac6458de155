#include <sluice/graph/plan/operator_registry.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>

namespace sluice::detail {

template const SlotType* slot_type<bool>();
template const SlotType* slot_type<std::int8_t>();
template const SlotType* slot_type<std::uint8_t>();
template const SlotType* slot_type<std::int16_t>();
template const SlotType* slot_type<std::uint16_t>();
template const SlotType* slot_type<std::int32_t>();
template const SlotType* slot_type<std::uint32_t>();
template const SlotType* slot_type<std::int64_t>();
template const SlotType* slot_type<std::uint64_t>();
template const SlotType* slot_type<Half>();
template const SlotType* slot_type<float>();
template const SlotType* slot_type<double>();
template const SlotType* slot_type<std::string>();
template const SlotType* slot_type<Rectangle>();
template const SlotType* slot_type<Image>();
template const SlotType* slot_type<Tensor>();
template const SlotType* slot_type<Bytes>();

namespace {

// Calls visit(std::type_identity<T>(), name) for the types that need not be registered.
template <class Visit>
void for_each_built_in_type(const Visit& visit) {
  for_each_number_type(visit);
  visit(std::type_identity<std::string>(), "text");
  visit(std::type_identity<Rectangle>(), "rectangle");
  visit(std::type_identity<Image>(), "image");
  visit(std::type_identity<Tensor>(), "tensor");
  visit(std::type_identity<Bytes>(), "bytes");
  visit(std::type_identity<std::span<const std::uint8_t>>(), "byte_span");
}

}  // namespace

OperatorRegistry::OperatorRegistry() {
  for_each_built_in_type(
      [&]<class T>(std::type_identity<T>, const char* name) { add_value_type<T>(name); });
}

std::string_view short_name(std::string_view spelled) {
  std::string_view found = spelled;
  for_each_built_in_type([&]<class T>(std::type_identity<T>, const char* name) {
    if (slot_type<T>()->name == spelled) found = name;
  });
  return found;
}

void OperatorRegistry::add(OperatorPtr op) {
  if (op == nullptr) throw BuildError("register_operator: there is no operator");
  const std::lock_guard lock(mutex_);
  if (functions_.contains(op->name()) || !operators_.emplace(op->name(), op).second) {
    throw BuildError("register_operator: there is an operator '" + op->name() +
                     "' already; give this one another name");
  }
}

void OperatorRegistry::add_function(OperatorSchema schema) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : schema.made_of) {
    const auto at = operators_.find(name);
    if (at == operators_.end())
      throw BuildError(schema.name + " is made of '" + name + "', which is no operator");
    schema.draws = schema.draws || at->second->schema().draws;
    schema.effect = schema.effect || at->second->schema().effect;
  }
  const std::string name = schema.name;
  if (operators_.contains(name) || !functions_.emplace(name, std::move(schema)).second)
    throw BuildError("there is an operator '" + name + "' already");
}

void OperatorRegistry::add_type(std::string name, const SlotType* type,
                                const std::vector<const SlotType*>& lists) {
  const std::lock_guard lock(mutex_);
  for (const auto& [taken, by] : types_) {
    if (taken != name && by != type) continue;
    throw BuildError("register_value_type: '" + std::string(type->name) + "' cannot be '" + name +
                     "': '" + taken + "' is the name of '" + std::string(by->name) + "' already");
  }
  types_.emplace(name, type);
  for (const SlotType* list : lists) {
    name = "list of " + name;
    const auto has_name = [&](const auto& one) { return one.second == list; };
    if (std::none_of(types_.begin(), types_.end(), has_name)) types_.emplace(name, list);
  }
}

OperatorPtr OperatorRegistry::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto at = operators_.find(name);
  return at == operators_.end() ? nullptr : at->second;
}

const SlotType* OperatorRegistry::find_type(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto at = types_.find(name);
  return at == types_.end() ? nullptr : at->second;
}

std::string_view OperatorRegistry::name_of_type(const SlotType* type) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [name, registered] : types_) {
    if (registered == type) return name;
  }
  return {};
}

std::vector<OperatorPtr> OperatorRegistry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<OperatorPtr> all;
  for (const auto& [name, op] : operators_) all.push_back(op);
  return all;
}

std::vector<OperatorSchema> OperatorRegistry::functions() const {
  const std::shared_lock lock(mutex_);
  std::vector<OperatorSchema> all;
  for (const auto& [name, schema] : functions_) all.push_back(schema);
  return all;
}

bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op) {
  return op != nullptr && registry.find(op->name()) == op;
}

}  // namespace sluice::detail
