// The inner loop of PackTokenParser: finds the longest token at each symbol.
//
// Idea: a vector holds as many symbols as it has lanes. All of them go from node to node of the
// trie at once, until none can go on. So no branch depends on a single symbol.
#include <sluice/io/packs/token_parser.h>

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/io/packs/token_matches.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FindMatches(const std::uint32_t* HWY_RESTRICT links, const std::uint32_t* HWY_RESTRICT matches,
                 const std::uint16_t* HWY_RESTRICT first, const std::uint8_t* HWY_RESTRICT later,
                 std::size_t count, std::uint32_t* HWY_RESTRICT found) {
#if HWY_TARGET <= HWY_AVX2
  using Lanes = hn::ScalableTag<std::int32_t>;
  const Lanes d;
  const hn::Rebind<std::uint16_t, Lanes> d16;
  const hn::Rebind<std::uint8_t, Lanes> d8;
  const hn::RebindToUnsigned<Lanes> du;
  const auto* const table = reinterpret_cast<const std::int32_t*>(links);
  const auto lower = hn::Set(d, 0xffff);
  // The codes behind the last symbol are arbitrary. Masked, they are nodes, too.
  const auto code = hn::Set(d, PackTokenParser::kRoots - 1);
  // Several vectors at once, because a gather takes long.
  constexpr std::size_t kVectors = PackSymbols::kMostLanes / hn::MaxLanes(Lanes());
  using Vector = hn::Vec<Lanes>;
  for (std::size_t at = 0; at < count; at += PackSymbols::kMostLanes) {
    Vector node[kVectors], base[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      node[v] = hn::And(hn::PromoteTo(d, hn::LoadU(d16, first + at + v * hn::Lanes(d))), code);
      base[v] = hn::And(hn::GatherIndex(d, table, node[v]), lower);
    }
    const std::uint8_t* next = later + at + 1;
    Vector left;
    do {
      left = hn::Zero(d);
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto place =
            hn::Add(base[v], hn::PromoteTo(d, hn::LoadU(d8, next + v * hn::Lanes(d))));
        const auto link = hn::GatherIndex(d, table, place);
        const auto fits =
            hn::Eq(hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(du, link))), base[v]);
        node[v] = hn::IfThenElse(fits, place, node[v]);
        base[v] = hn::IfThenElseZero(fits, hn::And(link, lower));
        left = hn::Or(left, base[v]);
      }
      ++next;
    } while (!hn::AllTrue(d, hn::Eq(left, hn::Zero(d))));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto match =
          hn::GatherIndex(d, reinterpret_cast<const std::int32_t*>(matches), node[v]);
      hn::StoreU(hn::BitCast(du, match), du, found + at + v * hn::Lanes(d));
    }
  }
#else
  for (std::size_t at = 0; at < count; ++at) {
    std::uint32_t node = first[at];
    std::uint32_t base = links[node] & 0xffff;
    for (const std::uint8_t* next = later + at + 1; base != 0; ++next) {
      const std::uint32_t place = base + *next;
      if (links[place] >> 16 != base) break;
      node = place;
      base = links[place] & 0xffff;
    }
    found[at] = matches[node];
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice {

HWY_EXPORT(FindMatches);

void PackTokenParser::match(const std::uint16_t* first, const std::uint8_t* later,
                            std::size_t count, std::vector<std::uint32_t>& found) const {
  if (found.size() < count + PackSymbols::kMostLanes) found.resize(count + PackSymbols::kMostLanes);
  HWY_DYNAMIC_DISPATCH(FindMatches)
  (links_.data(), matches_.data(), first, later, count, found.data());
}

}  // namespace sluice
#endif
