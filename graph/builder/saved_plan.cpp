#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice {

struct SavedPlan::Impl {
  std::string file;
  std::shared_ptr<const nlohmann::json> json;
  const detail::OperatorRegistry* registry = nullptr;
  std::vector<const detail::SlotType*> types;  // of slots
  std::vector<const detail::SlotType*> source;
  std::vector<const detail::SlotType*> outputs;
};

namespace detail {
namespace {

constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();

// Reads the number of a slot of the file.
std::size_t slot_number(const JsonPlace& place, std::size_t slots) {
  const auto number = static_cast<std::size_t>(place.integer(0, kMostNumber));
  if (number >= slots) place.fail(fmt::format("there is no slot {}: /slots has {}", number, slots));
  return number;
}

// The enumerator that has this name.
template <class E>
E enumerator_of(const JsonPlace& place) {
  constexpr int kMost = 32;
  std::string names;
  for (int i = 0; i < kMost; ++i) {
    const char* name = name_of(static_cast<E>(i));
    if (name == nullptr || *name == '\0' || *name == '?') break;
    if (place.text() == name) return static_cast<E>(i);
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  place.fail("must be one of " + names);
}

// Reports the builder's errors at this place.
template <class F>
auto recorded(const JsonPlace& place, const F& record) {
  try {
    return record();
  } catch (const BuildError& error) {
    place.fail(error.what());
  }
}

const SlotType* type_of_name(const JsonPlace& place, const OperatorRegistry& registry) {
  const SlotType* type = registry.find_type(place.text());
  if (type == nullptr) {
    place.fail("there is no type of values '" + place.text() +
               "' in this program: register it before the plan is loaded");
  }
  return type;
}

class Loader {
 public:
  Loader(PlanBuilder& builder, const OperatorRegistry& registry,
         const std::vector<const SlotType*>& types)
      : builder_(builder), registry_(registry), types_(types), slots_(types.size()) {}

  std::vector<SlotId> load(const JsonPlace& all, const std::vector<SlotId>& source) {
    define(all.field("source").field("outputs"), source);
    steps(all.field("steps"));
    std::vector<SlotId> outputs = uses(all.field("outputs"));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      recorded(all.field("outputs").at(i),
               [&] { builder_.use(outputs[i], "the pipeline's result"); });
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i]) all.field("slots").at(i).fail("no step makes this slot; take it out");
    }
    return outputs;
  }

