#include <sluice/graph/plan/digest.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/runtime/printable.h>

#include <variant>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice::detail {
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
    lines_.push_back(fmt::format("{} {:08x}", printable(name),
                                 static_cast<std::uint32_t>(XXH3_64bits(all.data(), all.size()))));
  }

  void add(const Block& block, const std::string& place) {
    for (const Node& node : block.nodes) {
      visit(
          node,
          [&](const Stage& stage) {
            for (const Step& step : stage.steps) add(step.name, place + text(step));
          },
          [&](const Branch& branch) { add(branch, place); },
          [&](const Loop& loop) { add(loop, place); });
    }
    if (!block.results.empty() && !place.empty()) add("gives", place + text(block.results));
  }

  void add(const Branch& branch, const std::string& place) {
    const std::string on = branch.choosing ? text({branch.choosing->argument}) : text(branch.reads);
    add(branch.name, place + on + text(branch.results));
    for (std::size_t a = 0; a < branch.arms.size(); ++a)
      add(branch.arms[a], place + branch.name + ":" + std::to_string(a) + "/");
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
    lines.push_back(printable(print.empty() ? line : line + ", " + print));
  }
  return lines;
}

}  // namespace sluice::detail
