#include "tests/ops/kernels/every_target.h"
#include <sluice/ops/kernels/random_words.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace random_words_test {

// The last ones count round 2^32.
TEST(RandomWords, AreTheBlocksOnEveryInstructionSet) {
  const RandomWords words = Random({.seed = 3, .epoch = 5, .sample = 7, .generator = 9}).words();
  testing::on_every_target([&] {
    for (const std::uint32_t first : {0u, 1u, 12345u, 0xFFFFFFFDu}) {
      for (const std::size_t count : {0, 1, 2, 7, 8, 9, 33}) {
        std::vector<std::uint32_t> all(4 * count + kernels::kRandomSlack);
        kernels::random_blocks(words, first, count, all.data());
        for (std::size_t i = 0; i < 4 * count; ++i) {
          ASSERT_EQ(all[i], words.block(first + static_cast<std::uint32_t>(i / 4))[i % 4])
              << first << " " << i;
        }
      }
    }
  });
}

TEST(RandomWords, AStreamIsWhatARandomDraws) {
  Random random({.seed = 11, .sample = 4}), units({.seed = 11, .sample = 4});
  kernels::RandomStream stream(random.words()), unit_stream(random.words());
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(stream.next(), random.next()) << i;
    ASSERT_EQ(unit_stream.unit(), units.unit()) << i;
  }
}

}  // namespace random_words_test
}  // namespace sluice
