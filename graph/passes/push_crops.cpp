// The pass push_crops. If a sample uses only the size and one region of an image, the step that
// makes the image is split. The size is found where the image was made. The region is made where it
// is used, even inside a branch. Operators declare what they read, and how to make a part of an
// image: Operator::input_region() and decoding().
//
//   image = decode(file)              size = decode(file), the size only
//   if p: a = crop(image, w)          if p: region = crop's region (size, w)
//                                           a = decode(file), that region
//   else: b = flip(image)             else: image = decode(file);  b = flip(image)
//
// A step gets a region of its own only if no sample on its path needs other pixels of the image,
// because two regions may cost more than the whole. So a step gets a region only if every other use
// of the image's pixels is in another branch. For the other uses, the whole image is made in their
// branches, so no sample makes more than one.
#include <sluice/graph/passes/chains.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::detail {
namespace {

// The branches on the path from the block that makes an image to a use of it. A loop is in
// the path too: its body may run several times.
struct BranchTaken {
  Choice* choice = nullptr;  // null: a loop
  std::size_t branch = 0;
};
using Path = std::vector<BranchTaken>;

// True if no sample takes both paths. The branches of an eager choice
// do not count: their inputs are made before it, for both.
bool exclude_each_other(const Path& a, const Path& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].choice != b[i].choice) return false;
    if (a[i].choice != nullptr && a[i].branch != b[i].branch) return !a[i].choice->eager;
  }
  return false;
}

