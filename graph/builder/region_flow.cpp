#include <sluice/graph/builder/region_flow.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace sluice::detail {
namespace {

const std::string& name_of(const Node& node) {
  return visit(
      node, [](const Stage& stage) -> const std::string& { return stage.steps.front().name; },
      [](const auto& other) -> const std::string& { return other.name; });
}

bool is_conditional(const Boundary& boundary) {
  return std::holds_alternative<ConditionalRecord>(boundary.record);
}

// Returns the values that the branch, or each iteration of the loop, leads to.
std::vector<SlotId> goals_of(const Boundary& boundary, std::size_t branch) {
  if (const auto* conditional = std::get_if<ConditionalRecord>(&boundary.record))
    return conditional->gives[branch];
  const auto& loop = std::get<LoopRecord>(boundary.record);
  std::vector<SlotId> goals;
  if (loop.more) goals.push_back(*loop.more);
  for (const auto& recurrence : loop.recurrences) goals.push_back(*recurrence.next);
  for (const auto& collected : loop.collected) goals.push_back(collected.list);
  return goals;
}

// Returns the outer values that a loop reads before its first iteration and after its last one.
std::vector<SlotId> outer_reads_of(const LoopRecord& loop) {
  std::vector<SlotId> reads;
  for (const auto& recurrence : loop.recurrences) reads.push_back(recurrence.init);
  if (loop.has_count) reads.push_back(loop.count);
  for (const auto& collected : loop.collected) {
    reads.insert(reads.end(), collected.outer_reads.begin(), collected.outer_reads.end());
  }
  return reads;
}

}  // namespace

RegionFlow::RegionFlow(const Plan& plan, Block& block, std::vector<Boundary*> boundaries,
                       const std::vector<SlotId>& results, const std::string& user)
    : plan_(plan), boundaries_(std::move(boundaries)) {
  add_items(block);
  link(results);
  sort();
  add_regions();
  for (Index b = 0; b < boundaries_.size(); ++b) {
    if (!items_[exits_[b]].needed) continue;
    const Index branches = is_conditional(*boundaries_[b]) ? 2 : 1;
    for (Index branch = 0; branch < branches; ++branch)
      find_members(b, region(b, branch), goals_of(*boundaries_[b], branch), results);
  }
  // Outer boundaries come first. They lead to inner ones, so no call of place() recurses deeply.
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
    if (items_[*i].exit_of) place(*items_[*i].exit_of);
  }
  for (const Index i : order_) {
    Item& item = items_[i];
    if (!item.exit_of && !item.entry_of) item.stands = innermost(item);
    if (item.entry_of) item.stands = items_[exits_[*item.entry_of]].stands;
  }
  check_uses(results, user);
}

RegionFlow::Index RegionFlow::region(Index boundary, Index branch) const {
  return first_region_[boundary] + (is_conditional(*boundaries_[boundary]) ? 1 + branch : 0);
}

std::set<RegionFlow::Index> RegionFlow::behind(SlotId value) const {
  return reach({makers_.at(value)}, Direction::uses, items_.size());
}

void RegionFlow::add_items(Block& block) {
  exits_.resize(boundaries_.size());
  for (std::size_t position = 0; position <= block.nodes.size(); ++position) {
    for (Index b = 0; b < boundaries_.size(); ++b) {
      if (boundaries_[b]->position == position) add_entry_and_exit(b);
    }
    if (position < block.nodes.size()) add_node(block, std::move(block.nodes[position]));
  }
  block.nodes.clear();
  for (Index b = 0; b < boundaries_.size(); ++b) {
    const auto* conditional = std::get_if<ConditionalRecord>(&boundaries_[b]->record);
    if (conditional == nullptr) continue;
    for (const SlotId input : conditional->inputs) items_[makers_.at(input)].entry_of = b;
  }
}

