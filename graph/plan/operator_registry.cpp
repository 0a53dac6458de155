#include <sluice/graph/plan/operator_registry.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <mutex>
#include <span>

namespace sluice::detail {

namespace {

using Types = std::map<std::string, const SlotType*, std::less<>>;
const Types& built_in_types() {
  static const Types types = {{"bool", slot_type<bool>()},
                              {"i8", slot_type<std::int8_t>()},
                              {"u8", slot_type<std::uint8_t>()},
                              {"i16", slot_type<std::int16_t>()},
                              {"u16", slot_type<std::uint16_t>()},
                              {"i32", slot_type<std::int32_t>()},
                              {"u32", slot_type<std::uint32_t>()},
                              {"i64", slot_type<std::int64_t>()},
                              {"u64", slot_type<std::uint64_t>()},
                              {"f16", slot_type<Half>()},
                              {"f32", slot_type<float>()},
                              {"f64", slot_type<double>()},
                              {"text", slot_type<std::string>()},
                              {"rectangle", slot_type<Rectangle>()},
                              {"image", slot_type<Image>()},
                              {"tensor", slot_type<Tensor>()},
                              {"bytes", slot_type<Bytes>()},
                              {"byte_span", slot_type<std::span<const std::uint8_t>>()}};
  return types;
}

}  // namespace

std::string_view short_name(std::string_view spelled) {
  for (const auto& [name, type] : built_in_types()) {
    if (type->name == spelled) return name;
  }
  return spelled;
}

OperatorRegistry::OperatorRegistry() : types_(built_in_types()) {}

void OperatorRegistry::add(OperatorPtr op) {
  if (op == nullptr) throw BuildError("register_operator: there is no operator");
  const std::lock_guard lock(mutex_);
  if (!operators_.emplace(op->name(), op).second) {
    throw BuildError("register_operator: there is an operator '" + op->name() +
                     "' already; give this one another name");
  }
}

void OperatorRegistry::add_type(std::string name, const SlotType* type) {
  const std::lock_guard lock(mutex_);
  for (const auto& [taken, by] : types_) {
    if (taken != name && by != type) continue;
    throw BuildError("register_value_type: '" + std::string(type->name) + "' cannot be '" + name +
                     "': '" + taken + "' is the name of '" + std::string(by->name) + "' already");
  }
  types_.emplace(std::move(name), type);
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

bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op) {
  return op != nullptr && registry.find(op->name()) == op;
}

}  // namespace sluice::detail
