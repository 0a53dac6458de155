#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/resize.h>

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_resize_test {

using kernels::resize;
using kernels::ResizeFilter;
using testing::constant_picture;
using testing::largest_difference;
using testing::make_picture;
using testing::reference_resize;

const ResizeFilter kAll[] = {
    Interpolation::nearest,          Interpolation::box,
    Interpolation::bilinear,         Interpolation::hamming,
    Interpolation::bicubic,          Interpolation::lanczos,
    {Interpolation::box, false},     {Interpolation::bilinear, false},
    {Interpolation::hamming, false}, {Interpolation::bicubic, false},
    {Interpolation::lanczos, false},
};

std::string name_of(const ResizeFilter& filter) {
  return std::string(name_of(filter.interpolation)) + (filter.antialias ? "" : ", not antialiased");
}

struct Case {
  int height, width, out_height, out_width;
};
constexpr Case kCases[] = {
    {1, 1, 1, 1},     {1, 1, 5, 7},    {1, 9, 4, 4},     {9, 1, 4, 4},     {7, 5, 1, 1},
    {13, 17, 13, 9},  {13, 17, 6, 17}, {31, 33, 32, 32}, {40, 50, 23, 31}, {16, 16, 64, 64},
    {20, 30, 57, 41}, {300, 3, 2, 40}, {3, 500, 40, 2},  {64, 48, 48, 64}, {101, 97, 100, 96},
};

std::string describe(const Case& c, int channels, const ResizeFilter& filter) {
  return std::to_string(c.height) + "x" + std::to_string(c.width) + " to " +
         std::to_string(c.out_height) + "x" + std::to_string(c.out_width) + " channels " +
         std::to_string(channels) + " " + name_of(filter);
}

TEST(Resize, AgreesWithTheReference) {
  for (const Case& c : kCases) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(c.height, c.width, channels);
      for (const ResizeFilter& filter : kAll) {
        SCOPED_TRACE(describe(c, channels, filter));
        Image out;
        resize(in, c.out_height, c.out_width, filter, out);
        const Image expected = reference_resize(in, c.out_height, c.out_width, filter);
        EXPECT_LE(largest_difference(out, expected),
                  filter.interpolation == Interpolation::nearest ? 0 : 1);
      }
    }
  }
}

TEST(Resize, ABoxAgreesWithTheReference) {
  struct BoxCase {
    kernels::Box box;
    int height, width;
  };
  const BoxCase cases[] = {
      {{0, 0, 31, 33}, 31, 33},         {{0.5, 0.25, 30, 32.5}, 30, 20},
      {{7.125, 3.5, 20.25, 9}, 40, 9},  {{4, 5, 9, 11}, 9, 11},
      {{30.25, 32.5, 0.75, 0.5}, 3, 2}, {{0.375, 0, 0.25, 33}, 1, 33},
      {{10.5, 0, 20.5, 33}, 5, 33},     {{0, 12.75, 31, 20.25}, 31, 7},
  };
  for (const int channels : {1, 3}) {
    const Image in = make_picture(31, 33, channels);
    for (const BoxCase& c : cases) {
      for (const ResizeFilter& filter : kAll) {
        Image out;
        resize(in, c.box, c.height, c.width, filter, out);
        EXPECT_LE(largest_difference(out, reference_resize(in, c.box, c.height, c.width, filter)),
                  filter.interpolation == Interpolation::nearest ? 0 : 1)
            << c.box.height << " x " << c.box.width << " at (" << c.box.y << ", " << c.box.x
            << "), " << name_of(filter);
      }
    }
  }
}

TEST(Resize, RefusesABoxThatIsNotInside) {
  const Image in = make_picture(10, 20, 3);
  const kernels::Box bad[] = {{-0.5, 0, 5, 5}, {0, -0.5, 5, 5}, {0, 0, 0, 5},
                              {0, 0, 5, -1},   {5.5, 0, 5, 5},  {0, 15.5, 5, 5}};
  for (const kernels::Box& box : bad) {
    Image out;
    EXPECT_THROW(resize(in, box, 4, 4, Interpolation::bilinear, out), std::invalid_argument);
  }
  Image out;
  try {
    resize(in, kernels::Box{5.5, 0, 5, 5}, 4, 4, Interpolation::bilinear, out);
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "resize: a box of 5 x 5 at (5.5, 0) does not lie inside the picture of 10 x 20 "
                 "pixels (height x width, row and column)");
  }
}

