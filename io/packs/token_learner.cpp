// Learning a dictionary of tokens from sample blocks.
//
// It begins with the most frequent pairs as tokens. In each round it parses all samples. Then it
// drops the tokens of least use, and joins the most frequent neighbors to new tokens. For most of
// the time there are more tokens than a dictionary has, so that more can be tried.
//
// Example: the blocks have (run 0, magnitude 2) (0, 1) end, again and again. First, these are three
// tokens. The most frequent neighbors are (0, 2) (0, 1), then (0, 2) (0, 1) with the end. So soon a
// block is one token, and the token (0, 1) with an end is dropped.
//
// Tokens without which some blocks could not be written are always there: the end of the block, all
// magnitude classes without a run, and skips. Frequent tokens come first, which is good for the
// decoder's caches. If the samples do not fill the dictionary, tokens of a fixed list do.
#include <sluice/io/packs/token_parser.h>
#include <sluice/io/packs/tokens.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice {
namespace {

constexpr int kLearningRounds = 16;
// Later rounds do not exceed the size of a dictionary.
constexpr int kGrowingRounds = kLearningRounds - 4;

// Joins two tokens. Returns false if that is not possible.
bool join_tokens(const PackToken& first, const PackToken& second, PackToken& out) {
  if (first.length == 0 || first.ends != 0 || second.extra != 0) return false;
  const std::size_t run = second.length == 0 ? 0 : second.run;
  if (second.length == 0 && second.ends == 0) return false;
  if (first.length + run + second.length > PackToken::kMostCoefficients) return false;
  if (first.run + first.length + run + second.length > 64u) return false;
  out = first;
  std::copy(second.magnitude, second.magnitude + second.length, out.magnitude + first.length + run);
  out.length = static_cast<std::uint8_t>(first.length + run + second.length);
  out.ends = second.ends;
  return true;
}

// Sorts neighbors: two token numbers below `tokens` each. Counting is several times as fast as
// comparing.
void sort_neighbors(std::vector<std::uint32_t>& neighbors, std::size_t tokens) {
  std::vector<std::uint32_t> sorted(neighbors.size());
  std::vector<std::size_t> begin(tokens + 1);
  for (const std::uint32_t shift : {0u, 16u}) {
    std::fill(begin.begin(), begin.end(), 0);
    for (const std::uint32_t pair : neighbors) ++begin[(pair >> shift & 0xffff) + 1];
    for (std::size_t i = 1; i <= tokens; ++i) begin[i] += begin[i - 1];
    for (const std::uint32_t pair : neighbors) sorted[begin[pair >> shift & 0xffff]++] = pair;
    neighbors.swap(sorted);
  }
}

// A set of tokens that grows and shrinks.
struct Vocabulary {
  std::vector<PackToken> tokens;  // the needed ones first
  std::size_t needed = 0;
  std::set<PackToken> known;

  Vocabulary() {
    add(end_token());
    for (std::size_t type = 1; type < MagnitudeClasses::kCount; ++type) add(token_of(0, type));
    for (std::uint32_t run = 1; run < 64; run *= 2) add(skip_token(run));
    needed = tokens.size();
  }
  bool add(const PackToken& token) {
    if (!known.insert(token).second) return false;
    tokens.push_back(token);
    return true;
  }
  // Keeps the needed tokens, and of the others those with most use: at most `count` in all.
  void keep(std::size_t count, const std::vector<std::uint32_t>& use) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = needed; i < tokens.size(); ++i)
      if (use[i] > 0) order.push_back(static_cast<std::uint32_t>(i));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return use[a] > use[b]; });
    if (order.size() > count - needed) order.resize(count - needed);
    std::vector<PackToken> kept(tokens.begin(),
                                tokens.begin() + static_cast<std::ptrdiff_t>(needed));
    for (const std::uint32_t i : order) kept.push_back(tokens[i]);
    tokens = std::move(kept);
    known = std::set<PackToken>(tokens.begin(), tokens.end());
  }
  // Adds tokens of one pair until there are `count`: first with short runs, and also with the end
  // of the block. That makes more tokens than a dictionary has.
  void fill(std::size_t count) {
    for (std::uint32_t run = 0; run < 63; ++run)
      for (std::size_t type = 1; type < MagnitudeClasses::kCount; ++type)
        for (std::uint8_t ends = 0; ends < 2; ++ends) {
          if (tokens.size() >= count) return;
          PackToken token = token_of(run, type);
          token.ends = ends;
          add(token);
        }
  }
};

}  // namespace

struct PackTokenLearner::State {
  struct Segment {
    std::size_t size() const { return first.size() - PackSymbols::kBehind; }
    std::vector<std::uint16_t> first;  // as in PackSymbols
    std::vector<std::uint8_t> later;
  };
  std::vector<Segment> segments;
  std::size_t kept = 0;    // symbols
  std::size_t stride = 1;  // every stride-th segment is kept
  std::size_t seen = 0;    // segments
  PackSymbols symbols;     // of the last segment

