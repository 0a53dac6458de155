#include <sluice/io/packs/token_parser.h>

#include <algorithm>
#include <iterator>

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

PackTokenParser::PackTokenParser(std::span<const PackToken> tokens)
    : first_(std::size_t{64} << 6), edges_(1024), shift_(32 - 10) {
  for (std::size_t i = 0; i < tokens.size(); ++i) add(static_cast<std::uint16_t>(i), tokens[i]);
  for (std::size_t type = 0; type < MagnitudeClasses::kCount; ++type)
    single_[type] = static_cast<std::uint16_t>(first_[first_symbol(0, type)].token);
  if (end_ == kNone || single_[MagnitudeClasses::kAll] == kNone)
    throw PackError("the dictionary of tokens is damaged: it cannot express all blocks");
  find_skips(tokens);
}

void PackTokenParser::add(std::uint16_t number, const PackToken& token) {
  if (token.length == 0) {
    if (token.ends != 0 && end_ == kNone) end_ = number;
    return;
  }
  std::size_t type = 0;
  while (type < MagnitudeClasses::kCount &&
         (kMagnitudeClasses.of_class[type].base != token.magnitude[0] ||
          kMagnitudeClasses.of_class[type].extra != token.extra))
    ++type;
  if (type == MagnitudeClasses::kCount) return;  // of another writer
  for (std::size_t i = 1; i < token.length; ++i)
    if (token.magnitude[i] >= MagnitudeClasses::kExact) return;

  while (3 * (edge_count_ + token.length) > edges_.size()) grow();
  Edge* edge = &first_[first_symbol(token.run, type)];
  std::uint32_t run = 0;
  for (std::size_t i = 1; i < token.length; ++i) {
    if (token.magnitude[i] == 0) {
      ++run;
      continue;
    }
    if (edge->node == 0) edge->node = ++nodes_ & 0x7fff;
    const std::uint32_t key =
        static_cast<std::uint32_t>(edge->node) << 8 | later_symbol(run, token.magnitude[i]);
    edge = &edges_[static_cast<std::size_t>(&find(key) - edges_.data())];
    if (edge->key == kEmpty) ++edge_count_;
    edge->key = key & kEmpty;
    run = 0;
  }
  if (token.ends != 0) {
    if (edge->ending == kNone) edge->ending = number & kNone;
  } else if (edge->token == kNone) {
    edge->token = number & kNone;
  }
}

void PackTokenParser::grow() {
  std::vector<Edge> before(2 * edges_.size());
  before.swap(edges_);
  --shift_;
  for (const Edge& edge : before)
    if (edge.key != kEmpty)
      edges_[static_cast<std::size_t>(&find(edge.key) - edges_.data())] = edge;
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
    for (std::size_t run = 1; run <= zeros; ++run)
      if (of_run[run] != kNone && skips_[zeros - run].steps + 1 <= best.steps)
        best = {of_run[run], static_cast<std::uint8_t>(run),
                static_cast<std::uint8_t>(skips_[zeros - run].steps + 1)};
  }
}

int PackTokenParser::parse(const PackPairs& pairs, Step* steps) const {
  const int count = pairs.count;
  Step* step = steps;
  for (int i = 0; i < count;) {
    const PackPair& first = pairs.pair[i];
    const Edge* edge = &first_[first_symbol(first.run, first.type)];
    std::uint64_t token = edge->token;
    int after = i + 1;  // the pairs of the token
    int j = i + 1;
    for (; j < count && edge->node != 0; ++j) {
      const PackPair& next = pairs.pair[j];
      if (next.run >= kNearRuns || next.type >= MagnitudeClasses::kExact) break;
      const Edge& longer =
          find(static_cast<std::uint32_t>(edge->node << 8 | later_symbol(next.run, next.type)));
      if (longer.key == kEmpty) break;
      edge = &longer;
      if (edge->token == kNone) continue;
      token = edge->token;
      after = j + 1;
    }
    if (j == count && pairs.zeros_behind && edge->ending != kNone) {
      *step++ = {static_cast<std::uint16_t>(edge->ending), static_cast<std::uint8_t>(j - i)};
      return static_cast<int>(step - steps);
    }
    if (token == kNone) {
      // Skips, and a token without a run.
      for (std::uint32_t zeros = first.run; zeros > 0; zeros -= skips_[zeros].zeros)
        *step++ = {skips_[zeros].token, 0};
      token = single_[first.type] != kNone ? single_[first.type] : single_[MagnitudeClasses::kAll];
      after = i + 1;
    }
    *step++ = {static_cast<std::uint16_t>(token), static_cast<std::uint8_t>(after - i)};
    i = after;
  }
  if (pairs.zeros_behind) *step++ = {end_, 0};
  return static_cast<int>(step - steps);
}

}  // namespace sluice