TEST(Resize, SameOnEveryInstructionSet) {
  for (const Case& c : kCases) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(c.height, c.width, channels);
      for (const ResizeFilter& filter : kAll) {
        SCOPED_TRACE(describe(c, channels, filter));
        Image expected;
        resize(in, c.out_height, c.out_width, filter, expected);
        int targets = 0;
        testing::on_every_target([&] {
          Image out;
          resize(in, c.out_height, c.out_width, filter, out);
          EXPECT_EQ(out, expected);
          ++targets;
        });
        EXPECT_GE(targets, 1);
      }
    }
  }
}

TEST(Resize, KeepsConstantPictures) {
  for (const ResizeFilter& filter : kAll) {
    for (const int value : {0, 1, 127, 254, 255}) {
      for (const Case& c : kCases) {
        Image out;
        resize(constant_picture(c.height, c.width, 3, value), c.out_height, c.out_width, filter,
               out);
        EXPECT_EQ(out, constant_picture(c.out_height, c.out_width, 3, value))
            << describe(c, 3, filter) << " value " << value;
      }
    }
  }
}

TEST(Resize, SameSizeIsACopy) {
  for (const ResizeFilter& filter : kAll) {
    const Image in = make_picture(19, 23, 3);
    Image out;
    resize(in, 19, 23, filter, out);
    EXPECT_EQ(out, in) << name_of(filter);
  }
}

TEST(Resize, AViewReadsNothingOutsideOfIt) {
  const Image whole = make_picture(50, 60, 3);
  const Image view = whole.crop_view(7, 11, 30, 25);
  const Image copy = view.clone();
  for (const ResizeFilter& filter : kAll) {
    Image from_view, from_copy;
    resize(view, 17, 33, filter, from_view);
    resize(copy, 17, 33, filter, from_copy);
    EXPECT_EQ(from_view, from_copy) << name_of(filter);
  }
}

TEST(Resize, WritesOnlyItsOwnBytes) {
  struct Block : Placer {
    std::vector<std::byte> memory;
    std::byte* place(const ValueSpec& spec) override {
      memory.assign(spec.bytes() + 64, std::byte{0xA5});
      return memory.data();
    }
  };
  for (int channels = 1; channels <= 4; ++channels) {
    for (const Case& c : kCases) {
      Block block;
      Image out;
      out.set_placer(&block);
      resize(make_picture(c.height, c.width, channels), c.out_height, c.out_width,
             Interpolation::bilinear, out);
      for (std::size_t i = block.memory.size() - 64; i < block.memory.size(); ++i) {
        ASSERT_EQ(block.memory[i], std::byte{0xA5})
            << describe(c, channels, Interpolation::bilinear);
      }
    }
  }
}

TEST(Resize, TakesOnlyTheOutputFromThePool) {
  const Image in = make_picture(40, 40, 3);
  Image out;
  resize(in, 20, 20, Interpolation::bilinear, out);
  BufferPoolScope outer(BufferPool::current());
  const Image same_size(20, 20, 3);
  BufferPoolScope scope(BufferPool::current());
  resize(in, 20, 20, Interpolation::bilinear, out);
  EXPECT_EQ(scope.bytes_allocated(), outer.bytes_allocated());
}

TEST(Resize, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 3);
  const Image five(4, 4, 5);
  Image out;
  EXPECT_THROW(resize(Image(), 4, 4, Interpolation::bilinear, out), std::invalid_argument);
  EXPECT_THROW(resize(five, 4, 4, Interpolation::bilinear, out), std::invalid_argument);
  EXPECT_THROW(resize(in, 4, 65536, Interpolation::bilinear, out), std::invalid_argument);
  try {
    resize(in, 0, 4, Interpolation::bilinear, out);
    FAIL() << "a height of zero was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("resize: a size of 0 x 4"), std::string::npos)
        << error.what();
  }
}

}  // namespace kernels_resize_test
}  // namespace sluice
