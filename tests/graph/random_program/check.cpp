#include "tests/graph/random_program/check.h"

#include <cstdlib>
#include <random>

namespace sluice::random_program {
namespace {

// Returns for each node number whether the graph counts the runs of the node.
std::vector<bool> counted_nodes(const Program& program, Form form) {
  std::vector<bool> counted(static_cast<std::size_t>(program.numbers));
  const auto visit = [&](const auto& self, const Block& block) -> void {
    for (const Node& node : block.nodes) {
      const bool steps =
          node.kind == Kind::work || node.kind == Kind::draw || node.kind == Kind::tap ||
          (form != Form::number && (node.kind == Kind::arithmetic || node.kind == Kind::constant));
      counted[static_cast<std::size_t>(node.number)] = steps;
      for (const Block& inner : node.blocks) self(self, inner);
    }
  };
  visit(visit, program.top);
  return counted;
}

bool same(const Ending& seen, const Ending& expected) {
  if (seen.how != expected.how) return false;
  if (seen.how == Ending::How::failed)
    return seen.step == expected.step && seen.path == expected.path;
  return seen.outputs == expected.outputs;
}

// A run by the rule must produce the program's results, and may only run more than needed.
std::string rule_against_meaning(const Program& program, const Ending& ruled,
                                 const Sample& sample) {
  if (ruled.how == Ending::How::failed) return {};
  const Ending meant = demand(program, sample);
  if (meant.how != ruled.how || meant.outputs != ruled.outputs)
    return "by the rule it is " + to_string(ruled) + ", by demand " + to_string(meant);
  for (std::size_t i = 0; i < meant.runs.size(); ++i) {
    if (meant.runs[i] > ruled.runs[i])
      return "node " + std::to_string(i) + " runs " + std::to_string(ruled.runs[i]) +
             " times by the rule, " + std::to_string(meant.runs[i]) + " by demand";
  }
  return {};
}

// An exception of the pipeline is a complaint.
Observed observe(const Program& program, const Setting& setting) {
  try {
    return run_graph(program, setting);
  } catch (const std::exception& error) {
    Observed seen;
    seen.complaint = std::string("the pipeline throws: ") + error.what();
    return seen;
  }
}

}  // namespace

std::string difference(const Program& program, const Setting& setting) {
  const Schedule schedule = follow_rule(program);
  const Observed seen = observe(program, setting);
  if (!seen.complaint.empty()) return seen.complaint;

  std::vector<int> runs(static_cast<std::size_t>(program.numbers));
  std::size_t at = 0;
  for (int epoch = 0; epoch < setting.epochs; ++epoch) {
    for (std::int64_t i = 0; i < setting.samples; ++i, ++at) {
      const Sample sample{setting.seed, epoch, i};
      const std::string where = "sample " + std::to_string(i) + ": ";
      const Ending expected = interpret(program, schedule, sample);
      if (const std::string wrong = rule_against_meaning(program, expected, sample); !wrong.empty())
        return where + wrong;
      if (!same(seen.samples[at], expected))
        return where + "the graph says " + to_string(seen.samples[at]) + ", the plain program " +
               to_string(expected);
      for (std::size_t n = 0; n < runs.size(); ++n) runs[n] += expected.runs[n];
    }
  }
  const std::vector<bool> counted = counted_nodes(program, setting.form);
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (counted[n] && runs[n] != seen.runs[n])
      return "node " + std::to_string(n) + " runs " + std::to_string(seen.runs[n]) +
             " times in the graph, " + std::to_string(runs[n]) + " in the plain program";
  }
  return {};
}

std::string fault_difference(const Program& program, const Setting& setting, std::uint64_t& met) {
  const Schedule schedule = follow_rule(program);
  const Observed seen = observe(program, setting);
  if (!seen.complaint.empty()) return seen.complaint;
  met += seen.faults;

  std::uint64_t injected = 0;
  bool all_delivered = true, ended = false;
  std::size_t at = 0;
  for (int epoch = 0; epoch < setting.epochs; ++epoch) {
    for (std::int64_t i = 0; i < setting.samples; ++i, ++at) {
      const Ending& ending = seen.samples[at];
      const Ending expected = interpret(program, schedule, {setting.seed, epoch, i});
      const std::string where = "epoch " + std::to_string(epoch) + ", sample " + std::to_string(i) +
                                ": " + to_string(ending);
      if (epoch == 0) {
        all_delivered = all_delivered && expected.how == Ending::How::delivered;
        if (ending.how == Ending::How::injected) ++injected;
        const bool absent = ending.how == Ending::How::absent;
        if (ended && !absent && may_end_early(setting.fault))
          return where + " after the end of the run";
        ended = ended || absent;
        if (absent || ending.how == Ending::How::injected) continue;
      }
      // Without memory, an error may lack the name of its step and its path.
      if (epoch == 0 && is_of_memory(setting.fault) && ending.how == Ending::How::failed &&
          expected.how == Ending::How::failed)
        continue;
      if (!same(ending, expected)) return where + ", expected " + to_string(expected);
    }
  }
  const FaultPlan& plan = setting.fault;
  const bool thrown = plan.kind == FaultPlan::Kind::thrown;
  if (injected > (thrown ? seen.faults : seen.faults * plan.count))
    return std::to_string(injected) + " samples failed by " + std::to_string(seen.faults) +
           " faults";
  if (thrown && all_delivered && seen.faults > 0 && injected == 0)
    return "a step threw, but no sample failed";
  return {};
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Setting setting_for(std::uint64_t seed) {
  static constexpr int kThreads[] = {1, 2, 8};
  static constexpr Form kForms[] = {Form::number, Form::number, Form::image, Form::text};
  std::mt19937_64 random(~seed);
  Setting setting;
  setting.samples = 20 + static_cast<std::int64_t>(random() % 15);
  setting.threads = kThreads[random() % 3];
  setting.batch_size = 1 + static_cast<int>(random() % 9);
  setting.window = random() % 2 == 0 ? setting.batch_size : 0;
  setting.seed = random();
  setting.epochs = random() % 8 == 0 ? 2 : 1;
  setting.compact = random() % 8 == 0;
  setting.form = kForms[random() % 4];
  return setting;
}

}  // namespace sluice::random_program