 private:
  void steps(const JsonPlace& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonPlace one = list.at(i);
      if (one.has("operator")) {
        step(one);
      } else if (one.has("choice") || one.has("branch")) {
        choice(one);
      } else if (one.has("loop")) {
        loop(one);
      } else if (one.has("alias")) {
        alias(one);
      } else {
        one.fail("this is not a step: it has none of the fields operator, choice, loop and alias");
      }
    }
  }

  void step(const JsonPlace& place) {
    place.only({"operator", "version", "name", "arguments", "generator", "outputs", "declared"});
    const OperatorPtr op = registry_.find(place.field("operator").text());
    if (op == nullptr) {
      place.field("operator")
          .fail("there is no operator '" + place.field("operator").text() +
                "' in this program: load the plan in a program that registers it, or choose one "
                "that `sluice operators` lists");
    }
    const OperatorSchema& schema = op->schema();
    const JsonPlace version = place.field("version");
    if (const std::int64_t saved = version.integer(0, kMostNumber); saved != schema.version) {
      version.fail(
          fmt::format("the plan was saved with version {} of '{}', but this program has version "
                      "{}; check what has changed, and save it again",
                      saved, schema.name, schema.version));
    }
    Arguments all = arguments(place.field("arguments"), *op);
    std::optional<std::uint32_t> generator;
    if (schema.draws) {
      generator = static_cast<std::uint32_t>(place.field("generator").integer(0, kMostNumber));
    } else if (place.has("generator")) {
      place.field("generator").fail("'" + schema.name + "' draws no random numbers");
    }
    const std::string name = place.has("name") ? place.field("name").printable_text() : schema.name;
    if (name.empty()) place.field("name").fail("a step must have a name");
    const auto made =
        recorded(place, [&] { return builder_.add(op, std::move(all), name, generator); });
    define(place.field("outputs"), made);
    if (place.has("declared")) declare(place.field("declared"));
  }

  Arguments arguments(const JsonPlace& place, const Operator& op) {
    const OperatorSchema& schema = op.schema();
    std::vector<std::pair<std::string, Argument>> named;
    for (const std::string& name : place.names()) {
      const JsonPlace value = place.field(name);
      const auto is_it = [&](const auto& one) { return one.name == name; };
      const auto parameter =
          std::find_if(schema.parameters.begin(), schema.parameters.end(), is_it);
      const bool is_input = std::any_of(schema.inputs.begin(), schema.inputs.end(), is_it);
      if (parameter == schema.parameters.end() && !is_input) {
        std::string known;
        for (const Input& one : schema.inputs) known += " " + one.name;
        for (const Parameter& one : schema.parameters) known += " " + one.name;
        value.fail("'" + schema.name + "' has no such argument; it has" +
                   (known.empty() ? " none" : ":" + known));
      }
      named.emplace_back(name, is_input ? argument(value, nullptr) : argument(value, &*parameter));
    }
    return recorded(place, [&] { return op.arrange(std::move(named)); });
  }

  Argument argument(const JsonPlace& place, const Parameter* parameter) {
    if (place.has("slot")) return slot_argument(place);
    if (parameter == nullptr) place.fail(R"(must be a slot, as {"slot": 3})");
    if (parameter->type == ParameterType::value_type)
      return Constant(ValueType{type_of_name(place, registry_)});
    return constant_of(place, *parameter);
  }
  SlotArgument slot_argument(const JsonPlace& place) {
    place.only({"slot"});
    return {use(place.field("slot")), nullptr};
  }

  void declare(const JsonPlace& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonPlace one = list.at(i);
      one.only({"slot", "dtype", "layout", "rank"});
      const SlotId slot = use(one.field("slot"));
      if (builder_.plan().slots[slot].type != slot_type<Tensor>())
        one.field("slot").fail("only tensors are declared");
      TensorSpec spec;
      if (one.has("dtype")) spec.dtype = enumerator_of<DType>(one.field("dtype"));
      if (one.has("layout")) spec.layout = enumerator_of<Layout>(one.field("layout"));
      if (one.has("rank"))
        spec.rank = static_cast<int>(one.field("rank").integer(0, Shape::kMaxRank));
      recorded(one, [&] { builder_.declare(slot, spec); });
    }
  }

  void alias(const JsonPlace& place) {
    place.only({"alias", "of", "outputs"});
    const SlotId of = use(place.field("of"));
    const std::string name = place.field("alias").printable_text();
    const SlotId made =
        recorded(place, [&] { return builder_.add_alias(of, builder_.unique_name(name)); });
    define(place.field("outputs"), {made});
  }

  void choice(const JsonPlace& place) {
    // Files of before say "branch" and "arms".
    const char* const name = place.has("choice") ? "choice" : "branch";
    const char* const all = place.has("arms") && !place.has("branches") ? "arms" : "branches";
    place.only({name, "by", "on", "eager", all, "outputs"});
    const JsonPlace by = place.field("by");
    Choosing choosing;
    if (by.text() == "number") {
      choosing.by = Choosing::By::number;
    } else if (by.text() != "truth") {
      by.fail("must be 'truth' or 'number'");
    }
    const JsonPlace on = place.field("on");
    choosing.argument = on.has("slot") ? Argument(slot_argument(on)) : typed_constant(on);
    const JsonPlace branches = place.field(all);
    const std::size_t count = branches.size();
    if (count == 0 || (choosing.by == Choosing::By::truth && count != 2))
      branches.fail(fmt::format(
          "the number of branches is wrong (got {}, expected 2 by truth, at least 1 by number)",
          count));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      branches.at(i).only({"name", "steps", "results"});
      names.push_back(branches.at(i).field("name").printable_text());
    }
    const std::string chosen = place.field(name).printable_text();
    const PlanBuilder::Attempt attempt(builder_);
    recorded(place, [&] { builder_.open_choice(builder_.unique_name(chosen), names, choosing); });
    if (place.has("eager") && place.field("eager").boolean()) builder_.make_eager();
    std::vector<SlotId> wanted;
    for (std::size_t i = 0; i < count; ++i) {
      builder_.begin_branch();
      const JsonPlace branch = branches.at(i);
      steps(branch.field("steps"));
      std::vector<SlotId> results = uses(branch.field("results"));
      if (i == 0) wanted = results;
      require_same_types(branch.field("results"), results, wanted, "the first branch gives");
      recorded(branch.field("results"),
               [&] { builder_.end_branch(std::move(results), place_in_); });
    }
    define(place.field("outputs"), builder_.close_choice());
  }

  void loop(const JsonPlace& place) {
    place.only(
        {"loop", "max_iterations", "init", "state", "iteration", "condition", "body", "outputs"});
    const std::int64_t most = place.field("max_iterations").integer(0, INT64_MAX);
    const std::vector<SlotId> init = uses(place.field("init"));
    const std::string name = place.field("loop").printable_text();
    const PlanBuilder::Attempt attempt(builder_);
    const PlanBuilder::LoopView view =
        recorded(place, [&] { return builder_.open_loop(builder_.unique_name(name), most, init); });
    define(place.field("state"), view.state);
    define_one(place.field("iteration"), view.iteration);

    const JsonPlace condition = place.field("condition");
    condition.only({"steps", "results", "shared"});
    builder_.begin_condition();
    steps(condition.field("steps"));
    const std::vector<SlotId> holds = uses(condition.field("results"));
    if (holds.size() != 1 || builder_.plan().slots[holds[0]].type != slot_type<bool>())
      condition.field("results").fail("a condition gives one value, a bool");
    recorded(condition.field("results"), [&] { builder_.end_condition(holds[0]); });
    if (condition.has("shared") && condition.field("shared").boolean()) builder_.share_condition();

    const JsonPlace body = place.field("body");
    body.only({"steps", "results"});
    builder_.begin_body();
    steps(body.field("steps"));
    std::vector<SlotId> next = uses(body.field("results"));
    require_same_types(body.field("results"), next, init, "the loop begins with");
    recorded(body.field("results"), [&] { builder_.end_body(std::move(next), place_in_); });
    define(place.field("outputs"), builder_.close_loop());
  }

  void require_same_types(const JsonPlace& place, const std::vector<SlotId>& given,
                          const std::vector<SlotId>& wanted, const char* who) const {
    if (given.size() != wanted.size()) {
      place.fail(fmt::format("{} here, but {} {}", counted(given.size(), "value"), who,
                             counted(wanted.size(), "value")));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (type(given[i]) == type(wanted[i])) continue;
      place.at(i).fail(fmt::format("this is a value of '{}', but {} one of '{}'", name(given[i]),
                                   who, name(wanted[i])));
    }
  }
  const SlotType* type(SlotId slot) const { return builder_.plan().slots[slot].type; }
  std::string name(SlotId slot) const {
    const std::string_view known = registry_.name_of_type(type(slot));
    return std::string(known.empty() ? type(slot)->name : known);
  }

  // Maps these slots of the file to the slots that a step has made.
  void define(const JsonPlace& list, const std::vector<SlotId>& made) {
    if (list.size() != made.size()) {
      list.fail(counted(list.size(), "slot") + " here for " + counted(made.size(), "value"));
    }
    for (std::size_t i = 0; i < made.size(); ++i) define_one(list.at(i), made[i]);
  }
  void define_one(const JsonPlace& place, SlotId made) {
    const std::size_t number = slot_number(place, slots_.size());
    if (slots_[number]) place.fail(fmt::format("slot {} is made by another step already", number));
    if (type(made) != types_[number]) {
      place.fail(fmt::format("slot {} becomes a value of '{}', but /slots/{} says '{}'", number,
                             name(made), number, registry_.name_of_type(types_[number])));
    }
    slots_[number] = made;
  }
  SlotId use(const JsonPlace& place) const {
    const std::size_t number = slot_number(place, slots_.size());
    if (!slots_[number])
      place.fail(fmt::format("slot {} is used before a step has made it", number));
    return *slots_[number];
  }
  std::vector<SlotId> uses(const JsonPlace& list) const {
    std::vector<SlotId> all;
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(use(list.at(i)));
    return all;
  }

  PlanBuilder& builder_;
  const OperatorRegistry& registry_;
  const std::vector<const SlotType*>& types_;
  std::vector<std::optional<SlotId>> slots_;
  const PlanBuilder::Place place_in_ = [](std::size_t i) { return "element " + std::to_string(i); };
};

}  // namespace
}  // namespace detail

