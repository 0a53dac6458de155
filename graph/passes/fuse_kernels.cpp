// fuse_kernels: runs a chain of image operators as one pass over the image.
//
// The problem: a plan resizes an image, flips it and normalizes it. As three separate steps, it
// writes two images to memory that are read once and never used again. A decoder in front of them
// writes a third one, even if a later crop keeps only a small part of it.
//
// The idea: only the last step of a chain computes pixels. The steps before it check their
// arguments and add their work to a description. Operators declare these versions in a LazyForm.
//
//     recorded                        after the pass
//     small  = resize(image)          small  = begins: "image, resized"
//     coin   = coin_flip()            coin   = coin_flip()
//     turned = flip(small, coin)      turned = goes_on: "image, resized, flipped"
//     tensor = normalize(turned)      tensor = ends: computes all of it, row by row, from `image`
//
// Chains finds the chains. A step continues a chain if it is the only reader of the chain's last
// output. A step with `wants_whole`, such as resize, follows only crops. Other host steps in
// between, such as the draw, do not end a chain. A branch, a loop, and a step that waits or runs
// on a device do.
//
// LateDecoder then moves a decoder that makes its image only for one chain, or for one such step.
// The chain first works on the image's size alone. That is enough to find the region that it needs.
//
//     recorded                        after the pass
//     image = decode(file)            size   = decode(file): only the size, no pixels
//     small = resize(image)           small  = "size, resized"
//     part  = crop(small)             region = the rectangle of the image that the crop needs
//                                     rows   = decode(file, region): begins
//                                     based  = `small`, based on `rows`
//                                     part   = crop(based): pulls rows from the decoder
//                                     decode(rows): ends, reports warnings and errors of the file
//
// Without a crop in the chain, there is no region: the decoder makes all rows. A decoder that
// cannot make rows decodes the region at once; without a region, it stays in place.
//
// Invariants:
// - Only the decoder moves. Each other step checks its arguments in its old place and keeps its
//   name. So errors, run counts and pixels are those of the separate steps. If a file is damaged
//   and an argument is invalid, the argument's error may come first.
// - The source image outlives the chain. Each later step lists it in `reads`, and the pass
//   `release` frees a value after its last reader. The same holds for `size` and for the file.
// - A chain lies in consecutive host stages, which the pass `fuse` joins into one. So no image is
//   kept while a sample waits, and the rows, which belong to a thread, are used on that thread.
// - The pass runs on one thread and takes no lock: see passes.h.
//
// If a sample fails or is dropped before the moved decoder begins, it is not decoded, and damage in
// its file is not reported. If the last step fails, it discards the rows: see ends_rows().
//
// Read Chains::add first, then fuse_chain and LateDecoder::run.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

// Several steps in the order in which they run.
struct Chain {
  std::vector<Step*> steps;
  Step* decoder = nullptr;  // makes the image only for this chain; may be null
  bool selects = false;     // a step of it cuts a rectangle out
};

bool may_decode_later(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr &&
         (step.op->decoding() != nullptr || step.op->row_decoding() != nullptr) &&
         !step.has_effect() && !step.pinned && !step.for_device && step.declared.empty();
}

bool may_fuse(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr && step.op->lazy_form() != nullptr &&
         !step.has_effect() && !step.pinned && step.writes.size() == 1;
}

bool may_leave_work(const Step& step) {
  const LazyForm& lazy_form = *step.op->lazy_form();
  return lazy_form.begins != nullptr && lazy_form.goes_on != nullptr && step.declared.empty() &&
         !step.for_device;
}

// The image that the step takes.
SlotId image_of(const Step& step) { return std::get<SlotArgument>(step.arguments.front()).slot; }

bool selects(const Step* step) { return step->op->lazy_form()->selects; }

class Chains {
 public:
  explicit Chains(const Plan& plan) : uses_(count_uses(plan)) {}

  // Takes the steps of a block in order. Call end() where no chain may continue.
  void add(Step& step) {
    if (may_decode_later(step)) decoders_.push_back(&step);
    if (!may_fuse(step)) return;
    const SlotId from = image_of(step);
    const auto chain = std::find_if(open_.begin(), open_.end(), [&](const Chain& before) {
      return before.steps.back()->writes.front() == from;
    });
    if (chain != open_.end() && goes_on(*chain, step)) {
      chain->steps.push_back(&step);
      if (!may_leave_work(step)) close(chain);
    } else {
      open_.push_back({{&step}, decoder_of(from)});
      if (!may_leave_work(step)) close(open_.end() - 1);
    }
  }
  void end() {
    while (!open_.empty()) close(open_.begin());
    decoders_.clear();
  }
  const std::vector<Chain>& found() const { return found_; }

