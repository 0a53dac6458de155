// Dictionaries and segments of tokens: their format, and writing. token_kernels.cpp reads segments.
//
// A dictionary:
//
//   offset  bytes
//        0      1  version, 1
//        1         4096 tokens, each:
//                    1 run: 0 to 63, plus 64 if the token ends the block
//                    1 length L: 0 to 8
//                    1 extra bits: 0 to 16; 0 if L is 0
//                    L magnitudes: 0 to 255
//
// Run and length together are at most 64. The last magnitude is not 0, nor is the first one, except
// with extra bits. A token without coefficients has a run, or ends the block; not both.
//
// A segment, of at least 20 bytes:
//
//   - the raw bits; the first one is the lowest bit of the first byte; zeros fill up the last byte
//   - zeros, as many bytes as the segment is shorter than 20
//   - the tokens, from the end of the segment downwards, 12 bits each. The first one is the last
//     byte and the upper half of the byte before it; zeros fill up the lowest byte.
//
// The raw bits of a token are its extra bits, from the lowest one up, and a sign for each magnitude
// that is not 0, and for the first one if it has extra bits: 1 for a negative value.
//
// Each block is a sequence of 64 coefficients in zigzag order. Its first one, DC, is the difference
// to the block of the same component before it in the segment, modulo 2^16; to 0 for the first one.
// A token without an end continues with the next block if its block is full. No token reaches from
// one block into another.
//
// Example: a group has one block, with DC -2, two zeros, 1, and only zeros behind. Token 7 is (run
// 0, magnitudes 2 0 0 1, ends). The segment is 01, 17 zeros, 70, 00: raw bits 1 0, token 007.
#include <sluice/io/packs/token_parser.h>
#include <sluice/io/packs/tokens.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace sluice {
namespace {

constexpr std::uint8_t kDictionaryVersion = 1;
constexpr std::uint8_t kEndsBlock = 64;

}  // namespace

namespace detail {

std::vector<PackToken> read_pack_dictionary(std::span<const std::uint8_t> dictionary) {
  const auto require = [](bool sound, const char* what) {
    if (!sound) throw PackError(std::string("the dictionary of tokens is damaged: ") + what);
  };
  require(!dictionary.empty(), "it is empty");
  if (dictionary[0] != kDictionaryVersion)
    throw PackError("the dictionary of tokens has version " + std::to_string(dictionary[0]) +
                    " instead of 1");
  std::vector<PackToken> tokens(PackToken::kCount);
  std::size_t at = 1;
  for (PackToken& token : tokens) {
    require(dictionary.size() - at >= 3, "it ends too early");
    const std::uint8_t* const head = dictionary.data() + at;
    token.run = head[0] & 63;
    token.ends = (head[0] & kEndsBlock) != 0 ? 1 : 0;
    token.length = head[1];
    token.extra = head[2];
    at += 3;
    require(head[0] < 2 * kEndsBlock && token.length <= PackToken::kMostCoefficients &&
                token.extra <= PackToken::kMostExtraBits && token.run + token.length <= 64,
            "a token is too long");
    require(dictionary.size() - at >= token.length, "it ends too early");
    std::memcpy(token.magnitude, head + 3, token.length);
    at += token.length;
    if (token.length == 0) {
      require(token.extra == 0 && (token.run != 0) != (token.ends != 0), "a token has no meaning");
    } else {
      require(token.has_sign(0) && token.has_sign(token.length - 1u), "a token has no meaning");
    }
  }
  require(at == dictionary.size(), "it is too long");
  return tokens;
}

std::vector<std::uint8_t> write_pack_dictionary(std::span<const PackToken> tokens) {
  std::vector<std::uint8_t> out{kDictionaryVersion};
  for (const PackToken& token : tokens) {
    out.push_back(static_cast<std::uint8_t>(token.run + kEndsBlock * token.ends));
    out.push_back(token.length);
    out.push_back(token.extra);
    out.insert(out.end(), token.magnitude, token.magnitude + token.length);
  }
  return out;
}

}  // namespace detail

PackTokens::PackTokens(std::span<const std::uint8_t> dictionary)
    : dictionary_(dictionary.begin(), dictionary.end()) {
  const std::vector<PackToken> tokens = detail::read_pack_dictionary(dictionary);
  entries_.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const PackToken& token = tokens[i];
    Entry& entry = entries_[i];
    int signs = 0;
    for (std::size_t k = 0; k < token.length; ++k) {
      entry.magnitude[k] = token.magnitude[k];
      if (!token.has_sign(k)) continue;
      entry.sign[k] = static_cast<std::uint8_t>(1u << signs++);
      entry.signed_lanes |= 1u << k;
    }
    entry.run = token.run;
    entry.extra = token.extra;
    entry.bits = static_cast<std::uint8_t>(token.extra + signs);
    entry.step = static_cast<std::uint8_t>(token.run + token.length + 64 * token.ends);
    entry.mask = token.ends != 0 ? -64 : -1;
    entry.extra_mask = static_cast<std::uint16_t>((1u << token.extra) - 1);
  }
}

