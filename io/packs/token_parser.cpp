#include <sluice/io/packs/token_parser.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice {

PackToken token_of(std::uint32_t run, std::size_t type) {
  PackToken token;
  token.run = static_cast<std::uint8_t>(run);
  token.length = 1;
  token.magnitude[0] = kMagnitudeClasses.of_class[type].base;
  token.extra = kMagnitudeClasses.of_class[type].extra;
  return token;
}
PackToken end_token() {
  PackToken token;
  token.ends = 1;
  return token;
}
PackToken skip_token(std::uint32_t run) {
  PackToken token;
  token.run = static_cast<std::uint8_t>(run);
  return token;
}

namespace {

// Returns 0 for a token of another writer, which no class has.
std::size_t class_of_first(const PackToken& token) {
  for (std::size_t type = 1; type < MagnitudeClasses::kCount; ++type) {
    const MagnitudeClass& of = kMagnitudeClasses.of_class[type];
    if (of.base == token.magnitude[0] && of.extra == token.extra) return type;
  }
  return 0;
}

}  // namespace

// The tokens as a tree of symbols.
struct PackTokenParser::Trie {
  struct Node {
    std::uint32_t match = kNone;  // of the longest token up to here
    std::uint16_t base = 0;
    std::vector<std::pair<std::uint8_t, std::uint32_t>> children;  // codes and nodes
  };
  std::vector<Node> nodes{kRoots};  // first one for each code at the begin

  void add(std::uint16_t number, const PackToken& token) {
    std::size_t node = 0;
    std::uint32_t symbols = 1, signs = 0;
    const auto go_on = [&](std::uint8_t code) {
      node = child(node, code);
      ++symbols;
    };
    if (token.length == 0) {
      if (token.ends == 0) return;
    } else {
      const std::size_t type = class_of_first(token);
      if (type == 0) return;
      for (std::size_t i = 1; i < token.length; ++i)
        if (token.magnitude[i] >= MagnitudeClasses::kExact) return;
      node = PackSymbols::first_code(token.run, type);
      std::uint32_t run = 0;
      for (std::size_t i = 1; i < token.length; ++i) {
        if (token.magnitude[i] == 0) {
          ++run;
          continue;
        }
        go_on(PackSymbols::later_code(run, token.magnitude[i]));
        run = 0;
      }
      signs = symbols;
      if (token.ends != 0) go_on(PackSymbols::kEnd);
    }
    if (nodes[node].match == kNone)
      nodes[node].match = number | symbols << 13 | signs << 17 | std::uint32_t{token.extra} << 21;
  }
  std::size_t child(std::size_t node, std::uint8_t code) {
    for (const auto& [known, child] : nodes[node].children)
      if (known == code) return child;
    nodes[node].children.emplace_back(code, static_cast<std::uint32_t>(nodes.size()));
    nodes.emplace_back();
    return nodes.size() - 1;
  }
  // Gives nodes without a token that of the node before. Children come after their parents.
  void inherit() {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const auto& [code, child] : nodes[i].children)
        if (nodes[child].match == kNone) nodes[child].match = nodes[i].match;
  }
};

PackTokenParser::PackTokenParser(std::span<const PackToken> tokens) {
  Trie trie;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    trie.add(static_cast<std::uint16_t>(i), tokens[i]);
  const auto alone = [&](std::size_t type) {
    return step_of(trie.nodes[PackSymbols::first_code(0, type)].match);
  };
  Step all = alone(MagnitudeClasses::kAll);
  if (trie.nodes[0].match == kNone || all.token == kNone)
    throw PackError("the dictionary of tokens is damaged: it cannot express all blocks");
  all.is_all = true;
  for (std::size_t type = 0; type < std::size(single_); ++type) {
    single_[type] = alone(type);
    if (type == 0 || single_[type].token == kNone) single_[type] = all;
  }
  find_skips(tokens);
  trie.inherit();
  lay_out(trie);
}

// Gives all nodes their numbers. Nodes with many others behind them come first, and the others fill
// the gaps. For all nodes with equally many others, the gaps are passed only once.
void PackTokenParser::lay_out(Trie& trie) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < trie.nodes.size(); ++i)
    if (!trie.nodes[i].children.empty()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trie.nodes[a].children.size() > trie.nodes[b].children.size();
  });
  std::vector<bool> taken(kFree + std::size_t{256}), is_base(kFree);
  std::size_t from = kRoots, children = 0, highest = kRoots;
  for (const std::uint32_t i : order) {
    Trie::Node& node = trie.nodes[i];
    if (node.children.size() != children) from = kRoots;
    children = node.children.size();
    const auto fits = [&](std::size_t base) {
      return !is_base[base] && std::none_of(node.children.begin(), node.children.end(),
                                            [&](const auto& of) { return taken[base + of.first]; });
    };
    std::size_t base = from;
    while (base < kFree && !fits(base)) ++base;
    if (base == kFree) break;  // the rest is not used: a dictionary that was made for that
    for (const auto& [code, child] : node.children) taken[base + code] = true;
    is_base[base] = true;
    node.base = static_cast<std::uint16_t>(base);
    from = base + 1;
    highest = std::max(highest, base);
  }
  links_.assign(highest + 256, std::uint32_t{kFree} << 16);
  matches_.assign(links_.size(), kNone);
  const auto place = [&](std::size_t at, const Trie::Node& node, std::uint16_t before) {
    links_[at] = node.base | std::uint32_t{before} << 16;
    matches_[at] = node.match;
  };
  for (std::size_t i = 0; i < kRoots; ++i) place(i, trie.nodes[i], kFree);
  for (const Trie::Node& node : trie.nodes)
    if (node.base != 0)
      for (const auto& [code, child] : node.children)
        place(std::size_t{node.base} + code, trie.nodes[child], node.base);
}

// Finds the fewest tokens that skip 1, 2, 3, ... zeros. A value of zero skips one, at worst.
void PackTokenParser::find_skips(std::span<const PackToken> tokens) {
  std::uint16_t of_run[64];
  std::fill(std::begin(of_run), std::end(of_run), kNone);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].length == 0 && tokens[i].ends == 0) {
      std::uint16_t& token = of_run[tokens[i].run & 63];
      if (token == kNone) token = static_cast<std::uint16_t>(i);
    }
  for (std::size_t zeros = 1; zeros < 64; ++zeros) {
    Skip& best = skips_[zeros];
    best = {single_[MagnitudeClasses::kAll], 1,
            static_cast<std::uint8_t>(skips_[zeros - 1].steps + 1)};
    best.step.symbols = 0;
    for (std::size_t run = 1; run <= zeros; ++run)
      if (of_run[run] != kNone && skips_[zeros - run].steps + 1 <= best.steps)
        best = {{of_run[run], 0, 0, 0, false},
                static_cast<std::uint8_t>(run),
                static_cast<std::uint8_t>(skips_[zeros - run].steps + 1)};
  }
}

}  // namespace sluice