 private:
  bool goes_on(const Chain& chain, const Step& step) const {
    const LazyForm& lazy_form = *step.op->lazy_form();
    return uses_[image_of(step)] == 1 && lazy_form.ends != nullptr &&
           (!lazy_form.wants_whole || std::all_of(chain.steps.begin(), chain.steps.end(), selects));
  }
  Step* decoder_of(SlotId picture) const {
    const auto found = std::find_if(decoders_.begin(), decoders_.end(), [&](const Step* step) {
      return step->writes.front() == picture;
    });
    return found != decoders_.end() && uses_[picture] == 1 ? *found : nullptr;
  }
  void close(std::vector<Chain>::iterator chain) {
    const bool reads_rows = chain->decoder != nullptr &&
                            chain->decoder->op->row_decoding() != nullptr &&
                            chain->steps.front()->op->lazy_form()->ends != nullptr;
    chain->selects = std::any_of(chain->steps.begin(), chain->steps.end(), selects);
    if (chain->steps.size() > 1 || reads_rows) found_.push_back(std::move(*chain));
    open_.erase(chain);
  }

  std::vector<int> uses_;  // by slot
  std::vector<Step*> decoders_;
  std::vector<Chain> open_, found_;
};

std::string names_of_others(const Chain& chain) {
  std::string names;
  for (const Step* step : chain.steps) {
    if (step != chain.steps.back()) names += (names.empty() ? "" : " + ") + step->name;
  }
  return names;
}

void fuse_chain(Plan& plan, const Chain& chain) {
  if (chain.steps.size() == 1) {  // fused with its decoder only
    chain.steps.front()->op = chain.steps.front()->op->lazy_form()->ends;
    return;
  }
  const std::string others = names_of_others(chain);
  const SlotId source = image_of(*chain.steps.front());
  for (Step* const step : chain.steps) {
    const bool first = step == chain.steps.front(), last = step == chain.steps.back();
    const LazyForm& lazy_form = *step->op->lazy_form();
    auto& input = std::get<SlotArgument>(step->arguments.front());
    if (!first) {
      input.type = plan.slots[input.slot].type;
      step->reads.push_back(source);  // keeps the source alive until here
    }
    step->op = last ? lazy_form.ends : first ? lazy_form.begins : lazy_form.goes_on;
    if (!last) plan.slots[step->writes.front()].type = step->op->schema().outputs.front().type;
    step->remark += (step->remark.empty() ? "" : ", ") +
                    (last ? "fused with " + others : "fused into " + chain.steps.back()->name);
    step->bind();
  }
}

// Steps to insert before and after another step.
struct Insertion {
  const Step* around = nullptr;
  std::vector<Step> before, after;
};

// A decoder that moves to the last step of its chain.
class LateDecoder {
 public:
  LateDecoder(Plan& plan, const Chain& chain)
      : plan_(plan),
        chain_(chain),
        decoder_(*chain.decoder),
        last_(*chain.steps.back()),
        picture_(decoder_.writes.front()),
        // True if a step of the chain cuts a rectangle out, and the last one can work on a part of
        // the image.
        of_region_(decoder_.op->decoding() != nullptr && chain.steps.size() > 1 &&
                   last_.op->lazy_form() != nullptr && chain.selects),
        whole_(of_region_ ? decoder_.op->decoding()->part : decoder_.op),
        rows_(whole_->row_decoding()) {}

  // True if the move saves work.
  bool is_better() const { return of_region_ || rows_ != nullptr; }

