// RegionFlow: the data flow of a block with explicit boundaries, and the region of each of its
// parts. Internal to regions.h.
//
// Ownership: refers to the plan and the boundaries, which outlive it; takes the nodes of the block,
// and its user moves them out of items(). Threads: one. Errors: BuildError if a value leaves a
// region other than by an output, if regions overlap, if a value depends on itself.
#pragma once

#include <sluice/graph/builder/regions.h>
#include <sluice/graph/plan/uses.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::detail {

class RegionFlow {
 public:
  using Index = std::size_t;
  static constexpr Index kBlock = 0;  // the region that is the block itself

  // A part of the block. An input of a conditional is a step. A loop has an entry without nodes,
  // which makes the values that an iteration begins with. Each boundary has an exit without nodes,
  // which makes its outputs.
  struct Item {
    std::string name;
    std::vector<Node> nodes;
    Slots reads;
    Slots writes;
    std::optional<Index> entry_of;  // boundary
    std::optional<Index> exit_of;
    bool effect = false;
    std::vector<Index> uses;   // items
    std::vector<Index> users;  // needed items that use this one
    bool needed = false;
    std::set<Index> regions;  // all regions that it lies in
    Index stands = kBlock;    // the innermost one
  };

  RegionFlow(const Plan& plan, Block& block, std::vector<Boundary*> boundaries,
             const std::vector<SlotId>& results, const std::string& user);

  std::vector<Boundary*>& boundaries() { return boundaries_; }
  std::vector<Item>& items() { return items_; }
  // Needed items, each behind what it uses, otherwise in the order in which they were recorded.
  const std::vector<Index>& order() const { return order_; }
  // The region of a loop, or of a branch of a conditional: 0 for true, 1 for false.
  Index region(Index boundary, Index branch = 0) const;
  // Returns the items that lead to the value, including its maker.
  std::set<Index> behind(SlotId value) const;

 private:
  enum class Direction { uses, users };
  enum class Place { open, sought, found };
  struct Region {
    std::string name;  // "the branch 'true' of 'conditional'"
    Index boundary = 0;
    Index parent = kBlock;
    int depth = 0;
    Place place = Place::open;
  };

  void add_items(Block& block);
  void add_node(Block& block, Node node);
  void add_entry_and_exit(Index boundary);
  void add_regions();
  void link(const std::vector<SlotId>& results);
  void sort();
  [[noreturn]] void throw_cycle(const std::vector<Index>& way, Index again) const;
  std::set<Index> reach(const std::set<Index>& from, Direction direction, Index without) const;
  void find_members(Index boundary, Index region, const std::vector<SlotId>& goals,
                    const std::vector<SlotId>& results);
  void place(Index boundary);
  Index innermost(const Item& item);
  bool within(Index region, Index outer) const;
  void check_uses(const std::vector<SlotId>& results, const std::string& user) const;
  void check_use(SlotId slot, Index from, const std::string& user) const;
  void check_exit(const Item& exit) const;

  const Plan& plan_;
  std::vector<Boundary*> boundaries_;
  std::vector<Item> items_;
  std::vector<Index> exits_;         // by boundary
  std::vector<Index> first_region_;  // by boundary
  std::vector<Region> regions_;
  std::map<SlotId, Index> makers_;
  std::vector<Index> order_;
};

}  // namespace sluice::detail
