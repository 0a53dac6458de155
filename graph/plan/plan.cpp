// The functions of Plan and Step.
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <variant>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <sluice/graph/plan/plan.h>

#include <array>
#include <utility>

#include <xxhash.h>

namespace sluice::detail {

Step::Step() = default;
Step::Step(const Step&) = default;
Step::Step(Step&&) noexcept = default;
Step& Step::operator=(const Step&) = default;
Step& Step::operator=(Step&&) noexcept = default;
Step::~Step() = default;

bool inside(const Plan& plan, ScopeId scope, ScopeId outer) {
  while (scope != outer && scope != 0) scope = plan.scopes[scope].parent;
  return scope == outer;
}

void require_visible(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user) {
  const ScopeId home = plan.slots[slot].scope;
  if (inside(plan, scope, home)) return;
  const std::string& place = plan.scopes[home].name;
  throw BuildError("'" + user + "' uses the value '" + plan.slots[slot].name +
                   "', which exists only inside " + place +
                   (place.rfind("the branch", 0) == 0
                        ? "; return it from that branch to use it outside"
                        : "; make it part of the loop's state to use it afterwards"));
}

std::string Plan::name_of_sample(const SampleKey& key) const noexcept {
  try {
    return source_name ? source_name(key) : std::string();
  } catch (...) {  // a second error would hide the first
    return {};
  }
}

namespace {

class Lines {
 public:
  explicit Lines(const Plan& plan) : plan_(plan) {}

  std::vector<std::string> take() {
    add(plan_.top, "");
    add("outputs", text(plan_.outputs));
    return std::move(lines_);
  }

 private:
  void add(const std::string& name, const std::string& what) {
    const std::string all = name + " " + what;
    lines_.push_back(fmt::format("{} {:08x}", escape_control_chars(name),
                                 static_cast<std::uint32_t>(XXH3_64bits(all.data(), all.size()))));
  }

  void add(const Block& block, const std::string& place) {
    for (const Node& node : block.nodes) {
      visit(
          node,
          [&](const Stage& stage) {
            for (const Step& step : stage.steps) add(step.name, place + text(step));
          },
          [&](const Choice& choice) { add(choice, place); },
          [&](const Loop& loop) { add(loop, place); });
    }
    if (!block.results.empty() && !place.empty()) add("gives", place + text(block.results));
  }

  void add(const Choice& choice, const std::string& place) {
    const std::string on = choice.choosing ? text({choice.choosing->argument}) : text(choice.reads);
    add(choice.name, place + on + text(choice.results));
    for (std::size_t a = 0; a < choice.branches.size(); ++a)
      add(choice.branches[a], place + choice.name + ":" + std::to_string(a) + "/");
  }

  void add(const Loop& loop, const std::string& place) {
    add(loop.name, place + std::to_string(loop.max_iterations) + text(loop.init) +
                       text(loop.state) + text(loop.results));
    add(loop.condition, place + loop.name + ":condition/");
    add(loop.body, place + loop.name + ":body/");
  }

  static std::string text(const std::vector<SlotId>& slots) {
    std::string all = "(";
    for (const SlotId slot : slots) all += "%" + std::to_string(slot) + " ";
    return all + ")";
  }
  static std::string text(const Arguments& arguments) {
    std::string all = "(";
    for (const Argument& argument : arguments) {
      if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
        all += "%" + std::to_string(slot->slot) + " ";
      } else {
        all += to_string(std::get<Constant>(argument)) + " ";
      }
    }
    return all + ")";
  }
  static std::string text(const Step& step) {
    std::string ends = text(step.reads) + text(step.writes);
    if (step.op == nullptr) return ends;
    return step.op->name() + std::to_string(step.op->schema().version) + text(step.arguments) +
           std::to_string(step.generator) + ends;
  }

  const Plan& plan_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> digest_of(const Plan& plan) { return Lines(plan).take(); }

std::vector<std::string> datasets_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const DatasetRecord& dataset : plan.datasets) {
    std::string line =
        dataset.step + ", " +
        (plan.samples == kUntilEnd ? "until it ends" : std::to_string(plan.samples) + " samples");
    const std::string print = dataset.fingerprint ? dataset.fingerprint() : std::string();
    lines.push_back(escape_control_chars(print.empty() ? line : line + ", " + print));
  }
  return lines;
}

namespace {

std::atomic<const DeviceChooser*> kept_chooser{nullptr};

}  // namespace

std::optional<Comparison> comparison_of(std::string_view op) {
  static constexpr std::array<std::pair<std::string_view, Comparison>, 6> kAll{{
      {"less", Comparison::less},
      {"greater", Comparison::greater},
      {"less_equal", Comparison::less_equal},
      {"greater_equal", Comparison::greater_equal},
      {"equal", Comparison::equal},
      {"not_equal", Comparison::not_equal},
  }};
  for (const auto& [name, comparison] : kAll) {
    if (name == op) return comparison;
  }
  return std::nullopt;
}

void keep_device_chooser(const DeviceChooser& chooser) {
  static const DeviceChooser kept = chooser;
  kept_chooser = &kept;
}

const DeviceChooser* device_chooser() { return kept_chooser; }

}  // namespace sluice::detail
