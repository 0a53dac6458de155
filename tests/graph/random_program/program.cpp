#include "tests/graph/random_program/program.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace sluice::random_program {
namespace {

constexpr std::int64_t kRange = 1009;  // keeps products far from overflow

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

void be_busy(std::uint64_t turns) {
  std::atomic<std::uint64_t> turn{0};
  while (turn.fetch_add(1, std::memory_order_relaxed) < turns) {
  }
}

std::int64_t arithmetic(char symbol, std::int64_t a, std::int64_t b) {
  if ((symbol == '/' || symbol == '%') && b == 0) throw std::runtime_error("division by zero");
  switch (symbol) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return a % b;
  }
}

}  // namespace

bool has_effect(const Node& node) {
  if (node.kind == Kind::tap || node.kind == Kind::filter) return true;
  return std::any_of(node.blocks.begin(), node.blocks.end(), [](const Block& block) {
    return std::any_of(block.nodes.begin(), block.nodes.end(), has_effect);
  });
}

std::size_t size_of(const Block& block) {
  std::size_t size = block.nodes.size();
  for (const Node& node : block.nodes) {
    for (const Block& inner : node.blocks) size += size_of(inner);
  }
  return size;
}

std::int64_t compute(const Node& node, const std::vector<std::int64_t>& in) {
  if (node.kind == Kind::constant) return node.constant;
  if (node.kind == Kind::arithmetic)
    return arithmetic(node.symbol, in[0], in.size() > 1 ? in[1] : node.constant) % kRange;
  std::uint64_t hash = mix(static_cast<std::uint64_t>(node.number));
  for (const std::int64_t x : in) hash = mix(hash ^ static_cast<std::uint64_t>(x));
  if (node.spins > 0) be_busy(hash % node.spins);
  if (node.fails_one_in > 0 && (hash >> 20) % node.fails_one_in == 0)
    throw std::runtime_error("not this one");
  return static_cast<std::int64_t>((hash >> 32) % static_cast<std::uint64_t>(node.modulus));
}

std::int64_t fold(const std::vector<std::int64_t>& values) {
  std::int64_t all = static_cast<std::int64_t>(values.size());
  for (const std::int64_t x : values) all = (all * 31 + x) % kRange;
  return all;
}

std::string name_of(const Node& node) {
  switch (node.kind) {
    case Kind::constant:
      return "constant";
    case Kind::draw:
      return "draw_" + std::to_string(node.number);
    case Kind::work:
      return "work_" + std::to_string(node.number);
    case Kind::tap:
      return "tap_" + std::to_string(node.number);
    case Kind::filter:
      return "filter";
    case Kind::if_else:
      return "if_else";
    case Kind::all_of:
      return "all_of";
    case Kind::any_of:
      return "any_of";
    case Kind::select:
      return "select";
    case Kind::while_loop:
      return "while_loop";
    case Kind::for_loop:
    case Kind::collect:
      return "for_loop";
    case Kind::arithmetic:
      break;
  }
  switch (node.symbol) {
    case '+':
      return "add";
    case '-':
      return "subtract";
    case '*':
      return "multiply";
    case '/':
      return "divide";
    default:
      return "remainder";
  }
}

}  // namespace sluice::random_program
