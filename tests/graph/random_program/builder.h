// Describes a random program with the public builder, over values of type T.
#pragma once

#include "tests/graph/random_program/build.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::random_program {

// Converts a number to the program's type and back. A value that was released, or never written,
// decodes to an error.
template <class T>
struct Carrier;
template <>
struct Carrier<std::int64_t> {
  static void encode(std::int64_t x, std::int64_t& out) { out = x; }
  static std::int64_t decode(std::int64_t x) { return x; }
};
template <>
struct Carrier<std::string> {
  static void encode(std::int64_t x, std::string& out) {
    out = "the number that travels here is ";
    out += std::to_string(x);
  }
  static std::int64_t decode(const std::string& text) {
    const std::size_t at = text.rfind(' ');
    if (at == std::string::npos) throw std::logic_error("the string is empty");
    return std::stoll(text.substr(at + 1));
  }
};
template <>
struct Carrier<Image> {
  static void encode(std::int64_t x, Image& out);
  static std::int64_t decode(const Image& image);
};

template <class T>
struct Record {
  Value<T> first;
  Value<T> second;
};

// Meets the faults of a plan that lie in calls of steps.
class Faults {
 public:
  explicit Faults(const FaultPlan& plan) : plan_(plan) {}
  // Called at the beginning of each step.
  void meet();

  std::function<void()> cancel;
  std::atomic<bool> armed{false};
  std::atomic<std::uint64_t> met{0};

 private:
  const FaultPlan plan_;
  std::atomic<std::uint64_t> calls_{0};
};
inline constexpr const char* kInjected = "a fault of the plan";

template <class T>
class Builder {
 public:
  using V = Value<T>;
  using Values = std::vector<V>;
  using Counters = std::vector<std::atomic<int>>;

  Builder(Graph& g, const Program& program, const Setting& setting, Counters& counters,
          Faults& faults)
      : g_(g),
        counters_(counters),
        faults_(faults),
        values_(static_cast<std::size_t>(program.values)) {
    value(kSource) = g.source(setting.samples, [](const SampleInfo& info) {
      T made;
      Carrier<T>::encode(info.index_in_epoch, made);
      return made;
    });
    write(program.top);
  }
  V result(const Program& program, std::size_t i) { return value(program.top.results.at(i)); }

 private:
  V& value(Id id) { return values_[static_cast<std::size_t>(id)]; }
  Values values(const std::vector<Id>& ids) {
    Values some;
    for (const Id id : ids) some.push_back(value(id));
    return some;
  }
  void assign(const std::vector<Id>& ids, const Values& some) {
    for (std::size_t i = 0; i < ids.size(); ++i) value(ids[i]) = some.at(i);
  }

  // Adds f(numbers) as a step of up to three inputs.
  template <class F>
  V step(const std::string& name, F f, const Values& in) {
    const auto with = [&](auto... inputs) {
      if constexpr (std::is_same_v<T, Image>) {
        return g_.template map_into<T>(
            name,
            [f](const auto&... rest) {
              auto all = std::tie(rest...);
              [&]<std::size_t... I>(std::index_sequence<I...>) {
                const std::int64_t made = f({Carrier<T>::decode(std::get<I>(all))...});
                Carrier<T>::encode(made, const_cast<T&>(std::get<sizeof...(I)>(all)));
              }
              (std::make_index_sequence<sizeof...(rest) - 1>());
            },
            inputs...);
      } else {
        return g_.map(
            name,
            [f](const std::conditional_t<true, T, decltype(inputs)>&... numbers) {
              T made;
              Carrier<T>::encode(f({Carrier<T>::decode(numbers)...}), made);
              return made;
            },
            inputs...);
      }
    };
    if (in.empty()) return with();
    if (in.size() == 1) return with(in[0]);
    if (in.size() == 2) return with(in[0], in[1]);
    return with(in[0], in[1], in[2]);
  }