bool PackTokens::is_of(std::span<const std::uint8_t> dictionary) const noexcept {
  return std::equal(dictionary.begin(), dictionary.end(), dictionary_.begin(), dictionary_.end());
}

void begin_segment(PackTokenReader& reader, std::span<const std::uint8_t> segment) noexcept {
  reader = {};
  reader.begin = segment.data();
  reader.end = segment.data() + segment.size();
  reader.doubt = segment.size() < detail::kSmallestPackSegment;
}

bool has_ended(const PackTokenReader& reader) noexcept {
  const auto size = static_cast<std::size_t>(reader.end - reader.begin);
  const std::size_t used = (reader.raw + 7) / 8 + (reader.tokens + 7) / 8;
  return !reader.doubt && std::max(used, detail::kSmallestPackSegment) == size;
}

struct PackTokenWriter::State {
  explicit State(std::span<const PackToken> dictionary) : parser(dictionary) {}

  // Finds the tokens and raw bits of a segment.
  void parse(std::span<const PackBlock> blocks, const PackLayout& layout) {
    symbols.read(blocks, layout);
    // A step has at most 24 raw bits, and 8 bytes are stored at once.
    const std::size_t steps = PackTokenParser::kMostSteps * blocks.size();
    if (used.size() < steps) {
      used.resize(steps);
      raw.resize(3 * steps + 8);
    }
    std::uint16_t* token = used.data();
    std::uint8_t* to = raw.data();
    std::uint64_t buffer = 0;
    std::uint32_t filled = 0;  // bits in the buffer
    const auto put = [&](std::uint32_t value, std::uint32_t bits) {
      buffer |= std::uint64_t{value} << filled;
      std::memcpy(to, &buffer, sizeof buffer);
      filled += bits;
      to += filled / 8;
      buffer >>= filled & ~7u;
      filled %= 8;
    };
    const auto* const negative = reinterpret_cast<const std::uint8_t*>(symbols.negative.data());
    parser.parse(symbols.first.data(), symbols.later.data(), symbols.count, found,
                 [&](const PackTokenParser::Step& step, std::size_t at) {
                   *token++ = step.token;
                   const std::uint32_t bits = std::uint32_t{step.extra} + step.signs;
                   if (step.symbols == 0) return put(0, bits);
                   std::uint32_t more = symbols.more[at];
                   if (step.is_all) more += kMagnitudeClasses.of_class[symbols.first[at] & 63].base;
                   std::uint64_t signs;
                   std::memcpy(&signs, negative + at / 8, sizeof signs);
                   signs = signs >> at % 8 & ((1u << step.signs) - 1);
                   put(more | static_cast<std::uint32_t>(signs) << step.extra, bits);
                 });
    tokens = static_cast<std::size_t>(token - used.data());
    raw_bytes = static_cast<std::size_t>(to - raw.data()) + (filled > 0 ? 1 : 0);
  }

  // Appends the segment to `out`.
  void finish(std::vector<std::uint8_t>& out) const {
    const std::size_t of_tokens = (tokens * PackToken::kBits + 7) / 8;
    const std::size_t size = std::max(raw_bytes + of_tokens, detail::kSmallestPackSegment);
    const std::size_t begin = out.size();
    out.resize(begin + size);
    std::memcpy(out.data() + begin, raw.data(), raw_bytes);
    std::uint8_t* at = out.data() + out.size();
    std::size_t i = 0;
    for (; i + 4 <= tokens; i += 4) {
      const std::uint64_t four = std::uint64_t{used[i]} << 36 | std::uint64_t{used[i + 1]} << 24 |
                                 std::uint64_t{used[i + 2]} << 12 | used[i + 3];
      at -= 6;
      std::memcpy(at, &four, 6);
    }
    for (; i < tokens; ++i) {
      if (i % 2 == 0) {
        *--at = static_cast<std::uint8_t>(used[i] >> 4);
        *--at = static_cast<std::uint8_t>(used[i] << 4);
      } else {
        *at = static_cast<std::uint8_t>(*at | used[i] >> 8);
        *--at = static_cast<std::uint8_t>(used[i]);
      }
    }
  }

  PackTokenParser parser;
  PackSymbols symbols;
  std::vector<std::uint32_t> found;
  std::vector<std::uint16_t> used;
  std::size_t tokens = 0;
  std::vector<std::uint8_t> raw;
  std::size_t raw_bytes = 0;
};

PackTokenWriter::PackTokenWriter(std::span<const std::uint8_t> dictionary)
    : state_(std::make_unique<State>(detail::read_pack_dictionary(dictionary))) {}
PackTokenWriter::PackTokenWriter(PackTokenWriter&&) noexcept = default;
PackTokenWriter& PackTokenWriter::operator=(PackTokenWriter&&) noexcept = default;
PackTokenWriter::~PackTokenWriter() = default;

void PackTokenWriter::write(std::span<const PackBlock> blocks, const PackLayout& layout,
                            std::vector<std::uint8_t>& out) {
  state_->parse(blocks, layout);
  state_->finish(out);
}

}  // namespace sluice
