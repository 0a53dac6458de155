#include <sluice/graph/plan/composing.h>
#include <sluice/runtime/error.h>

#include <map>
#include <mutex>
#include <utility>

namespace sluice::detail {
namespace {

struct Kept {
  OperatorPtr op;
  Composing composing;
};
struct All {
  std::mutex mutex;
  std::map<const Operator*, Kept> by_operator;  // pointers to its elements stay valid
};
All& all() {
  static All kept;
  return kept;
}

}  // namespace

void keep_composing(OperatorPtr op, Composing composing) {
  const std::lock_guard lock(all().mutex);
  const Operator* const key = op.get();
  if (!all().by_operator.emplace(key, Kept{std::move(op), std::move(composing)}).second)
    throw BuildError("the operator '" + key->name() + "' says already how it is composed");
}

const Composing* composing_of(const Operator& op) {
  const std::lock_guard lock(all().mutex);
  const auto found = all().by_operator.find(&op);
  return found == all().by_operator.end() ? nullptr : &found->second.composing;
}

}  // namespace sluice::detail
