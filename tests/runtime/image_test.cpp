#include <sluice/runtime/image.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace image_test {

Image numbered(int height, int width, int channels) {
  Image image(height, width, channels);
  int n = 0;
  for (int y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x)
      image.row(y)[x] = static_cast<std::uint8_t>(n++);
  }
  return image;
}

TEST(Image, KnowsItsShapeAndMoves) {
  Image a = numbered(3, 5, 2);
  EXPECT_EQ(a.at(2, 4, 1), 29);
  EXPECT_TRUE(a.contiguous());
  const std::uint8_t* pixels = a.data();
  const Image b = std::move(a);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): the state after a move is part of the
                           // contract
  EXPECT_EQ(a.height(), 0);
  EXPECT_EQ(b.data(), pixels);
  EXPECT_EQ(b.clone(), b);
}

TEST(Image, ViewsAreRegionsOfTheSamePixels) {
  const Image whole = numbered(6, 7, 3);
  const Image part = whole.crop_view(2, 3, 4, 4);
  EXPECT_FALSE(part.contiguous());
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) EXPECT_EQ(part.at(y, x, 1), whole.at(y + 2, x + 3, 1));
  }
  EXPECT_EQ(part.clone(), part);
  for (const auto& [y, x, h, w] : std::vector<std::array<int, 4>>{{-1, 0, 2, 2},
                                                                  {0, -1, 2, 2},
                                                                  {5, 0, 2, 2},
                                                                  {0, 6, 2, 2},
                                                                  {0, 0, 0, 2},
                                                                  {0, 0, 7, 2},
                                                                  {0, 0, 2, 2147483647}}) {
    EXPECT_THROW((void)whole.crop_view(y, x, h, w), std::out_of_range);
  }
}

TEST(Image, RefusesImpossibleSizes) {
  EXPECT_THROW(Image(0, 5, 3), std::invalid_argument);
  EXPECT_THROW(Image(5, -1, 3), std::invalid_argument);
  EXPECT_THROW(Image(5, 5, 0), std::invalid_argument);
}

class OnePlace : public Placer {
 public:
  std::byte* place(const ValueSpec& spec) override {
    memory.resize(spec.bytes());
    asked = spec;
    return memory.data();
  }
  std::vector<std::byte> memory;
  ValueSpec asked;
};

TEST(Image, IsWrittenWhereItsPlacerSays) {
  OnePlace place;
  Image image;
  image.set_placer(&place);
  image.create(2, 3, 3);
  EXPECT_EQ(reinterpret_cast<std::byte*>(image.data()), place.memory.data());
  EXPECT_EQ(place.asked, (ValueSpec{{2, 3, 3}, DType::u8, Layout::hwc}));
  image.release();
  EXPECT_TRUE(image.empty());
}

TEST(Tensor, HoldsElementsOfItsType) {
  Tensor t({2, 3}, DType::f32, Layout::none);
  EXPECT_EQ(t.elements(), 6);
  for (int i = 0; i < 6; ++i) t.data<float>()[i] = static_cast<float>(i);
  EXPECT_THROW((void)t.data<Half>(), std::invalid_argument);
  EXPECT_EQ(t.clone(), t);
  EXPECT_EQ(to_string(t.shape()), "(2, 3)");
  EXPECT_THROW(Shape({1, 2, 3, 4, 5, 6, 7}), std::invalid_argument);
  EXPECT_THROW(Shape({1, -2}), std::invalid_argument);
  Tensor moved = std::move(t);
  EXPECT_TRUE(t.empty());  // NOLINT(bugprone-use-after-move)
  OnePlace place;
  Tensor placed;
  placed.set_placer(&place);
  placed.create({4}, DType::f16);
  EXPECT_EQ(placed.bytes(), place.memory.data());
  EXPECT_EQ(place.memory.size(), 8u);
}

TEST(Image, NarrowShowsAPartAndKeepsTheMemory) {
  Image image(4, 5, 3);
  for (int y = 0; y < 4; ++y) {
    for (int i = 0; i < 15; ++i) image.row(y)[i] = static_cast<std::uint8_t>(20 * y + i);
  }
  const Image part = image.crop_view(1, 2, 2, 3).clone();
  EXPECT_THROW(image.narrow(1, 2, 4, 3), std::out_of_range);
  image.narrow(1, 2, 2, 3);
  EXPECT_TRUE(image == part);
  EXPECT_FALSE(image.contiguous());
  EXPECT_FALSE(image.is_view());
}

TEST(Image, AViewOfItselfKeepsTheMemory) {
  Image image(4, 5, 1);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) image.row(y)[x] = static_cast<std::uint8_t>(10 * y + x);
  }
  const Image part = image.crop_view(1, 2, 2, 3).clone();
  image = image.crop_view(1, 2, 2, 3);
  EXPECT_FALSE(image.is_view());
  EXPECT_TRUE(image == part);
  Tensor tensor({4}, DType::u8);
  tensor.data<std::uint8_t>()[3] = 7;
  tensor = Tensor::view(tensor.bytes() + 2, {{2}, DType::u8, Layout::none});
  EXPECT_FALSE(tensor.is_view());
  EXPECT_EQ(tensor.data<std::uint8_t>()[1], 7);
}