SavedPlan SavedPlan::parse(const std::string& text, std::string file,
                           const detail::OperatorRegistry& registry) {
  using detail::JsonPlace;
  auto impl = std::make_shared<Impl>();
  impl->file = std::move(file);
  impl->registry = &registry;
  impl->json = detail::parse_json(text, impl->file, detail::kPlanDepth);
  const JsonPlace all(*impl->json, impl->file);
  if (!all.has("format") || !all.field("format").is_text() ||
      all.field("format").text() != detail::kPlanFormat)
    all.fail(R"(this is no saved plan: it has no field "format": "sluice plan")");
  if (const auto version = all.field("version").integer(0, detail::kMostNumber);
      version != detail::kPlanVersion) {
    all.field("version").fail(
        fmt::format("the format of this plan has version {}, but this program reads version {}; "
                    "save it again with this program",
                    version, detail::kPlanVersion));
  }
  all.only({"format", "version", "source", "slots", "steps", "outputs"});
  const JsonPlace slots = all.field("slots");
  for (std::size_t i = 0; i < slots.size(); ++i)
    impl->types.push_back(detail::type_of_name(slots.at(i), registry));
  const auto types_of = [&](const JsonPlace& list) {
    std::vector<const detail::SlotType*> types;
    for (std::size_t i = 0; i < list.size(); ++i)
      types.push_back(impl->types[detail::slot_number(list.at(i), impl->types.size())]);
    return types;
  };
  all.field("source").only({"name", "outputs"});
  (void)all.field("source").field("name").printable_text();
  impl->source = types_of(all.field("source").field("outputs"));
  if (impl->source.empty())
    all.field("source").field("outputs").fail("the source gives at least one value");
  impl->outputs = types_of(all.field("outputs"));
  if (impl->outputs.empty()) all.field("outputs").fail("a plan gives at least one value");
  return SavedPlan(std::move(impl));
}

