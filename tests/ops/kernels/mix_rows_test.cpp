#include "tests/ops/kernels/every_target.h"
#include <sluice/ops/kernels/mix_rows.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace mix_rows_test {

// Every half that is a number, subnormal ones too, beside one that differs.
TEST(MixHalves, AreTheSameOnEveryTarget) {
  std::vector<Half> own, other;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00) continue;
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    own.push_back(half);
    half.bits = static_cast<std::uint16_t>((bits * 40503u) & 0xbbff);
    other.push_back(half);
  }
  for (const float weight : {0.f, 0.3f, 0.5f, 0.9999f, 1.f}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{13}, own.size()}) {
      testing::on_every_target([&] {
        std::vector<Half> mixed = own;
        kernels::mix_halves(other.data(), weight, 1 - weight, count, mixed.data());
        for (std::size_t i = 0; i < own.size(); ++i) {
          const float product = weight * static_cast<float>(own[i]);
          const float rest = (1 - weight) * static_cast<float>(other[i]);
          const Half expected = i < count ? Half(product + rest) : own[i];
          ASSERT_EQ(mixed[i].bits, expected.bits) << i << " " << weight;
        }
      });
    }
  }
}

}  // namespace mix_rows_test
}  // namespace sluice
