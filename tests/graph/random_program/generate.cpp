#include "tests/graph/random_program/generate.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace sluice::random_program {
namespace {

constexpr int kMaxLoops = 3;  // one inside the other; each makes up to three iterations

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) { program_.seed = seed; }

  Program make() {
    budget_ = 4 + below(one_in(4) ? 60 : 20);
    errors_ = one_in(2);
    effects_ = one_in(3);
    delays_ = one_in(5);
    Visible visible = {kSource};
    fill(program_.top, visible, 0, 0, 3 + below(6));
    // The rest of the budget goes to the top block, so that most programs are not small.
    if (budget_ > 8 && one_in(2)) add_nodes(program_.top, visible, 0, 0, 4);
    for (int i = below(3); i > 0; --i) {
      std::vector<Id> in = leftovers(visible, 3);
      add_work(program_.top, visible, 1009).in = std::move(in);
    }
    program_.top.results = leftovers(visible, 1 + below(3));
    return std::move(program_);
  }

 private:
  using Visible = std::vector<Id>;

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  Id new_value() { return program_.values++; }

  // Late values more often, so that chains grow.
  Id pick(const Visible& visible) {
    const int n = static_cast<int>(visible.size());
    const int from = one_in(3) ? 0 : std::max(0, n - 6);
    const int at = from + below(n - from);
    return use(visible[static_cast<std::size_t>(at)]);
  }
  Id use(Id id) {
    used_.insert(id);
    return id;
  }
  // One that nothing uses yet, so that much of a program is needed, and many a value is used in one
  // place only.
  Id leftover(const Visible& visible) {
    Visible unused;
    for (const Id id : visible) {
      if (used_.count(id) == 0) unused.push_back(id);
    }
    if (unused.empty() || one_in(5)) return pick(visible);
    return use(unused[static_cast<std::size_t>(below(static_cast<int>(unused.size())))]);
  }
  std::vector<Id> leftovers(const Visible& visible, int count) {
    std::vector<Id> some;
    for (int i = 0; i < count; ++i) some.push_back(leftover(visible));
    return some;
  }
  std::vector<Id> pick_several(const Visible& visible, int count) {
    std::vector<Id> some;
    for (int i = 0; i < count; ++i) some.push_back(pick(visible));
    return some;
  }

  Node& add(Block& block, Kind kind, std::vector<Id> in, int outputs, Visible& visible) {
    Node node;
    node.kind = kind;
    node.number = program_.numbers++;
    node.in = std::move(in);
    for (int i = 0; i < outputs; ++i) node.out.push_back(new_value());
    visible.insert(visible.end(), node.out.begin(), node.out.end());
    block.nodes.push_back(std::move(node));
    --budget_;
    return block.nodes.back();
  }

  Node& add_work(Block& block, Visible& visible, std::int64_t modulus) {
    Node& node = add(block, Kind::work, pick_several(visible, 1 + below(3)), 1, visible);
    node.modulus = modulus;
    if (errors_ && one_in(8)) node.fails_one_in = 10 + static_cast<std::uint64_t>(below(20));
    if (delays_ && one_in(3)) node.spins = 3000;
    return node;
  }

  void add_arithmetic(Block& block, Visible& visible) {
    Node& node = add(block, Kind::arithmetic, pick_several(visible, 1 + below(2)), 1, visible);
    const bool divides = errors_ && one_in(4);
    node.symbol = divides ? "/%"[below(2)] : "+-*"[below(3)];
    node.constant = 1 + below(9);
  }

  // A number below `range`: made for the purpose, or a constant.
  Id small_number(Block& block, Visible& visible, int range) {
    if (!one_in(6)) return add_work(block, visible, range).out[0];
    Node& node = add(block, Kind::constant, {}, 1, visible);
    node.constant = below(range);
    return node.out[0];
  }

  void add_simple(Block& block, Visible& visible) {
    const int kind = below(16);
    if (kind == 0) {
      add(block, Kind::constant, {}, 1, visible).constant = below(20) - 10;
    } else if (kind <= 2) {
      add(block, Kind::draw, {}, 1, visible);
    } else if (kind <= 6) {
      add_arithmetic(block, visible);
    } else if (kind == 7 && effects_) {
      Node& node = add(block, Kind::tap, pick_several(visible, 1), 0, visible);
      if (errors_ && one_in(4)) node.fails_one_in = 20;
    } else if (kind == 8 && effects_ && one_in(2)) {
      const Id keep = add_work(block, visible, 6).out[0];
      add(block, Kind::filter, {keep}, 0, visible);
    } else {
      add_work(block, visible, 1009);
    }
  }

  Shape shape_for(int results) {
    static constexpr Shape kMany[] = {Shape::vector, Shape::map};
    static constexpr Shape kTwo[] = {Shape::vector, Shape::map, Shape::tuple, Shape::record,
                                     Shape::nested};
    if (results == 1) return one_in(3) ? Shape::vector : Shape::single;
    return results == 2 ? kTwo[below(5)] : kMany[below(2)];
  }

  void add_choice(Block& block, Visible& visible, int depth, int loops) {
    static constexpr Kind kKinds[] = {Kind::if_else, Kind::if_else, Kind::select,
                                      Kind::select,  Kind::all_of,  Kind::any_of};
    const Kind kind = kKinds[below(6)];
    const bool logic = kind == Kind::all_of || kind == Kind::any_of;
    const int branches = logic ? 1 : kind == Kind::select ? 2 + below(4) : 2;
    const int results = logic ? 1 : 1 + below(3);
    Id on = 0;
    if (kind == Kind::select) {
      on = small_number(block, visible, branches + (errors_ && one_in(4) ? 1 : 0));
    } else {
      on = one_in(6) ? pick(visible) : small_number(block, visible, 2);
    }
    Node node;
    node.kind = kind;
    node.in = {on};
    node.shape = shape_for(results);
    // Steps before the conditional that one branch uses, sometimes two.
    const bool lends = one_in(2);
    if (lends) fill(block, visible, depth + 1, loops, 1 + below(2));
    const Id lent = use(visible.back());
    const int borrower = below(branches), second = one_in(4) ? below(branches) : borrower;
    node.blocks.resize(static_cast<std::size_t>(branches));
    for (int a = 0; a < branches; ++a) {
      Block& branch = node.blocks[static_cast<std::size_t>(a)];
      Visible inside = visible;
      fill(branch, inside, depth + 1, loops, below(4));
      if (lends && (a == borrower || a == second)) add_work(branch, inside, 1009).in[0] = lent;
      branch.results = leftovers(inside, results);
    }
    finish(block, std::move(node), results, visible);
  }

  // The first carried value counts down to 0. The others come from anywhere, and may be permuted.
  void add_while(Block& block, Visible& visible, int depth, int loops) {
    Node node;
    node.kind = Kind::while_loop;
    node.init = {small_number(block, visible, 4)};
    begin_loop(node, below(3), visible);
    node.blocks.resize(2);
    if (errors_ && one_in(6)) node.max_iterations = 2;
    Visible inside = visible;
    inside.insert(inside.end(), node.state.begin(), node.state.end());

    Block& condition = node.blocks[0];
    condition.results = {node.state[0]};
    if (depth + 2 <= kMaxDepth && one_in(3)) {
      Visible asked = inside;
      Node also;
      also.kind = Kind::all_of;
      also.in = {node.state[0]};
      also.blocks.resize(1);
      Visible right = asked;
      fill(also.blocks[0], right, depth + 2, loops + 1, 1 + below(2));
      also.blocks[0].results = {leftover(right)};
      finish(condition, std::move(also), 1, asked);
      condition.results = {asked.back()};
    }

    Block& body = node.blocks[1];
    fill(body, inside, depth + 1, loops + 1, 1 + below(3));
    Node& less = add(body, Kind::arithmetic, {node.state[0]}, 1, inside);
    less.symbol = '-';
    less.constant = 1;
    body.results = {less.out[0]};
    next_state(node, body, inside);
    const int carried = static_cast<int>(node.state.size());
    node.shape = shape_for(carried);
    finish(block, std::move(node), carried, visible);
  }

  void add_for(Block& block, Visible& visible, int depth, int loops) {
    Node node;
    node.kind = one_in(3) ? Kind::collect : Kind::for_loop;
    node.constant = below(4);
    node.reverse = one_in(2);
    if (!one_in(4)) node.in = {small_number(block, visible, 4)};
    if (errors_ && one_in(8)) node.max_iterations = 2;
    begin_loop(node, 1 + below(3), visible);
    node.iteration = new_value();
    node.blocks.resize(1);
    Visible inside = visible;
    inside.insert(inside.end(), node.state.begin(), node.state.end());
    inside.push_back(node.iteration);
    fill(node.blocks[0], inside, depth + 1, loops + 1, 1 + below(3));
    next_state(node, node.blocks[0], inside);
    const int carried = static_cast<int>(node.state.size());
    node.shape = shape_for(carried);
    const bool collects = node.kind == Kind::collect;
    if (collects) node.blocks[0].results.push_back(leftover(inside));
    finish(block, std::move(node), carried + (collects ? 1 : 0), visible);
  }

  void begin_loop(Node& node, int more, const Visible& visible) {
    for (const Id id : pick_several(visible, more)) node.init.push_back(id);
    for (std::size_t i = 0; i < node.init.size(); ++i) node.state.push_back(new_value());
  }
  // For carried values without a next one yet: fresh, outer, one of those carried, the same twice.
  void next_state(const Node& node, Block& body, const Visible& inside) {
    while (body.results.size() < node.state.size())
      body.results.push_back(one_in(4) ? pick(node.state) : leftover(inside));
  }

  void finish(Block& block, Node node, int results, Visible& visible) {
    Node& place = add(block, node.kind, {}, results, visible);
    node.number = place.number;
    node.out = place.out;
    place = std::move(node);
  }

  void add_nodes(Block& block, Visible& visible, int depth, int loops, int count) {
    for (int i = 0; i < count && budget_ > 0; ++i) {
      const int kind = depth < kMaxDepth ? below(10) : 9;
      if (kind <= 2) {
        add_choice(block, visible, depth, loops);
      } else if (kind <= 4 && loops < kMaxLoops) {
        if (one_in(2)) {
          add_while(block, visible, depth, loops);
        } else {
          add_for(block, visible, depth, loops);
        }
      } else {
        add_simple(block, visible);
      }
    }
  }
  void fill(Block& block, Visible& visible, int depth, int loops, int count) {
    add_nodes(block, visible, depth, loops, count);
  }

  std::mt19937_64 random_;
  std::set<Id> used_;
  Program program_;
  int budget_ = 0;
  bool errors_ = false, effects_ = false, delays_ = false;
};

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace sluice::random_program
