#include <sluice/graph/plan/tensor_spec.h>
#include <sluice/runtime/error.h>

namespace sluice {

std::string to_string(const TensorSpec& spec) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (spec.dtype) add(name_of(*spec.dtype));
  if (spec.layout) add(*spec.layout == Layout::none ? "no layout" : name_of(*spec.layout));
  if (spec.rank) add(std::to_string(*spec.rank) + (*spec.rank == 1 ? " dimension" : " dimensions"));
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

TensorSpec spec_of(const ValueSpec& spec) { return {spec.dtype, spec.layout, spec.shape.rank}; }

bool agree(const TensorSpec& a, const TensorSpec& b) {
  return agree(a.dtype, b.dtype) && agree(a.layout, b.layout) && agree(a.rank, b.rank);
}

TensorSpec common(const TensorSpec& a, const TensorSpec& b) {
  return {common(a.dtype, b.dtype), common(a.layout, b.layout), common(a.rank, b.rank)};
}

Side in_arm(const TensorSpec& spec, const std::string& arm) {
  return {spec, "in the arm '" + arm + "'"};
}
Side as_it_begins(const TensorSpec& spec) { return {spec, "as it begins"}; }
Side as_the_body_gives_it(const TensorSpec& spec) { return {spec, "as the body gives it"}; }

void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs) {
  if (agree(ours.spec, theirs.spec)) return;
  throw BuildError("'" + node + "': " + what + " is a tensor (" + to_string(ours.spec) + ") " +
                   ours.where + ", but (" + to_string(theirs.spec) + ") " + theirs.where +
                   "; make both agree in type, layout and number of dimensions");
}

void require_declared(const Tensor& tensor, const TensorSpec& spec) {
  if (!tensor.empty() && agree(spec_of(tensor.spec()), spec)) return;
  throw Error("gave a tensor (" + (tensor.empty() ? "empty" : to_string(spec_of(tensor.spec()))) +
              "), but it is declared as (" + to_string(spec) +
              "); mend the step or the declaration");
}

}  // namespace detail
}  // namespace sluice
