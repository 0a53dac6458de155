// Random programs of conditionals and loops, nested up to three deep. By explicit boundaries, they
// have the results that they have as callables and as a plain function, on 1 and on 4 threads. No
// step runs that the plain function does not run.
#include "tests/graph/conformance/counted.h"
#include "tests/graph/conformance/explicit_program.h"
#include "tests/one_in.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::explicit_program {
namespace explicit_random_test {

using namespace conformance;

const int kPrograms = 300 / testing::one_in(2, 10);

// The value of a program: it has memory of its own, and cannot be read once that is released.
struct Number {
  std::string text;
};
Number boxed(int x) { return {"the number that travels here is " + std::to_string(x)}; }
int plain_of(const Number& number) {
  const std::size_t at = number.text.rfind(' ');
  if (at == std::string::npos) throw std::logic_error("the number was released");
  return std::stoi(number.text.substr(at + 1));
}

// The part that both ways of describing the program share.
class Described {
 public:
  Described(Graph& g, std::atomic<int>& steps) : g_(g), steps_(steps) {}
  virtual ~Described() = default;
  std::tuple<Value<int>, Value<int>> run(const Block& program) {
    values_[program.own[0]] = g_.map("boxed", boxed, given_idx(g_));
    run_parts(program);
    return {number(values_[program.results[0]]), number(values_[program.results[1]])};
  }

 protected:
  using Values = std::vector<Value<Number>>;
  void run_parts(const Block& block) {
    for (const Part& p : block.parts) {
      if (p.kind == Kind::step) {
        auto counted = [&steps = steps_, k = p.k](const Number& a, const Number& b) {
          ++steps;
          return boxed(compute(plain_of(a), plain_of(b), k));
        };
        values_[p.out[0]] = g_.map("step", counted, values_[p.in[0]], values_[p.in[1]]);
      } else if (p.kind == Kind::conditional) {
        conditional(p);
      } else {
        loop(p);
      }
    }
  }
  Values given(const std::vector<int>& ids) {
    Values all;
    for (const int i : ids) all.push_back(values_[i]);
    return all;
  }
  void assign(const std::vector<int>& ids, const Values& values) {
    for (std::size_t i = 0; i < ids.size() && i < values.size(); ++i) values_[ids[i]] = values[i];
  }
  Value<int> number(Value<Number> x) { return g_.map("number", plain_of, x); }
  Value<Number> folded(Value<std::vector<Number>> list) {
    return g_.map(
        "fold",
        [](const std::vector<Number>& all) {
          std::vector<int> numbers;
          for (const Number& x : all) numbers.push_back(x.text.empty() ? 0 : plain_of(x));
          return boxed(fold(numbers));
        },
        list);
  }
  Value<Number> look(const Part& p, Value<Number> x) {
    return g_.map(
        "look", [k = p.k](const Number& n) { return boxed(compute(plain_of(n), plain_of(n), k)); },
        x);
  }
  Value<bool> asked(Value<Number> x) {
    return g_.map(
        "asked", [](const Number& n) { return goes_on(plain_of(n)); }, x);
  }
  virtual void conditional(const Part& part) = 0;
  virtual void loop(const Part& part) = 0;

  Graph& g_;
  std::atomic<int>& steps_;
  std::map<int, Value<Number>> values_;
};

class ByBoundaries : public Described {
 public:
  using Described::Described;