bool has(const std::vector<SlotId>& slots, SlotId slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

class Splitter {
 public:
  // `maker` is in `block`.
  Splitter(Plan& plan, Block& block, Step& maker)
      : plan_(plan), block_(block), maker_(maker), image_(maker.writes.front()) {}

  // Returns true if it changed the plan.
  bool run() {
    find();
    // The body of a loop may use values of its condition; such uses are not handled.
    Splitter everywhere(plan_, plan_.top, maker_);
    everywhere.find();
    if (everywhere.uses() != uses()) return false;
    Uses regions, others;
    for (const Use& use : pixels_) (may_push(use) ? regions : others).push_back(&use);
    if (regions.empty() && (!others.empty() || size_readers_.empty())) return false;
    make_whole(block_, 0, regions, others);
    // A single block owns the image as its own value. Several blocks share the outer one.
    if (wholes_.size() == 1) plan_.slots[image_].scope = wholes_.front();
    const std::string name = plan_.slots[image_].name + "'s size";
    size_ = add_slot(plan_, plan_.slots[image_].type, name, block_.scope);
    for (Step* reader : size_readers_) {
      reader->on_device = nullptr;  // the host reads the header
      reader->kind = StepKind::cpu;
      read_instead(plan_, *reader, image_, size_);
    }
    std::vector<Insertion> insertions;
    for (const Use* use : regions) insertions.push_back(push(*use->region_reader));
    maker_ = size_step();
    insert_steps(block_, std::move(insertions));
    return true;
  }

 private:
  struct Use {
    Path path;
    Step* region_reader;  // null if it is not a step that reads a region
  };
  using Uses = std::vector<const Use*>;

  std::size_t uses() const { return pixels_.size() + size_readers_.size(); }

  void find() {
    Path path;
    find(block_, path);
    if (&block_ == &plan_.top && has(plan_.outputs, image_)) pixels_.push_back({{}, nullptr});
  }

  void find(Block& block, Path& path) {
    for (Node& node : block.nodes) {
      for (Step& step : steps_in(node)) find(step, path);
      const std::vector<Block*> blocks = blocks_in(node);
      // The inputs of a choice or a loop.
      if (!blocks.empty() && has(inputs_of(node), image_)) pixels_.push_back({path, nullptr});
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        path.push_back({std::get_if<Choice>(&node), i});
        find(*blocks[i], path);
        path.pop_back();
      }
    }
    if (has(block.results, image_)) pixels_.push_back({path, nullptr});
  }

  void find(Step& step, const Path& path) {
    if (!has(step.reads, image_)) return;
    const InputRegion::Of seen = input_region_of(step).of;
    if (seen == InputRegion::Of::size) {
      size_readers_.push_back(&step);
    } else {
      pixels_.push_back({path, seen == InputRegion::Of::rectangle ? &step : nullptr});
    }
  }

  // Returns the part of the image that the step reads.
  InputRegion input_region_of(const Step& step) const {
    if (step.op == nullptr || std::count(step.reads.begin(), step.reads.end(), image_) != 1)
      return {};
    InputRegion input_region = step.op->input_region(step.arguments);
    if (input_region.of == InputRegion::Of::all) return {};
    const auto* slot = std::get_if<SlotArgument>(&step.arguments.at(input_region.input));
    return slot != nullptr && slot->slot == image_ ? input_region : InputRegion();
  }

  bool may_push(const Use& use) const {
    const auto in_loop = [](const BranchTaken& taken) { return taken.choice == nullptr; };
    if (use.region_reader == nullptr || std::any_of(use.path.begin(), use.path.end(), in_loop))
      return false;
    return std::all_of(pixels_.begin(), pixels_.end(), [&](const Use& other) {
      return &other == &use || exclude_each_other(use.path, other.path);
    });
  }

  // Makes the whole image for `others`, the uses in `block`, at this depth of their paths. If there
  // are regions, each is in another branch of one choice than every other use. If there are none,
  // the image is made in the innermost block that contains all uses, but not inside a loop or an
  // eager choice.
  void make_whole(Block& block, std::size_t depth, const Uses& regions, const Uses& others) {
    if (others.empty()) return;
    const auto taken = [&](const Use* use) {
      return use->path.size() > depth ? use->path[depth] : BranchTaken{};
    };
    const BranchTaken first = taken(others.front());
    const bool together = std::all_of(others.begin(), others.end(), [&](const Use* use) {
      return taken(use).choice == first.choice && taken(use).branch == first.branch;
    });
    if (regions.empty() && (!together || first.choice == nullptr || first.choice->eager)) {
      wholes_.push_back(block.scope);
      block.nodes.insert(block.nodes.begin(), node_of(maker_));
      return;
    }
    for (std::size_t branch = 0; branch < first.choice->branches.size(); ++branch) {
      const auto in_branch = [&](const Uses& uses) {
        Uses some;
        std::copy_if(uses.begin(), uses.end(), std::back_inserter(some),
                     [&](const Use* use) { return taken(use).branch == branch; });
        return some;
      };
      make_whole(first.choice->branches[branch], depth + 1, in_branch(regions), in_branch(others));
    }
  }

  // Makes a step that runs `op` with the arguments of `step`, in its place.
  static Step instead_of(const Step& step, const OperatorPtr& op, const char* remark) {
    Step other;
    other.name = step.name;
    other.remark = remark;
    other.op = op;
    other.reads = step.reads;
    other.arguments = step.arguments;
    other.generator = step.generator;
    other.said = step.said;
    return other;
  }

  Step size_step() const {
    Step step = instead_of(maker_, maker_.op->decoding()->size, "size");
    step.writes = {size_};
    step.bind();
    return step;
  }

  // Makes the reader use only its region of the image. Returns the steps that it needs before it. A
  // reader that copies its region is itself replaced by the step that makes the region.
  Insertion push(Step& reader) {
    Insertion insertion{&reader, {}, {}};
    const ScopeId scope = plan_.slots[reader.writes.front()].scope;
    const InputRegion input_region = input_region_of(reader);
    const SlotId region = add_slot(plan_, slot_type<Rectangle>(), reader.name + "'s region", scope);
    Step where = instead_of(reader, input_region.rectangle, "region");
    where.writes = {region};
    read_instead(plan_, where, image_, size_);
    insertion.before.push_back(std::move(where));

    const SlotId part = input_region.is_copy ? reader.writes.front()
                                             : add_slot(plan_, plan_.slots[image_].type,
                                                        maker_.name + "'s part", scope);
    Step make = instead_of(maker_, maker_.op->decoding()->part, "region");
    make.reads.push_back(region);
    make.arguments.emplace_back(SlotArgument{region, slot_type<Rectangle>()});
    make.writes = {part};
    if (maker_.on_device != nullptr) {
      make.run_on(make.op->device_version());
      plan_.slots[part].on_device = true;
    } else {
      make.bind();
    }
    if (input_region.is_copy) {
      reader = std::move(make);
    } else {
      insertion.before.push_back(std::move(make));
      read_instead(plan_, reader, image_, part);
    }
    return insertion;
  }

  Plan& plan_;
  Block& block_;
  Step& maker_;
  const SlotId image_;
  SlotId size_ = 0;
  std::vector<Step*> size_readers_;  // steps that read only the size
  std::vector<Use> pixels_;
  std::vector<ScopeId> wholes_;  // the blocks that make the whole image
};

}  // namespace

Plan push_crops(Plan plan) {
  // Stages hold one step each at this point.
  std::vector<std::pair<Block*, Step*>> makers;
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      for (Step& step : steps_in(node)) {
        if (step.op != nullptr && step.op->decoding() != nullptr)
          makers.emplace_back(&block, &step);
      }
    }
  });
  bool changed = false;
  // Inner ones first: splitting moves the nodes of a block, and with them the blocks of loops.
  for (auto it = makers.rbegin(); it != makers.rend(); ++it)
    changed |= Splitter(plan, *it->first, *it->second).run();
  return changed ? sink(std::move(plan)) : plan;
}

}  // namespace sluice::detail
