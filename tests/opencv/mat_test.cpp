// Images as cv::Mat and the reverse: the same memory, its owners, and what is refused.
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include <apps/examples/opencv/mat.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>
#include <tests/error_of.h>

namespace sluice {
namespace mat_test {

// Differs between neighboring pixels and between neighboring channels.
int value_of(int y, int x, int c) { return 50 * y + 10 * x + c; }

Image numbered(int height, int width, int channels) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        image.row(y)[x * channels + c] = static_cast<std::uint8_t>(value_of(y, x, c));
    }
  }
  return image;
}

void expect_same(const cv::Mat& mat, const Image& image) {
  ASSERT_EQ(mat.rows, image.height());
  ASSERT_EQ(mat.cols, image.width());
  ASSERT_EQ(mat.type(), CV_8UC(image.channels()));
  for (int y = 0; y < mat.rows; ++y) {
    for (int x = 0; x < mat.cols; ++x) {
      for (int c = 0; c < mat.channels(); ++c) {
        EXPECT_EQ(mat.ptr(y, x)[c], image.at(y, x, c)) << "at " << y << ", " << x << ", " << c;
      }
    }
  }
}

TEST(Mat, ShowsTheMemoryOfAnImage) {
  for (const int channels : {1, 2, 3, 4, 5, CV_CN_MAX}) {
    SCOPED_TRACE(channels);
    const Image image = numbered(3, 4, channels);
    const cv::Mat mat = as_mat(image);
    EXPECT_EQ(mat.data, image.data());
    EXPECT_EQ(mat.u, nullptr);  // owns nothing
    EXPECT_TRUE(mat.isContinuous());
    expect_same(mat, image);
  }
  EXPECT_TRUE(as_mat({}).empty());
  EXPECT_TRUE(as_mat(Image::size_only(3, 4, 3)).empty());
}

TEST(Mat, ShowsAPartOfAnImage) {
  const Image image = numbered(4, 5, 3);
  for (const Rectangle& part : {Rectangle{1, 2, 3, 2}, {3, 1, 1, 4}, {0, 4, 4, 1}}) {
    const Image crop = image.crop_view(part.y, part.x, part.height, part.width);
    const cv::Mat mat = as_mat(crop);
    EXPECT_EQ(mat.data, image.row(part.y) + 3 * part.x);
    expect_same(mat, crop);
  }
}

// The order of the channels stays; cvtColor makes BGR of RGB.
TEST(Mat, HasTheImagesOrderOfChannels) {
  Image image(1, 1, 3);
  image.row(0)[0] = 200;  // red
  image.row(0)[1] = 100;
  image.row(0)[2] = 50;
  EXPECT_EQ(as_mat(image).at<cv::Vec3b>(0, 0), cv::Vec3b(200, 100, 50));
  cv::Mat bgr;
  cv::cvtColor(as_mat(image), bgr, cv::COLOR_RGB2BGR);
  EXPECT_EQ(bgr.at<cv::Vec3b>(0, 0), cv::Vec3b(50, 100, 200));
  EXPECT_EQ(to_image(bgr).at(0, 0, 0), 50);
}

TEST(Mat, BecomesAnImageOfTheSameMemory) {
  for (const int channels : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(channels);
    const cv::Mat mat = as_mat(numbered(3, 4, channels)).clone();
    const Image image = to_image(mat);
    EXPECT_EQ(image.data(), mat.data);
    EXPECT_FALSE(image.is_view());
    expect_same(mat, image);
    EXPECT_EQ(as_mat(image).data, mat.data);
  }
}

TEST(Mat, PartOfAMatBecomesAnImage) {
  const cv::Mat mat = as_mat(numbered(4, 5, 3)).clone();
  for (const cv::Rect& part : {cv::Rect(2, 1, 2, 3), cv::Rect(1, 3, 4, 1), cv::Rect(4, 0, 1, 4)}) {
    const Image image = to_image(mat(part));
    EXPECT_EQ(image.data(), mat.ptr(part.y, part.x));
    EXPECT_EQ(image.row_stride(), part.height > 1 ? 15 : 3 * part.width);
    expect_same(mat(part), image);
  }
}

TEST(Mat, LivesAsLongAsAnImageOfIt) {
  cv::Mat mat = as_mat(numbered(3, 4, 3)).clone();
  const cv::Mat other = mat;
  ASSERT_EQ(other.u->refcount, 2);
  {
    Image image = to_image(std::move(mat));
    EXPECT_EQ(other.u->refcount, 2);
    Image handle = image.share();
    image.release();
    EXPECT_EQ(other.u->refcount, 2);
    expect_same(other, handle);
  }
  EXPECT_EQ(other.u->refcount, 1);
}

// A Mat that only shows memory may outlive it, so the image has a copy.
TEST(Mat, IsCopiedIfItOwnsNothing) {
  Image source = numbered(3, 4, 3);
  const Image expected = source.clone();
  const Image copy = to_image(as_mat(source));
  EXPECT_NE(copy.data(), source.data());
  source.row(0)[0] = 99;
  source.release();
  EXPECT_TRUE(copy == expected);
}

// OpenCV aborts if a Mat of a UMat outlives it.
TEST(Mat, IsCopiedIfAUMatSharesItsPixels) {
  const Image expected = numbered(3, 4, 3);
  Image copy;
  {
    cv::UMat source;
    as_mat(expected).copyTo(source);
    copy = to_image(source.getMat(cv::ACCESS_READ));
    EXPECT_NE(copy.data(), source.getMat(cv::ACCESS_READ).data);
  }
  EXPECT_TRUE(copy == expected);
}

TEST(Mat, RefusesWhatItCannotShow) {
  std::uint8_t pixels[24] = {};
  Image image(2, 2, CV_CN_MAX + 1);
  const int sizes[] = {2, 3, 4};
  const struct {
    std::function<void()> call;
    std::string error;
  } cases[] = {
      {[&] { as_mat(image); }, "as_mat: the image has 513 channels; a Mat has at most 512"},
      {[&] { as_mat(Image::view(pixels + 12, 2, 4, 3, -12)); },
       "as_mat: rows of 12 bytes are -12 bytes apart; copy the image with clone()"},
      {[&] { as_mat(Image::view(pixels, 2, 4, 3, 0)); },
       "as_mat: rows of 12 bytes are 0 bytes apart; copy the image with clone()"},
      {[&] {
         as_mat(Image::view(pixels, 2, 4, 3, 12, {MemoryKind::device, 0}));
       },
       "as_mat: the image is in device memory of device 0; copy it with to_host()"},
      {[] { to_image({}); }, "to_image: the Mat is empty; check that its file could be read"},
      {[] { to_image(cv::Mat(2, 2, CV_32FC3)); },
       "to_image: the Mat is CV_32FC3, expected CV_8UC3; convert it with convertTo()"},
      {[] { to_image(cv::Mat(2, 2, CV_16UC1)); },
       "to_image: the Mat is CV_16UC1, expected CV_8UC1; convert it with convertTo()"},
      {[] { to_image(cv::Mat(2, 2, CV_8SC1)); },
       "to_image: the Mat is CV_8SC1, expected CV_8UC1; convert it with convertTo()"},
      {[&] { to_image(cv::Mat(3, sizes, CV_8UC1)); },
       "to_image: the Mat has 3 dimensions, expected 2: rows and columns"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of<std::invalid_argument>(c.call), c.error);
}

}  // namespace mat_test
}  // namespace sluice