const std::string& SavedPlan::file() const { return impl_->file; }
std::string SavedPlan::text() const {
  return detail::JsonPlace(*impl_->json, impl_->file).compact();
}
const std::vector<const detail::SlotType*>& SavedPlan::source_types() const {
  return impl_->source;
}
const std::vector<const detail::SlotType*>& SavedPlan::output_types() const {
  return impl_->outputs;
}

std::vector<detail::SlotId> SavedPlan::add_to(detail::PlanBuilder& builder,
                                              const std::vector<detail::SlotId>& source) const {
  const detail::JsonPlace all(*impl_->json, impl_->file);
  return detail::Loader(builder, *impl_->registry, impl_->types).load(all, source);
}

void SavedPlan::throw_other_pipeline() const {
  throw BuildError(impl_->file +
                   ": the plan is given values of several pipelines; give those of one");
}

void SavedPlan::require_outputs(const std::vector<const detail::SlotType*>& types) const {
  const detail::JsonPlace outputs = detail::JsonPlace(*impl_->json, impl_->file).field("outputs");
  if (types.size() != impl_->outputs.size()) {
    outputs.fail(fmt::format("the plan gives {}, but the program asks for {}",
                             counted(impl_->outputs.size(), "value"), types.size()));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] == impl_->outputs[i]) continue;
    outputs.at(i).fail(fmt::format("this is a value of '{}', but the program asks for one of '{}'",
                                   impl_->outputs[i]->name, types[i]->name));
  }
}

}  // namespace sluice

