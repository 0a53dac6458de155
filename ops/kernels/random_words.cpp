#include <sluice/ops/kernels/random_words.h>

#include <algorithm>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/random_words.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void RandomBlocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                  std::uint32_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = words.block(first + static_cast<std::uint32_t>(i));
    std::copy(block.begin(), block.end(), out + 4 * i);
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using V64 = hn::Vec<D64>;

// Like philox4x32(), with one block per 64-bit lane. A word is in the lower half of its lane. The
// upper half does not matter, because products use the lower halves only.
void RandomBlocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                  std::uint32_t* out) {
  constexpr std::uint32_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  const D64 d;
  const D32 d32;
  const auto product = [&](V64 a, V64 b) HWY_ATTR {
    return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
  };
  const auto by0 = hn::Set(d, kMul0), by1 = hn::Set(d, kMul1);
  const auto lower = hn::Set(d, 0xFFFFFFFF);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < count; at += lanes) {
    // Block numbers wrap around at 2^32.
    auto a = hn::Iota(d, first + static_cast<std::uint32_t>(at));
    auto b = hn::Set(d, words.counter[0]), c = hn::Set(d, words.counter[1]),
         e = hn::Set(d, words.counter[2]);
    std::uint32_t key0 = words.key[0], key1 = words.key[1];
    for (int round = 0; round < 10; ++round, key0 += kWeyl0, key1 += kWeyl1) {
      const auto p0 = product(a, by0), p1 = product(c, by1);
      a = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), b), hn::Set(d, key0));
      b = p1;
      c = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), e), hn::Set(d, key1));
      e = p0;
    }
    const auto ab = hn::Or(hn::And(a, lower), hn::ShiftLeft<32>(b));
    const auto ce = hn::Or(hn::And(c, lower), hn::ShiftLeft<32>(e));
    hn::StoreInterleaved2(ab, ce, d, reinterpret_cast<std::uint64_t*>(out + 4 * at));
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(RandomBlocks);

void random_blocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                   std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(RandomBlocks)(words, first, count, out);
}

}  // namespace sluice::kernels
#endif
