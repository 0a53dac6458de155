// Images as cv::Mat and the reverse. as_mat never copies. to_image copies only a Mat that does not
// own its pixels, or shares them with a cv::UMat. You may copy this file into your program.
//
// The order of the channels stays as it is. Sluice's images are RGB or gray; OpenCV reads and
// writes files in BGR, and cv::cvtColor converts. Errors: std::invalid_argument.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <opencv2/core.hpp>

// Returns a Mat that shows the pixels of an image. It owns nothing: use it while the image lives,
// or clone() it. So keep the image in a variable. After `cv::Mat mat = as_mat(to_image(other));`
// the image is gone, and mat may show freed memory. OpenCV has no Mat of constant pixels, so do not
// write to the pixels of a const image.
inline cv::Mat as_mat(const sluice::Image& image) {
  if (image.empty()) return {};
  if (!image.place().on_host()) {
    throw std::invalid_argument("as_mat: the image is in " + to_string(image.place()) +
                                "; copy it with to_host()");
  }
  if (image.channels() > CV_CN_MAX) {
    throw std::invalid_argument("as_mat: the image has " + std::to_string(image.channels()) +
                                " channels; a Mat has at most " + std::to_string(CV_CN_MAX));
  }
  if (image.height() > 1 && image.row_stride() < static_cast<std::ptrdiff_t>(image.row_bytes())) {
    throw std::invalid_argument("as_mat: rows of " + std::to_string(image.row_bytes()) +
                                " bytes are " + std::to_string(image.row_stride()) +
                                " bytes apart; copy the image with clone()");
  }
  return cv::Mat(
      image.height(), image.width(), CV_8UC(image.channels()),
      const_cast<std::uint8_t*>(image.data()),
      image.height() > 1 ? static_cast<std::size_t>(image.row_stride()) : image.row_bytes());
}

// Returns an image of the same pixels, which live as long as the last image or Mat that has them.
// A Mat that only shows memory, such as that of as_mat(), is copied. So is a Mat of a UMat: OpenCV
// aborts the program if such a Mat outlives its UMat.
inline sluice::Image to_image(cv::Mat mat) {
  if (mat.empty()) {
    throw std::invalid_argument("to_image: the Mat is empty; check that its file could be read");
  }
  if (mat.dims != 2) {
    throw std::invalid_argument("to_image: the Mat has " + std::to_string(mat.dims) +
                                " dimensions, expected 2: rows and columns");
  }
  if (mat.depth() != CV_8U) {
    throw std::invalid_argument("to_image: the Mat is " + cv::typeToString(mat.type()) +
                                ", expected " + cv::typeToString(CV_8UC(mat.channels())) +
                                "; convert it with convertTo()");
  }
  const bool owns = mat.u != nullptr && mat.u->urefcount == 0;
  if (!owns) mat = mat.clone();
  const auto owner = std::make_shared<cv::Mat>(std::move(mat));
  const std::int64_t channels = owner->channels();
  return sluice::Image(
      sluice::Tensor::shared(owner, reinterpret_cast<std::byte*>(owner->data),
                             {.shape = {owner->rows, owner->cols, channels}},
                             {static_cast<std::int64_t>(owner->step[0]), channels, 1}));
}