namespace sluice::detail {
namespace {

// Shows a value in a message: completely if it is short.
std::string shown(const nlohmann::json& json) {
  constexpr std::size_t kMost = 40;
  if (json.is_structured()) return json.is_array() ? "an array" : "an object";
  std::string text = json.dump(-1, ' ', true);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

void JsonPlace::fail(const std::string& what) const {
  throw BuildError(escape_control_chars(
      fmt::format("{} at {}: {}", *file_, pointer_.empty() ? "the top" : pointer_, what)));
}

bool JsonPlace::is_object() const { return json_->is_object(); }
bool JsonPlace::is_text() const { return json_->is_string(); }
bool JsonPlace::has(const char* name) const { return is_object() && json_->contains(name); }
std::string JsonPlace::compact() const { return json_->dump(); }

std::vector<std::string> JsonPlace::names() const {
  if (!is_object()) fail("must be an object, not " + shown(*json_));
  std::vector<std::string> all;
  for (const auto& item : json_->items()) all.push_back(item.key());
  return all;
}

void JsonPlace::only(std::initializer_list<const char*> names) const {
  for (const std::string& given : this->names()) {
    const auto is_it = [&](const char* name) { return given == name; };
    if (std::any_of(names.begin(), names.end(), is_it)) continue;
    std::string known;
    for (const char* name : names) known += (known.empty() ? "" : ", ") + std::string(name);
    fail("there is no field " + shown(given) + " here; possible fields: " + known);
  }
}

JsonPlace JsonPlace::field(const std::string& name) const {
  if (!json_->is_object()) fail("must be an object, not " + shown(*json_));
  const auto found = json_->find(name);
  if (found == json_->end()) fail("the field '" + name + "' is missing");
  std::string escaped;
  for (const char c : name) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return {*found, *file_, pointer_ + "/" + escaped};
}

std::size_t JsonPlace::size() const {
  if (!json_->is_array()) fail("must be an array, not " + shown(*json_));
  return json_->size();
}

JsonPlace JsonPlace::at(std::size_t i) const {
  return {json_->at(i), *file_, pointer_ + "/" + std::to_string(i)};
}

const std::string& JsonPlace::text() const {
  if (!json_->is_string()) fail("must be a text, not " + shown(*json_));
  return json_->get_ref<const std::string&>();
}

const std::string& JsonPlace::printable_text() const {
  const std::string& all = text();
  if (escape_control_chars(all) != all)
    fail("the name '" + all + "' has characters that cannot be printed; choose another name");
  return all;
}

bool JsonPlace::boolean() const {
  if (!json_->is_boolean()) fail("must be true or false, not " + shown(*json_));
  return json_->get<bool>();
}

std::int64_t JsonPlace::integer(std::int64_t low, std::int64_t high) const {
  if (!json_->is_number_integer()) fail("must be a whole number, not " + shown(*json_));
  const bool fits = !json_->is_number_unsigned() || json_->get<std::uint64_t>() <= INT64_MAX;
  const std::int64_t number = fits ? json_->get<std::int64_t>() : 0;
  if (!fits || number < low || number > high)
    fail(fmt::format("must lie between {} and {}, not {}", low, high, shown(*json_)));
  return number;
}

std::uint64_t JsonPlace::unsigned_integer() const {
  if (!json_->is_number_integer()) fail("must be a whole number, not " + shown(*json_));
  if (!json_->is_number_unsigned() && json_->get<std::int64_t>() < 0)
    fail(fmt::format("must lie between 0 and {}, not {}", UINT64_MAX, shown(*json_)));
  return json_->get<std::uint64_t>();
}

double JsonPlace::number() const {
  if (!json_->is_number()) fail("must be a number, not " + shown(*json_));
  return json_->get<double>();
}

float JsonPlace::narrow_number() const {
  const double wide = number();
  if (std::abs(wide) > FLT_MAX) fail("must be a number of 32 bits, not " + shown(*json_));
  return static_cast<float>(wide);
}

std::shared_ptr<const nlohmann::json> parse_json(const std::string& text, const std::string& file,
                                                 int depth) {
  using Parsed = nlohmann::json;
  std::vector<std::set<std::string>> names;  // of the open objects
  const auto look = [&](int at, Parsed::parse_event_t event, Parsed& parsed) {
    if (at >= depth)
      throw BuildError(fmt::format("{}: more than {} arrays and objects are nested", file, depth));
    if (event == Parsed::parse_event_t::object_start) names.emplace_back();
    if (event == Parsed::parse_event_t::object_end) names.pop_back();
    if (event == Parsed::parse_event_t::key &&
        !names.back().insert(parsed.get<std::string>()).second)
      throw BuildError(file + ": the name " + shown(parsed) + " appears twice in one object");
    return true;
  };
  // The parser would treat a zero byte as the end.
  if (text.find('\0') != std::string::npos)
    throw BuildError(file + " is not JSON: it contains a zero byte");
  try {
    return std::make_shared<const Parsed>(Parsed::parse(text, look));
  } catch (const Parsed::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string what = error.what();
    throw BuildError(file + " is not JSON: " + what.substr(what.find("] ") + 2));
  }
}

}  // namespace sluice::detail
