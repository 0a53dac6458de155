#include <sluice/graph/plan/device_versions.h>
#include <sluice/runtime/error.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace sluice::detail {
namespace {

struct Versions {
  std::mutex mutex;
  std::map<std::string, OperatorPtr, std::less<>> by_name;
};
Versions& versions() {
  static Versions all;
  return all;
}

}  // namespace

void keep_device_version(OperatorPtr version) {
  Versions& all = versions();
  const std::lock_guard lock(all.mutex);
  const std::string name = version->name();
  if (!all.by_name.emplace(name, std::move(version)).second)
    throw BuildError("the operator '" + name + "' has a version for devices already");
}

OperatorPtr device_version_of(const Operator& op) {
  Versions& all = versions();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(op.name());
  return found == all.by_name.end() ? nullptr : found->second;
}

}  // namespace sluice::detail
