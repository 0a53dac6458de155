#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/permute_channels.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace sluice {
namespace permute_channels_test {

using kernels::permute_channels;

TEST(PermuteChannels, MovesChannelsOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({3, 4}, [](const Image& in) {
      kernels::ChannelOrder order{0, 1, 2};
      do {
        Image out;
        permute_channels(in, order, out);
        ASSERT_EQ(out.channels(), in.channels());
        for (int y = 0; y < in.height(); ++y) {
          for (int x = 0; x < in.width(); ++x) {
            for (int c = 0; c < in.channels(); ++c)
              ASSERT_EQ(out.at(y, x, c),
                        in.at(y, x, c == 3 ? 3 : order[static_cast<std::size_t>(c)]));
          }
        }
      } while (std::next_permutation(order.begin(), order.end()));
    });
  });
}

TEST(PermuteChannels, LongRows) {
  const Image in = testing::make_picture(2, 1301, 3);
  Image there, back;
  permute_channels(in, {1, 2, 0}, there);
  EXPECT_EQ(there.at(1, 1300, 0), in.at(1, 1300, 1));
  permute_channels(there, {2, 0, 1}, back);
  EXPECT_EQ(back, in);
}

TEST(PermuteChannels, RefusesWhatCannotBe) {
  Image out;
  const Image in = testing::make_picture(2, 2, 3);
  EXPECT_EQ(testing::refusal([&] {
              permute_channels(in, {0, 1, 1}, out);
            }),
            "permute_channels: first, second and third are 0, 1 and 1; they must be 0, 1 and 2 in "
            "some order");
  EXPECT_NE(testing::refusal([&] { permute_channels(in, {0, 1, 3}, out); }), "");
  EXPECT_EQ(testing::refusal([&] {
              permute_channels(testing::make_picture(2, 2, 1), {0, 1, 2}, out);
            }),
            "permute_channels: the image has 1 channel; 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] {
              permute_channels(Image(), {0, 1, 2}, out);
            }),
            "permute_channels: the image is empty");
}

}  // namespace permute_channels_test
}  // namespace sluice
