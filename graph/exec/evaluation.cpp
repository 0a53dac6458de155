#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/evaluation.h>
#include <sluice/graph/exec/work_scope.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {
namespace {

Plan prepared(Plan recorded) {
  const bool on_device = std::any_of(recorded.slots.begin(), recorded.slots.end(),
                                     [](const auto& slot) { return slot.on_device; });
  if (on_device) throw BuildError("a single call runs on the CPU: leave out .gpu()");
  return prepare_to_evaluate(std::move(recorded));
}

}  // namespace

void Walk::run(const Block& block) {
  for (const Node& node : block.nodes) {
    if (sample_.ended()) return;
    visit(node, [this](const auto& part) { run_node(part); });
  }
}

void Walk::run_node(const Stage& stage) {
  runner_.run(sample_, stage);
  if (sample_.ended()) return;
  for (const Step& step : stage.steps) made(step.writes);
}

void Walk::run_node(const Choice& choice) {
  const std::size_t branch = runner_.choose(sample_, choice);
  if (sample_.ended()) return;
  run(choice.branches[branch]);
  if (sample_.ended()) return;  // the branch made no results
  Runner::give_results(sample_, choice, branch);
  made(choice.results);
}

void Walk::run_node(const Loop& loop) {
  Runner::begin(sample_, loop);
  while (true) {
    run(loop.condition);
    if (!runner_.wants_another(sample_, loop)) break;
    run(loop.body);
    if (sample_.ended()) continue;  // wants_another() ends the loop
    Runner::carry(sample_, loop);
    carried(loop);
  }
  if (!sample_.ended()) made(loop.results);
}

Evaluation::Evaluation(Plan recorded)
    : plan_(prepared(std::move(recorded))), runner_(BufferPool::current()) {}

Evaluation::Result Evaluation::run(std::uint64_t seed) {
  std::unique_ptr<Sample> sample;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      sample = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (sample == nullptr) {
    sample = std::make_unique<Sample>(plan_);
    sample->set_alone();
  }
  Result result(*this, std::move(sample));
  const WorkScope scope(plan_);
  result.sample().begin({}, 0, seed, 1);
  Walk(runner_, result.sample()).run(plan_.top);
  return result;
}

Evaluation::Result::~Result() {
  if (sample_ == nullptr) return;
  sample_->release_all();
  try {
    const std::lock_guard lock(of_->mutex_);
    of_->idle_.push_back(std::move(sample_));
  } catch (...) {  // too little memory to keep it
  }
}

}  // namespace sluice::detail
