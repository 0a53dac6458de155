#include "tests/graph/conformance/explicit_program.h"

#include <sluice/runtime/random.h>

#include <algorithm>
#include <utility>

namespace sluice::explicit_program {
namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_({.seed = 4242, .sample = seed}) {}
  Block program() { return block({id()}, {}, 2, 0); }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(n))); }
  int id() { return ids_++; }
  int pick(const std::vector<int>& ids) {
    return ids[static_cast<std::size_t>(below(static_cast<int>(ids.size())))];
  }
  static std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  // Each part uses a value of its own block, so that the part lies there.
  Block block(std::vector<int> own, const std::vector<int>& outer, int results, int depth) {
    Block made;
    made.own = std::move(own);
    for (int n = 1 + below(4); n > 0; --n) {
      Part p;
      p.k = below(20);
      p.kind = depth == 3 ? Kind::step : static_cast<Kind>(below(3));
      p.in.push_back(pick(made.own));
      const std::vector<int> all = joined(made.own, outer);
      if (p.kind == Kind::step) {
        p.in.push_back(pick(all));
        p.out.push_back(id());
      } else {
        p.sources.push_back(pick(made.own));
        for (int more = below(3); more > 0; --more) p.sources.push_back(pick(all));
        for (std::size_t i = 0; i < p.sources.size(); ++i) p.inner.push_back(id());
      }
      if (p.kind == Kind::conditional) {
        const int outputs = 1 + below(2);
        for (int branch = 0; branch < 2; ++branch)
          p.blocks.push_back(block(p.inner, all, outputs, depth + 1));
        for (int i = 0; i < outputs; ++i) p.out.push_back(id());
      } else if (p.kind == Kind::loop) {
        p.asks = below(2) == 0;
        p.looked = id();
        p.collects = !p.asks && below(2) == 0;
        const int gives = static_cast<int>(p.sources.size()) + (p.collects ? 1 : 0);
        const std::vector<int> looked(p.asks ? 1 : 0, p.looked);
        p.blocks.push_back(block(joined(p.inner, looked), all, gives, depth + 1));
        for (int i = 0; i < gives; ++i) p.out.push_back(id());
      }
      made.own = joined(made.own, p.out);
      made.parts.push_back(std::move(p));
    }
    const std::vector<int> all = joined(made.own, outer);
    for (int i = 0; i < results; ++i) made.results.push_back(pick(all));
    return made;
  }

  Random random_;
  int ids_ = 0;
};

}  // namespace

Block generate(std::uint32_t seed) { return Generator(seed).program(); }

int compute(int a, int b, int k) { return (a * 7 + b * (k + 2) + k) % kModulus; }
bool goes_on(int x) { return x % 5 != 0; }

int fold(std::vector<int> list) {
  list.resize(kLongest);
  int sum = 0;
  for (const int x : list) sum = (sum * 3 + x) % kModulus;
  return sum;
}

std::vector<int> Plain::run(const Block& program, int x) {
  values_[program.own[0]] = x;
  run(program);
  return given(program.results);
}

// Marks all values that lead to needed values.
void Plain::need(const Block& block, const std::vector<int>& results) {
  needed_.insert(results.begin(), results.end());
  for (auto p = block.parts.rbegin(); p != block.parts.rend(); ++p) {
    if (!is_needed(*p)) continue;
    needed_.insert(p->in.begin(), p->in.end());
    for (const Block& inner : p->blocks) {
      std::vector<int> gives;
      for (std::size_t i = 0; i < inner.results.size(); ++i) {
        const bool carried = p->kind == Kind::loop && i < p->sources.size();
        if (carried || needed_.count(p->out[i]) > 0) gives.push_back(inner.results[i]);
      }
      need(inner, gives);
    }
    for (std::size_t i = 0; i < p->sources.size(); ++i) {
      if (p->kind == Kind::loop || needed_.count(p->inner[i]) > 0) needed_.insert(p->sources[i]);
    }
  }
}

bool Plain::is_needed(const Part& part) const {
  return std::any_of(part.out.begin(), part.out.end(),
                     [&](int out) { return needed_.count(out) > 0; });
}

std::vector<int> Plain::given(const std::vector<int>& ids) const {
  std::vector<int> all;
  for (const int i : ids) {
    const auto at = values_.find(i);
    all.push_back(at == values_.end() ? 0 : at->second);
  }
  return all;
}
void Plain::assign(const std::vector<int>& ids, const std::vector<int>& values) {
  // A collecting loop has one more output for its list.
  for (std::size_t i = 0; i < values.size(); ++i) values_[ids[i]] = values[i];
}

void Plain::run(const Block& block) {
  for (const Part& p : block.parts) {
    if (!is_needed(p)) continue;
    const int first = values_[p.in[0]];
    if (p.kind == Kind::step) {
      ++steps_;
      assign(p.out, {compute(first, values_[p.in[1]], p.k)});
      continue;
    }
    assign(p.inner, given(p.sources));
    if (p.kind == Kind::conditional) {
      const Block& branch = p.blocks[first % 2 == 0 ? 0 : 1];
      run(branch);
      assign(p.out, given(branch.results));
      continue;
    }
    std::vector<int> list;
    for (int i = 0; i < first % kLongest; ++i) {
      if (p.asks) {
        const int x = values_[p.inner[0]];
        values_[p.looked] = compute(x, x, p.k);
        if (!goes_on(values_[p.looked])) break;
      }
      run(p.blocks[0]);
      std::vector<int> next = given(p.blocks[0].results);
      if (p.collects) {
        list.push_back(next.back());
        next.pop_back();
      }
      assign(p.inner, next);
    }
    assign(p.out, given(p.inner));
    if (p.collects) values_[p.out.back()] = fold(list);
  }
}

}  // namespace sluice::explicit_program