 private:
  void conditional(const Part& p) override {
    auto cond = g_.add_conditional();
    const auto decide = [&] { cond.set_condition(number(values_[p.in[0]]) % 2 == 0); };
    if (p.k % 2 == 0) decide();
    for (std::size_t i = 0; i < p.inner.size(); ++i)
      values_[p.inner[i]] = cond.add_input(values_[p.sources[i]]);
    for (const Block& branch : p.blocks) run_parts(branch);
    const Values yes = given(p.blocks[0].results), no = given(p.blocks[1].results);
    for (std::size_t i = 0; i < p.out.size(); ++i)
      values_[p.out[i]] = cond.add_output(yes[i], no[i]);
    if (p.k % 2 != 0) decide();
  }
  void loop(const Part& p) override {
    auto loop = g_.add_loop();
    std::vector<Recurrence<Number>> carried;
    for (std::size_t i = 0; i < p.inner.size(); ++i) {
      carried.push_back(loop.add_recurrence(values_[p.sources[i]]));
      values_[p.inner[i]] = carried.back().value();
    }
    if (p.asks) {
      values_[p.looked] = look(p, values_[p.inner[0]]);
      loop.add_while(asked(values_[p.looked]));
    }
    const auto limit = [&] { loop.add_trip_limit(number(values_[p.in[0]]) % kLongest); };
    if (p.k % 2 == 0) limit();
    run_parts(p.blocks[0]);
    const Values next = given(p.blocks[0].results);
    if (p.k % 3 == 0) give(p, loop, carried, next);
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i].set_next(next[i]);
    if (p.k % 2 != 0) limit();
    if (p.k % 3 != 0) give(p, loop, carried, next);
  }
  void give(const Part& p, LoopBoundary& loop, const std::vector<Recurrence<Number>>& carried,
            const Values& next) {
    for (std::size_t i = 0; i < carried.size(); ++i)
      values_[p.out[i]] = loop.add_output(carried[i]);
    if (p.collects) values_[p.out.back()] = folded(loop.add_output(next.back(), kLongest));
  }
};

class ByCallables : public Described {
 public:
  using Described::Described;

 private:
  Values run_block(const Block& block) {
    run_parts(block);
    return given(block.results);
  }
  void conditional(const Part& p) override {
    assign(p.inner, given(p.sources));
    assign(p.out, g_.if_else(
                      number(values_[p.in[0]]) % 2 == 0, [&] { return run_block(p.blocks[0]); },
                      [&] { return run_block(p.blocks[1]); }));
  }
  void loop(const Part& p) override {
    const auto count = number(values_[p.in[0]]) % kLongest;
    if (p.asks) {
      auto [last, trips] = g_.while_loop(
          std::tuple{given(p.sources), 0},
          [&](const Values& state, auto i) {
            return g_.all_of(i < count, [&] { return asked(look(p, state[0])); });
          },
          [&](const Values& state, auto i) {
            assign(p.inner, state);
            values_[p.looked] = look(p, state[0]);
            return std::tuple{run_block(p.blocks[0]), i + 1};
          });
      assign(p.out, last);
      return;
    }
    auto [last, list] =
        g_.for_loop_collect(count, given(p.sources), [&](auto, const Values& state) {
          assign(p.inner, state);
          Values next = run_block(p.blocks[0]);
          const Value<Number> kept = next.back();
          if (p.collects) next.pop_back();
          return std::tuple{next, kept};
        });
    assign(p.out, last);
    if (p.collects) values_[p.out.back()] = folded(list);
  }
};

// Returns the number of steps that ran.
template <class Way>
int expect_plain(const Block& program, int threads) {
  std::atomic<int> steps{0};
  auto pipeline = make_pipeline({.batch_size = kBatch, .threads = threads},
                                [&](Graph& g) { return Way(g, steps).run(program); });
  int idx = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k, ++idx) {
      const std::vector<int> wanted = Plain(program).run(program, idx);
      EXPECT_EQ(row_of(batch, k), (std::tuple{wanted[0], wanted[1]})) << "sample " << idx;
    }
  }
  EXPECT_EQ(idx, kSamples);
  return steps;
}

TEST(ExplicitRandom, BoundariesMeanWhatCallablesMean) {
  int runs = 0;
  for (std::uint32_t seed = 0;
       seed < static_cast<std::uint32_t>(kPrograms) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("program " + std::to_string(seed));
    const Block program = generate(seed);
    Plain plain(program);
    for (int idx = 0; idx < kSamples; ++idx) (void)plain.run(program, idx);
    for (const int threads : {1, 4})
      EXPECT_EQ(expect_plain<ByBoundaries>(program, threads), plain.steps());
    EXPECT_LE(expect_plain<ByCallables>(program, 1), plain.steps());  // some move into branches
    runs += plain.steps();
  }
  EXPECT_GT(runs, kPrograms * kSamples);
}

}  // namespace explicit_random_test
}  // namespace sluice::explicit_program
