// OperatorRegistry, and the names of the built-in types.
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <type_traits>

namespace sluice::detail {
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

// Throws for a name that error messages, Python and the command line could not show or take.
void require_good_name(const std::string& name) {
  constexpr std::string_view kGood =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (!name.empty() && name.find_first_not_of(kGood) == std::string::npos) return;
  throw BuildError("register_operator: '" + escape_control_chars(name) +
                   "' cannot be the name of an operator; use only letters (a to z, A to Z), digits "
                   "and underscores");
}

}  // namespace

struct OperatorRegistry::Names {
  std::shared_mutex mutex;
  std::map<std::string, OperatorPtr, std::less<>> operators;
  std::map<std::string, OperatorSchema, std::less<>> functions;
  std::map<std::string, const SlotType*, std::less<>> types;
};

OperatorRegistry::OperatorRegistry() : names_(std::make_unique<Names>()) {
  for_each_built_in_type(
      [&]<class T>(std::type_identity<T>, const char* name) { add_value_type<T>(name); });
}

OperatorRegistry::~OperatorRegistry() = default;

std::string_view short_name(std::string_view spelled) {
  std::string_view found = spelled;
  for_each_built_in_type([&]<class T>(std::type_identity<T>, const char* name) {
    if (slot_type<T>()->name == spelled) found = name;
  });
  return found;
}

void OperatorRegistry::add(OperatorPtr op) {
  if (op == nullptr) throw BuildError("register_operator: there is no operator");
  require_good_name(op->name());
  const std::lock_guard lock(names_->mutex);
  if (names_->functions.contains(op->name()) || !names_->operators.emplace(op->name(), op).second) {
    throw BuildError("register_operator: there is an operator '" + op->name() +
                     "' already; give this one another name");
  }
}

void OperatorRegistry::add_function(OperatorSchema schema) {
  const std::lock_guard lock(names_->mutex);
  for (const std::string& name : schema.made_of) {
    const auto at = names_->operators.find(name);
    if (at == names_->operators.end())
      throw BuildError(schema.name + " is made of '" + name + "', which is not an operator");
    schema.draws = schema.draws || at->second->schema().draws;
    schema.effect = schema.effect || at->second->schema().effect;
  }
  const std::string name = schema.name;
  if (names_->operators.contains(name) ||
      !names_->functions.emplace(name, std::move(schema)).second)
    throw BuildError("there is an operator '" + name + "' already");
}

void OperatorRegistry::add_type(std::string name, const SlotType* type,
                                const std::vector<const SlotType*>& lists) {
  const std::lock_guard lock(names_->mutex);
  for (const auto& [taken, by] : names_->types) {
    if (taken != name && by != type) continue;
    throw BuildError("register_value_type: '" + std::string(type->name) + "' cannot be '" + name +
                     "': '" + taken + "' is the name of '" + std::string(by->name) + "' already");
  }
  names_->types.emplace(name, type);
  for (const SlotType* list : lists) {
    name = "list of " + name;
    const auto has_name = [&](const auto& one) { return one.second == list; };
    if (std::none_of(names_->types.begin(), names_->types.end(), has_name))
      names_->types.emplace(name, list);
  }
}

OperatorPtr OperatorRegistry::find(std::string_view name) const {
  const std::shared_lock lock(names_->mutex);
  const auto at = names_->operators.find(name);
  return at == names_->operators.end() ? nullptr : at->second;
}

const SlotType* OperatorRegistry::find_type(std::string_view name) const {
  const std::shared_lock lock(names_->mutex);
  const auto at = names_->types.find(name);
  return at == names_->types.end() ? nullptr : at->second;
}

std::string_view OperatorRegistry::name_of_type(const SlotType* type) const {
  const std::shared_lock lock(names_->mutex);
  for (const auto& [name, registered] : names_->types) {
    if (registered == type) return name;
  }
  return {};
}

std::vector<OperatorPtr> OperatorRegistry::all() const {
  const std::shared_lock lock(names_->mutex);
  std::vector<OperatorPtr> all;
  for (const auto& [name, op] : names_->operators) all.push_back(op);
  return all;
}

std::vector<OperatorSchema> OperatorRegistry::functions() const {
  const std::shared_lock lock(names_->mutex);
  std::vector<OperatorSchema> all;
  for (const auto& [name, schema] : names_->functions) all.push_back(schema);
  return all;
}

bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op) {
  return op != nullptr && registry.find(op->name()) == op;
}

}  // namespace sluice::detail
