// Random programs as plain data. The property test of control flow builds each one twice, as a
// graph and as a plain function, and compares them.
//
// A Program is blocks of nodes over numbered values, each of them one number per sample. Value 0 is
// the sample's index. Nodes are listed in the order in which a user would write them. Later nodes
// may use a value, in its own block and in the blocks within.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::random_program {

using Id = int;
inline constexpr Id kSource = 0;

enum class Kind : std::uint8_t {
  constant,    // the number `constant`
  draw,        // a random number
  arithmetic,  // one of C++'s operators on two values, or on a value and `constant`
  work,        // a number made of all inputs; may take time, may throw
  tap,         // runs for its effect
  filter,      // drops samples whose input is 0
  if_else,     // in[0] != 0: the first block, else the second
  all_of,      // in[0] != 0 and the block's result
  any_of,      // in[0] != 0 or the block's result
  select,      // the block whose number is in[0]
  while_loop,  // blocks: condition, body
  for_loop,    // in[0] or `constant` times the body
  collect      // the same; the body's last result is kept of each iteration, and folded to a number
};

// The grouping of the values that branches and bodies return to the builder.
enum class Shape : std::uint8_t { single, tuple, vector, record, map, nested };

struct Node;
struct Block {
  std::vector<Node> nodes;
  std::vector<Id> results;
};

struct Node {
  Kind kind = Kind::constant;
  int number = 0;  // of its own in the program: "work_7"
  std::vector<Id> in;
  std::vector<Id> out;
  std::int64_t constant = 0;
  char symbol = '+';             // of arithmetic
  std::int64_t modulus = 1009;   // work: results are below
  std::uint64_t fails_one_in{};  // work, tap: about one call in so many throws; 0: none
  std::uint64_t spins = 0;       // work: busy for up to so many turns
  Shape shape = Shape::vector;
  bool reverse = false;  // collect
  std::vector<Block> blocks;

  // Loops: the initial values, the values in each iteration, and the iteration's number.
  std::vector<Id> init;
  std::vector<Id> state;
  Id iteration = -1;
  std::int64_t max_iterations = 1000;
};

struct Program {
  std::uint64_t seed = 0;  // that it was generated from
  int values = 1;          // ids in use
  int numbers = 0;         // node numbers in use
  Block top;               // its results are the outputs, one to three
};

inline bool is_loop(const Node& node) {
  return node.kind == Kind::while_loop || node.kind == Kind::for_loop || node.kind == Kind::collect;
}
inline bool is_logic(const Node& node) {
  return node.kind == Kind::all_of || node.kind == Kind::any_of;
}
inline bool is_choice(const Node& node) { return !node.blocks.empty() && !is_loop(node); }
// Returns the body, which is the only block of a for_loop.
inline const Block& body_of(const Node& loop) { return loop.blocks.back(); }

// True if the node itself, or one inside it, runs for its effect.
bool has_effect(const Node& node);
// Returns the number of nodes in the block and in all blocks within.
std::size_t size_of(const Block& block);

// Returns the result of a constant, an arithmetic, a work or a tap node for these inputs. Throws
// std::runtime_error if the node fails. The result of a tap has no meaning.
std::int64_t compute(const Node& node, const std::vector<std::int64_t>& in);
// Returns the result of a collect node for the values of its iterations.
std::int64_t fold(const std::vector<std::int64_t>& values);
// Draws are in the range 0 to kDraws - 1.
inline constexpr std::uint32_t kDraws = 100;

// Returns the node's name in errors, as a user sees it, without the "#2" that makes it unique.
std::string name_of(const Node& node);

}  // namespace sluice::random_program
