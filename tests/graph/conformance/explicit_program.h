// Random programs of conditionals and loops, as plain data, and their meaning for one sample.
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
  std::vector<int> own;  // ids: its inputs, and the values it makes
  std::vector<Part> parts;
  std::vector<int> results;
};
struct Part {
  Kind kind = Kind::step;
  int k = 0;
  // The inputs. Step: two values; conditional: its condition; loop: its count.
  std::vector<int> in;
  // The inputs or initial values, and the same values as they are seen inside.
  std::vector<int> sources, inner;
  // Two branches, or a body. A body returns the next values and, if the loop collects, one more.
  std::vector<Block> blocks;
  bool collects = false;
  // If `asks`, the loop also ends when goes_on(looked) is false. `looked` is computed from the
  // loop's first value, and the body may use it.
  bool asks = false;
  int looked = 0;
  std::vector<int> out;
};

// Returns a program with one input and two results, another one for each seed.
Block generate(std::uint32_t seed);

// compute: the result of a step. goes_on: true if a loop that has looked at x goes on. fold: a list
// as one number, filled up with zeros.
int compute(int a, int b, int k);
bool goes_on(int x);
int fold(std::vector<int> list);

// The program as a plain function, run by an interpreter.
class Plain {
 public:
  explicit Plain(const Block& program) { need(program, program.results); }
  std::vector<int> run(const Block& program, int x);
  // Returns the number of steps that have run.
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