  void thin_out() {
    std::size_t count = 0;
    kept = 0;
    for (std::size_t i = 0; i < segments.size(); i += 2, ++count) {
      if (count != i) segments[count] = std::move(segments[i]);
      kept += segments[count].size();
    }
    segments.resize(count);
    stride *= 2;
  }

  // Parses all segments. Counts how often each token is used, and appends all neighbors in a block.
  void parse(const std::vector<PackToken>& tokens, std::vector<std::uint32_t>& use,
             std::vector<std::uint32_t>& neighbors) const {
    const PackTokenParser parser(tokens);
    std::vector<std::uint32_t> found;
    use.assign(tokens.size(), 0);
    neighbors.clear();
    for (const Segment& segment : segments) {
      std::uint32_t before = 0;
      std::size_t place = segment.size();  // of the token before
      parser.parse(segment.first.data(), segment.later.data(), segment.size(), found,
                   [&](const PackTokenParser::Step& step, std::size_t at) {
                     ++use[step.token];
                     // A block can begin with tokens that skip zeros.
                     if (segment.later[at] != PackSymbols::kBegins || place == at)
                       neighbors.push_back(before << 16 | step.token);
                     before = step.token;
                     place = at;
                   });
    }
  }
};

PackTokenLearner::PackTokenLearner() : state_(std::make_unique<State>()) {}
PackTokenLearner::PackTokenLearner(PackTokenLearner&&) noexcept = default;
PackTokenLearner& PackTokenLearner::operator=(PackTokenLearner&&) noexcept = default;
PackTokenLearner::~PackTokenLearner() = default;

void PackTokenLearner::add(std::span<const PackBlock> blocks, const PackLayout& layout) {
  State& state = *state_;
  if (state.seen++ % state.stride != 0) return;
  state.symbols.read(blocks, layout);
  const std::size_t count = state.symbols.count;
  State::Segment segment;
  segment.first.assign(state.symbols.first.data(),
                       state.symbols.first.data() + count + PackSymbols::kBehind);
  segment.later.assign(state.symbols.later.data(),
                       state.symbols.later.data() + count + PackSymbols::kBehind);
  state.kept += segment.size();
  state.segments.push_back(std::move(segment));
  while (state.kept > kMostKept && state.segments.size() > 1) state.thin_out();
}

std::vector<std::uint8_t> PackTokenLearner::learn(const std::atomic<bool>* stop) const {
  constexpr std::size_t kCount = PackToken::kCount;
  Vocabulary words;
  std::vector<std::uint32_t> use, neighbors;

  // The most frequent pairs.
  std::vector<std::uint32_t> frequency(64 * 64);
  for (const State::Segment& segment : state_->segments)
    for (std::size_t i = 0; i < segment.size(); ++i)
      if (segment.first[i] != 0) ++frequency[segment.first[i]];
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < frequency.size(); ++i)
    if (frequency[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return frequency[a] > frequency[b]; });
  for (const std::uint32_t i : order)
    if (words.tokens.size() < kCount * 2 / 3) words.add(token_of(i / 64, i % 64));

  for (int round = 0; round < kLearningRounds; ++round) {
    if (stop != nullptr && *stop) return {};
    state_->parse(words.tokens, use, neighbors);
    const std::vector<PackToken> before = words.tokens;
    words.keep(kCount * 4 / 5, use);
    // Counts equal neighbors. Single ones are not joined.
    sort_neighbors(neighbors, before.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
    for (std::size_t i = 0; i < neighbors.size();) {
      std::size_t end = i + 1;
      while (end < neighbors.size() && neighbors[end] == neighbors[i]) ++end;
      if (end - i > 1) counts.emplace_back(static_cast<std::uint32_t>(end - i), neighbors[i]);
      i = end;
    }
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    const std::size_t most = round < kGrowingRounds ? kCount * 23 / 20 : kCount;
    std::size_t added = 0;
    for (const auto& [count, pair] : counts) {
      if (words.tokens.size() >= most || added >= most / 4) break;
      PackToken token;
      if (join_tokens(before[pair >> 16], before[pair & 0xffff], token) && words.add(token))
        ++added;
    }
  }
  words.fill(kCount);
  state_->parse(words.tokens, use, neighbors);
  // Frequent tokens first.
  std::vector<std::uint32_t> rank(words.tokens.size());
  for (std::uint32_t i = 0; i < rank.size(); ++i) rank[i] = i;
  std::stable_sort(rank.begin(), rank.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return use[a] > use[b]; });
  std::vector<PackToken> tokens;
  for (const std::uint32_t i : rank) tokens.push_back(words.tokens[i]);
  return detail::write_pack_dictionary(tokens);
}

}  // namespace sluice
