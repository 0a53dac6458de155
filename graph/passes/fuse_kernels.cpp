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
// find_chains() finds the chains. A step continues a chain if it is the only reader of the chain's
// last output. A step with `wants_whole`, such as resize, follows only crops. Other host steps in
// between, such as the draw, do not end a chain. A branch, a loop, and a step that waits or runs
// on a device do.
//
// LateDecoder then moves a decoder whose image only one chain uses. The chain may have a single
// step. The chain first works on the image's size alone. That is enough to find the region that it
// needs.
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
// its file is not reported. If the last step fails, it discards the rows: see
// discarding_rows_on_error().
//
// Read may_fuse_next first, then fuse_chain and LateDecoder::run.
#include <sluice/graph/passes/chains.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

bool may_decode_later(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr &&
         (step.op->decoding() != nullptr || step.op->row_decoding() != nullptr) &&
         !step.has_effect() && !step.pinned && !step.for_device && step.declared.empty();
}

bool may_fuse(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr && step.op->lazy_form() != nullptr &&
         !step.has_effect() && !step.pinned && step.writes.size() == 1;
}

bool selects(const Step* step) { return step->op->lazy_form()->selects; }

bool may_fuse_next(const Chain& chain, const Step& step) {
  const LazyForm& lazy_form = *step.op->lazy_form();
  return lazy_form.ends != nullptr &&
         (!lazy_form.wants_whole || std::all_of(chain.steps.begin(), chain.steps.end(), selects));
}

// True if the step must make its output at once.
bool must_be_last(const Step& step) {
  const LazyForm& lazy_form = *step.op->lazy_form();
  return lazy_form.begins == nullptr || lazy_form.goes_on == nullptr || !step.declared.empty() ||
         step.for_device;
}

// Returns the decoder that makes the chain's image only for it; null if there is none.
Step* decoder_of(const Chain& chain) {
  return chain.maker != nullptr && may_decode_later(*chain.maker) ? chain.maker : nullptr;
}

// True if the chain saves work: it has several steps, or one that reads rows from its decoder.
bool saves_work(const Chain& chain) {
  const Step* const decoder = decoder_of(chain);
  return chain.steps.size() > 1 || (decoder != nullptr && decoder->op->row_decoding() != nullptr &&
                                    chain.steps.front()->op->lazy_form()->ends != nullptr);
}

// True if a step of the chain cuts a rectangle out. Ask before the chain is fused.
bool has_crop(const Chain& chain) {
  return std::any_of(chain.steps.begin(), chain.steps.end(), selects);
}

void fuse_chain(Plan& plan, const Chain& chain) {
  const Step* const first = chain.steps.front();
  const Step* const last = chain.steps.back();
  std::string others;
  for (const Step* const step : chain.steps) {
    if (step != last) others += (others.empty() ? "" : " + ") + step->name;
  }
  exchange(plan, chain, [&](Step& step) {
    const LazyForm& lazy_form = *step.op->lazy_form();
    if (&step != last) {
      add_remark(step, "fused into " + last->name);
      return &step == first ? lazy_form.begins : lazy_form.goes_on;
    }
    if (!others.empty()) add_remark(step, "fused with " + others);
    return lazy_form.ends;
  });
}

// A decoder that moves to the last step of its chain.
class LateDecoder {
 public:
  LateDecoder(Plan& plan, const Chain& chain, bool crops)
      : plan_(plan),
        chain_(chain),
        decoder_(*chain.maker),
        last_(*chain.steps.back()),
        image_(decoder_.writes.front()),
        // True if a step of the chain cuts a rectangle out, and the last one can work on a part of
        // the image.
        of_region_(decoder_.op->decoding() != nullptr && chain.steps.size() > 1 &&
                   last_.op->lazy_form() != nullptr && crops),
        whole_(of_region_ ? decoder_.op->decoding()->part : decoder_.op),
        rows_(whole_->row_decoding()) {}

  // True if the move saves work.
  bool is_better() const { return of_region_ || rows_ != nullptr; }

  // Call it after the chain has been fused.
  Insertion run() {
    const Slot slot = plan_.slots[image_];
    const SlotId size = add_slot(plan_, slot.type, slot.name + "'s size", slot.scope);
    Insertion insertion{&last_, {}, {}};
    std::vector<Step>& before = insertion.before;
    // The chain's description of its work on the image.
    SlotId deferred = image_;
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
      plan_.slots[image_].type = type_of(rows_->begins);
      insertion.after.push_back(end_of_decoding());
    }
    const SlotId part =
        add_slot(plan_, plan_.slots[deferred].type, slot.name + "'s part", slot.scope);
    Arguments of_part{argument(deferred), argument(image_)};
    if (region) of_part.push_back(argument(*region));
    const OperatorPtr narrow = rows_ == nullptr ? last_.op->lazy_form()->narrow
                               : region         ? rows_->part
                                                : rows_->all;
    before.push_back(helper(narrow, std::move(of_part), {part}, "its part"));
    before.back().reads.push_back(size);
    if (rows_ != nullptr) last_.reads.push_back(size);

    decoder_.op = rows_ != nullptr && !of_region_ ? rows_->size : decoder_.op->decoding()->size;
    decoder_.writes = {size};
    decoder_.remark = "size";
    decoder_.bind();
    for (Step* const step : chain_.steps) {
      if (step != &last_) read_instead(plan_, *step, image_, size);
    }
    // A single step still takes the original image.
    read_instead(plan_, last_, chain_.steps.size() == 1 ? image_ : deferred, part);
    if (chain_.steps.size() == 1) last_.reads.push_back(image_);
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
  Step end_of_decoding() const {
    Step step = step_of(rows_->ends, {argument(image_)}, decoder_.name, {});
    step.said = decoder_.said;
    step.reads.insert(step.reads.end(), decoder_.reads.begin(), decoder_.reads.end());
    step.remark = "rows";
    return step;
  }

  Plan& plan_;
  const Chain& chain_;
  Step& decoder_;
  Step& last_;
  const SlotId image_;
  const bool of_region_;
  const OperatorPtr whole_;
  const RowDecoding* const rows_;
};

}  // namespace

Plan fuse_kernels(Plan plan) {
  const ChainRule rule{[](StepKind kind) { return kind == StepKind::cpu; }, may_fuse, may_fuse_next,
                       must_be_last};
  std::vector<Insertion> insertions;
  for (const Chain& chain : find_chains(plan, rule)) {
    if (!saves_work(chain)) continue;
    const bool crops = has_crop(chain);
    fuse_chain(plan, chain);
    if (decoder_of(chain) == nullptr) continue;
    LateDecoder decoder(plan, chain, crops);
    if (decoder.is_better()) insertions.push_back(decoder.run());
  }
  insert_steps(plan.top, std::move(insertions));
  return plan;
}

}  // namespace sluice::detail
