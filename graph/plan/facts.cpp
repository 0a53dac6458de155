#include <sluice/graph/plan/facts.h>
#include <sluice/runtime/error.h>

namespace sluice {

std::string to_string(const Facts& facts) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (facts.dtype) add(name_of(*facts.dtype));
  if (facts.layout) add(*facts.layout == Layout::none ? "no layout" : name_of(*facts.layout));
  if (facts.rank)
    add(std::to_string(*facts.rank) + (*facts.rank == 1 ? " dimension" : " dimensions"));
  return text;
}

namespace detail {
namespace {

template <class T>
bool agree(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}
template <class T>
std::optional<T> common(const std::optional<T>& a, const std::optional<T>& b) {
  return a == b ? a : std::nullopt;
}

}  // namespace

Facts facts_of(const ValueSpec& spec) { return {spec.dtype, spec.layout, spec.shape.rank}; }

bool agree(const Facts& a, const Facts& b) {
  return agree(a.dtype, b.dtype) && agree(a.layout, b.layout) && agree(a.rank, b.rank);
}

Facts common(const Facts& a, const Facts& b) {
  return {common(a.dtype, b.dtype), common(a.layout, b.layout), common(a.rank, b.rank)};
}

Side in_arm(const Facts& facts, const std::string& arm) {
  return {facts, "in the arm '" + arm + "'"};
}
Side as_it_begins(const Facts& facts) { return {facts, "as it begins"}; }
Side as_the_body_gives_it(const Facts& facts) { return {facts, "as the body gives it"}; }

void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs) {
  if (agree(ours.facts, theirs.facts)) return;
  throw BuildError("'" + node + "': " + what + " is a tensor (" + to_string(ours.facts) + ") " +
                   ours.where + ", but (" + to_string(theirs.facts) + ") " + theirs.where +
                   "; make both agree in type, layout and number of dimensions");
}

void require_declared(const Tensor& tensor, const Facts& facts) {
  if (!tensor.empty() && agree(facts_of(tensor.spec()), facts)) return;
  throw Error("gave a tensor (" + (tensor.empty() ? "empty" : to_string(facts_of(tensor.spec()))) +
              "), but it is declared as (" + to_string(facts) +
              "); mend the step or the declaration");
}

}  // namespace detail
}  // namespace sluice