// Nodes that write the same slot, such as those that fill a list, are one item.
void RegionFlow::add_node(Block& block, Node node) {
  Index at = items_.size();
  const std::vector<SlotId> writes = writes_of(plan_, node);
  for (const SlotId slot : writes) {
    if (const auto maker = makers_.find(slot); maker != makers_.end()) at = maker->second;
  }
  if (at == items_.size()) {
    items_.emplace_back();
    items_.back().name = name_of(node);
  }
  Item& item = items_[at];
  insert(item.reads, uses_of(node));
  insert(item.writes, writes);
  for (const SlotId slot : writes) {
    makers_[slot] = at;
    item.effect = item.effect || plan_.slots[slot].scope != block.scope;
  }
  item.effect = item.effect || has_effect(node);
  item.nodes.push_back(std::move(node));
}

void RegionFlow::add_entry_and_exit(Index boundary) {
  const Boundary& b = *boundaries_[boundary];
  Item exit;
  exit.name = b.name;
  exit.exit_of = boundary;
  if (const auto* conditional = std::get_if<ConditionalRecord>(&b.record)) {
    exit.reads.insert(*conditional->condition);
    for (const auto& gives : conditional->gives) insert(exit.reads, gives);
    insert(exit.writes, conditional->outputs);
  } else {
    const auto& loop = std::get<LoopRecord>(b.record);
    Item entry;
    entry.name = b.name;
    entry.entry_of = boundary;
    entry.writes.insert(loop.iteration);
    for (const auto& recurrence : loop.recurrences) {
      entry.reads.insert(recurrence.init);
      entry.writes.insert(recurrence.state);
      exit.writes.insert(recurrence.result);
    }
    for (const SlotId slot : entry.writes) makers_[slot] = items_.size();
    items_.push_back(std::move(entry));
    exit.reads.insert(loop.iteration);
    insert(exit.reads, outer_reads_of(loop));
    insert(exit.reads, goals_of(b, 0));
    for (const auto& collected : loop.collected) insert(exit.writes, collected.end.writes);
  }
  exits_[boundary] = items_.size();
  for (const SlotId slot : exit.writes) makers_[slot] = items_.size();
  items_.push_back(std::move(exit));
}

void RegionFlow::add_regions() {
  regions_.emplace_back();
  for (Index b = 0; b < boundaries_.size(); ++b) {
    first_region_.push_back(regions_.size());
    const std::string quoted = "'" + boundaries_[b]->name + "'";
    const auto add = [&](const std::string& name) { regions_.push_back({name + quoted, b}); };
    if (is_conditional(*boundaries_[b])) {
      add("the boundary of ");
      add("the branch 'true' of ");
      add("the branch 'false' of ");
    } else {
      add("the loop ");
    }
  }
}

void RegionFlow::link(const std::vector<SlotId>& results) {
  std::vector<Index> wanted;
  for (const SlotId slot : results) {
    if (const auto maker = makers_.find(slot); maker != makers_.end())
      wanted.push_back(maker->second);
  }
  for (Index i = 0; i < items_.size(); ++i) {
    if (items_[i].effect) wanted.push_back(i);
    for (const SlotId slot : items_[i].reads) {
      const auto maker = makers_.find(slot);
      if (maker != makers_.end() && maker->second != i) items_[i].uses.push_back(maker->second);
    }
  }
  while (!wanted.empty()) {
    const Index i = wanted.back();
    wanted.pop_back();
    if (std::exchange(items_[i].needed, true)) continue;
    for (const Index used : items_[i].uses) {
      items_[used].users.push_back(i);
      wanted.push_back(used);
    }
    // An entry has a meaning only together with the decision.
    if (items_[i].entry_of) wanted.push_back(exits_[*items_[i].entry_of]);
  }
}