  // Call it after the chain has been fused.
  Insertion run() {
    const Slot slot = plan_.slots[picture_];
    const SlotId size = add_slot(plan_, slot.type, slot.name + "'s size", slot.scope);
    Insertion insertion{&last_, {}, {}};
    std::vector<Step>& before = insertion.before;
    // The chain's description of its work on the image.
    SlotId deferred = picture_;
    if (chain_.steps.size() > 1) {
      deferred = (*(chain_.steps.end() - 2))->writes.front();
    } else {
      deferred = add_slot(plan_, type_of(rows_->starts), slot.name + "'s rows", slot.scope);
      before.push_back(helper(rows_->starts, {argument(size)}, {deferred}, "its size"));
    }
    std::optional<SlotId> region;
    if (of_region_) {
      region = add_slot(plan_, slot_type<Rectangle>(), slot.name + "'s region", slot.scope);
      const OperatorPtr needed = last_.op->input_region(last_.arguments).rectangle;
      // Pass all arguments of the last step, or only the image.
      Arguments arguments = last_.arguments;
      arguments.resize(needed->schema().inputs.size() + needed->schema().parameters.size());
      before.push_back(helper(needed, std::move(arguments), {*region}, "region"));
      before.back().reads.push_back(size);  // keeps the size alive until here
    }
    before.push_back(decode(region));
    if (rows_ != nullptr) {
      plan_.slots[picture_].type = type_of(rows_->begins);
      insertion.after.push_back(end());
    }
    const SlotId part =
        add_slot(plan_, plan_.slots[deferred].type, slot.name + "'s part", slot.scope);
    Arguments of_part{argument(deferred), argument(picture_)};
    if (region) of_part.push_back(argument(*region));
    const OperatorPtr takes = rows_ == nullptr ? last_.op->lazy_form()->begins
                              : region         ? rows_->part
                                               : rows_->all;
    before.push_back(helper(takes, std::move(of_part), {part}, "its part"));
    before.back().reads.push_back(size);
    if (rows_ != nullptr) last_.reads.push_back(size);

    decoder_.op = rows_ != nullptr && !of_region_ ? rows_->size : decoder_.op->decoding()->size;
    decoder_.writes = {size};
    decoder_.remark = "size";
    decoder_.bind();
    for (Step* const step : chain_.steps) {
      if (step != &last_) see(*step, picture_, size);
    }
    // A single step still takes the original image.
    see(last_, chain_.steps.size() == 1 ? picture_ : deferred, part);
    if (chain_.steps.size() == 1) last_.reads.push_back(picture_);
    return insertion;
  }

 private:
  static const SlotType* type_of(const OperatorPtr& op) {
    return op->schema().outputs.front().type;
  }
  Argument argument(SlotId slot) const { return SlotArgument{slot, plan_.slots[slot].type}; }

  Step helper(const OperatorPtr& op, Arguments arguments, std::vector<SlotId> writes,
              const char* remark) const {
    Step step = step_of(op, std::move(arguments), last_.name, std::move(writes));
    step.remark = remark;
    return step;
  }
  // The decoder's step; it decodes only the region if there is one.
  Step decode(std::optional<SlotId> region) const {
    Step step = decoder_;
    step.op = rows_ != nullptr ? rows_->begins : whole_;
    if (region) {
      step.reads.push_back(*region);
      step.arguments.push_back(argument(*region));
      step.remark = "region";
    }
    step.bind();
    return step;
  }
  // Ends the decoding after the rows have been used. The file must exist until then.
  Step end() const {
    Step step = step_of(rows_->ends, {argument(picture_)}, decoder_.name, {});
    step.said = decoder_.said;
    step.reads.insert(step.reads.end(), decoder_.reads.begin(), decoder_.reads.end());
    step.remark = "rows";
    return step;
  }
  void see(Step& step, SlotId from, SlotId to) const {
    std::replace(step.reads.begin(), step.reads.end(), from, to);
    auto& input = std::get<SlotArgument>(step.arguments.front());
    if (input.slot == from) input = {to, plan_.slots[to].type};
    step.bind();
  }

  Plan& plan_;
  const Chain& chain_;
  Step& decoder_;
  Step& last_;
  const SlotId picture_;
  const bool of_region_;
  const OperatorPtr whole_;
  const RowDecoding* const rows_;
};

Node alone(Step step) {
  Stage stage;
  stage.steps.push_back(std::move(step));
  return stage;
}

void insert_all(Plan& plan, std::vector<Insertion> insertions) {
  if (insertions.empty()) return;
  for_each_block(plan.top, [&](Block& block) {
    std::vector<Node> nodes;
    for (Node& node : block.nodes) {
      const Step* const step = steps_in(node).data();  // null if it is not a stage
      const auto found =
          std::find_if(insertions.begin(), insertions.end(),
                       [&](const Insertion& some) { return step && some.around == step; });
      if (found == insertions.end()) {
        nodes.push_back(std::move(node));
        continue;
      }
      for (Step& more : found->before) nodes.push_back(alone(std::move(more)));
      nodes.push_back(std::move(node));
      for (Step& more : found->after) nodes.push_back(alone(std::move(more)));
    }
    block.nodes = std::move(nodes);
  });
}

}  // namespace

Plan fuse_kernels(Plan plan) {
  Chains chains(plan);
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      const auto* stage = std::get_if<Stage>(&node);
      if (stage == nullptr || stage->kind() != StepKind::cpu) chains.end();
      for (Step& step : steps_in(node)) chains.add(step);
    }
    chains.end();
  });
  std::vector<Insertion> insertions;
  for (const Chain& chain : chains.found()) {
    fuse_chain(plan, chain);
    if (chain.decoder == nullptr) continue;
    LateDecoder decoder(plan, chain);
    if (decoder.is_better()) insertions.push_back(decoder.run());
  }
  insert_all(plan, std::move(insertions));
  return plan;
}

}  // namespace sluice::detail
