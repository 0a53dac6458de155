// Random programs of conditionals and loops, as plain data, and what they mean for one sample.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace sluice::explicit_program {

inline constexpr int kModulus = 1009;
inline constexpr int kLongest = 4;  // loops make up to three trips

enum class Kind { step, conditional, loop };
struct Part;
struct Block {
  std::vector<int> own;  // ids: what it begins with, and what it makes
  std::vector<Part> parts;
  std::vector<int> results;
};
struct Part {
  Kind kind = Kind::step;
  int k = 0;
  // A step: two values; a conditional: what decides; a loop: the count.
  std::vector<int> in;
  // What goes in, as inputs or initial values, and the same as it is seen inside.
  std::vector<int> sources, inner;
  // Two arms, or a body, which gives the next values and, if the loop collects, one more.
  std::vector<Block> blocks;
  bool collects = false;
  // A loop ends, too, when what it looks at says so. That is made of its first value, and the body
  // may use it.
  bool asks = false;
  int looked = 0;
  std::vector<int> out;
};

// A program of one value, which gives two; seed after seed another one.
Block generate(std::uint32_t seed);

// What a step gives; whether a loop goes on that has looked at x; a list as one number, filled up
// with zeros.
int compute(int a, int b, int k);
bool goes_on(int x);
int fold(std::vector<int> list);

// The program as a plain function, run by walking over it.
class Plain {
 public:
  explicit Plain(const Block& program) { need(program, program.results); }
  std::vector<int> run(const Block& program, int x);
  // How many steps have run.
  int steps() const { return steps_; }

 private:
  void need(const Block& block, const std::vector<int>& results);
  bool is_needed(const Part& part) const;
  void run(const Block& block);
  std::vector<int> given(const std::vector<int>& ids) const;
  void assign(const std::vector<int>& ids, const std::vector<int>& values);

  std::set<int> needed_;
  std::map<int, int> values_;
  int steps_ = 0;
};

}  // namespace sluice::explicit_program