  // Converts to a number that conditions can use.
  Value<std::int64_t> number(const V& v) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return v;
    } else {
      return g_.map(
          "number", [](const T& x) { return Carrier<T>::decode(x); }, v);
    }
  }
  V carried(const Value<std::int64_t>& v) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      return v;
    } else {
      return g_.map(
          "carried",
          [](std::int64_t x) {
            T made;
            Carrier<T>::encode(x, made);
            return made;
          },
          v);
    }
  }
  V carried(const Value<bool>& v) {
    return carried(g_.map(
        "as_number", [](bool x) { return std::int64_t{x}; }, v));
  }

  void write(const Block& block) {
    for (const Node& node : block.nodes) write(node);
  }
  Values write_branch(const Block& branch) {
    write(branch);
    return values(branch.results);
  }

  void write(const Node& node) {
    std::atomic<int>& runs = counters_[static_cast<std::size_t>(node.number)];
    const auto counted = [&runs, &faults = faults_, node](const std::vector<std::int64_t>& in) {
      faults.meet();
      runs.fetch_add(1, std::memory_order_relaxed);
      return compute(node, in);
    };
    switch (node.kind) {
      case Kind::constant:
        if constexpr (std::is_same_v<T, std::int64_t>) {
          value(node.out[0]) = g_.constant(node.constant);
          break;
        }
        [[fallthrough]];
      case Kind::work:
        value(node.out[0]) = step(name_of(node), counted, values(node.in));
        break;
      case Kind::arithmetic:
        value(node.out[0]) = write_arithmetic(node, counted);
        break;
      case Kind::draw:
        value(node.out[0]) = write_draw(node, runs);
        break;
      case Kind::tap:
        g_.tap(
            name_of(node), [counted](const T& x) { (void)counted({Carrier<T>::decode(x)}); },
            value(node.in[0]));
        break;
      case Kind::filter:
        g_.filter(number(value(node.in[0])));
        break;
      case Kind::all_of:
      case Kind::any_of:
        value(node.out[0]) = write_logic(node);
        break;
      case Kind::if_else:
      case Kind::select:
        write_choice(node);
        break;
      case Kind::while_loop:
      case Kind::for_loop:
      case Kind::collect:
        write_loop(node);
        break;
    }
  }

  template <class Counted>
  V write_arithmetic(const Node& node, Counted counted) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      const auto with = [&](auto b) -> V {
        const V a = value(node.in[0]);
        switch (node.symbol) {
          case '+':
            return (a + b) % 1009;
          case '-':
            return (a - b) % 1009;
          case '*':
            return (a * b) % 1009;
          case '/':
            return (a / b) % 1009;
          default:
            return (a % b) % 1009;
        }
      };
      return node.in.size() > 1 ? with(value(node.in[1])) : with(node.constant);
    } else {
      return step(name_of(node), counted, values(node.in));
    }
  }

  V write_draw(const Node& node, std::atomic<int>& runs) {
    return g_.random(name_of(node), [&runs, &faults = faults_](Random& random) {
      faults.meet();
      runs.fetch_add(1, std::memory_order_relaxed);
      T made;
      Carrier<T>::encode(random.below(kDraws), made);
      return made;
    });
  }

  V write_logic(const Node& node) {
    const Value<bool> left = number(value(node.in[0])) != 0;
    const auto right = [&] { return number(write_branch(node.blocks[0])[0]) != 0; };
    return carried(node.kind == Kind::all_of ? g_.all_of(left, right) : g_.any_of(left, right));
  }

  // Calls f(pack, unpack): pack makes the structure of the shape from values, unpack reverses it.
  template <class F>
  void with_shape(Shape shape, F f) {
    switch (shape) {
      case Shape::single:
        return f([](const Values& v) { return v.at(0); }, [](const V& v) { return Values{v}; });
      case Shape::tuple:
        return f(
            [](const Values& v) {
              return std::tuple{v.at(0), v.at(1)};
            },
            [](const std::tuple<V, V>& s) {
              return Values{std::get<0>(s), std::get<1>(s)};
            });
      case Shape::record:
        return f(
            [](const Values& v) {
              return Record<T>{v.at(0), v.at(1)};
            },
            [](const Record<T>& s) {
              return Values{s.first, s.second};
            });
      case Shape::nested:
        return f(
            [](const Values& v) {
              return std::pair{std::array{v.at(0)}, Values{v.at(1)}};
            },
            [](const std::pair<std::array<V, 1>, Values>& s) {
              return Values{s.first[0], s.second.at(0)};
            });
      case Shape::map:
        return f(
            [](const Values& v) {
              std::map<int, V> s;
              for (const V& x : v) s.emplace(static_cast<int>(s.size()), x);
              return s;
            },
            [](const std::map<int, V>& s) {
              Values v;
              for (const auto& [key, x] : s) v.push_back(x);
              return v;
            });
      case Shape::vector:
        return f([](const Values& v) { return v; }, [](const Values& v) { return v; });
    }
  }

  void write_choice(const Node& node) {
    with_shape(node.shape, [&](auto pack, auto unpack) {
      const auto branch = [&](std::size_t i) {
        return [&, i] { return pack(write_branch(node.blocks.at(i))); };
      };
      const auto on = number(value(node.in[0]));
      if (node.kind == Kind::if_else) {
        assign(node.out, unpack(g_.if_else(on, branch(0), branch(1))));
      } else if (node.blocks.size() == 3) {
        assign(node.out, unpack(g_.select(on, branch(0), branch(1), branch(2))));
      } else {
        std::vector<decltype(branch(0))> branches;
        for (std::size_t i = 0; i < node.blocks.size(); ++i) branches.push_back(branch(i));
        assign(node.out, unpack(g_.select(on, branches)));
      }
    });
  }

  void write_loop(const Node& node) {
    with_shape(node.shape, [&](auto pack, auto unpack) {
      const auto init = pack(values(node.init));
      const LoopOptions options{node.max_iterations};
      if (node.kind == Kind::while_loop) {
        assign(node.out, unpack(g_.while_loop(
                             init,
                             [&](const auto& state) {
                               assign(node.state, unpack(state));
                               return number(write_branch(node.blocks[0])[0]) != 0;
                             },
                             [&](const auto& state) {
                               assign(node.state, unpack(state));
                               return pack(write_branch(node.blocks[1]));
                             },
                             options)));
        return;
      }
      const auto body = [&](const Value<std::int64_t>& i, const auto& state) {
        assign(node.state, unpack(state));
        value(node.iteration) = carried(i);
        return write_branch(node.blocks[0]);
      };
      const auto loop = [&](auto count) {
        if (node.kind == Kind::for_loop) {
          assign(node.out, unpack(g_.for_loop(
                               count, init,
                               [&](const Value<std::int64_t>& i, const auto& state) {
                                 return pack(body(i, state));
                               },
                               options)));
          return;
        }
        auto [last, list] =
            g_.for_loop_collect(count, init,
                                [&](const Value<std::int64_t>& i, const auto& state) {
                                  Values all = body(i, state);
                                  const V kept = all.back();
                                  all.pop_back();
                                  return std::tuple{pack(all), kept};
                                },
                                {node.reverse, node.max_iterations});
        Values out = unpack(last);
        out.push_back(carried(g_.map(
            "fold",
            [](const std::vector<T>& kept) {
              std::vector<std::int64_t> numbers;
              for (const T& x : kept) numbers.push_back(Carrier<T>::decode(x));
              return fold(numbers);
            },
            list)));
        assign(node.out, out);
      };
      if (node.in.empty()) {
        loop(node.constant);
      } else {
        loop(number(value(node.in[0])));
      }
    });
  }

  Graph& g_;
  Counters& counters_;
  Faults& faults_;
  Values values_;
};

}  // namespace sluice::random_program