// Depth first. The path is a list of its own, because a chain may be too long for the stack.
void RegionFlow::sort() {
  enum class State : std::uint8_t { open, on_the_way, done };
  std::vector<State> state(items_.size(), State::open);
  std::vector<std::size_t> next(items_.size(), 0);  // of the uses
  std::vector<Index> way;
  const auto enter = [&](Index item) {
    if (state[item] == State::done) return;
    if (state[item] == State::on_the_way) throw_cycle(way, item);
    state[item] = State::on_the_way;
    way.push_back(item);
  };
  for (Index i = 0; i < items_.size(); ++i) {
    if (items_[i].needed) enter(i);
    while (!way.empty()) {
      const Index item = way.back();
      if (next[item] < items_[item].uses.size()) {
        enter(items_[item].uses[next[item]++]);
        continue;
      }
      way.pop_back();
      state[item] = State::done;
      order_.push_back(item);
    }
  }
}

void RegionFlow::throw_cycle(const std::vector<Index>& way, Index again) const {
  std::string text = "'" + items_[again].name + "'";
  for (auto it = way.rbegin(); it != way.rend(); ++it) {
    text += " -> '" + items_[*it].name + "'";
    if (*it == again) break;
  }
  throw BuildError("a value depends on itself: " + text +
                   "; only the next value of a recurrence may lead back");
}

// Returns the items that `from` leads to, or that lead to it, including those in `from`. Stops at
// `without`.
std::set<RegionFlow::Index> RegionFlow::reach(const std::set<Index>& from, Direction direction,
                                              Index without) const {
  std::set<Index> found;
  std::vector<Index> open(from.begin(), from.end());
  while (!open.empty()) {
    const Index i = open.back();
    open.pop_back();
    if (i == without || !found.insert(i).second) continue;
    const auto& next = direction == Direction::uses ? items_[i].uses : items_[i].users;
    open.insert(open.end(), next.begin(), next.end());
  }
  return found;
}

void RegionFlow::find_members(Index boundary, Index region, const std::vector<SlotId>& goals,
                              const std::vector<SlotId>& results) {
  const Index exit = exits_[boundary];
  std::set<Index> entries, ends;
  for (Index i = 0; i < items_.size(); ++i) {
    if (items_[i].needed && items_[i].entry_of == boundary) entries.insert(i);
  }
  for (const SlotId goal : goals) {
    if (const auto maker = makers_.find(goal); maker != makers_.end()) ends.insert(maker->second);
  }
  const std::set<Index> ahead = reach(entries, Direction::users, exit);
  const auto between = [&] {
    const std::set<Index> behind = reach(ends, Direction::uses, exit);
    std::set<Index> both;
    std::set_intersection(ahead.begin(), ahead.end(), behind.begin(), behind.end(),
                          std::inserter(both, both.end()));
    for (const Index entry : entries) both.erase(entry);
    return both;
  };
  // A step with an effect leads nowhere: it lies where the values lie that lead to it. An input of
  // a conditional alone leads to no branch.
  const std::set<Index> inside =
      is_conditional(*boundaries_[boundary]) ? between() : std::set<Index>(entries);
  for (const Index i : reach(inside, Direction::users, exit)) {
    const Slots& writes = items_[i].writes;
    const bool given = std::any_of(results.begin(), results.end(),
                                   [&](SlotId slot) { return writes.count(slot) > 0; });
    if (items_[i].users.empty() && !given) ends.insert(i);
  }
  for (const Index i : between()) items_[i].regions.insert(region);
}

// Finds the region that contains the boundary.
void RegionFlow::place(Index boundary) {
  const Index first = first_region_[boundary];
  if (regions_[first].place == Place::found) return;
  if (regions_[first].place == Place::sought) {
    const auto sought = std::find_if(first_region_.begin(), first_region_.end(), [&](Index region) {
      return regions_[region].place == Place::sought;
    });
    throw BuildError("'" + boundaries_[static_cast<Index>(sought - first_region_.begin())]->name +
                     "' and another conditional or loop each use a value from inside the other; "
                     "end one, and return its value with add_output, before the other uses it");
  }
  regions_[first].place = Place::sought;
  Item& exit = items_[exits_[boundary]];
  exit.stands = innermost(exit);
  regions_[first].place = Place::found;
  const Index end = first + (is_conditional(*boundaries_[boundary]) ? 3 : 1);
  for (Index r = first; r < end; ++r) {
    regions_[r].parent = r == first ? exit.stands : first;
    regions_[r].depth = regions_[regions_[r].parent].depth + 1;
  }
}

