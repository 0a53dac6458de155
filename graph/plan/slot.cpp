#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/text.h>

namespace sluice {

namespace {

std::string in_words(const TensorSpec& spec, bool with_host = false) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (spec.dtype) add(name_of(*spec.dtype));
  if (spec.layout) add(*spec.layout == Layout::none ? "no layout" : name_of(*spec.layout));
  if (spec.rank) add(counted(*spec.rank, "dimension"));
  if (spec.place && (with_host || spec.place->kind != MemoryKind::host))
    add(to_string(*spec.place));
  return text;
}

}  // namespace

std::string to_string(const TensorSpec& spec) { return in_words(spec); }

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

TensorSpec spec_of(const ValueSpec& spec, MemoryPlace place) {
  return {spec.dtype, spec.layout, spec.shape.rank, place};
}

// A value on a device always has a known place. A value without a known place is on the host.
static bool agree_on_place(const TensorSpec& a, const TensorSpec& b) {
  const auto there = [](const TensorSpec& spec) { return spec.place && !spec.place->on_host(); };
  return agree(a.place, b.place) && there(a) == there(b);
}

bool agree(const TensorSpec& a, const TensorSpec& b) {
  return agree(a.dtype, b.dtype) && agree(a.layout, b.layout) && agree(a.rank, b.rank) &&
         agree_on_place(a, b);
}

TensorSpec common(const TensorSpec& a, const TensorSpec& b) {
  return {common(a.dtype, b.dtype), common(a.layout, b.layout), common(a.rank, b.rank),
          common(a.place, b.place)};
}

Side in_branch(const TensorSpec& spec, const std::string& branch) {
  return {spec, "in the branch '" + branch + "'"};
}
Side as_it_begins(const TensorSpec& spec) { return {spec, "as it begins"}; }
Side as_the_body_gives_it(const TensorSpec& spec) { return {spec, "as the body gives it"}; }

void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs) {
  if (agree(ours.spec, theirs.spec)) return;
  if (!agree_on_place(ours.spec, theirs.spec)) {
    // The device number is known only when the pipeline is made.
    const auto memory = [](const Side& side) {
      const MemoryPlace place = side.spec.place.value_or(MemoryPlace());
      return place.kind == MemoryKind::device ? "on the GPU" : "in " + to_string(place);
    };
    throw BuildError("'" + node + "': " + what + " lies " + memory(ours) + " " + ours.where +
                     ", but " + memory(theirs) + " " + theirs.where +
                     "; make both agree, by .gpu() of one, or .cpu() of an image or tensor");
  }
  throw BuildError("'" + node + "': " + what + " is a tensor (" + in_words(ours.spec) + ") " +
                   ours.where + ", but (" + in_words(theirs.spec) + ") " + theirs.where +
                   "; make both agree in type, layout and number of dimensions");
}

void require_declared(const Tensor& tensor, const TensorSpec& spec) {
  const TensorSpec is = spec_of(tensor.spec(), tensor.place());
  if (!tensor.empty() && agree(is, spec)) return;
  const bool moved = !agree(is.place, spec.place);
  throw Error("returned a tensor (" + (tensor.empty() ? "empty" : in_words(is, moved)) +
              "), but is declared as (" + in_words(spec, moved) +
              "); fix the step or the declaration");
}

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

}  // namespace detail
}  // namespace sluice