TEST(Image, OwnCopiesViewsAndLeavesWhatIsInItsPlace) {
  Image image(4, 5, 1);
  std::memset(image.data(), 3, 20);
  const std::uint8_t* const pixels = image.data();
  image.own();
  EXPECT_EQ(image.data(), pixels);
  Image part = image.crop_view(1, 2, 2, 3);
  part.own();
  EXPECT_FALSE(part.is_view());
  EXPECT_TRUE(part == image.crop_view(1, 2, 2, 3));
  Image nothing;
  nothing.own();
  EXPECT_TRUE(nothing.empty());

  OnePlace place;
  Image placed;
  placed.set_placer(&place);
  placed.create(4, 5, 1);
  placed.own();
  EXPECT_EQ(reinterpret_cast<std::byte*>(placed.data()), place.memory.data());
  placed.narrow(0, 0, 4, 5);
  placed.own();
  EXPECT_TRUE(placed.is_view());
  placed.narrow(0, 0, 4, 4);  // not the size that the place was made for
  placed.own();
  EXPECT_FALSE(placed.is_view());
}

TEST(Image, BecomesATensorAndComesBackWithoutACopy) {
  Image image = numbered(4, 5, 3);
  const std::uint8_t* const pixels = image.data();
  EXPECT_EQ(image.tensor().shape(), Shape({4, 5, 3}));
  EXPECT_EQ(image.tensor().layout(), Layout::hwc);
  image.narrow(1, 2, 2, 3);
  Tensor tensor = std::move(image).tensor();
  EXPECT_TRUE(image.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(image.height(), 0);
  EXPECT_EQ(tensor.spec(), (ValueSpec{{2, 3, 3}, DType::u8, Layout::hwc}));
  EXPECT_EQ(tensor.strides(), (Strides{15, 3, 1}));
  EXPECT_FALSE(tensor.contiguous());
  EXPECT_FALSE(tensor.is_view());
  const Image back(std::move(tensor));
  EXPECT_EQ(back.data(), pixels + 15 + 6);
  EXPECT_EQ(back.row_stride(), 15);
  EXPECT_FALSE(back.is_view());
  EXPECT_TRUE(back == numbered(4, 5, 3).crop_view(1, 2, 2, 3));
  Image first = numbered(2, 2, 1);
  const Image other = first.share();
  first.row(1)[1] = 77;
  EXPECT_EQ(other.at(1, 1, 0), 77);
  EXPECT_TRUE(Image().tensor().empty());
  EXPECT_EQ(Image::size_only(3, 4, 1).width(), 4);
}

TEST(Image, IsMadeOfTensorsThatHoldPixels) {
  std::vector<std::byte> memory(200);
  struct Case {
    Shape shape;
    DType dtype;
    Layout layout;
    Strides strides;
    const char* obstacle;  // null: none
  };
  for (const Case& c : {
           Case{{4, 5, 3}, DType::u8, Layout::hwc, {15, 3, 1}, nullptr},
           Case{{4, 5, 3}, DType::u8, Layout::none, {20, 3, 1}, nullptr},
           Case{{4, 5}, DType::u8, Layout::none, {5, 1}, nullptr},
           Case{{4, 5}, DType::u8, Layout::none, {-5, 1}, nullptr},  // upside down
           Case{{4, 5, 1}, DType::u8, Layout::none, {5, 1, 9}, nullptr},
           Case{{1, 1, 1}, DType::u8, Layout::none, {7, 8, 9}, nullptr},
           Case{{4, 5, 3}, DType::u8, Layout::chw, {15, 3, 1}, "a tensor of layout CHW"},
           Case{{4, 5, 3}, DType::boolean, Layout::none, {15, 3, 1}, "a tensor of bool"},
           Case{{4}, DType::u8, Layout::none, {1}, "a tensor of shape (4)"},
           Case{{1, 4, 5, 3}, DType::u8, Layout::none, {60, 15, 3, 1}, "shape (1, 4, 5, 3)"},
           Case{{4, 0, 3}, DType::u8, Layout::none, {0, 3, 1}, "a tensor of shape (4, 0, 3)"},
           Case{{4, 5}, DType::u8, Layout::none, {10, 2}, "are not contiguous"},
           Case{{4, 5, 3}, DType::u8, Layout::none, {5, 1, 20}, "are not contiguous"},
           Case{{4, 5, 3}, DType::u8, Layout::none, {15, 3, -1}, "are not contiguous"},
       }) {
    Tensor tensor = Tensor::view(memory.data() + 100, {c.shape, c.dtype, c.layout}, c.strides);
    try {
      const Image image(std::move(tensor));
      EXPECT_EQ(c.obstacle, nullptr);
      EXPECT_EQ(image.height(), c.shape[0]);
      EXPECT_EQ(image.width(), c.shape[1]);
      EXPECT_EQ(image.channels(), c.shape.rank == 3 ? c.shape[2] : 1);
      EXPECT_EQ(image.row_stride(), c.shape[0] > 1 ? c.strides[0] : 1);
      EXPECT_EQ(static_cast<const void*>(image.data()), memory.data() + 100);
    } catch (const std::invalid_argument& error) {
      ASSERT_NE(c.obstacle, nullptr) << error.what();
      EXPECT_NE(std::string(error.what()).find(c.obstacle), std::string::npos) << error.what();
      EXPECT_FALSE(tensor.empty());  // NOLINT(bugprone-use-after-move): it keeps what it has
    }
  }
  Tensor tensor({4, 5, 3}, DType::u8);
  tensor.make_read_only();
  EXPECT_THROW((void)Image{std::move(tensor)}, std::invalid_argument);
  EXPECT_THROW((void)Image{Tensor()}, std::invalid_argument);
}

}  // namespace image_test
}  // namespace sluice