RegionFlow::Index RegionFlow::innermost(const Item& item) {
  Index deepest = kBlock;
  for (const Index r : item.regions) {
    place(regions_[r].boundary);
    if (regions_[r].depth > regions_[deepest].depth) deepest = r;
  }
  for (const Index r : item.regions) {
    if (within(deepest, r)) continue;
    if (regions_[r].boundary == regions_[deepest].boundary) {
      throw BuildError("'" + item.name + "' lies in both branches of '" +
                       boundaries_[regions_[r].boundary]->name +
                       "': it depends on an input, and both branches use it; compute it from the "
                       "value outside, before the decision, or once in each branch");
    }
    throw BuildError("'" + item.name + "' lies in " + regions_[deepest].name + " and in " +
                     regions_[r].name +
                     ", but neither of them lies in the other; end one, and return its value with "
                     "add_output, before the other uses it");
  }
  return deepest;
}

bool RegionFlow::within(Index region, Index outer) const {
  while (region != outer && region != kBlock) region = regions_[region].parent;
  return region == outer;
}

void RegionFlow::check_uses(const std::vector<SlotId>& results, const std::string& user) const {
  for (const Index i : order_) {
    const Item& item = items_[i];
    if (item.exit_of) {
      check_exit(item);
    } else {
      for (const SlotId slot : item.reads) check_use(slot, item.stands, item.name);
    }
  }
  for (const SlotId slot : results) check_use(slot, kBlock, user);
}

void RegionFlow::check_exit(const Item& exit) const {
  const Boundary& boundary = *boundaries_[*exit.exit_of];
  if (const auto* conditional = std::get_if<ConditionalRecord>(&boundary.record)) {
    check_use(*conditional->condition, exit.stands, exit.name);
    for (Index branch = 0; branch < 2; ++branch) {
      for (const SlotId slot : conditional->gives[branch])
        check_use(slot, region(*exit.exit_of, branch), exit.name);
    }
    return;
  }
  const auto& loop = std::get<LoopRecord>(boundary.record);
  const Index inside = region(*exit.exit_of);
  for (const SlotId slot : outer_reads_of(loop)) check_use(slot, exit.stands, exit.name);
  for (const SlotId slot : goals_of(boundary, 0)) check_use(slot, inside, exit.name);
  if (!loop.more) return;
  const auto maker = makers_.find(*loop.more);
  const bool changes = maker != makers_.end() && (items_[maker->second].stands == inside ||
                                                  items_[maker->second].entry_of == exit.exit_of);
  if (changes) return;
  throw BuildError("'" + boundary.name + "': the value '" + plan_.slots[*loop.more].name +
                   "' given to add_while is the same in each iteration; it must depend on a "
                   "recurrence or an iterator of this loop");
}

void RegionFlow::check_use(SlotId slot, Index from, const std::string& user) const {
  const auto maker = makers_.find(slot);
  if (maker == makers_.end()) return;
  const Item& item = items_[maker->second];
  const Index home = item.entry_of ? first_region_[*item.entry_of] : item.stands;
  if (within(from, home)) return;
  const std::string& value = plan_.slots[slot].name;
  if (item.entry_of && is_conditional(*boundaries_[*item.entry_of])) {
    throw BuildError("'" + user + "' uses '" + value + "', which only serves the outputs of '" +
                     boundaries_[*item.entry_of]->name +
                     "'; elsewhere, use the value that was given to add_input");
  }
  throw BuildError("'" + user + "' uses the value '" + value + "', which exists only inside " +
                   regions_[home].name + "; return it with add_output to use it outside");
}

}  // namespace sluice::detail
